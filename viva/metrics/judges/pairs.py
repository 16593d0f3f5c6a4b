"""Scores beside scores, row by row: what is paired, what is missing, and what the data do not define."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.wording import counted

Floats = NDArray[np.float64]
Scores = Sequence[float | None] | Sequence[float] | Floats
"""Numbers of shape (n,); None or nan where there is none (ungraded, not labelled)."""

# two pairs lie on a line whatever they are
MIN_PAIRS = 3


@dataclass(frozen=True)
class Undefined:
    """A figure that the data at hand do not define; `reason` says why, in words for a report."""

    reason: str


Statistic = Callable[[Floats], float | Undefined]
"""From complete or partly missing rows (n, k) to one number; the order of the rows does not matter."""


@dataclass(frozen=True, eq=False)
class PairedRows:
    """`rows` (m, k) that are complete, their places `kept` (m,) among the rows given, and how many were `missing`."""

    rows: Floats
    kept: NDArray[np.int64]
    missing: int


def vector(values: Scores, name: str) -> Floats:
    """Scores as floats (n,), nan where missing. Raises UsageError for text, other shapes and infinite values."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise UsageError(f"{name}: a score is no number.", allowed="Numbers, None where there is none.") from problem
    if found.ndim != 1:
        raise UsageError(f"{name} have the shape {found.shape}.", allowed="One score for each row.")
    if np.isinf(found).any():
        raise UsageError(f"{name}: a score is infinite.", allowed="Finite numbers, None where there is none.")
    # minus zero is zero, also where rows are put in order by their bytes
    return found + 0.0


def paired_rows(**columns: Scores) -> PairedRows:
    """The rows in which no column is missing, as an array (m, k). Raises UsageError where lengths differ."""
    vectors = {name.replace("_", " "): vector(values, f"Scores of {name}") for name, values in columns.items()}
    lengths = {name: len(found) for name, found in vectors.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{length} of {name}" for name, length in lengths.items())
        raise UsageError(f"Scores of different numbers: {told}.", allowed="One of each for every row.")
    table = np.column_stack(list(vectors.values()))
    complete = ~np.isnan(table).any(axis=1)
    return PairedRows(table[complete], np.flatnonzero(complete), int((~complete).sum()))


def kept_groups(paired: PairedRows, groups: Sequence[Hashable] | None) -> list[Hashable] | None:
    """The groups (n,) of the rows that are complete; None for None. Raises UsageError for another number."""
    if groups is None:
        return None
    given = len(paired.rows) + paired.missing
    if len(groups) != given:
        raise UsageError(f"{len(groups)} groups for {given} rows.", allowed="One for each.")
    return [groups[place] for place in paired.kept]


def numbered(names: Sequence[Hashable]) -> NDArray[np.int64]:
    """Names as numbers from 0, in the order in which they first come."""
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(name, len(number)) for name in names], dtype=np.int64)


def too_few(rows: Floats, least: int = MIN_PAIRS) -> Undefined | None:
    """Why there are too few rows; None where there are enough."""
    if len(rows) >= least:
        return None
    return Undefined(f"{counted(len(rows), 'pair')} with both scores; at least {least} are needed.")


def constant(rows: Floats) -> Undefined | None:
    """Which column of the rows (n, 2) never varies; None where all do."""
    for name, column in zip(("judge", "people"), rows.T, strict=True):
        if np.ptp(column) == 0:
            return Undefined(f"Every score of the {name} is {column[0]:g}: nothing varies that could agree.")
    return None
