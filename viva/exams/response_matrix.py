"""A table of right and wrong answers as a matrix; whether its first column holds names or responses.

Errors name the place in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.tables import csv_lines, likely_delimiter, read_text, sound
from viva.metrics.irt.fit.estimation import MOST_EXAMINEES

MAX_CELLS = 20_000_000

_CELLS = "1 for right, 0 for wrong; empty, NA or nan for not graded."
_SHAPE = "A table with a first row of names, and a row for each examinee that starts with its name."
MISSING = frozenset({"", "na", "nan"})
_RIGHT_OR_WRONG = re.compile(r"([01])(?:\.0*)?")
# the last word of the heading of a column of names; "item 1" and "q7" end in a number
_OF_NAMES = frozenset(
    "candidate examinee examinees id ids index item items key label learner model models name names nr participant "
    "people person persons pupil question questions respondent row student students subject system systems uid "
    "user users uuid".split()
)


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
    header, rows = read_grid(path)
    first = first_column(path, header, rows, names)
    named = int(first.named)
    if named and len(header) == len(rows[0][1]):
        header = header[1:]
    across, down = ("examinee", "item") if items_in_rows else ("item", "examinee")
    if not header:
        raise UsageError(f"{path} has no column of responses.", allowed=_SHAPE)
    if all(response_of(name) is not None for name in header):
        raise UsageError(f"The first row of {path} has responses, not names.", allowed=_SHAPE)
    columns = unique_names(header, across, "column", range(1 + named, len(header) + 1 + named))
    if named:
        places = [place for place, _ in rows]
        named_rows = unique_names([row[0] for _, row in rows], down, "row", places, first.why)
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


def text_of(path: Path) -> str:
    text = read_text(path)
    if not text.strip():
        raise UsageError(f"{path} is empty.", allowed=_SHAPE)
    return text


def read_grid(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header, and the other rows that are not blank, with their numbers in the file; cells are stripped."""
    text = text_of(path)
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


def unique_names(
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


# --- the first column ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FirstColumn:
    """Whether it holds names; `why`, for an error about a name; `assumed`, if it could be either."""

    named: bool
    why: str = ""
    assumed: str = ""


def response_of(cell: str) -> float | None:
    """1, 0 or nan; None for a cell that is not a response."""
    if cell.lower() in MISSING:
        return float("nan")
    found = _RIGHT_OR_WRONG.fullmatch(cell)
    return float(found[1]) if found else None


def first_column(
    path: Path, header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], said: bool | None
) -> FirstColumn:
    """The first column of a table with rows (number in the file, cells). `said`: the option, None if not given.

    Raises UsageError if the heading says names and the cells say responses.
    """
    if len(rows[0][1]) > len(header):
        return FirstColumn(True, "The first column is read as names, since it has no heading.")
    if said is not None:
        return FirstColumn(said, "The first column is read as names, as --names says." if said else "")
    if not header[0]:
        return FirstColumn(True, "The first column is read as names, since its heading is empty.")
    for place, row in rows:
        if response_of(row[0]) is None:
            return FirstColumn(True, f"The first column is read as names, since row {place} holds {shown(row[0])}.")
    return _of_responses(path, header[0], [row[0] for _, row in rows])


def _of_responses(path: Path, heading: str, cells: Sequence[str]) -> FirstColumn:
    """The first column, if each of its cells could be a response."""
    words = re.findall(r"[^\W\d_]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading).lower())
    # pandas heads an index without a name "Unnamed: 0"
    headed = bool(words) and (words[-1] in _OF_NAMES or words[0] == "unnamed")
    # a name is there only once
    could_name = len(set(cells)) == len(cells) and not any(cell.lower() in MISSING for cell in cells)
    if headed and could_name:
        told = f"the first column is read as names, by its heading {shown(heading)}; --no-names: as responses."
        return FirstColumn(True, "The first column is read as names, by its heading.", told)
    if headed:
        raise UsageError(
            f"The first column of {path} has the heading {shown(heading)} but only cells with 1, 0 or nothing.",
            allowed="A column of names, each once, or a column of responses.",
            next_step="Say which of the two it is: --names or --no-names.",
        )
    told = f"the first column, {shown(heading)}, is read as responses, and the rows are named by their numbers"
    return FirstColumn(False, assumed=told + ("; --names reads it as names." if could_name else "."))


def shown(text: str) -> str:
    """A cell in quotes, for a message."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
