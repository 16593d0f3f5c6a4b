"""Threads of their own, for a user's system: one that hangs or blocks holds up nobody else, and not the end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeVar

_T = TypeVar("_T")
_PATIENCE_S = 5.0
_AT_ONCE_S = 0.5


async def in_thread(function: Callable[[], _T]) -> _T:
    """Run in a daemon thread. Raises what it raises, RuntimeError for what would end the process."""
    return await asyncio.wrap_future(started(function))


def started(function: Callable[[], _T]) -> Future[_T]:
    """Its result to come, from a daemon thread: one that hangs past its time is left behind."""
    future: Future[_T] = Future()

    def work() -> None:
        with suppress(Exception):  # whoever waited has left
            try:
                future.set_result(function())
            except StopIteration as error:  # cannot travel through a future
                future.set_exception(RuntimeError(f"StopIteration: {error}"))
            except Exception as error:  # noqa: BLE001 - a user's system may raise anything: it is counted
                future.set_exception(error)
            except BaseException as error:  # noqa: BLE001 - also what would end a program; this is its own thread
                future.set_exception(RuntimeError(f"{type(error).__name__}: {error}"))

    threading.Thread(target=work, daemon=True, name="examinee").start()
    return future


class OwnLoop:
    """One event loop for all questions, since a client made once belongs to the loop that used it first."""

    async def run(self, awaitable: Awaitable[_T]) -> _T:
        """Await it over there. Raises what it raises, RuntimeError for what would end the process."""
        return await asyncio.wrap_future(self.send(awaitable))

    def send(self, awaitable: Awaitable[_T]) -> Future[_T]:
        """Its result to come, for code that is not asynchronous."""
        return asyncio.run_coroutine_threadsafe(_contained(awaitable), self._loop)

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `last` over there, as long as is decent, and end the loop; asked again, another one is begun."""
        if "_loop" not in self.__dict__:
            return
        loop: asyncio.AbstractEventLoop = self.__dict__["_loop"]
        with suppress(Exception):  # a system that does not end well is left behind
            self.send(asyncio.sleep(0)).result(_AT_ONCE_S)  # one that blocks its loop is not waited for
            self.send(last()).result(_PATIENCE_S)
            self.send(_cancel_the_others()).result(_PATIENCE_S)
        loop.call_soon_threadsafe(loop.stop)
        del self.__dict__["_loop"]

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        loop.set_default_executor(_DaemonThreads())
        threading.Thread(target=_run, args=(loop,), daemon=True, name="examinee loop").start()
        return loop


class _DaemonThreads(ThreadPoolExecutor):
    """For blocking code that runs behind an event loop: the threads of an ordinary pool are waited for at the end."""

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        return started(lambda: fn(*args, **kwargs))


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


async def _contained(awaitable: Awaitable[_T]) -> _T:
    try:
        return await awaitable
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise RuntimeError(f"CancelledError: {error}") from error  # its own: nobody has cancelled it
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


async def _cancel_the_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.wait(others, timeout=_AT_ONCE_S) if others else None
