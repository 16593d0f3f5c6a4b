"""Ctrl-C and SIGTERM: the first ends what is under way in order, the second ends the process at once.

Both are heard also where whoever started the process had SIGINT ignored, as a shell without job control does with
what it puts into the background.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

_T = TypeVar("_T")
SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOPPED = "Stopped: What was done is kept.\n  Run the same command again to go on.\n"

_heard: list[int] = []
_main_tasks: list[asyncio.Task[Any]] = []
_other_tasks: list[asyncio.Task[Any]] = []
"""Of other threads than the main one, which hear no signal."""
_last_acts: set[Callable[[], object]] = set()


def listen() -> None:
    """Hear both from now on; for the main thread of a program, before anything is begun."""
    for number in SIGNALS:
        signal.signal(number, _hear)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forget)


def listening() -> bool:
    """Tell whether this process hears signals here."""
    return signal.getsignal(signal.SIGINT) is _hear


def count(number: int) -> None:
    """A signal was heard, by whoever listens in our stead; does not return where it is the second."""
    _heard.append(number)
    if len(_heard) > 1:
        _leave_at_once()


def exit_code() -> int:
    """128 and the number of the signal that was heard first, as shells tell it; 130 where none was heard here."""
    return 128 + (_heard[0] if _heard else signal.SIGINT)


def at_last(act: Callable[[], object]) -> None:
    """What is done even where the process is ended at once. It must not wait, and may have been done already."""
    _last_acts.add(act)


def run(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """As asyncio.run. A signal cancels the coroutine, and is then raised as KeyboardInterrupt."""
    import asyncio

    try:
        return asyncio.run(_cancelled_by_signals(coroutine))
    except asyncio.CancelledError:
        if _heard:
            raise KeyboardInterrupt from None
        raise


def cancel() -> None:
    """Cancel what runs in other threads than the main one; it ends in order, and its caller gets CancelledError."""
    for task in tuple(_other_tasks):
        task.get_loop().call_soon_threadsafe(task.cancel)


async def _cancelled_by_signals(coroutine: Coroutine[Any, Any, _T]) -> _T:
    import asyncio

    task = asyncio.current_task()
    if task is None:
        return await coroutine
    tasks = _main_tasks if threading.current_thread() is threading.main_thread() else _other_tasks
    tasks.append(task)
    try:
        return await coroutine
    finally:
        tasks.remove(task)


def _hear(number: int, _frame: FrameType | None) -> None:
    count(number)
    if not _main_tasks:
        raise KeyboardInterrupt
    task = _main_tasks[-1]
    task.cancel()
    # a loop that waits for nothing but its network hears of it now
    task.get_loop().call_soon_threadsafe(_nothing)


def _nothing() -> None:
    """For a loop that is to look again."""


def _leave_at_once() -> None:
    """Without an orderly end, which a second interrupt would break with tracebacks: what is recorded outlives it."""
    for act in tuple(_last_acts):
        act()
    os.write(2, STOPPED.encode())
    os._exit(exit_code())


def _forget() -> None:
    """A forked child, such as a user's system makes, hears signals as any Python process does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
