"""Bootstrap intervals of any statistic of rows, and whether one judge agrees better with people than another.

Whole groups (articles, questions) are drawn, not single rows: rows of one group are no independent draws (Davison &
Hinkley 1997, 3.8). The percentile interval is taken; both judges of a comparison are scored on the same drawn rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.metrics.intervals import CONFIDENCE
from viva.metrics.judges.pairs import Floats, Scores, Statistic, Undefined, kept_groups, paired_rows

RESAMPLES = 2000
LEAST_GROUPS = 10
"""Below, intervals are too narrow: of useless rivals 21% seem better with 2 groups, 9% with 4, 5.5% with 8."""
# where more of the resamples than this leave the statistic undefined, the others are no fair picture of its spread
MAX_UNDEFINED = 0.05


@dataclass(frozen=True)
class Resampled:
    """A statistic with its bootstrap interval; `undefined` of `resamples` had no value and are left out."""

    interval: Estimate
    groups: int
    resamples: int
    undefined: int


@dataclass(frozen=True)
class Improvement:
    """A rival judge against the base one, on the rows that both graded and people labelled.

    `difference` is the rival's agreement less the base's; `p_value` is one-sided, for "the rival is no better";
    `missing` counts the rows left out because a score of either judge or the label is missing.
    """

    base: float
    rival: float
    difference: Estimate
    p_value: float
    rows: int
    missing: int
    groups: int
    resamples: int
    undefined: int

    @property
    def better(self) -> bool:
        """Whether the interval of the difference lies above 0."""
        return self.difference.low > 0


def bootstrap(
    statistic: Statistic,
    rows: Floats,
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Resampled | Undefined:
    """A statistic of rows (n, k) with its percentile interval; `groups` (n,) are drawn whole, else single rows.

    The order of rows and the names of groups do not move it. Undefined where the statistic is, where there are
    fewer than two groups, or where more than 5% of the resamples leave it undefined. Raises UsageError for another
    number of groups than rows and less than one resample.
    """
    clusters = _clusters(rows, groups)
    estimate = statistic(np.concatenate(clusters)) if clusters else Undefined("There are no rows.")
    if isinstance(estimate, Undefined):
        return estimate
    draws = _draws(statistic, clusters, seed, resamples)
    if isinstance(draws, Undefined):
        return draws
    interval = _percentiles(estimate, draws)
    return Resampled(interval, len(clusters), resamples, resamples - len(draws))


def compare_judges(
    statistic: Statistic,
    base: Scores,
    rival: Scores,
    people: Scores,
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Improvement | Undefined:
    """Whether the rival agrees better with people: `statistic` of rows (judge, people), of which more is better.

    A paired bootstrap (Efron & Tibshirani 1993, chapter 16): the p-value is (1 + resamples whose difference is 0 or
    below) / (1 + resamples). Undefined and errors as in `bootstrap`; rows without all three scores are left out and
    counted.
    """
    paired = paired_rows(base=base, rival=rival, people=people)
    clusters = _clusters(paired.rows, kept_groups(paired, groups))
    before, after = statistic(paired.rows[:, [0, 2]]), statistic(paired.rows[:, [1, 2]])
    if isinstance(before, Undefined):
        return Undefined(f"The base judge: {before.reason}")
    if isinstance(after, Undefined):
        return Undefined(f"The rival judge: {after.reason}")

    def difference(rows: Floats) -> float | Undefined:
        one, other = statistic(rows[:, [0, 2]]), statistic(rows[:, [1, 2]])
        if isinstance(one, Undefined):
            return one
        return other if isinstance(other, Undefined) else other - one

    draws = _draws(difference, clusters, seed, resamples)
    if isinstance(draws, Undefined):
        return draws
    return Improvement(
        base=before,
        rival=after,
        difference=_percentiles(after - before, draws),
        p_value=(1 + int((draws <= 0).sum())) / (1 + len(draws)),
        rows=len(paired.rows),
        missing=paired.missing,
        groups=len(clusters),
        resamples=resamples,
        undefined=resamples - len(draws),
    )


def _clusters(rows: Floats, groups: Sequence[Hashable] | None) -> list[Floats]:
    """The rows of each group, in an order that their content alone decides."""
    if groups is None:
        ordered = rows[np.lexsort(rows.T[::-1])] if len(rows) else rows
        return list(ordered[:, None, :])
    if len(groups) != len(rows):
        raise UsageError(f"{len(groups)} groups for {len(rows)} rows.", allowed="One for each.")
    places: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        places.setdefault(group, []).append(place)
    members = [rows[own][np.lexsort(rows[own].T[::-1])] for own in places.values()]
    return sorted(members, key=lambda own: own.astype(">f8").tobytes())


def _draws(statistic: Statistic, clusters: Sequence[Floats], seed: int, resamples: int) -> Floats | Undefined:
    """The statistic over resampled clusters, where it has a value: shape (resamples - undefined,)."""
    if resamples < 1:
        raise UsageError(f"{resamples} resamples were asked for.", allowed="At least 1; 2000 are usual.")
    if len(clusters) < 2:
        return Undefined("All rows are of one group, which says nothing of the spread between groups.")
    rows, lengths = np.concatenate(clusters), np.array([len(own) for own in clusters])
    starts = np.cumsum(lengths) - lengths
    draw, found = np.random.default_rng(seed), list[float]()
    for _ in range(resamples):
        drawn = draw.integers(len(clusters), size=len(clusters))
        long = lengths[drawn]
        within = np.arange(long.sum()) - np.repeat(np.cumsum(long) - long, long)
        value = statistic(rows[np.repeat(starts[drawn], long) + within])
        if not isinstance(value, Undefined):
            found.append(value)
    undefined = resamples - len(found)
    if undefined > MAX_UNDEFINED * resamples:
        return Undefined(f"{undefined} of {resamples} resamples leave it undefined: too few or too even rows.")
    return np.array(found)


def _percentiles(estimate: float, draws: Floats) -> Estimate:
    low, high = np.quantile(draws, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Estimate(estimate, float(low), float(high))
