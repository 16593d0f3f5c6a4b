"""One file to its documents: the loader of its type, and every failure as an exclusion."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from viva.core.records import Exclusion, ExclusionReason
from viva.storage.corpus.jsonl import load_jsonl
from viva.storage.corpus.listing import FoundFile
from viva.storage.corpus.markup import load_html
from viva.storage.corpus.pdf import load_pdf
from viva.storage.corpus.plain import load_markdown, load_restructured, load_text
from viva.storage.corpus.rows import load_csv, load_tsv
from viva.storage.corpus.source import Excluded, Loaded, SourceFile
from viva.storage.corpus.word import load_docx

LOADERS: dict[str, Callable[[SourceFile], Iterable[Loaded]]] = {
    ".md": load_markdown,
    ".markdown": load_markdown,
    ".txt": load_text,
    ".rst": load_restructured,
    ".html": load_html,
    ".htm": load_html,
    ".pdf": load_pdf,
    ".docx": load_docx,
    ".csv": load_csv,
    ".tsv": load_tsv,
    ".jsonl": load_jsonl,
}
READ_TYPES = ", ".join(LOADERS)


def load(found: FoundFile, max_file_mb: float) -> list[Loaded]:
    """The documents of a file, or the exclusion that says why it has none. Never raises for what a file holds."""
    suffix = PurePosixPath(found.relative).suffix.lower()
    loader = LOADERS.get(suffix)
    if loader is None:
        detail = f"{suffix or 'No suffix'}: not among {READ_TYPES}."
        return [Exclusion(path=found.relative, reason=ExclusionReason.UNKNOWN_TYPE, detail=detail)]
    try:
        max_bytes = int(max_file_mb * 1e6)
        return list(loader(SourceFile(found.relative, _read(found.path, max_bytes), max_bytes)))
    except Excluded as excluded:
        return [Exclusion(path=found.relative, reason=excluded.reason, detail=excluded.detail)]


def _read(path: Path, max_bytes: int) -> bytes:
    try:
        # between listing and opening, a file may have become a pipe, whose opening would block
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise Excluded(ExclusionReason.UNREADABLE, "A pipe, socket or device: only files are opened.")
            _refuse_size(status.st_size, max_bytes)
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"The file cannot be opened: {error.strerror}.") from error
    _refuse_size(len(data), max_bytes)
    return data


def _refuse_size(size: int, max_bytes: int) -> None:
    if size == 0:
        raise Excluded(ExclusionReason.EMPTY, "The file has 0 bytes.")
    if size > max_bytes:
        raise Excluded(
            ExclusionReason.OVERSIZED,
            f"The file has {size / 1e6:.1f} MB, the limit is {max_bytes / 1e6:g} MB; raise max_file_mb or split it.",
        )
