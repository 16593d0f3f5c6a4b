"""Files for `viva irt`: the matrix of responses and the components. Errors name the place in the file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import yaml
from numpy.typing import NDArray

from viva.cli.irt.names import MISSING, first_column, response_of, shown
from viva.core.errors import UsageError
from viva.core.tables import csv_lines, likely_delimiter, read_text, sound
from viva.metrics.irt import Continuous
from viva.metrics.irt.fit.estimation import MOST_EXAMINEES

MAX_CELLS = 20_000_000

_CELLS = "1 for right, 0 for wrong; empty, NA or nan for not graded."
_SHAPE = "A table with a first row of names, and a row for each examinee that starts with its name."

Level = str | float | None


@dataclass(frozen=True, eq=False)
class Matrix:
    """Responses (examinees, items) of 1, 0 and nan, with names of both; `assumed`: a note on an ambiguous table."""

    examinees: tuple[str, ...]
    items: tuple[str, ...]
    responses: NDArray[np.float64]
    assumed: str = ""


def read_matrix(path: Path, *, items_in_rows: bool = False, names: bool | None = None) -> Matrix:
    """The matrix of a CSV or TSV file. UsageError names the row, column and value of an error.

    `names`: whether the first column holds names (None: find out by its heading and cells).
    """
    header, rows = _table(path)
    first = first_column(path, header, rows, names)
    named = int(first.named)
    if named and len(header) == len(rows[0][1]):
        header = header[1:]
    across, down = ("examinee", "item") if items_in_rows else ("item", "examinee")
    if not header:
        raise UsageError(f"{path} has no column of responses.", allowed=_SHAPE)
    if all(response_of(name) is not None for name in header):
        raise UsageError(f"The first row of {path} has responses, not names.", allowed=_SHAPE)
    columns = _unique(header, across, "column", range(1 + named, len(header) + 1 + named))
    if named:
        places = [place for place, _ in rows]
        named_rows = _unique([row[0] for _, row in rows], down, "row", places, first.why)
    else:
        named_rows = tuple(str(number) for number in range(1, len(rows) + 1))
    _check_size(path, *((len(columns), len(named_rows)) if items_in_rows else (len(named_rows), len(columns))))
    values = np.empty((len(named_rows), len(columns)))
    known: dict[str, float] = {}
    for n, (place, row) in enumerate(rows):
        for m, cell in enumerate(row[named:]):
            value = known.get(cell)
            if value is None:
                value = response_of(cell)
                if value is None:
                    _refuse_cell(path, place, named_rows[n], columns[m], m + 1 + named, cell)
                known[cell] = value
            values[n, m] = value
    if items_in_rows:
        return Matrix(columns, named_rows, values.T.copy(), first.assumed)
    return Matrix(named_rows, columns, values, first.assumed)


def read_components(
    path: Path, examinees: Sequence[str], continuous: Mapping[str, int]
) -> dict[str, Sequence[Level] | Continuous]:
    """Components of the examinees, in their order, from CSV, TSV, YAML or JSON.

    `continuous` maps components with numbers as levels to the degree of their effect. UsageError if the matrix and
    the file do not have the same examinees, or if a value is not allowed.
    """
    by_examinee = _records(path)
    _same_examinees(path, list(by_examinee), examinees)
    names = list(dict.fromkeys(name for record in by_examinee.values() for name in record))
    if not names:
        raise UsageError(f"{path} names no component.", allowed="A column of examinees, and one for each component.")
    for name in continuous:
        if name not in names:
            raise UsageError(
                f"--continuous names '{name}', which {path} does not have.", allowed=f"One of {', '.join(names)}."
            )
    found: dict[str, Sequence[Level] | Continuous] = {}
    for name in names:
        levels = [_level(path, each, name, by_examinee[each].get(name)) for each in examinees]
        degree = continuous.get(name)
        if degree is None:
            found[name] = levels
        else:
            numbers = [_number(path, each, name, level) for each, level in zip(examinees, levels, strict=True)]
            found[name] = Continuous(numbers, degree)
    return found


def _text(path: Path) -> str:
    text = read_text(path)
    if not text.strip():
        raise UsageError(f"{path} is empty.", allowed=_SHAPE)
    return text


def _table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header, and the other rows that are not blank, with their numbers in the file; cells are stripped."""
    text = _text(path)
    delimiter = "\t" if path.suffix.lower() in (".tsv", ".tab") else likely_delimiter(text)
    try:
        lines = sound(csv_lines(text, delimiter, blank=True))
        rows = [(number, [cell.strip() for cell in row]) for number, row in lines]
    except ValueError as error:
        raise UsageError(f"{path} is not a table: {error}", allowed=_SHAPE) from error
    (_, header), body = rows[0], rows[1:]
    if not body:
        raise UsageError(f"{path} has only one row.", allowed=_SHAPE)
    width = len(body[0][1])
    if width not in (len(header), len(header) + 1):
        raise UsageError(
            f"Row {body[0][0]} of {path} has {width} cells, but the first row has {len(header)}.", allowed=_SHAPE
        )
    for number, row in body:
        if len(row) != width:
            raise UsageError(
                f"Row {number} of {path} has {len(row)} cells, but the others have {width}.", allowed=_SHAPE
            )
    return header, body


