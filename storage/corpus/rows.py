"""Tables: each row of a .csv or .tsv file is a document."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from viva.core.records import Exclusion, ExclusionReason
from viva.storage.corpus.decoding import decode
from viva.storage.corpus.source import Excluded, Loaded, Source, document_of

_TEXT_COLUMNS = ("text", "content", "body")
_TITLE_COLUMNS = ("title", "name", "id")


def load_csv(source: Source) -> Iterator[Loaded]:
    """A document per row; the delimiter is the one of , ; tab | that the header line holds most of."""
    text = decode(source.data)
    header = text.lstrip().partition("\n")[0]
    yield from _rows(source, text, max(",;\t|", key=header.count), "csv")


def load_tsv(source: Source) -> Iterator[Loaded]:
    """A document per row of tab-separated values."""
    yield from _rows(source, decode(source.data), "\t", "tsv")


def _rows(source: Source, text: str, delimiter: str, format: str) -> list[Loaded]:  # noqa: A002
    with _fields_up_to(len(text)):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        columns = _columns(next(_filled(source, reader), []))
        if not columns or isinstance(columns, Exclusion):
            raise Excluded(ExclusionReason.EMPTY, "The table holds no header line.")
        rows = enumerate(_filled(source, reader), start=1)
        loaded = [row if isinstance(row, Exclusion) else _row(source, columns, row, n, format) for n, row in rows]
    if not loaded:
        raise Excluded(ExclusionReason.EMPTY, "The table holds a header line and no rows.")
    return loaded


@contextmanager
def _fields_up_to(length: int) -> Iterator[None]:
    """The csv module refuses fields over 128 KB by a limit it keeps for the whole process."""
    before = csv.field_size_limit(max(length, csv.field_size_limit()))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _columns(header: Sequence[str]) -> list[str]:
    """Column names; unnamed ones are numbered, repeated ones told apart."""
    names: list[str] = []
    for number, cell in enumerate(header, start=1):
        name = " ".join(cell.split()) or f"column {number}"
        names.append(name if name not in names else f"{name} ({number})")
    return names
