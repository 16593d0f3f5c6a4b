"""Tables: each row of a .csv or .tsv file is a document."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from viva.core.records import Exclusion, ExclusionReason
from viva.storage.corpus.decoding import decode
from viva.storage.corpus.source import Excluded, Loaded, SourceFile, document_of, lookup

_TEXT_COLUMNS = ("text", "content", "body")
_TITLE_COLUMNS = ("title", "name", "id")


def load_csv(source: SourceFile) -> Iterator[Loaded]:
    """A document per row; the delimiter is the one of , ; tab | that the header line holds most of."""
    text = decode(source.data)
    header = text.lstrip().partition("\n")[0]
    yield from _rows(source, text, max(",;\t|", key=header.count), "csv")


def load_tsv(source: SourceFile) -> Iterator[Loaded]:
    """A document per row of tab-separated values."""
    yield from _rows(source, decode(source.data), "\t", "tsv")


def _rows(source: SourceFile, text: str, delimiter: str, format: str) -> list[Loaded]:  # noqa: A002
    with _fields_up_to(len(text)):
        records = list(_records(text, delimiter))
    if not records or isinstance(records[0], str):
        raise Excluded(ExclusionReason.EMPTY, "The table holds no header line.")
    columns = _columns(records[0])
    text_column = next((column for column in columns if column.casefold() in _TEXT_COLUMNS), None)
    row = partial(_row, source, columns, text_column, format)
    loaded = [row(record, number) for number, record in enumerate(records[1:], start=1)]
    if not loaded:
        raise Excluded(ExclusionReason.EMPTY, "The table holds a header line and no rows.")
    return loaded


@contextmanager
def _fields_up_to(length: int) -> Iterator[None]:
    """The csv module refuses fields over 128 KB by a limit it keeps for the whole process."""
    before = csv.field_size_limit()
    csv.field_size_limit(max(length, before))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _records(text: str, delimiter: str) -> Iterator[list[str] | str]:
    """Cells of each row that is not blank, or what is wrong with it."""
    # strict: otherwise a quote that is never closed silently swallows the rest of the file
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"Line {line} is no valid row: {error}."
            continue
        if any(cell.strip() for cell in cells):
            yield cells


def _columns(header: Sequence[str]) -> list[str]:
    """Column names; unnamed ones are numbered, repeated ones told apart."""
    names: list[str] = []
    taken: set[str] = set()
    for number, cell in enumerate(header, start=1):
        name = " ".join(cell.split()) or f"column {number}"
        while name in taken:
            name = f"{name} ({number})"
        names.append(name)
        taken.add(name)
    return names


def _row(
    source: SourceFile,
    columns: list[str],
    text_column: str | None,
    format: str,  # noqa: A002 - the field's name
    cells: list[str] | str,
    number: int,
) -> Loaded:
    path = f"{source.relative}#{number}"
    if isinstance(cells, str):
        return Exclusion(path=path, reason=ExclusionReason.BAD_RECORD, detail=cells)
    if len(cells) > len(columns):
        detail = f"Row {number} has {len(cells)} cells, the header names {len(columns)} columns."
        return Exclusion(path=path, reason=ExclusionReason.BAD_RECORD, detail=detail)
    values = {column: cell.strip() for column, cell in zip(columns, cells, strict=False) if cell.strip()}
    if text_column is None:
        text = "\n".join(f"{column}: {value}" for column, value in values.items())
        title = lookup(values, *_TITLE_COLUMNS, columns[0])
        return document_of(source, text, format=format, title=title, metadata=values, row=number)
    text = values.pop(text_column, "")
    if not text:
        detail = f"Row {number} has nothing in its column {text_column!r}."
        return Exclusion(path=path, reason=ExclusionReason.EMPTY, detail=detail)
    title = lookup(values, *_TITLE_COLUMNS, columns[0])
    return document_of(source, text, format=format, title=title, metadata=values, row=number)
