"""Q3: do two items share more than the ability both measure (duplicates, one giving another away)?

Sources: Yen (1984), Applied Psychological Measurement 8, 125-145; the correction by the mean and its use as a
yardstick: Christensen, Makransky & Horton (2017), Applied Psychological Measurement 41, 178-194. The tail of a sum:
Daniels (1987), International Statistical Review 55, 37-48.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, ndtr

from viva.metrics.irt.checks.discoveries import FALSE_SHARE, benjamini_hochberg
from viva.metrics.irt.model.responses import Bools, Floats, Ints, NotJudged, probability_matrix, response_matrix

# with fewer of either answer one examinee makes or breaks a correlation
FEW_ANSWERS = 3
FEW_EXAMINEES = 10
LEAST = 0.2
# the matrices of pairs then take about 1 GiB
MOST_ITEMS = 4000
_SMALL_P = 0.001
# examinees x pairs worked out at a time
_TOGETHER = 65536
# of Newton's search for the best bound
_STEPS, _LONGEST, _FARTHEST, _LEAST_VARIANCE = 12, 3.0, 60.0, 1e-9


@dataclass(frozen=True)
class DependentPair:
    """Two items (their columns) that go together beyond ability; `adjusted` is p_value after Benjamini-Hochberg."""

    first: int
    second: int
    q3: float
    corrected: float
    p_value: float
    adjusted: float


@dataclass(frozen=True, eq=False)
class Dependence:
    """q3 (m, m) correlations of residuals, 1 on the diagonal; `mean` over the judged pairs, below 0 when all is well.

    `strongest` (m,) is an item's largest q3 - mean over its partners. A pair that is not `judged` (m, m) stands
    at 0 in q3. `pairs` are those flagged, the surest first.
    """

    q3: Floats
    judged: Bools
    mean: float
    strongest: Floats
    pairs: tuple[DependentPair, ...]

    @property
    def corrected(self) -> Floats:
        """q3 less its mean, (m, m): 0 for the pairs that were not judged."""
        return np.asarray(np.where(self.judged, self.q3 - self.mean, 0.0), dtype=np.float64)


def local_dependence(responses: ArrayLike, probabilities: ArrayLike) -> Dependence | NotJudged:
    """Q3 of all pairs of items, from responses (n, m) of 1, 0 and nan and the model's probabilities (n, m).

    A pair is flagged where q3 less the mean q3 is above LEAST and its one-sided p-value is at most FALSE_SHARE
    after Benjamini-Hochberg. The p-value is the larger of Fisher's z of the corrected q3 and the saddlepoint tail of
    the sum of the products of residuals, answers being independent given the probabilities: residuals of easy and
    hard items are too skewed for the first alone. A pair is judged where ten examinees answered both, each item has
    three answers of either kind, and the residuals vary. NotJudged where no pair is, or above 4,000 items.
    """
    values = response_matrix(responses)
    p = probability_matrix(probabilities, values.shape)
    items = values.shape[1]
    if items > MOST_ITEMS:
        return NotJudged(f"{items} items make too many pairs: give at most {MOST_ITEMS} at a time")
    q3, common = _residual_correlations(values, p)
    judged = _judged(values, common) & np.isfinite(q3)
    if not judged.any():
        return NotJudged(
            f"no pair of items has {FEW_EXAMINEES} common examinees and {FEW_ANSWERS} right and wrong answers to each"
        )
    q3 = np.where(judged, q3, 0.0)
    mean = float(q3[judged].mean())
    strongest = np.where(judged.any(axis=1), np.where(judged, q3 - mean, -np.inf).max(axis=1, initial=-np.inf), 0.0)
    pairs = _flagged(values, p, q3, mean, judged)
    np.fill_diagonal(q3, 1.0)
    return Dependence(q3, judged, mean, strongest, pairs)


def _residual_correlations(values: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Correlation over the examinees that answered both (nan where there is none), and their number, (m, m)."""
    graded = (~np.isnan(values)).astype(np.float64)
    residual = np.where(graded > 0, values - p, 0.0)
    common = graded.T @ graded
    total, square = residual.T @ graded, (residual**2).T @ graded
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = square - total**2 / common
        covariance = residual.T @ residual - total * total.T / common
        # residuals that differ by rounding alone do not vary
        variance[variance < 1e-12] = np.nan
        return np.clip(covariance / np.sqrt(variance * variance.T), -1.0, 1.0), common


