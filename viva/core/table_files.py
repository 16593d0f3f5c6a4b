"""Whole tables in files: CSV, TSV, JSON Lines, JSON and, where pyarrow is installed, Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.tables import BadRow, Row, form_of, likely_delimiter, parse_python_json, read_text, table_rows

MAX_BYTES = 512 * 2**20
READABLE = (
    "A .csv or .tsv with a row of names at the top, a .jsonl with one object per line, a .json array, or a .parquet."
)
"""The files that `file_rows` reads, in a sentence."""


def file_rows(path: Path, *, named: str = "Name another file.") -> list[tuple[str, Row]]:
    """(place, row) of every row of a table, in order. UsageError, by place, for what is no table or has no rows."""
    suffix = path.suffix.casefold()
    try:
        rows = _parquet_rows(path) if suffix in {".parquet", ".pq"} else _text_rows(path, suffix, named)
        found = list[tuple[str, Row]]()
        for place, row in rows:
            if isinstance(row, BadRow):
                raise UsageError(f"{place.capitalize()} of {path} {row.reason}.", allowed=READABLE)
            found.append((place, row))
    except ValueError as error:
        raise UsageError(f"{path} is no table: {error}", allowed=READABLE) from error
    if not found:
        raise UsageError(f"{path} holds no rows.", allowed=READABLE)
    return found


def _text_rows(path: Path, suffix: str, named: str) -> Iterator[tuple[str, Row | BadRow]]:
    text = read_text(path, most=MAX_BYTES, named=named, smaller="Take a part of its rows.")
    if not text.strip():
        raise UsageError(f"{path} is empty.", allowed=READABLE)
    form = form_of(suffix, text)
    if form == "csv" and suffix != ".csv":
        raise UsageError(f"{path} is no table that can be read.", allowed=READABLE)
    return table_rows(
        text,
        form,
        delimiter=likely_delimiter(text),
        column=lambda cell: " ".join(cell.split()),
        padded=False,
        parse=parse_python_json,
    )


def _parquet_rows(path: Path) -> Iterator[tuple[str, Row]]:
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError(
            f"{path} is a Parquet file, and pyarrow, which reads it, is not installed.",
            next_step="pip install pyarrow, or save the table as .csv or .jsonl.",
        ) from None
    try:
        rows = parquet.read_table(path).to_pylist()
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}.", allowed="A Parquet file.") from error
    for number, row in enumerate(rows, start=1):
        # dates, decimals and bytes become texts
        yield f"record {number}", json.loads(json.dumps(row, default=str))
