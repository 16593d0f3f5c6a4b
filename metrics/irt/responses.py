"""What a fit is given: a matrix of right, wrong and missing; graded scores made into one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError

Floats = NDArray[np.float64]


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
    if not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise UsageError(
            "A response is neither right nor wrong.",
            allowed="1, 0, or nan for not graded.",
            next_step="Make graded scores into responses with viva.metrics.irt.binarised.",
        )
    graded = ~np.isnan(values)
    examinees, items = int(graded.any(axis=1).sum()), int(graded.any(axis=0).sum())
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
        known = row[~np.isnan(row)]
        if not known.size:
            notes.append(f"examinee {name} has no graded response: its ability is that of its components")
        elif known.min() == 1:
            notes.append(f"examinee {name} has a perfect score: its ability is bounded by the prior alone")
        elif known.max() == 0:
            notes.append(f"examinee {name} has no right answer: its ability is bounded by the prior alone")
    return notes


def item_notes(values: Floats) -> list[str]:
    """How many items were answered alike by all, or by nobody."""
    graded = ~np.isnan(values)
    answered = graded.any(axis=0)
    right = answered & (np.where(graded, values, 1.0) == 1).all(axis=0)
    wrong = answered & (np.where(graded, values, 0.0) == 0).all(axis=0)
    counts = (
        (int(right.sum()), "answered right by every examinee"),
        (int(wrong.sum()), "answered right by no examinee"),
        (int((~answered).sum()), "with no graded response: their parameters are those of the prior"),
    )
    return [f"{count} of {values.shape[1]} items {what}" for count, what in counts if count]
