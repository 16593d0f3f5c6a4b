"""What a fit is given: a matrix of right, wrong and missing; graded scores made into one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError
from viva.core.notes import Note, NoteCode
from viva.core.wording import counted

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

# cells looked at together: what is made of them stays in the cache
_BLOCK_CELLS = 65536
# fewer common items place two groups by next to nothing: one or two answers of each examinee
LINKING_ITEMS = 3
# with more examinees than these, who shares how many items takes a square of numbers that is too large
_MOST_LINKED = 2000


class NothingToCompare(UsageError):
    """Too few examinees or items have a graded response for abilities to mean anything; `problem` says which."""


@dataclass(frozen=True, eq=False)
class _Answered:
    """Of `examinees` (2, n) and `items` (2, m): whether a response is right, whether one is wrong."""

    examinees: Bools
    items: Bools


def as_floats(responses: ArrayLike) -> Floats:
    """Responses as floats of our own, which may be changed; what a numpy mask covers is not graded (nan)."""
    if isinstance(responses, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(responses.astype(np.float64), np.nan), dtype=np.float64)
    try:
        return np.array(responses, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"The responses are not a table of numbers: {error}.",
            allowed="1 for right, 0 for wrong, nan for not graded; names of systems are the index of a DataFrame "
            "(pandas.read_csv(FILE, index_col=0)).",
        ) from error


def binarised(scores: ArrayLike, *, at: float = 0.5) -> Floats:
    """Scores from 0 to 1 as responses: 1 at `at` and above, 0 below, nan stays nan; the shape is kept.

    The models here are for right and wrong. Cutting a graded score loses what lies on either side of the cut, but
    keeps the scale; fitting it as if it were a probability would count one answer as two. Raises UsageError for a
    score outside [0, 1] or a cut outside (0, 1].
    """
    values = as_floats(scores)
    known = values[~np.isnan(values)]
    if not ((known >= 0) & (known <= 1)).all():
        raise UsageError("A graded score is outside 0 to 1.", allowed="0 to 1, nan for not graded.")
    if not 0 < at <= 1:
        raise UsageError(f"Scores cannot be cut at {at}.", allowed="Above 0, up to 1.")
    return np.where(np.isnan(values), np.nan, (values >= at).astype(np.float64))


def checked(responses: ArrayLike) -> Floats:
    """Responses (n, m) as floats of 1, 0 and nan. Raises UsageError for anything else, NothingToCompare for few."""
    values = as_floats(responses)
    if values.ndim != 2:
        raise UsageError(f"Responses have {counted(values.ndim, 'dimension')}.", allowed="Examinees x items.")
    answered = _answered(values)
    examinees, items = (int((right | wrong).sum()) for right, wrong in (answered.examinees, answered.items))
    if examinees < 2:
        raise NothingToCompare(
            f"{counted(examinees, 'examinee')} with graded responses: abilities are relative, at least two are needed"
        )
    if items < 2:
        raise NothingToCompare(f"{counted(items, 'item')} with graded responses: at least two are needed")
    return values


def connected_groups(values: Floats) -> tuple[Ints, Ints]:
    """Numbers of the groups of examinees (n,) and of items (m,) that graded responses (n, m) connect, from 0 on.

    Two examinees are of one group if both answered LINKING_ITEMS items that some have right and others wrong, or if
    others connect them; groups that as many such items connect are one. What is left (who answered fewer of them, a
    bridge of one or two items, of items that all have right) connects nobody. Nothing compares examinees of different
    groups but the prior. -1: without a graded response.
    """
    graded = ~np.isnan(values)
    examinees, items = _joined(graded)
    if graded.all() or len(values) > _MOST_LINKED:
        return examinees, items
    varied = (values == 1).any(axis=0) & (values == 0).any(axis=0)
    linked = _linked(graded[:, varied])
    if linked.max(initial=0) == 0:
        return examinees, items
    return _with_the_rest(graded, linked, examinees)


def _joined(graded: Bools) -> tuple[Ints, Ints]:
    """Groups of examinees and items that any graded response connects."""
    examinees, items = np.full(len(graded), -1), np.full(graded.shape[1], -1)
    group = 0
    while len(left := np.flatnonzero((examinees < 0) & graded.any(axis=1))):
        inside, before = np.arange(len(graded)) == left[0], 0
        while inside.sum() > before:
            before = int(inside.sum())
            shared = graded[inside].any(axis=0)
            inside = graded[:, shared].any(axis=1)
        examinees[inside], items[shared] = group, group
        group += 1
    return examinees, items


def _linked(graded: Bools) -> Ints:
    """Groups of examinees (n,) by items they share, then of groups, until none is joined; -1: with too few items."""
    kept = np.flatnonzero(graded.sum(axis=1) >= LINKING_ITEMS)
    groups = np.full(len(graded), -1)
    answered, numbers = graded[kept], np.arange(len(kept))
    while len(answered):
        counts = answered.astype(np.float32)
        joined = _joined(counts @ counts.T >= LINKING_ITEMS)[0]
        numbers = joined[numbers]
        if joined.max() + 1 == len(answered):
            break
        answered = np.stack([answered[joined == group].any(axis=0) for group in range(joined.max() + 1)])
    groups[kept] = numbers
    return groups


def _with_the_rest(graded: Bools, linked: Ints, whole: Ints) -> tuple[Ints, Ints]:
    """Each other examinee, and each item, goes to the group with which it shares most; the first examinee is of 0."""
    groups = linked.copy()
    for row in np.flatnonzero((linked < 0) & (whole >= 0)).tolist():
        shared = (graded & graded[row]).sum(axis=1)
        counts = [int(shared[linked == group].sum()) for group in range(linked.max() + 1)]
        # whoever shares nothing with these groups stays with those it is joined with
        groups[row] = int(np.argmax(counts)) if max(counts) else linked.max() + 1 + whole[row]
    names = {old: new for new, old in enumerate(dict.fromkeys(groups[groups >= 0].tolist()))}
    examinees = np.array([names.get(group, -1) for group in groups.tolist()])
    by_item = np.stack([graded[examinees == group].sum(axis=0) for group in range(len(names))])
    return examinees, np.where(by_item.any(axis=0), by_item.argmax(axis=0), -1)


def response_notes(values: Floats, names: tuple[str, ...]) -> list[Note]:
    """Who answered everything right, everything wrong, or nothing; how many items were answered alike by all."""
    answered = _answered(values)
    of_examinees = (NoteCode.PERFECT_SCORE, NoteCode.NO_RIGHT_ANSWER, NoteCode.NO_GRADED_RESPONSE)
    of_items = (NoteCode.ITEMS_ALL_RIGHT, NoteCode.ITEMS_NONE_RIGHT, NoteCode.ITEMS_UNGRADED)
    alike = zip(of_examinees, _alike(*answered.examinees), strict=True)
    counts = zip(of_items, _alike(*answered.items), strict=True)
    return [
        *(
            Note(code=code, examinees=tuple(names[place] for place in np.flatnonzero(who)))
            for code, who in alike
            if who.any()
        ),
        *(Note(code=code, count=int(which.sum()), of=len(which)) for code, which in counts if which.any()),
    ]


def _alike(right: Bools, wrong: Bools) -> tuple[Bools, Bools, Bools]:
    """Where every response is right, where every one is wrong, where there is none."""
    return right & ~wrong, wrong & ~right, ~right & ~wrong


def _answered(values: Floats) -> _Answered:
    """Raises UsageError for a response that is neither right, wrong nor missing."""
    n, m = values.shape
    found = _Answered(examinees=np.zeros((2, n), dtype=np.bool_), items=np.zeros((2, m), dtype=np.bool_))
    step = max(1, _BLOCK_CELLS // max(m, 1))
    for first in range(0, n, step):
        rows = values[first : first + step]
        right, wrong = rows == 1, rows == 0
        graded = np.count_nonzero(right) + np.count_nonzero(wrong)
        if graded < rows.size and not (right | wrong | np.isnan(rows)).all():
            raise UsageError(
                "A response is neither right nor wrong.",
                allowed="1, 0, or nan for not graded.",
                next_step="Make graded scores into responses with viva.metrics.irt.binarised.",
            )
        for which, given in enumerate((right, wrong)):
            given.any(axis=1, out=found.examinees[which, first : first + step])
            found.items[which] |= given.any(axis=0)
    return found


# closer to 0 or 1 than this a probability is an assertion that one wrong answer would refute without bound
LEAST_PROBABILITY = 1e-9


@dataclass(frozen=True)
class NotJudged:
    """A check could not be made; `reason` says why in words."""

    reason: str


def response_matrix(responses: ArrayLike) -> Floats:
    """Responses as floats (n, m) of 1, 0 and nan (not graded). Raises UsageError for anything else."""
    values = as_floats(responses)
    if values.ndim != 2:
        raise UsageError(f"Responses have {counted(values.ndim, 'dimension')}.", allowed="Examinees x items.")
    if not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise UsageError("A response is neither right nor wrong.", allowed="1, 0, or nan for not graded.")
    return values


def probability_matrix(probabilities: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Predicted probabilities (n, m), kept off 0 and 1 by 1e-9. Raises UsageError where one is none or missing."""
    values = np.asarray(probabilities, dtype=np.float64)
    if values.shape != shape:
        raise UsageError(
            f"Predicted probabilities have the shape {values.shape}.", allowed=f"That of the responses, {shape}."
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise UsageError("A predicted probability is missing or outside 0 to 1.", allowed="One for every cell.")
    return np.clip(values, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)


def finite_vector(values: ArrayLike, length: int, name: str) -> Floats:
    """A vector (length,) of finite numbers. Raises UsageError naming it where it is not."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (length,):
        raise UsageError(f"{name} has the shape {vector.shape}.", allowed=f"({length},).")
    if not np.isfinite(vector).all():
        raise UsageError(f"{name} holds a value that is missing or infinite.", allowed="Finite numbers.")
    return vector


def share(value: float, name: str) -> float:
    """A number strictly between 0 and 1. Raises UsageError naming it where it is not."""
    if not 0 < value < 1:
        raise UsageError(f"{name} is {value}.", allowed="Between 0 and 1.")
    return value