def _refuse_cell(path: Path, row: int, name: str, column_name: str, column: int, cell: str) -> NoReturn:
    where = f"Row {row} ({shown(name)}), column {column} ({shown(column_name)}) of {path}"
    raise UsageError(f"{where} is {shown(cell)}.", allowed=_CELLS)


def _unique(
    names: Sequence[str], what: str, line: str, places: Iterable[int], next_step: str = ""
) -> tuple[str, ...]:
    first: dict[str, int] = {}
    for name, place in zip(names, places, strict=True):
        if not name:
            raise UsageError(f"The {what} in {line} {place} has no name.", next_step=next_step)
        if name in first:
            told = f"The {what} {shown(name)} occurs twice: {line}s {first[name]} and {place}."
            raise UsageError(told, allowed="A name may occur only once.", next_step=next_step)
        first[name] = place
    return tuple(names)


def _check_size(path: Path, examinees: int, items: int) -> None:
    if examinees > MOST_EXAMINEES or examinees * items > MAX_CELLS:
        raise UsageError(
            f"{path} has {examinees} examinees and {items} items: too many.",
            allowed=f"At most {MOST_EXAMINEES} examinees and {MAX_CELLS} responses.",
            next_step="If examinees are in columns, add --items-in-rows; else draw a sample of the examinees.",
        )


def _records(path: Path) -> dict[str, Mapping[str, object]]:
    """Examinee -> component -> value as it is in the file."""
    suffix = path.suffix.lower()
    if suffix in (".json", ".yaml", ".yml"):
        return _mapping(path, _parsed_json(path) if suffix == ".json" else _parsed_yaml(path))
    header, rows = _table(path)
    header = header if len(header) == len(rows[0][1]) else ["", *header]
    names = _unique(header[1:], "component", "column", range(2, len(header) + 1))
    examinees = _unique([row[0] for _, row in rows], "examinee", "row", [place for place, _ in rows])
    return {name: dict(zip(names, row[1:], strict=True)) for name, (_, row) in zip(examinees, rows, strict=True)}


def _parsed_json(path: Path) -> object:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _unique([key for key, _ in pairs], "key", "place", range(1, len(pairs) + 1))
        return dict(pairs)

    try:
        return json.loads(_text(path), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid JSON: {error}.") from error


class _StrictLoader(yaml.SafeLoader):
    """YAML in which a key that occurs twice is an error, not a silent loss."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [str(key.value) for key, _ in node.value]
        _unique(keys, "key", "line", [key.start_mark.line + 1 for key, _ in node.value])
        return super().construct_mapping(node, deep)


def _parsed_yaml(path: Path) -> object:
    try:
        return yaml.load(_text(path), Loader=_StrictLoader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid YAML: {' '.join(str(error).split())}.") from error


def _mapping(path: Path, value: object) -> dict[str, Mapping[str, object]]:
    if isinstance(value, list) and all(isinstance(each, dict) and "examinee" in each for each in value):
        examinees = _unique([str(each["examinee"]) for each in value], "examinee", "record", range(1, len(value) + 1))
        value = {
            name: {key: level for key, level in each.items() if key != "examinee"}
            for name, each in zip(examinees, value, strict=True)
        }
    if not isinstance(value, dict) or not all(isinstance(each, dict) for each in value.values()):
        raise UsageError(
            f"{path} does not give the components of the examinees.",
            allowed="EXAMINEE: {COMPONENT: LEVEL} for each, or a list of {examinee: NAME, COMPONENT: LEVEL}.",
        )
    return {str(name): {str(key): level for key, level in each.items()} for name, each in value.items()}


def _same_examinees(path: Path, given: Sequence[str], examinees: Sequence[str]) -> None:
    there, asked = set(given), set(examinees)
    missing = [name for name in examinees if name not in there]
    unknown = [name for name in given if name not in asked]
    told = [f"{path} has no entry for {_few(missing)}."] if missing else []
    told += [f"It has an entry for {_few(unknown)}, not in the matrix."] if unknown else []
    if told:
        raise UsageError(" ".join(told), allowed="The examinees of the matrix, each once, with the same names.")


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(map(shown, names[:5])) + more


def _level(path: Path, examinee: str, component: str, value: object) -> Level:
    if value is None or (isinstance(value, str) and value.strip().lower() in MISSING):
        return None
    if isinstance(value, bool):
        raise UsageError(
            f"{path}: '{component}' of {shown(examinee)} is read as {str(value).lower()}, not as text.",
            allowed="Write yes, no, on, off, true and false in quotes.",
        )
    if isinstance(value, dict | list | set):
        raise UsageError(f"{path}: '{component}' of {shown(examinee)} is not a single level.", allowed="One value.")
    if isinstance(value, float) and np.isnan(value):
        return None
    return value if isinstance(value, int | float) else str(value).strip()


def _number(path: Path, examinee: str, component: str, level: Level) -> float | None:
    try:
        number = None if level is None else float(level)
    except (ValueError, OverflowError):
        number = float("inf")
    if number is not None and not np.isfinite(number):
        told = f"{path}: '{component}' of {shown(examinee)} is {shown(str(level))}, but --continuous needs a number."
        raise UsageError(told, allowed="A finite number, or empty.")
    return number
