"""Room to write: whatever says that there is none becomes one error, told once, whoever stumbles over it."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from viva.core.errors import DiskFull

_WHY = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota is used up",
    errno.EFBIG: "the file would be larger than is allowed here (ulimit -f, or the file system)",
}
# SQLite tells a full disk from other failures to write; of a quota and of a limit it keeps to itself what it met
_SQLITE_WRITES = {
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_DIR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
}
_POSTGRES_FULL = "53100"
_OWNERS_FOLDER, _OWNERS_FILE, _OTHERS = 0o700, 0o600, 0o077
_NEXT_TO_NOTHING = 65_536  # bytes: SQLite makes a page or two at a time


def no_room(error: BaseException, where: Path | str | None = None) -> DiskFull | None:
    """The error as a lack of room to write `where`, if that is what is behind it; else None.

    Looked for in the error itself, in what it came from, and in a group's errors. Known are OSError with ENOSPC,
    EDQUOT or EFBIG, SQLite's and PostgreSQL's errors of that kind, and DiskFull, which is given back as it is.
    """
    behind = list(_behind(error))
    for each in behind:
        if isinstance(each, DiskFull):
            return each
    for each in behind:
        if why := _why(each, where):
            named = where or (each.filename if isinstance(each, OSError) else None) or "a file"
            return DiskFull(named, why)
    return None


@contextmanager
def room_for(path: Path | str | None = None) -> Iterator[None]:
    """What is done here writes `path`: raises DiskFull where there is no room to, and lets all else through."""
    try:
        yield
    except Exception as error:
        lacking = no_room(error, path)
        if lacking is None or lacking is error:
            raise
        raise lacking from error


def write_whole(path: Path, content: str | bytes) -> None:
    """A file (a text in UTF-8, line ends as they are) written whole or not at all. Raises DiskFull, OSError.

    In a folder that is its owner's alone the file is too.
    """
    part = path.with_name(f"{path.name}.part")
    with room_for(path):
        try:
            part.write_bytes(content.encode() if isinstance(content, str) else content)
            if _is_private(path.parent):
                part.chmod(_OWNERS_FILE)
            part.replace(path)
        except OSError:
            # what came of it would take the room that is lacking
            with suppress(OSError):
                part.unlink()
            raise


def make_private(folder: Path) -> None:
    """Make a folder that nobody but its owner can open (mode 0700). One that is there keeps its mode."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=_OWNERS_FOLDER, exist_ok=True)


def keep_private(folder: Path) -> None:
    """Take the files and folders in a private folder from everybody but their owner: 0600 and 0700."""
    if not _is_private(folder):
        return
    for top, folders, files in os.walk(folder):
        for names, mode in ((folders, _OWNERS_FOLDER), (files, _OWNERS_FILE)):
            for name in names:
                path = Path(top, name)
                # a file may go meanwhile, or be somebody else's
                with suppress(OSError):
                    status = path.lstat()
                    if not stat.S_ISLNK(status.st_mode) and status.st_mode & _OTHERS:
                        path.chmod(mode)


def _is_private(folder: Path) -> bool:
    return os.name == "posix" and folder.is_dir() and not folder.stat().st_mode & _OTHERS


def _behind(error: BaseException) -> Iterator[BaseException]:
    """The error and all that it came from, each once."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop(0)
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [each.__cause__, each.__context__]
        waiting += each.exceptions if isinstance(each, BaseExceptionGroup) else ()


def _why(error: BaseException, where: Path | str | None) -> str | None:
    if isinstance(error, OSError):
        return _WHY.get(error.errno or 0)
    if getattr(error, "sqlstate", None) == _POSTGRES_FULL:
        return "the disk of the database's server is full"
    code = getattr(error, "sqlite_errorcode", None) if isinstance(error, sqlite3.Error) else None
    if not isinstance(code, int):
        return None
    if code == sqlite3.SQLITE_FULL:
        return _WHY[errno.ENOSPC]
    # the lowest byte is the kind; a file that cannot be made or lengthened is not told apart from other troubles
    troubled = code & 0xFF in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
    if troubled and where is not None and _is_full(Path(where).parent):
        return _WHY[errno.ENOSPC]
    if code in _SQLITE_WRITES:
        return _WHY[errno.EFBIG] if _is_limited() else f"a quota is used up, or the disk fails ({error})"
    return None


def _is_limited() -> bool:
    """Whether this process may write files of a certain size only."""
    try:
        import resource
    except ImportError:  # Windows
        return False
    return resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY


def _is_full(folder: Path) -> bool:
    """Whether the folder's file system has next to no bytes, or no files, left."""
    try:
        if shutil.disk_usage(folder).free < _NEXT_TO_NOTHING:
            return True
        files = os.statvfs(folder) if hasattr(os, "statvfs") else None
    except OSError:
        return False
    return files is not None and files.f_files > 0 and files.f_favail == 0