def _judged(values: Floats, common: Floats) -> Bools:
    rarer = np.minimum((values == 1).sum(axis=0), (values == 0).sum(axis=0)) >= FEW_ANSWERS
    judged = rarer[:, None] & rarer[None, :] & (common >= FEW_EXAMINEES)
    np.fill_diagonal(judged, False)
    return np.asarray(judged, dtype=bool)


def _flagged(values: Floats, p: Floats, q3: Floats, mean: float, judged: Bools) -> tuple[DependentPair, ...]:
    first, second = np.nonzero(np.triu(judged, 1))
    corrected = q3[first, second] - mean
    p_value = _p_values(values, p, first, second, corrected)
    adjusted = benjamini_hochberg(p_value)
    chosen = np.flatnonzero((corrected > LEAST) & (adjusted <= FALSE_SHARE))
    ordered = chosen[np.lexsort((second[chosen], first[chosen], p_value[chosen]))]
    return tuple(
        DependentPair(
            first=int(first[k]),
            second=int(second[k]),
            q3=float(q3[first[k], second[k]]),
            corrected=float(corrected[k]),
            p_value=float(p_value[k]),
            adjusted=float(adjusted[k]),
        )
        for k in ordered
    )


def _p_values(values: Floats, p: Floats, first: Ints, second: Ints, corrected: Floats) -> Floats:
    graded = (~np.isnan(values)).astype(np.float64)
    common = (graded.T @ graded)[first, second]
    bounded = np.clip(corrected, -0.999999, 0.999999)
    p_value = np.asarray(ndtr(-np.arctanh(bounded) * np.sqrt(common - 3)), dtype=np.float64)
    # the larger of two p-values: where the first is no small one the second need not be known
    small = np.flatnonzero(p_value <= _SMALL_P)
    step = max(1, _TOGETHER // len(values))
    for pairs in (small[k : k + step] for k in range(0, len(small), step)):
        p_value[pairs] = np.maximum(p_value[pairs], _saddlepoint_tail(values, p, first[pairs], second[pairs]))
    return p_value


def _saddlepoint_tail(values: Floats, p: Floats, first: Ints, second: Ints) -> Floats:
    """Probability of as large a sum of products of residuals, of each pair of items (k,) independent given p.

    Esscher's: exp(K(t) - t S) exp(v/2) (1 - Phi(sqrt(v))), v = t^2 K''(t), with the cumulant generating function K of
    the sum S at the t where K'(t) = S.
    """
    one, other = p[:, first], p[:, second]
    common = ~np.isnan(values[:, first] + values[:, second])
    observed = np.nansum((values[:, first] - one) * (values[:, second] - other), axis=0)
    products = np.stack([(1 - one) * (1 - other), (one - 1) * other, one * (other - 1), one * other])
    chances = np.stack([one * other, one * (1 - other), (1 - one) * other, (1 - one) * (1 - other)])
    t = np.zeros(len(first))
    for _ in range(_STEPS):
        tilted = chances * np.exp(t * products)
        tilted /= tilted.sum(axis=0)
        mean = (tilted * products).sum(axis=0)
        spread = (common * ((tilted * products**2).sum(axis=0) - mean**2)).sum(axis=0)
        off = (observed - (common * mean).sum(axis=0)) / np.maximum(spread, _LEAST_VARIANCE)
        # without the last factor any t gives a bound (Chernoff): a search that stops early errs on the safe side
        t = np.clip(t + np.clip(off, -_LONGEST, _LONGEST), 0.0, _FARTHEST)
    cumulants = (common * np.log((chances * np.exp(t * products)).sum(axis=0))).sum(axis=0)
    bound = np.exp(np.minimum(cumulants - t * observed, 0.0))
    return np.asarray(bound * erfcx(t * np.sqrt(np.maximum(spread, 0.0) / 2)) / 2, dtype=np.float64)
