"""How graded scores of a judge agree with those of people: rank and linear correlation, and mean absolute error.

The `..._of` functions take complete rows (n, 2) of (judge, people) and are what `paired.bootstrap` and
`paired.compare_judges` ask for; the others take two columns in which None is a score that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from viva.core.estimates import Estimate
from viva.metrics.intervals import CONFIDENCE
from viva.metrics.judges.paired import RESAMPLES, Resampled, bootstrap
from viva.metrics.judges.pairs import (
    Floats,
    Scores,
    Statistic,
    Undefined,
    constant,
    kept_groups,
    paired_rows,
    too_few,
)

# rows that are compared with all others at a time: memory grows with rows, not with their square
_AT_ONCE = 256


@dataclass(frozen=True)
class Correlation:
    """A correlation over `pairs` rows; `missing` rows lack a score.

    `se_z` is the standard error on Fisher's scale (atanh of the correlation), `se` on the correlation's own, to first
    order; both, and `interval`, as Bonett & Wright (2000) give them, Kendall's also by jackknife (`kendall`).
    """

    estimate: float
    se_z: float | Undefined
    se: float | Undefined
    interval: Estimate | Undefined
    pairs: int
    missing: int


@dataclass(frozen=True)
class GradedAgreement:
    """Everything that is reported of a judge with graded scores, each bootstrap clustered by group."""

    spearman: Correlation | Undefined
    kendall: Correlation | Undefined
    pearson: Correlation | Undefined
    spearman_bootstrap: Resampled | Undefined
    mean_absolute_error: Resampled | Undefined
    pairs: int
    missing: int


def spearman_of(rows: Floats) -> float | Undefined:
    """Spearman's rho, ties by mid-ranks: Pearson's of the ranks. Between two 0/1 columns it is Matthews' (MCC)."""
    from scipy.stats import rankdata

    return too_few(rows) or constant(rows) or _product_moment(rankdata(rows, axis=0))


def kendall_of(rows: Floats) -> float | Undefined:
    """Kendall's tau-b (Kendall 1945), which corrects for ties on either side."""
    from scipy.stats import kendalltau

    return too_few(rows) or constant(rows) or float(kendalltau(rows[:, 0], rows[:, 1]).statistic)


def pearson_of(rows: Floats) -> float | Undefined:
    """Pearson's product-moment correlation."""
    return too_few(rows) or constant(rows) or _product_moment(rows)


def absolute_error_of(rows: Floats) -> float | Undefined:
    """Mean absolute difference of judge and people, who must be on one scale."""
    return float(np.abs(rows[:, 0] - rows[:, 1]).mean()) if len(rows) else Undefined("No row has both scores.")


def spearman(judge: Scores, people: Scores) -> Correlation | Undefined:
    """Spearman's rho with the interval of Bonett & Wright (2000): var(atanh r) = (1 + r^2 / 2) / (n - 3).

    Good to about |r| < .95. Undefined for fewer than 3 pairs or a constant column; its interval also for 3 pairs and
    for |r| = 1. Raises UsageError for columns of different lengths, and infinite scores.
    """
    return _correlation(spearman_of, judge, people, 3, lambda r: 1 + r**2 / 2)


def kendall(judge: Scores, people: Scores) -> Correlation | Undefined:
    """Kendall's tau-b; its standard error is the larger of two, its quantile Student's on n - 2 degrees of freedom.

    Of Fieller, Hartley & Pearson (1957), var(atanh tau) = .437 / (n - 4), which is of scores without ties and too
    little with them; and of the jackknife over rows (Arvesen 1969), which is of any. Time grows with n^2.

    Undefined and errors as for `spearman`, its interval also for 4 pairs and where a column varies by one row alone.
    """
    found = _correlation(kendall_of, judge, people, 4, lambda _: 0.437)
    if isinstance(found, Undefined) or isinstance(found.se_z, Undefined) or isinstance(found.se, Undefined):
        return found
    resampled = _kendall_jackknife(paired_rows(judge=judge, people=people).rows)
    if isinstance(resampled, Undefined):
        return replace(found, se_z=resampled, se=resampled, interval=resampled)
    se_z = max(found.se_z, resampled / (1 - found.estimate**2))
    quantile = float(stdtrit(found.pairs - 2, (1 + CONFIDENCE) / 2))
    return replace(
        found, se_z=se_z, se=(1 - found.estimate**2) * se_z, interval=_interval(found.estimate, quantile * se_z)
    )


