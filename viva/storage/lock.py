"""One process at a time on a run folder. The lock is the operating system's: it goes when its process goes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from viva.core.disk_space import keep_private, make_private, no_room, room_for
from viva.core.errors import RunLocked, UsageError

LOCK_FILE = "run.lock"
HOLDER_FILE = "run.lock.pid"


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold the folder (made if need be). RunLocked, at once, if another process (or another caller here) holds it.

    What is in a folder that viva made is its owner's alone.
    """
    lock = FileLock(folder / LOCK_FILE, timeout=0, mode=0o600)
    try:
        make_private(folder)
        lock.acquire()
    except Timeout as error:
        raise RunLocked(
            f"{_holder(folder)} works on the run folder {folder}.",
            next_step="Wait for it, or stop it, then try again.",
        ) from error
    except (OSError, NotImplementedError) as error:
        raise no_room(error, folder) or UsageError(
            f"The run folder {folder} cannot be locked: {error}.",
            allowed="A folder that may be written, on a file system with locks.",
            next_step="Take another --out.",
        ) from error
    holder = folder / HOLDER_FILE
    try:
        with room_for(holder):
            holder.write_text(f"{os.getpid()}\n", encoding="ascii")
        keep_private(folder)
        yield
    finally:
        keep_private(folder)
        holder.unlink(missing_ok=True)
        lock.release()


def _holder(folder: Path) -> str:
    """The holder may be between taking the lock and writing its id: then it stays unnamed."""
    try:
        process_id = int((folder / HOLDER_FILE).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return "Another process"
    return f"Process {process_id}"


def at_work(folder: Path) -> bool:
    """Whether the process that wrote its id into the folder is alive: it holds the lock, or did a moment ago."""
    try:
        os.kill(int((folder / HOLDER_FILE).read_text(encoding="ascii")), 0)
    except PermissionError:
        # it is alive, and somebody else's
        return True
    except (OSError, ValueError, OverflowError):
        return False
    return True
