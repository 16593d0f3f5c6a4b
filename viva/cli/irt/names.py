"""Does the first column of a table of responses hold names, or responses? By its heading and cells, or as said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from viva.core.errors import UsageError

MISSING = frozenset({"", "na", "nan"})
_RIGHT_OR_WRONG = re.compile(r"([01])(?:\.0*)?")
# the last word of a heading under which names stand; "item 1" and "q7" end otherwise
_OF_NAMES = frozenset(
    "candidate examinee examinees id ids index item items key label learner model models name names nr participant "
    "people person persons pupil question questions respondent row student students subject system systems uid "
    "user users uuid".split()
)


@dataclass(frozen=True)
class FirstColumn:
    """Whether it holds names; `why`, where one of them is wrong; what was `assumed`, where it could be either."""

    named: bool
    why: str = ""
    assumed: str = ""


def response_of(cell: str) -> float | None:
    """1, 0 or nan; None for a cell that is no response."""
    if cell.lower() in MISSING:
        return float("nan")
    found = _RIGHT_OR_WRONG.fullmatch(cell)
    return float(found[1]) if found else None


def first_column(
    path: Path, header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], said: bool | None
) -> FirstColumn:
    """Of a table with rows (place in the file, cells). `said`: the reader's word (None: not said).

    Raises UsageError where the heading says names and the cells say responses.
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
    """Where every cell could be a response."""
    words = re.findall(r"[^\W\d_]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading).lower())
    # pandas heads an index without a name "Unnamed: 0"
    headed = bool(words) and (words[-1] in _OF_NAMES or words[0] == "unnamed")
    # names stand once each
    could_name = len(set(cells)) == len(cells) and not any(cell.lower() in MISSING for cell in cells)
    if headed and could_name:
        told = f"the first column is read as names, by its heading {shown(heading)}; --no-names reads it as responses"
        return FirstColumn(True, "The first column is read as names, by its heading.", told)
    if headed:
        raise UsageError(
            f"The first column of {path} is headed {shown(heading)} and holds nothing but 1, 0 and empty cells.",
            allowed="Names, each once; or responses.",
            next_step="Say which: --names or --no-names.",
        )
    told = f"the first column, {shown(heading)}, is read as responses and examinees or items in rows are numbered"
    return FirstColumn(False, assumed=told + ("; --names reads it as names" if could_name else ""))


def shown(text: str) -> str:
    """A cell as it is quoted in a message."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
