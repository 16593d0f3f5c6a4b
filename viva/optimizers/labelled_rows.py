"""Rows of a table of labels: CSV, TSV, JSON Lines or JSON, each with its place in the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from viva.core.errors import UsageError
from viva.core.tables import BadRow, Form, form_of, likely_delimiter, parse_python_json, read_text, table_rows

MAX_BYTES = 512 * 2**20
_FORMS = (
    "A .csv or .tsv with a row of names at the top, a .jsonl with an object per line, or a .json array, in UTF-8."
)
_TABLES = {".csv", ".tsv", ".tab"}


@dataclass(frozen=True)
class LabelledRow:
    """One row: where it stands, and its cells by column."""

    place: str
    cells: Mapping[str, JsonValue]


def read_labelled_rows(path: Path) -> tuple[LabelledRow, ...]:
    """All rows of the file, in order. Raises UsageError, by place, for what is no such table."""
    text = read_text(path, most=MAX_BYTES, named="Name a file with --data.", smaller="Draw a part of its rows.")
    if not text.strip():
        raise UsageError(f"{path} is empty.", allowed=_FORMS)
    found: list[LabelledRow] = []
    try:
        for place, row in table_rows(
            text,
            _form(path, text),
            delimiter=likely_delimiter(text),
            column=lambda cell: " ".join(cell.split()),
            padded=False,
            parse=parse_python_json,
        ):
            if isinstance(row, BadRow):
                raise UsageError(f"{place.capitalize()} of {path} {row.reason}.", allowed=_FORMS)
            found.append(LabelledRow(place, cast(dict[str, JsonValue], row)))
    except ValueError as error:
        raise UsageError(f"{path} is no table of labels: {error}", allowed=_FORMS) from error
    if not found:
        raise UsageError(f"{path} holds no rows.", allowed=_FORMS)
    return tuple(found)


def _form(path: Path, text: str) -> Form:
    kind = path.suffix.lower()
    form = form_of(kind, text)
    if kind not in _TABLES and form == "csv":
        raise UsageError(f"{path} is no table of labels that can be read.", allowed=_FORMS)
    return form
