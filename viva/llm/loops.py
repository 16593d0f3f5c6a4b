"""Event loops in other threads: one of our own in the background, and how a call crosses over to a loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Self, TypeVar

_T = TypeVar("_T")


class BackgroundLoop:
    """An event loop in a thread of its own, for synchronous code that asks a gateway. Close the gateway before it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="viva-gateway", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run this on the loop and wait for it, e.g. `run(gateway.aclose())`."""
        return awaited(coroutine, self.loop)

    def close(self) -> None:
        """Cancel what still runs, end the thread, close the loop."""
        if self.loop.is_closed():
            return
        self.run(_cancel_the_others())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that runs in this thread."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def sent(coroutine: Coroutine[Any, Any, _T], loop: asyncio.AbstractEventLoop) -> Future[_T]:
    """The coroutine, started on a loop of another thread. RuntimeError if that does not run."""
    if not loop.is_running():
        coroutine.close()
        raise RuntimeError("The event loop that was to be asked does not run (any more).")
    return asyncio.run_coroutine_threadsafe(coroutine, loop)


def awaited(coroutine: Coroutine[Any, Any, _T], loop: asyncio.AbstractEventLoop) -> _T:
    """Its result, waited for in this thread; interrupted here, it is cancelled there."""
    future = sent(coroutine, loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def called(function: Callable[[], _T]) -> _T:
    """The function's result, as a coroutine."""
    return function()


async def _cancel_the_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
