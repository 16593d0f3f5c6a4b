"""Effects of components on measured abilities: a regression with a spread of its own around what adds up.

theta = x beta + u + e: u ~ N(0, s^2) is what systems are off the sum of their parts, e the error of measurement.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# the sd of a prior of beta that settles what abilities cannot (aliased levels), and moves nothing else
_WEAK_SD = 10.0
# columns of levels are of zeros and ones: what is dependent among them has singular values of rounding alone
_RANK_TOLERANCE = 1e-8
_HALVINGS = 30


@dataclass(frozen=True, eq=False)
class MeasuredAbilities:
    """Unshrunk abilities theta (n,), and loadings (n, k) of their errors, whose covariance is loadings @ loadings.T.

    `system` (n,): a copy has the number of its original, and one u with it. `unit_error` is the share by which the
    unit of the scale may be off.
    """

    theta: Floats
    loadings: Floats
    system: Ints
    unit_error: float = 0.0

    @property
    def systems(self) -> Floats:
        """Indicator columns of the systems (n, g)."""
        return np.asarray(self.system[:, None] == np.unique(self.system), dtype=np.float64)

    @property
    def variance(self) -> Floats:
        """Of each error (n,)."""
        return np.asarray((self.loadings**2).sum(axis=1), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Regression:
    """beta (p,) with its covariance, the spread s about x beta, and the degrees of freedom that s was found from."""

    beta: Floats
    beta_cov: Floats
    spread: float
    df: int


@dataclass(frozen=True, eq=False)
class Residual:
    """What a design leaves of abilities: the weighted sum of squares and its mean, `df` of freedom.

    `errors` (n, k) are the loadings of the errors that it leaves.
    """

    q: float
    mean: float
    df: int
    errors: Floats

    @property
    def p_value(self) -> float:
        """Of a sum as large by errors of measurement alone: about a chi-square, scaled (Satterthwaite 1946)."""
        wide = self.errors.shape[1] > len(self.errors)
        squares = self.errors @ self.errors.T if wide else self.errors.T @ self.errors
        df = float(np.trace(squares)) ** 2 / max(float((squares**2).sum()), 1e-300)
        return float(chdtrc(df, df * self.q / self.mean))


def regression(measured: MeasuredAbilities, x: Floats) -> Regression:
    """Generalised least squares of abilities on x (n, p).

    Weights are 1 / (s^2 + variance), shared by copies. s equates the weighted sum of squares with its expectation
    (Paule & Mandel 1982, here with errors that correlate), so that the variance by Hartung & Knapp (2001) is the
    model's own; intervals take t with `df`. The covariance of beta has all errors with their correlations in it, and
    that of the unit, which is common to all effects.
    """
    spread = _spread(measured, x)
    weight = _root(measured, spread) ** 2
    bread = np.linalg.inv((x.T * weight) @ x + np.eye(x.shape[1]) / _WEAK_SD**2)
    to_beta = bread @ (x.T * weight)
    loaded = to_beta @ np.hstack([measured.loadings, spread * measured.systems])
    beta = to_beta @ measured.theta
    # the intercept is a place, and has no unit
    scaled = measured.unit_error * np.append(0.0, beta[1:])
    cov = loaded @ loaded.T + bread @ bread / _WEAK_SD**2 + np.outer(scaled, scaled)
    return Regression(beta, cov, spread, _df(measured, x))


def residual(measured: MeasuredAbilities, x: Floats, spread: float = 0.0) -> Residual:
    """What x (n, p) leaves, where abilities spread by s around it."""
    root = _root(measured, spread)
    basis = _basis(x * root[:, None])

    def left(values: Floats) -> Floats:
        scaled = values * root[:, None]
        return np.asarray(scaled - basis @ (basis.T @ scaled), dtype=np.float64)

    errors = left(measured.loadings)
    q, df = float((left(measured.theta[:, None]) ** 2).sum()), len(x) - basis.shape[1]
    mean = float((errors**2).sum()) + spread**2 * float((left(measured.systems) ** 2).sum())
    return Residual(q, mean, df, errors)


def _spread(measured: MeasuredAbilities, x: Floats) -> float:
    """The s that brings the sum of squares down to its mean, 0 where it is not above it."""

    def excess(spread: float) -> float:
        found = residual(measured, x, spread)
        return found.q - found.mean

    if _df(measured, x) < 1 or excess(0.0) <= 0:
        return 0.0
    low, high = 0.0, float(np.sqrt(np.var(measured.theta) + measured.variance.sum()))
    # the sum falls as s grows; where few degrees of freedom are left the root lies beyond the abilities' own
    while excess(high) > 0:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def _root(measured: MeasuredAbilities, spread: float) -> Floats:
    """Square roots of the weights (n,): copies count together once."""
    copies = measured.systems.sum(axis=0)[np.unique(measured.system, return_inverse=True)[1]]
    return np.asarray(1 / np.sqrt((measured.variance + spread**2) * copies), dtype=np.float64)


def _df(measured: MeasuredAbilities, x: Floats) -> int:
    """How many systems are left beyond those that the effects use up."""
    return int(_basis(np.hstack([x, measured.systems])).shape[1] - _basis(x).shape[1])


def _basis(design: Floats) -> Floats:
    left, singular, _ = np.linalg.svd(design, full_matrices=False)
    return np.asarray(left[:, singular > _RANK_TOLERANCE * singular[0]], dtype=np.float64)
