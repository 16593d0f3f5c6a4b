"""Rows of a table of labels: CSV, TSV, JSON Lines or JSON, nested ones flattened, each with its place in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from viva.core.errors import UsageError
from viva.core.records.judging import Quality
from viva.core.tables import BadRow, Form, form_of, likely_delimiter, parse_python_json, read_text, table_rows

MAX_BYTES = 512 * 2**20
_FORMS = (
    "A .csv or .tsv with a row of names at the top, a .jsonl with an object per line, or a .json array, in UTF-8."
)
_TABLES = {".csv", ".tsv", ".tab"}
_DEEPEST = 8
_PEOPLE = ("annotator", "annotator_id", "rater", "rater_id", "completed_by", "user", "user_id", "by")
_NAMES = ("name", "key", "metric", *_PEOPLE, "id")
_VALUES = ("value", "score", "label", "rating", "grade")
_TEXTS = frozenset({"text", "content", "page_content", "passage", "document"})
_OF_LABELS = re.compile(
    r"(.*\.)?((human|annotator|rater|reviewer|expert|crowd|gold|all)[ _-]?)?"
    r"(label|rating|score|grade|annotation|judge?ment|vote|review|evaluation|assessment|feedback)s?",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*sep=(.)\r?\n", re.IGNORECASE)
"""A first line by which spreadsheets name the delimiter."""


@dataclass(frozen=True)
class LabelledRow:
    """One row: where it stands, and its cells by column."""

    place: str
    cells: Mapping[str, JsonValue]


@dataclass(frozen=True)
class LabelTable:
    """All rows of a file. `delimiter` separates cells; "" in JSON."""

    rows: tuple[LabelledRow, ...]
    delimiter: str = ""

    @property
    def columns(self) -> list[str]:
        """The names of all columns, in the order in which rows first have them."""
        return list(dict.fromkeys(name for row in self.rows for name in row.cells if name))


def read_labelled_rows(path: Path, quality: Quality) -> LabelTable:
    """All rows of the file, in order. Raises UsageError, by place, for what is no such table.

    Of an object with several arrays of rows, the one named as the quality is read. A value within objects is a column
    `outer.inner`; a list of named values is a column for each name, and a list of labels one for each position.
    """
    text = read_text(path, most=MAX_BYTES, named="Name a file with --data.", smaller="Draw a part of its rows.")
    if not text.strip():
        raise UsageError(f"{path} is empty.", allowed=_FORMS)
    form, delimiter = _form(path, text), likely_delimiter(text)
    if form == "csv" and (named := _SEPARATOR.match(text)):
        # the line ends stay, so that places are right
        delimiter, text = named[1], "\n" * named[0].count("\n") + text[named.end() :]
    found: list[LabelledRow] = []
    try:
        for place, row in table_rows(
            text,
            form,
            delimiter=delimiter,
            column=lambda cell: " ".join(cell.split()),
            padded=False,
            parse=(lambda text: _rows_of(parse_python_json(text), quality)) if form == "json" else parse_python_json,
        ):
            if isinstance(row, BadRow):
                raise UsageError(f"{place.capitalize()} of {path} {row.reason}.", allowed=_FORMS)
            found.append(LabelledRow(place, _flat(cast(dict[str, JsonValue], row))))
    except ValueError as error:
        raise UsageError(f"{path} is no table of labels: {error}", allowed=_FORMS) from error
    if not found:
        raise UsageError(f"{path} holds no rows.", allowed=_FORMS)
    return LabelTable(_single(found), delimiter if form == "csv" else "")


def _form(path: Path, text: str) -> Form:
    kind = path.suffix.lower()
    form = form_of(kind, text)
    if kind not in _TABLES and form == "csv":
        raise UsageError(f"{path} is no table of labels that can be read.", allowed=_FORMS)
    return form


def _rows_of(value: object, quality: Quality, depth: int = 0) -> object:
    """The rows of the quality, and those of columns: lists of one length, or objects with the same keys (pandas)."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        return value
    named = [each for name, each in value.items() if name.casefold().replace("-", "_") == quality.value]
    if len(named) == 1 and isinstance(named[0], list):
        return named[0]
    columns = list(value.values())
    arrays = [each for each in columns if isinstance(each, list) and each and not _is_plain_list(each)]
    within = [each for each in columns if isinstance(each, dict)]
    if len(arrays) == 1 or (not arrays and len(within) == 1):
        rows = arrays[0] if arrays else _rows_of(within[0], quality, depth + 1)
        return rows if isinstance(rows, list) else value
    if len(columns) > 1 and all(map(_is_plain_list, columns)) and len({*map(len, columns)}) == 1:
        return [dict(zip(value, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if len(columns) > 1 and all(isinstance(each, dict) and each.keys() == columns[0].keys() for each in columns):
        return [{name: cells[key] for name, cells in value.items()} for key in columns[0]]
    return value


def _is_plain_list(value: object) -> bool:
    return isinstance(value, list) and not any(isinstance(each, dict) for each in value)


# --- nested rows ------------------------------------------------------------------------------------------


def _flat(row: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    cells = dict(_leaves("", row, 0))
    accepted, given = cells.get("is_accepted"), cells.get("metric_output")
    # ragas keeps the value of a metric, and whether a person accepted it
    if isinstance(accepted, bool) and isinstance(given, int | float) and "label" not in cells:
        opposite = 1 - given if given in {0, 1} else None
        target = cells.get("target")
        cells["label"] = target if target is not None else given if accepted else opposite
    return cells


def _leaves(name: str, value: JsonValue | Mapping[str, JsonValue], depth: int) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, Mapping):
        if value and depth < _DEEPEST:
            for key, inner in value.items():
                yield from _leaves(f"{name}.{key}" if name else key, inner, depth + 1)
            return
    elif isinstance(value, list) and value and _OF_LABELS.fullmatch(name):
        values = [_annotation(each) for each in value]
        named = [each for each in values if isinstance(each, dict) and not each.keys() & _TEXTS]
        if len(named) == len(values):
            for key, inner in _named_values(named):
                yield f"{name}.{key}", inner
            return
        if not any(isinstance(each, dict | list) for each in value):
            for number, inner in enumerate(value, start=1):
                yield f"{name}.{number}", inner
            return
    yield name, cast(JsonValue, value)


def _annotation(value: JsonValue) -> JsonValue:
    """An annotation of Label Studio as its annotator with the value of each control; others as they are."""
    results = value.get("result") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(results, list):
        return value
    by = value.get("completed_by")
    found: dict[str, JsonValue] = {"completed_by": by.get("email", by.get("id")) if isinstance(by, dict) else by}
    for each in results:
        told = each.get("value") if isinstance(each, dict) else None
        if isinstance(each, dict) and isinstance(told, dict):
            chosen = next((told[key] for key in ("choices", "rating", "number") if key in told), None)
            found[str(each.get("from_name"))] = chosen[0] if isinstance(chosen, list) and chosen else chosen
    return found


def _named_values(values: list[dict[str, JsonValue]]) -> Iterator[tuple[str, JsonValue]]:
    """The value of each, or all its values, by the first key that names each differently, or by name and position."""
    told = [
        [str(value[key]) for value in values]
        for key in _NAMES
        if all(isinstance(value.get(key), str | int) for value in values)
    ]
    names = next((each for each in told if len({*each}) == len(each)), None)
    if names is None:
        first = told[0] if told else [""] * len(values)
        names = [f"{name}.{place}".lstrip(".") for place, name in enumerate(first, start=1)]
    for name, value in zip(names, values, strict=True):
        if key := next((key for key in _VALUES if key in value and not isinstance(value[key], dict | list)), None):
            yield name, value[key]
            continue
        for other, inner in value.items():
            if other not in _NAMES and not isinstance(inner, dict | list):
                yield f"{name}.{other}", inner


def _single(rows: list[LabelledRow]) -> tuple[LabelledRow, ...]:
    """The rows, with the name of a list as the column where no row has more than one position of it."""
    columns = {name for row in rows for name in row.cells}
    alone = {
        f"{name[:-2]}.1": name[:-2] for name in columns if name.endswith(".1") and f"{name[:-2]}.2" not in columns
    }
    alone = {one: name for one, name in alone.items() if name not in columns and _OF_LABELS.fullmatch(name)}
    if not alone:
        return tuple(rows)
    return tuple(
        LabelledRow(row.place, {alone.get(name, name): cell for name, cell in row.cells.items()}) for row in rows
    )
