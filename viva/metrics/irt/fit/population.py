"""The normal population that examinees are exchangeable draws from: theta ~ N(mu, s^2), mu ~ N(0, 3^2).

Components of the examinees are no part of it: what adds up is found from abilities, not put into them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.metrics.irt.model.curves import log_probabilities_3pl

Floats = NDArray[np.float64]

# weak on a scale where a typical item has discrimination 1
MEAN_SD = 3.0
# half-normal, of s
SPREAD_PRIOR_SD = 1.5
_GRID = np.geomspace(0.02, 4.0, 40)


@dataclass(frozen=True, eq=False)
class AbilityPrior:
    """theta (n,) with mu integrated out: the precision is (I - half half') / s^2 with half (n,); `variance` is s^2.

    `log_det_cov` is the log determinant of the covariance.
    """

    variance: float
    half: Floats
    log_det_cov: float

    def times(self, theta: Floats) -> Floats:
        """Precision @ theta (n,)."""
        return np.asarray((theta - self.half * float(theta @ self.half)) / self.variance, dtype=np.float64)

    def variance_given(self, information: Floats) -> Floats:
        """Posterior variances (n,) of abilities, each of them measured with this information (n,)."""
        own = 1 / (information + 1 / self.variance)
        # the identity of Woodbury: one unknown, not as many as examinees
        left = self.variance - float(own @ self.half**2)
        return np.asarray(own + (own * self.half) ** 2 / left, dtype=np.float64)

    def precision(self) -> Floats:
        """Of shape (n, n)."""
        precision = np.outer(self.half, self.half / -self.variance)
        precision[range(len(precision)), range(len(precision))] += 1 / self.variance
        return precision


def ability_prior(examinees: int, spread: float) -> AbilityPrior:
    """The prior of so many abilities around whose mean the spread is s."""
    variance, of_mean = spread**2, examinees * MEAN_SD**2
    half = np.full(examinees, np.sqrt(of_mean / (of_mean + variance) / examinees))
    log_det = float(np.log(of_mean + variance)) + 2 * (examinees - 1) * float(np.log(spread))
    return AbilityPrior(variance, half, log_det)


def log_prior(spread: float | Floats, width: float) -> Floats:
    """Log probability of s within a cell `width` wide in log s."""
    density = np.log(2 / (SPREAD_PRIOR_SD * np.sqrt(2 * np.pi))) - 0.5 * (spread / SPREAD_PRIOR_SD) ** 2
    return np.asarray(density + np.log(spread * width), dtype=np.float64)


def spread_given(theta: Floats, variance: Floats) -> float:
    """Mean of s given abilities (n,) measured with independent errors of variance (n,).

    The restricted likelihood (Patterson & Thompson 1971) of theta ~ N(mu, s^2 + variance), over a grid of s.
    """
    weight = 1 / (_GRID[:, None] ** 2 + variance)
    total = weight.sum(axis=1) + MEAN_SD**-2.0
    squares = weight @ theta**2 - (weight @ theta) ** 2 / total
    log_weight = 0.5 * (np.log(weight).sum(axis=1) - np.log(total) - squares)
    log_weight += log_prior(_GRID, float(np.log(_GRID[1] / _GRID[0])))
    share = np.exp(log_weight - log_weight.max())
    return float(share @ _GRID / share.sum())


def drawn_abilities(
    values: Floats, items: tuple[Floats, Floats, Floats], population: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Posterior means and sds (n,) of examinees of this mean and sd who answered known items, by quadrature."""
    mean, spread = population
    nodes = mean + spread * np.linspace(-5.0, 5.0, 101)
    log_right, log_wrong = log_probabilities_3pl(nodes, *items)
    log_weight = (values == 1) @ log_right.T + (values == 0) @ log_wrong.T - 0.5 * ((nodes - mean) / spread) ** 2
    share = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    theta = share @ nodes
    return theta, np.sqrt(np.maximum(share @ nodes**2 - theta**2, 0.0))
