"""What a fit is given: a matrix of right, wrong and missing; graded scores made into one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError

Floats = NDArray[np.float64]

_BLOCK_CELLS = 65536


class NothingToCompare(UsageError):
    """Too few examinees or items have a graded response for abilities to mean anything; `problem` says which."""


def binarised(scores: ArrayLike, *, at: float = 0.5) -> Floats:
    """Scores from 0 to 1 as responses: 1 at `at` and above, 0 below, nan stays nan; the shape is kept.

    The models here are for right and wrong. Cutting a graded score loses what lies on either side of the cut, but
    keeps the scale; fitting it as if it were a probability would count one answer as two. Raises UsageError for a
    score outside [0, 1] or a cut outside (0, 1].
    """
    values = np.asarray(scores, dtype=np.float64)
    known = values[~np.isnan(values)]
    if not ((known >= 0) & (known <= 1)).all():
        raise UsageError("A graded score is outside 0 to 1.", allowed="0 to 1, nan for not graded.")
    if not 0 < at <= 1:
        raise UsageError(f"Scores cannot be cut at {at}.", allowed="Above 0, up to 1.")
    return np.where(np.isnan(values), np.nan, (values >= at).astype(np.float64))


def checked(responses: ArrayLike) -> Floats:
    """Responses (n, m) as floats of 1, 0 and nan. Raises UsageError for anything else, NothingToCompare for few."""
    values = np.asarray(responses, dtype=np.float64)
    if values.ndim != 2:
        raise UsageError(f"Responses have {values.ndim} dimension(s).", allowed="Examinees x items.")
    graded = np.zeros(values.shape[1], dtype=np.bool_)
    examinees = 0
    for rows in _blocks(values):
        right, wrong = rows == 1, rows == 0
        known = right | wrong
        if not (known | np.isnan(rows)).all():
            raise UsageError(
                "A response is neither right nor wrong.",
                allowed="1, 0, or nan for not graded.",
                next_step="Make graded scores into responses with viva.metrics.irt.binarised.",
            )
        graded |= known.any(axis=0)
        examinees += int(known.any(axis=1).sum())
    items = int(graded.sum())
    if examinees < 2:
        raise NothingToCompare(
            f"{examinees} examinee(s) with graded responses: abilities are relative, at least two are needed"
        )
    if items < 2:
        raise NothingToCompare(f"{items} item(s) with graded responses: at least two are needed")
    return values


def examinee_notes(values: Floats, names: tuple[str, ...]) -> list[str]:
    """Who answered everything right, everything wrong, or nothing."""
    notes = list[str]()
    for row, name in zip(values, names, strict=True):
        right, wrong = bool((row == 1).any()), bool((row == 0).any())
        if right and not wrong:
            notes.append(f"examinee {name} has a perfect score: its ability is bounded by the prior alone")
        elif wrong and not right:
            notes.append(f"examinee {name} has no right answer: its ability is bounded by the prior alone")
        elif not right:
            notes.append(f"examinee {name} has no graded response: its ability is that of its components")
    return notes


def item_notes(values: Floats) -> list[str]:
    """How many items were answered alike by all, or by nobody."""
    right, wrong = (np.zeros(values.shape[1], dtype=np.bool_) for _ in range(2))
    for rows in _blocks(values):
        right |= (rows == 1).any(axis=0)
        wrong |= (rows == 0).any(axis=0)
    counts = (
        (int((right & ~wrong).sum()), "answered right by every examinee"),
        (int((wrong & ~right).sum()), "answered right by no examinee"),
        (int((~right & ~wrong).sum()), "with no graded response: their parameters are those of the prior"),
    )
    return [f"{count} of {values.shape[1]} items {what}" for count, what in counts if count]


def _blocks(values: Floats) -> Iterator[Floats]:
    """Rows that are looked at together: what is made of them stays in the cache."""
    step = max(1, _BLOCK_CELLS // max(values.shape[1], 1))
    return (values[first : first + step] for first in range(0, len(values), step))
