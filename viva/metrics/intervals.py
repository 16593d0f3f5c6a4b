"""Uncertainty of proportions and means, and paired comparisons on the same items."""

from __future__ import annotations

import math
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
class ClusterDesign:
    """How much less a set of questions tells than as many independent ones.

    `effect` is the variance of a mean over them in units of that of independent ones (Kish 1965). Where it was
    estimated, `freedom` is that of the estimate, and Student's quantile is taken.
    """

    effect: float = 1.0
    freedom: int | None = None

    def quantile(self, probability: float) -> float:
        """Of the standard normal distribution, or of Student's."""
        if self.freedom is None:
            return NormalDist().inv_cdf(probability)
        return _t(self.freedom, probability)

    def share_below(self, value: float) -> float:
        """Of the same distribution."""
        if self.freedom is None:
            return NormalDist().cdf(value)
        from scipy.special import stdtr

        return float(stdtr(self.freedom, value))

    def adjusted(self, p_value: float) -> float:
        """A two-sided p-value whose statistic took the questions for independent, corrected (Rao & Scott 1992)."""
        if self.freedom is None:
            return p_value
        from scipy.special import ndtri, stdtr

        return float(2 * stdtr(self.freedom, ndtri(p_value / 2) / self.effect**0.5))


INDEPENDENT = ClusterDesign()


@dataclass(frozen=True)
class PairedComparison:
    """Two examinees on the items both have a grade for.

    `only_first` and `only_second` count the items that one of the two has right alone (or more often, where grades
    are means over occasions); `total`, `squares` and `gross` are sums of the differences, of their squares and of
    their sizes. The p-value is two-sided.
    """

    items: int
    only_first: int
    only_second: int
    total: float
    squares: float
    gross: float
    p_value: float
    design: ClusterDesign = INDEPENDENT

    @property
    def difference(self) -> Estimate:
        """The first's share of right answers less the second's."""
        return self.interval(1)

    @property
    def worth(self) -> tuple[float, float]:
        """As many items that one of the two alone has right tell as much: of the first, of the second."""
        if not self.squares:
            return 0.0, 0.0
        gains = (self.gross + self.total) / 2, (self.gross - self.total) / 2
        unit = self.gross / self.squares / self.design.effect
        return gains[0] * unit, gains[1] * unit

    def interval(self, intervals: int) -> Estimate:
        """The difference with an interval that holds for as many `intervals` at once (Bonferroni).

        The adjusted Wald interval of Bonett & Price (2012, eq. 6), for differences of means too.
        """
        items, total = self.items / self.design.effect, self.total / self.design.effect
        centre = total / (items + 2)
        spread = (self.squares / self.design.effect + 2) / (items + 2) - centre**2
        half = self.design.quantile(1 - (1 - CONFIDENCE) / (2 * intervals)) * (spread / (items + 2)) ** 0.5
        return Estimate(self.total / self.items, max(-1.0, centre - half), min(1.0, centre + half))


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


def difference_of_shares(first: Estimate, second: Estimate) -> Estimate:
    """Give the difference of two shares of different questions, from their Wilson intervals (Newcombe 1998, 10)."""
    found = first.value - second.value
    below = math.hypot(first.value - first.low, second.high - second.value)
    above = math.hypot(first.high - first.value, second.value - second.low)
    return Estimate(found, found - below, found + above)


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
    *,
    steps: int = 1,
    design: ClusterDesign = INDEPENDENT,
) -> PairedComparison | None:
    """Two examinees' grades (None or nan: not graded) on the same items in the same order.

    Grades are 1 or 0, or means over occasions in as many `steps` from 0 to 1. The test flips the signs of the items'
    differences, which is exact where the two are exchangeable on each item; of 1 and 0 it is McNemar's exact test.
    Where items hang together, the `design` corrects it. None where no item has both grades.
    """
    if len(first) != len(second):
        raise UsageError(f"{len(first)} and {len(second)} grades.", allowed="Both on the same items.")
    grades = np.array([first, second], dtype=float)
    pairs = grades[:, ~np.isnan(grades).any(axis=0)]
    if steps == 1 and ((pairs != 0) & (pairs != 1)).any():
        raise UsageError("A grade is neither right nor wrong.", allowed="1, 0, or None for not graded.")
    if not pairs.size:
        return None
    differences = np.rint((pairs[0] - pairs[1]) * steps).astype(np.int64)
    return PairedComparison(
        items=pairs.shape[1],
        only_first=int((differences > 0).sum()),
        only_second=int((differences < 0).sum()),
        total=float(differences.sum()) / steps,
        squares=float((differences**2).sum()) / steps**2,
        gross=float(np.abs(differences).sum()) / steps,
        p_value=design.adjusted(_sign_flip(differences)),
        design=design,
    )


def _sign_flip(differences: NDArray[np.int64]) -> float:
    """Two-sided and exact: of all ways to sign the differences, the share that adds up to as much."""
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    if len(sizes) <= 1:
        return _sign_test(int((differences > 0).sum()), int(counts.sum()))
    # the sum's distribution from its characteristic function, which is a product of cosines
    whole = int(sizes @ counts)
    places = 2 * np.pi * np.arange(2 * whole + 1) / (2 * whole + 1)
    chances = np.fft.ifft(np.prod([np.cos(k * places) ** n for k, n in zip(sizes, counts, strict=True)], axis=0)).real
    total = abs(int(differences.sum()))
    within = chances[:total].sum() + chances[len(chances) - total + 1 :].sum() if total else 0.0
    return float(np.clip(1 - within, 2.0 ** (1 - float(counts.sum())), 1.0))


def _sign_test(successes: int, trials: int) -> float:
    """Of a fair coin, two-sided and exact: twice the smaller tail, which is as likely as the other."""
    from scipy.special import bdtr

    rarer = min(successes, trials - successes)
    return min(1.0, 2 * float(bdtr(rarer, trials, 0.5))) if trials else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for their number by Holm (1979), in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, floor = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = floor
    return adjusted


def _t(freedom: int, probability: float = (1 + CONFIDENCE) / 2) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


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
