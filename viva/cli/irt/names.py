"""Whether the first column of a table holds names or responses: by an option, or by its heading and cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from viva.core.errors import UsageError

MISSING = frozenset({"", "na", "nan"})
_RIGHT_OR_WRONG = re.compile(r"([01])(?:\.0*)?")
# the last word of the heading of a column of names; "item 1" and "q7" end in a number
_OF_NAMES = frozenset(
    "candidate examinee examinees id ids index item items key label learner model models name names nr participant "
    "people person persons pupil question questions respondent row student students subject system systems uid "
    "user users uuid".split()
)


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
