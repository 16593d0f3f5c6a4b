"""An event loop in a thread of its own, for a user's asynchronous system: one that blocks it blocks nobody else."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from functools import cached_property
from typing import Any


class OwnLoop:
    """One loop for all questions, since a client made once belongs to the loop that used it first."""

    async def run(self, awaitable: Awaitable[Any]) -> Any:
        """Await it over there. Raises what it raises, RuntimeError for what would end the process."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_contained(awaitable), self._loop))

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True, name="examinee loop").start()
        return loop


async def _contained(awaitable: Awaitable[Any]) -> Any:
    try:
        return await awaitable
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from error