def pearson(judge: Scores, people: Scores) -> Correlation | Undefined:
    """Pearson's r with var(atanh r) = 1 / (n - 3) (Fisher 1921), exact for normal scores. Otherwise as `spearman`."""
    return _correlation(pearson_of, judge, people, 3, lambda _: 1.0)


def graded_agreement(
    judge: Scores, people: Scores, groups: Sequence[Hashable] | None = None, *, seed: int, resamples: int = RESAMPLES
) -> GradedAgreement:
    """The agreement of judge (n,) and people (n,), clustered by `groups` (n,). Errors as in `spearman`."""
    paired = paired_rows(judge=judge, people=people)
    own = kept_groups(paired, groups)

    def resampled(statistic: Statistic) -> Resampled | Undefined:
        return bootstrap(statistic, paired.rows, own, seed=seed, resamples=resamples)

    return GradedAgreement(
        spearman=spearman(judge, people),
        kendall=kendall(judge, people),
        pearson=pearson(judge, people),
        spearman_bootstrap=resampled(spearman_of),
        mean_absolute_error=resampled(absolute_error_of),
        pairs=len(paired.rows),
        missing=paired.missing,
    )


def _product_moment(rows: Floats) -> float:
    centred = rows - rows.mean(axis=0)
    # each scaled by its largest: squares of tiny differences would be nothing
    first, second = (centred / np.abs(centred).max(axis=0)).T
    return float(np.clip(first @ second / np.sqrt((first @ first) * (second @ second)), -1.0, 1.0))


def _correlation(
    statistic: Statistic, judge: Scores, people: Scores, lost: int, spread: Callable[[float], float]
) -> Correlation | Undefined:
    z = float(ndtri((1 + CONFIDENCE) / 2))
    paired = paired_rows(judge=judge, people=people)
    # in an order of their own, so that the order given moves no digit
    r, n = statistic(paired.rows[np.lexsort(paired.rows.T)]), len(paired.rows)
    if isinstance(r, Undefined):
        return r
    if n <= lost:
        few = Undefined(f"{n} pairs have both scores; a standard error needs at least {lost + 1}.")
        return Correlation(r, few, few, few, n, paired.missing)
    se_z = float(np.sqrt(spread(r) / (n - lost)))
    if abs(r) > 1 - 1e-12:
        whole = Undefined("The order is the same throughout, which has no bound on Fisher's scale.")
        return Correlation(r, se_z, whole, whole, n, paired.missing)
    return Correlation(r, se_z, (1 - r**2) * se_z, _interval(r, z * se_z), n, paired.missing)


def _interval(r: float, half_z: float) -> Estimate:
    return Estimate(r, float(np.tanh(np.arctanh(r) - half_z)), float(np.tanh(np.arctanh(r) + half_z)))


def _kendall_jackknife(rows: Floats) -> float | Undefined:
    """The standard error of tau-b from what it is without each of the rows (n, 2)."""
    # in an order of their own, as above
    rows = rows[np.lexsort(rows.T)]
    n = len(rows)
    # of each row with all others: concordant less discordant pairs, and pairs not tied in either column
    agreeing = np.concatenate([_signs(rows, part) for part in np.array_split(np.arange(n), -(-n // _AT_ONCE))])
    untied = np.column_stack([n - _tied(column) for column in rows.T]).astype(np.float64)
    # every pair is counted from both of its ends
    pairs = np.prod(untied.sum(axis=0) - 2 * untied, axis=1)
    if not pairs.all():
        return Undefined("A column varies by one row alone, which says nothing of the spread.")
    without = (agreeing.sum() - 2 * agreeing) / np.sqrt(pairs)
    return float(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum()))


def _signs(rows: Floats, part: NDArray[np.int64]) -> Floats:
    first, second = (np.sign(column[part, None] - column) for column in rows.T)
    agreeing: Floats = (first * second).sum(axis=1)
    return agreeing


def _tied(column: Floats) -> NDArray[np.int64]:
    """With how many rows each shares its value, itself included."""
    _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    return counts[place]
