"""Rows of a table of labels: CSV, TSV or JSON Lines, each with its place in the file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from viva.core.errors import UsageError
from viva.exams.reading import read_text

MAX_BYTES = 512 * 2**20
_FORMS = "A .csv or .tsv with a row of names at the top, or a .jsonl with one object per line, in UTF-8."


@dataclass(frozen=True)
class Row:
    """One row: where it stands, and its cells by column."""

    place: str
    cells: Mapping[str, JsonValue]


def read_rows(path: Path) -> tuple[Row, ...]:
    """All rows of the file, in order. Raises UsageError, by place, for what is no such table."""
    text = _text(path)
    kind = path.suffix.lower()
    if kind in {".jsonl", ".ndjson"} or (kind not in {".csv", ".tsv", ".tab"} and text.lstrip().startswith("{")):
        rows = tuple(_objects(path, text))
    elif kind in {".csv", ".tsv", ".tab"}:
        rows = tuple(_cells(path, text))
    else:
        raise UsageError(f"{path} is no table of labels that can be read.", allowed=_FORMS)
    if not rows:
        raise UsageError(f"{path} holds no rows.", allowed=_FORMS)
    return rows


def _text(path: Path) -> str:
    text = read_text(path, most=MAX_BYTES, named="Name a file with --data.", smaller="Draw a part of its rows.")
    if not text.strip():
        raise UsageError(f"{path} is empty.", allowed=_FORMS)
    return text


def _objects(path: Path, text: str) -> Iterator[Row]:
    # JSON strings may hold U+2028 and the like: only line feeds end a line
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"Line {number} of {path} is no JSON: {_short(error)}.", allowed=_FORMS) from error
        if not isinstance(found, dict):
            raise UsageError(f"Line {number} of {path} is no JSON object.", allowed=_FORMS)
        yield Row(f"line {number}", found)


def _cells(path: Path, text: str) -> Iterator[Row]:
    first = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = "\t" if path.suffix.lower() != ".csv" else max(",\t;", key=lambda sign: (first.count(sign), sign))
    limit = csv.field_size_limit(max(len(text), 2**17))
    try:
        # strict: otherwise a quote that is never closed swallows the rest of the file
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        rows = [(number, row) for number, row in enumerate(reader, start=1) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UsageError(f"{path} is no table: {_short(error)}.", allowed=_FORMS) from error
    finally:
        csv.field_size_limit(limit)
    header = [" ".join(cell.split()) for cell in rows[0][1]]
    _check_header(path, header)
    for number, row in rows[1:]:
        if len(row) != len(header):
            raise UsageError(
                f"Row {number} of {path} has {len(row)} cells, the first row {len(header)}.", allowed=_FORMS
            )
        yield Row(f"row {number}", dict(zip(header, row, strict=True)))


def _check_header(path: Path, header: list[str]) -> None:
    twice = next((name for name in header if name and header.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"Two columns of {path} are called {twice!r}.", next_step="Rename one of them.")
    if not any(header):
        raise UsageError(f"The first row of {path} names no columns.", allowed=_FORMS)


def _short(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:120].rstrip(".")
