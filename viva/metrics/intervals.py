"""Uncertainty of proportions and means, and paired comparisons on the same items."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.estimates import Estimate

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
_RESAMPLES = 2000


@dataclass(frozen=True)
class PairedComparison:
    """Two examinees on the items both have a grade for.

    `difference` is the first's share of right answers less the second's, with a confidence interval; `p_value` is
    that of McNemar's exact test, two-sided.
    """

    items: int
    only_first: int
    only_second: int
    difference: Estimate
    p_value: float


def wilson(successes: float, trials: float, *, freedom: int | None = None) -> Estimate | None:
    """Score interval of a proportion (Wilson 1927); None without trials. Fractions of either are taken as they are.

    `freedom`: of the variance that the number of trials was estimated by; Student's quantile is then taken.

    Raises UsageError where successes lie outside [0, trials].
    """
    if not 0 <= successes <= trials:
        raise UsageError(f"{successes} successes in {trials} trials.", allowed="From 0 to the number of trials.")
    if trials == 0:
        return None
    z = Z if freedom is None else _t(freedom)
    share = successes / trials
    centre = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = z / (1 + z**2 / trials) * float(np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2)))
    # at the borders rounding may push a bound past the share itself
    return Estimate(share, max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share)))


def clustered_mean(values: Sequence[float], groups: Sequence[Hashable], *, seed: int) -> Estimate | None:
    """Mean with a percentile bootstrap interval that draws whole groups (documents), not single values.

    Items of one document share its difficulty, so they are no independent draws (Davison & Hinkley 1997, 3.8).
    None where fewer than two groups are at hand: one cluster says nothing of the spread between clusters.
    """
    if len(values) != len(groups):
        raise UsageError(f"{len(values)} values in {len(groups)} groups.", allowed="One group for each value.")
    sums, counts = _by_group(values, groups)
    if len(sums) < 2:
        return None
    drawn = np.random.default_rng(seed).integers(len(sums), size=(_RESAMPLES, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Estimate(float(sums.sum() / counts.sum()), float(low), float(high))


def _by_group(values: Sequence[float], groups: Sequence[Hashable]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    totals: dict[Hashable, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        totals.setdefault(group, []).append(value)
    # sorted, so that the order in which rows come does not move the interval
    rows = sorted((sum(sorted(members)), float(len(members))) for members in totals.values())
    table = np.array(rows, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def compare_paired(
    first: Sequence[float | None] | NDArray[np.float64],
    second: Sequence[float | None] | NDArray[np.float64],
) -> PairedComparison | None:
    """Two examinees' grades (1, 0; None or nan: not graded) on the same items in the same order.

    The test is McNemar's, exact: a binomial test on the items that one of them alone got right. The interval of
    the difference is that of `paired_difference`. None where no item has both grades.
    """
    if len(first) != len(second):
        raise UsageError(f"{len(first)} and {len(second)} grades.", allowed="Both on the same items.")
    grades = np.array([first, second], dtype=float)
    pairs = grades[:, ~np.isnan(grades).any(axis=0)]
    if ((pairs != 0) & (pairs != 1)).any():
        raise UsageError("A grade is neither right nor wrong.", allowed="1, 0, or None for not graded.")
    if not pairs.size:
        return None
    only_first, only_second = int((pairs[0] > pairs[1]).sum()), int((pairs[1] > pairs[0]).sum())
    discordant = only_first + only_second
    p_value = _sign_test(only_first, discordant)
    difference = paired_difference(only_first, only_second, pairs.shape[1])
    return PairedComparison(pairs.shape[1], only_first, only_second, difference, p_value)


def _sign_test(successes: int, trials: int) -> float:
    """Of a fair coin, two-sided and exact: twice the smaller tail, which is as likely as the other."""
    from scipy.special import bdtr

    rarer = min(successes, trials - successes)
    return min(1.0, 2 * float(bdtr(rarer, trials, 0.5))) if trials else 1.0


def paired_difference(only_first: int, only_second: int, items: int, *, intervals: int = 1) -> Estimate:
    """Difference of two shares on the same items, with the adjusted Wald interval of Bonett & Price (2012, eq. 6).

    It holds for as many `intervals` at once (Bonferroni).
    """
    z = Z if intervals == 1 else NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * intervals))
    share_first, share_second = (only_first + 1) / (items + 2), (only_second + 1) / (items + 2)
    centre = share_first - share_second
    half = z * float(np.sqrt((share_first + share_second - centre**2) / (items + 2)))
    return Estimate((only_first - only_second) / items, max(-1.0, centre - half), min(1.0, centre + half))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for their number by Holm (1979), in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, floor = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = floor
    return adjusted


def _t(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def share_in_groups(hits: Sequence[float], groups: Sequence[Hashable], *, seed: int) -> Estimate | None:
    """The share of hits (1, 0) with a 95% interval; None without any.

    The wider ends of Wilson's interval and of a bootstrap over groups: the first takes what is of one group for
    independent, the second has no width where all agree, and too little where groups are few.
    """
    alone = wilson(sum(hits), len(hits))
    drawn = clustered_mean(hits, groups, seed=seed) if alone else None
    if alone is None or drawn is None:
        return alone
    return replace(alone, low=min(alone.low, drawn.low), high=max(alone.high, drawn.high))
