"""One file to its documents: the loader of its type, and every failure as an exclusion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import PurePosixPath

from viva.core.records import Exclusion, ExclusionReason
from viva.storage.corpus.jsonl import load_jsonl
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


def load(found: Found, max_file_mb: float) -> list[Loaded]:
    """The documents of a file, or the exclusion that says why it has none. Never raises for what a file holds."""
    suffix = PurePosixPath(found.relative).suffix.lower()
    loader = LOADERS.get(suffix)
    if loader is None:
        detail = f"{suffix or 'No suffix'}: not among {READ_TYPES}."
        return [Exclusion(path=found.relative, reason=ExclusionReason.UNKNOWN_TYPE, detail=detail)]
    try:
        max_bytes = int(max_file_mb * 1e6)
        return list(loader(SourceFile(found.relative, found.read(max_bytes), max_bytes)))
    except Excluded as excluded:
        return [Exclusion(path=found.relative, reason=excluded.reason, detail=excluded.detail)]
