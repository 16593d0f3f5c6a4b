"""Calling viva's work from anywhere: also where an event loop runs, as in a notebook's cell."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from viva.llm import interrupts
from viva.llm.interrupts import exit_code as exit_code

_T = TypeVar("_T")


def outside_loop(work: Callable[[], _T]) -> _T:
    """Give what `work` gives, called where no event loop runs: in a thread of its own if one runs here.

    An interrupt ends the work in order and comes through: what was done is kept.
    """
    if not _loop_runs():
        return work()
    done = _begun(work)
    try:
        return done.result()
    except KeyboardInterrupt:
        interrupts.cancel()
        raise


async def in_thread(work: Callable[[], _T]) -> _T:
    """Give what `work` gives, while this event loop goes on. To cancel it ends the work in order."""
    done = _begun(work)
    try:
        return await asyncio.wrap_future(done)
    except asyncio.CancelledError:
        interrupts.cancel()
        raise


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _begun(work: Callable[[], _T]) -> Future[_T]:
    done: Future[_T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001  whatever it is, it is the caller's
            if not done.cancelled():
                done.set_exception(error)

    # not a worker of a pool, which Python would wait for at its end
    threading.Thread(target=run, name="viva", daemon=True).start()
    return done
