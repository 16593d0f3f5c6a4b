"""JSON Lines, CSV and TSV: the chunks that the user made, and rows as documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import mode
from typing import Any

from viva.core.records import Exclusion, ExclusionReason
from viva.core.tables import MAX_LINE, BadRow, csv_lines, json_lines, likely_delimiter, parse_python_json
from viva.storage.corpus.decoding import text_of
from viva.storage.corpus.source import Excluded, Loaded, SourceFile, document_of, lookup

_ID_FIELDS = ("id", "doc_id")
_TITLE_FIELDS = ("title", "focus", "name")


def load_jsonl(source: SourceFile) -> Iterator[Loaded]:
    """A pre-split document per line `{"text": ..., "id"?: ..., "metadata"?: {...}}`; bad lines are listed.

    Other fields of a line become metadata. Paths carry the line number.
    """
    text = text_of(source)
    lines = json_lines(text, parse=parse_python_json, longest=max(len(text), MAX_LINE))
    loaded = [_loaded(source, value, number) for number, value in lines]
    if not loaded:
        raise Excluded(ExclusionReason.EMPTY, "The file holds no lines.")
    yield from loaded


def _loaded(source: SourceFile, value: object, number: int) -> Loaded:
    record = _record(value)
    if isinstance(record, str):
        detail = f"Line {number} {record}."
        path = f"{source.relative}#{number}"
        return Exclusion(path=path, reason=ExclusionReason.BAD_RECORD, detail=detail)
    text, metadata = record
    title = lookup(metadata, *_TITLE_FIELDS)
    line = ((0, f"line {number}"),)
    return document_of(
        source, text, format="jsonl", title=title, metadata=metadata, row=number, presplit=True, parts=line
    )


def _record(record: object) -> tuple[str, dict[str, str]] | str:
    """The line's text and metadata, or what is wrong with it."""
    if isinstance(record, BadRow):
        return record.reason
    if not isinstance(record, dict):
        return f"holds {_kind(record)}, where a JSON object is expected"
    if "text" not in record:
        return 'has no "text"'
    if not isinstance(record["text"], str):
        return f'has a "text" that is {_kind(record["text"])}, where a string is expected'
    if not record["text"].strip():
        return 'has a blank "text"'
    try:
        return record["text"], _metadata(record)
    except RecursionError:
        return "is JSON nested too deeply"


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def _metadata(record: dict[str, Any]) -> dict[str, str]:
    """Fields of "metadata" and of the record itself (which win) as strings; the id under "id"."""
    given = record.get("metadata")
    own = {name: value for name, value in record.items() if name not in {"text", "metadata"}}
    fields = {**(given if isinstance(given, dict) else {"metadata": given}), **own}
    metadata = {name: _as_text(value) for name, value in fields.items() if value is not None}
    identity = next((metadata[name] for name in _ID_FIELDS if name in metadata), None)
    return metadata if identity is None else {**metadata, "id": identity}


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


# --- tables -------------------------------------------------------------------------------------------------


_SEPARATOR = re.compile(r'\s*"?sep=([^\w\s"]|\t)"?[ \t]*(?:\n|\Z)', re.IGNORECASE)
_MOST_TITLES = 10
_TEXT_COLUMNS = ("text", "content", "body")
_TITLE_COLUMNS = ("title", "name", "id")


def load_csv(source: SourceFile) -> Iterator[Loaded]:
    """A document per row; the delimiter is the one of , ; tab | under which rows have equally many cells.

    A line `sep=;` names it, as Excel writes it. Lines of a title above the header are in each row's text.
    """
    text = text_of(source)
    named = _SEPARATOR.match(text)
    if named:
        text = text[named.end() :]
    yield from _rows(source, text, named.group(1) if named else likely_delimiter(text), "csv")


def load_tsv(source: SourceFile) -> Iterator[Loaded]:
    """A document per row of tab-separated values."""
    yield from _rows(source, text_of(source), "\t", "tsv")


def _rows(source: SourceFile, text: str, delimiter: str, format: str) -> list[Loaded]:  # noqa: A002
    # a document in a cell may be as long as the file
    records = list(csv_lines(text, delimiter, longest=max(len(text), MAX_LINE)))
    titles = _titles(records)
    records = records[len(titles) :]
    if not records or isinstance(header := records[0][1], BadRow):
        raise Excluded(ExclusionReason.EMPTY, "The table holds no header line.")
    columns = _columns(header)
    text_column = next((column for column in columns if column.casefold() in _TEXT_COLUMNS), None)
    row = partial(_row, source, columns, text_column, format, "".join(f"{title}\n" for title in titles))
    loaded = [row(line, cells, number) for number, (line, cells) in enumerate(records[1:], start=1)]
    if not loaded:
        raise Excluded(ExclusionReason.EMPTY, "The table holds a header line and no rows.")
    return loaded


def _titles(records: Sequence[tuple[int, list[str] | BadRow]]) -> list[str]:
    """The lines above the header: rows of one cell, and rows behind such a row that are shorter than most."""
    rows = [[] if isinstance(cells, BadRow) else [cell.strip() for cell in cells] for _, cells in records]
    lengths = [max((at for at, cell in enumerate(row, start=1) if cell), default=0) for row in rows]
    usual = max(mode(lengths[1:] or [0]), 2)
    titles: list[str] = []
    for row, length in zip(rows[: _MOST_TITLES + 1], lengths, strict=False):
        if length >= (usual if titles else 2):
            return titles
        if not length:
            break
        titles.append(": ".join(filter(None, row)).replace(":: ", ": "))
    return []


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
    above: str,
    line: int,
    cells: list[str] | BadRow,
    number: int,
) -> Loaded:
    path = f"{source.relative}#{number}"
    if isinstance(cells, BadRow):
        return Exclusion(path=path, reason=ExclusionReason.BAD_RECORD, detail=f"Line {line} {cells.reason}.")
    if len(cells) > len(columns):
        detail = f"Row {number} has {len(cells)} cells, the header names {len(columns)} columns."
        return Exclusion(path=path, reason=ExclusionReason.BAD_RECORD, detail=detail)
    place = ((0, f"row {number}"),)
    values = {column: cell.strip() for column, cell in zip(columns, cells, strict=False) if cell.strip()}
    if text_column is None:
        text = above + "\n".join(f"{column}: {value}" for column, value in values.items())
        title = lookup(values, *_TITLE_COLUMNS, columns[0])
        return document_of(source, text, format=format, title=title, metadata=values, row=number, parts=place)
    text = values.pop(text_column, "")
    if not text:
        detail = f"Row {number} has nothing in its column {text_column!r}."
        return Exclusion(path=path, reason=ExclusionReason.EMPTY, detail=detail)
    title = lookup(values, *_TITLE_COLUMNS, columns[0])
    return document_of(source, text, format=format, title=title, metadata=values, row=number, parts=place)
