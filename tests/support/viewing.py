"""The viewer at work in a thread of its own, on a port that is free."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from viva.viewer.serving import View, served


@contextmanager
def viewing(*runs: Path, host: str = "127.0.0.1", read_only: bool = False, by: str = "Ada") -> Iterator[str]:
    """The address to open, without the slash at its end."""
    ready, stop, told = threading.Event(), threading.Event(), list[str | BaseException]()

    async def serve() -> None:
        async with served(View(runs, host, 0, read_only, by, None)) as (address, _):
            told.append(address)
            ready.set()
            await asyncio.to_thread(stop.wait)

    def work() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            told.append(error)
            ready.set()
            raise

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait(30)
    try:
        if isinstance(told[0], BaseException):
            raise told[0]
        yield told[0].rstrip("/")
    finally:
        stop.set()
        thread.join(30)
