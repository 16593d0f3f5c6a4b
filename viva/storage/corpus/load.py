"""One file to its documents: the loader of its type, and every failure as an exclusion."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath

from viva.core.records import Document, Exclusion, ExclusionReason
from viva.storage.corpus.jsonl import load_jsonl
from viva.storage.corpus.listing import FoundFile
from viva.storage.corpus.markup import load_html
from viva.storage.corpus.pdf import load_pdf
from viva.storage.corpus.plain import load_markdown, load_restructured, load_text
from viva.storage.corpus.rows import load_csv, load_tsv
from viva.storage.corpus.source import Excluded, Found, Loaded, SourceFile
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
AHEAD = 8
"""Files that are fetched from elsewhere at once, and held."""


def load(found: Found, max_file_mb: float) -> list[Loaded]:
    """The documents of a file, or the exclusion that says why it has none. Never raises for what a file holds."""
    suffix = _suffix(found.relative)
    loader = LOADERS.get(suffix)
    if loader is None:
        detail = f"{suffix or 'No suffix'}: not among {READ_TYPES}."
        return [Exclusion(path=found.relative, reason=ExclusionReason.UNKNOWN_TYPE, detail=detail)]
    try:
        max_bytes = int(max_file_mb * 1e6)
        return list(loader(SourceFile(found.relative, found.read(max_bytes), max_bytes)))
    except Excluded as excluded:
        return [Exclusion(path=found.relative, reason=excluded.reason, detail=excluded.detail)]


def _suffix(relative: str) -> str:
    return PurePosixPath(relative).suffix.lower()


@dataclass(frozen=True)
class _Fetched:
    """A file whose bytes are on their way."""

    relative: str
    data: Future[bytes]

    def read(self, max_bytes: int) -> bytes:  # noqa: ARG002 - it was told when it was asked for
        return self.data.result()


def fetched_ahead(entries: Iterable[Found | Loaded], max_file_mb: float) -> Iterator[Found | Loaded]:
    """The same in the same order; files elsewhere are fetched, AHEAD at a time, while those before are read."""
    waiting: deque[Found | Loaded] = deque()
    with ThreadPoolExecutor(AHEAD) as threads:
        for entry in entries:
            if not isinstance(entry, FoundFile | Document | Exclusion) and _suffix(entry.relative) in LOADERS:
                entry = _Fetched(entry.relative, threads.submit(entry.read, int(max_file_mb * 1e6)))
            waiting.append(entry)
            if len(waiting) > AHEAD:
                yield waiting.popleft()
        yield from waiting
