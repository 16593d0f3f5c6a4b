"""What an exam can tell: by group of items, along the ability scale, and as a difference it can detect.

Item parameters a, b, c (m,) are taken as known. Abilities and items are on one scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrik, gammaln, xlogy

from viva.core.errors import UsageError
from viva.core.scores import AbilityRange
from viva.core.scores_pairs import SIGNIFICANT
from viva.metrics.irt.model.curves import information_3pl, probability_3pl, standard_error_curve, test_information

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# a standard error that places an examinee well among others
ENOUGH_SE = 0.3
POWER = 0.8
# differences of ability that are tried, and how exactly the smallest is found
_DIFFERENCES = np.linspace(0.0, 16.0, 33)
_CLOSE = 1e-3
# abilities at which ranges are looked for: the span of any exam worth its name, in steps of .02
_SCALE = np.linspace(-8.0, 8.0, 801)


@dataclass(frozen=True, eq=False)
class InformationOfGroup:
    """Information of a group of items at `theta` (n,), and its share of the whole exam's over that range.

    `per_item` is its mean information per item and ability. Groups may overlap (a question may have two of Bloom's
    levels): shares then sum to more than one. `share` is 0 where the whole exam tells nothing.
    """

    name: str
    items: int
    information: Floats
    share: float
    per_item: float


@dataclass(frozen=True)
class SmallestDifference:
    """The smallest difference of two examinees that the exact test of a pair finds with a power of 80%.

    `theta` lies half above and half below the given ability; `score` is the difference of expected shares of right
    answers that belongs to it. Where not `detectable`, both are those of the largest difference that was tried.
    """

    theta: float
    score: float
    detectable: bool


@dataclass(frozen=True)
class ExamInformation:
    """How well the items measure, taken as known.

    `best` is the ability at which the standard error is least (`best_se`); `ranges` where it stays below `se_below`.
    `inside` counts the examinees within them. `detectable` is the smallest difference between two examinees around
    the `middle` that the exact test finds in 4 of 5 exams of this size (detectable_difference).
    """

    best: float
    best_se: float
    se_below: float
    ranges: tuple[AbilityRange, ...]
    inside: int
    middle: float
    detectable: SmallestDifference


def group_information(
    theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike, groups: Mapping[str, Sequence[int]]
) -> tuple[InformationOfGroup, ...]:
    """Information by group, from the most informative to the least; `groups` maps a name to places of items.

    `theta` (n,) is the range of abilities over which shares are taken, evenly weighted: give the examinees' abilities
    to ask what tells *them* apart. An item named twice within a group counts once. Raises UsageError for a place that
    is no item's and where no ability is given.
    """
    each = information_3pl(theta, a, b, c)
    if len(each) == 0:
        raise UsageError("Information is asked for at no ability.", allowed="At least one ability.")
    whole = float(each.sum())
    found = []
    for name, places in groups.items():
        members = np.unique(np.asarray(list(places), dtype=np.int64))
        if len(members) and not 0 <= members[0] <= members[-1] < each.shape[1]:
            raise UsageError(
                f"Group {name!r} names an item that is not there.", allowed=f"Places 0 to {each.shape[1] - 1}."
            )
        curve = each[:, members].sum(axis=1)
        total = float(curve.sum())
        found.append(
            InformationOfGroup(
                name=name,
                items=len(members),
                information=curve,
                share=total / whole if whole > 0 else 0.0,
                per_item=total / each[:, members].size if len(members) else 0.0,
            )
        )
    return tuple(sorted(found, key=lambda group: (-group.share, group.name)))


def measured_ranges(a: ArrayLike, b: ArrayLike, c: ArrayLike, *, se_below: float) -> tuple[AbilityRange, ...]:
    """Where on the ability scale the exam's standard error lies below `se_below`; empty where it does nowhere.

    An exam of very easy and very hard items measures well in two places, so there may be several ranges. The bounds
    are interpolated from -8 to 8 by .02.
    """
    if se_below <= 0:
        raise UsageError(f"No standard error is below {se_below}.", allowed="A bound above 0, such as 0.3.")
    information, wanted = test_information(_SCALE, a, b, c), se_below**-2
    inside = np.concatenate([[False], information > wanted, [False]])
    starts, ends = np.flatnonzero(inside[1:] & ~inside[:-1]), np.flatnonzero(inside[:-1] & ~inside[1:]) - 1
    return tuple(
        AbilityRange(
            low=_crossing(information, wanted, int(start), int(start) - 1),
            high=_crossing(information, wanted, int(end), int(end) + 1),
            least_se=float(information[start : end + 1].max() ** -0.5),
        )
        for start, end in zip(starts, ends, strict=True)
    )


def exam_information(
    theta: Floats,
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    *,
    se_below: float | None = None,
    middle: float | None = None,
) -> ExamInformation:
    """Where items a, b, c (m,) measure examinees of abilities theta (n,), and what difference they show.

    Without `se_below` it is .3, or a tenth above the least standard error of an exam that nowhere measures that well;
    without `middle` it is the mean ability.
    """
    errors = standard_error_curve(_SCALE, a, b, c)
    best = int(np.argmin(errors))
    if se_below is None:
        se_below = ENOUGH_SE if errors[best] < ENOUGH_SE else float(errors[best]) * 1.1
    ranges = measured_ranges(a, b, c, se_below=se_below)
    around = float(theta.mean()) if middle is None else middle
    return ExamInformation(
        best=float(_SCALE[best]),
        best_se=float(errors[best]),
        se_below=se_below,
        ranges=ranges,
        inside=sum(any(each.low <= ability <= each.high for each in ranges) for ability in theta.tolist()),
        middle=around,
        detectable=detectable_difference(around, a, b, c),
    )


def _crossing(information: Floats, wanted: float, inside: int, outside: int) -> float:
    if not 0 <= outside < len(_SCALE):
        return float(_SCALE[inside])
    share = (information[inside] - wanted) / (information[inside] - information[outside])
    return float(_SCALE[inside] + share * (_SCALE[outside] - _SCALE[inside]))


def detectable_difference(
    theta: float, a: ArrayLike, b: ArrayLike, c: ArrayLike, *, pairs: int = 1
) -> SmallestDifference:
    """The smallest difference of ability around `theta` that McNemar's exact test finds in 4 of 5 exams of this size.

    Of two examinees half of it below and half of it above, in exams of as many items like these, drawn anew: then the
    items that one of the two alone has right are multinomial, with the means of the fitted curves, and the power is a
    sum over their number, exact as the test is (Connor 1987, Biometrics 43, 207-211). It is the power to find the
    abler one at level .05, or .05 / `pairs`: what Holm asks of the first of so many pairs. Differences up to 16 are
    tried. Raises UsageError for an exam without items.
    """
    items = np.size(a)
    if items == 0:
        raise UsageError("An exam without items detects no difference.", allowed="At least one item.")
    critical = _critical(items, SIGNIFICANT / pairs)

    def power(difference: float) -> float:
        low, high = probability_3pl([theta - difference / 2, theta + difference / 2], a, b, c)
        return _power(critical, float((high * (1 - low)).mean()), float((low * (1 - high)).mean()))

    reached = next((step for step in _DIFFERENCES[1:].tolist() if power(step) >= POWER), None)
    if reached is None:
        most = float(_DIFFERENCES[-1])
        return SmallestDifference(most, _gap(theta, most, a, b, c), detectable=False)
    low, high = reached - float(_DIFFERENCES[1]), reached
    while high - low > _CLOSE:
        between = (low + high) / 2
        low, high = (low, between) if power(between) >= POWER else (between, high)
    return SmallestDifference(high, _gap(theta, high, a, b, c), detectable=True)


def _critical(items: int, level: float) -> Ints:
    """For 0 to `items` discordant ones: of how many, at most, the worse alone is right where the test is significant.

    -1 where no outcome of so few is.
    """
    discordant = np.arange(items + 1)
    # one too many, and two steps down where that is not significant: rounding may be wrong by one
    most = np.floor(np.nan_to_num(bdtrik(level / 2, discordant, 0.5), nan=-1.0)).clip(-1) + 1
    for _ in range(2):
        tail = bdtr(np.maximum(most, 0), discordant, 0.5)
        most = np.where((most >= 0) & (2 * tail >= level), most - 1, most)
    return np.asarray(most, dtype=np.int64)


def _power(critical: Ints, only_better: float, only_worse: float) -> float:
    """Probability that the test finds the better of two, of which each alone is right on such shares of the items."""
    items, either = len(critical) - 1, only_better + only_worse
    if either <= 0:
        return 0.0
    discordant = np.arange(items + 1)
    log_seen = (
        gammaln(items + 1)
        - gammaln(discordant + 1)
        - gammaln(items - discordant + 1)
        + xlogy(discordant, either)
        + xlogy(items - discordant, 1 - either)
    )
    found = np.where(critical >= 0, bdtr(np.maximum(critical, 0), discordant, only_worse / either), 0.0)
    return float(np.exp(log_seen) @ found)


def _gap(theta: float, difference: float, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> float:
    low, high = probability_3pl([theta - difference / 2, theta + difference / 2], a, b, c).mean(axis=1)
    return float(high - low)
