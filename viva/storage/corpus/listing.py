"""Which files a folder holds, in an order that depends on their names alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from viva.core.errors import UsageError
from viva.core.records import Exclusion, ExclusionReason
from viva.storage.corpus.source import Excluded, Found, readable_path, refuse_size

ALWAYS_IGNORED = ("__pycache__", "node_modules")
_NO_FILE = "A pipe, socket or device: only files are opened."


@dataclass(frozen=True)
class FoundFile:
    """A regular file: where it is and its path relative to the folder."""

    path: Path
    relative: str

    def read(self, max_bytes: int) -> bytes:
        """Raises Excluded for what cannot be read, is empty, or larger."""
        try:
            # between listing and opening, a file may have become a pipe, whose opening would block
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
            with os.fdopen(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    raise Excluded(ExclusionReason.UNREADABLE, _NO_FILE)
                refuse_size(status.st_size, max_bytes)
                data = file.read(max_bytes + 1)
        except OSError as error:
            raise Excluded(ExclusionReason.UNREADABLE, f"The file cannot be opened: {error.strerror}.") from error
        refuse_size(len(data), max_bytes)
        return data


def walk(folder: Path, ignore: Sequence[str]) -> list[FoundFile | Exclusion]:
    """Files and unreadable entries of the folder, sorted by relative path (code points, not locale).

    Links to folders are followed after all real folders, and only to folders not yet seen: loops end, and
    nothing is listed twice. Raises OSError when the folder itself cannot be listed.
    """
    check_patterns(ignore)
    return _Walk(folder.resolve(), tuple(ignore)).entries()


def ignored(relative: PurePosixPath, patterns: Sequence[str], *, is_folder: bool) -> bool:
    """Whether a hidden name, a habitual build folder or a pattern takes this entry out.

    A pattern without a slash is held against the name, one with a slash against the whole relative path;
    a trailing slash means folders only. What lies in an ignored folder is never looked at.
    """
    if relative.name.startswith(".") or relative.name in ALWAYS_IGNORED:
        return True
    return any(matches(relative, pattern, is_folder=is_folder) for pattern in patterns)


def matches(relative: PurePosixPath, pattern: str, *, is_folder: bool) -> bool:
    """Whether one pattern takes this entry out."""
    if pattern.endswith("/") and not is_folder:
        return False
    bare = pattern.rstrip("/").removesuffix("/**")
    anchored = bare.removeprefix("**/")
    if "/" not in anchored:
        rooted = bare.startswith("/")
        return not rooted and fnmatchcase(relative.name, anchored)
    if bare != anchored and fnmatchcase(relative.as_posix(), f"*/{anchored}"):
        return True
    return fnmatchcase(relative.as_posix(), anchored.removeprefix("/"))


def check_patterns(patterns: Sequence[str]) -> None:
    """UsageError for a pattern that leaves out everything, or nothing."""
    for pattern in patterns:
        if not pattern.strip("/* ") or pattern.startswith("!"):
            raise UsageError(
                f"The ignore pattern {pattern!r} cannot be used.",
                allowed="Patterns name what to leave out: '*.draft.md', 'archive/', 'notes/2019-*'.",
                next_step="Remove the pattern or write what to leave out.",
            )


class _Walk:
    def __init__(self, root: Path, patterns: tuple[str, ...]) -> None:
        self.root = root
        self.patterns = patterns
        self.seen: set[Path] = set()
        self.found: list[FoundFile | Exclusion] = []
        self.folder_links: list[tuple[Path, Path]] = []

    def entries(self) -> list[FoundFile | Exclusion]:
        self._descend(self.root)
        while self.folder_links:
            self.folder_links.sort(key=lambda link: link[0].as_posix(), reverse=True)
            link, target = self.folder_links.pop()
            if target not in self.seen:
                self._descend(link)
        return sorted(self.found, key=entry_path)

    def _descend(self, top: Path) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            self.seen.add(folder.resolve())
            waiting.extend(self._list(folder))

    def _list(self, folder: Path) -> list[Path]:
        """Note the folder's files; its real subfolders are returned."""
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            if folder == self.root:
                raise
            self._exclude(folder, ExclusionReason.UNREADABLE, f"The folder cannot be listed: {error.strerror}.")
            return []
        return [path for entry in entries if (path := self._note(Path(entry.path), entry)) is not None]

    def _note(self, path: Path, entry: os.DirEntry[str]) -> Path | None:
        relative = PurePosixPath(path.relative_to(self.root).as_posix())
        if entry.is_symlink():
            self._note_link(path, relative)
        elif entry.is_dir(follow_symlinks=False):
            return None if ignored(relative, self.patterns, is_folder=True) else path
        elif not ignored(relative, self.patterns, is_folder=False):
            self._note_file(path, entry.stat(follow_symlinks=False).st_mode)
        return None

    def _note_link(self, path: Path, relative: PurePosixPath) -> None:
        try:
            target = path.resolve(strict=True)
            mode = target.stat().st_mode
        except (OSError, RuntimeError):  # RuntimeError: a loop, up to Python 3.12
            if not ignored(relative, self.patterns, is_folder=False):
                self._exclude(path, ExclusionReason.UNREADABLE, "The link leads nowhere or in a circle.")
            return
        is_folder = stat.S_ISDIR(mode)
        if ignored(relative, self.patterns, is_folder=is_folder):
            return
        if not target.is_relative_to(self.root):
            self._exclude(path, ExclusionReason.OUTSIDE_FOLDER, "The link leads out of the folder; copy the file in.")
        elif is_folder:
            self.folder_links.append((path, target))
        else:
            self._note_file(path, mode)

    def _note_file(self, path: Path, mode: int) -> None:
        if stat.S_ISREG(mode):
            self.found.append(FoundFile(path, readable_path(path.relative_to(self.root))))
        else:
            self._exclude(path, ExclusionReason.UNREADABLE, _NO_FILE)

    def _exclude(self, path: Path, reason: ExclusionReason, detail: str) -> None:
        self.found.append(Exclusion(path=readable_path(path.relative_to(self.root)), reason=reason, detail=detail))


def entry_path(entry: Found | Exclusion) -> str:
    """By which what a folder holds is put in order."""
    return entry.path if isinstance(entry, Exclusion) else entry.relative
