"""The likelihood of abilities with the items integrated out, its gradient and its Hessian.

Persons fixed, items random: with few examinees and many items it is the item parameters that are the
incidental ones (Neyman & Scott 1948), so they are integrated over a grid of prior nodes:

    l(theta) = sum_j log sum_q w_q prod_i P_q(theta_i)^y_ij (1 - P_q(theta_i))^(1 - y_ij)

The Hessian is exact; it is the observed information of Louis (1982): the expected curvature given the
items less the covariance, over an item's posterior, of the slopes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.metrics.irt.grid import ItemGrid

Floats = NDArray[np.float64]

# nodes with less of an item's posterior than this cannot be seen in the Hessian
_NEGLIGIBLE = 1e-9


@dataclass(frozen=True, eq=False)
class _Tables:
    """Per node: log-probability of right (n), then wrong (n), and their slopes in theta, of shape (q, 2n).

    `above` and `below` (q, n) are the logistic s and 1 - s.
    """

    log_probability: Floats
    slope: Floats
    above: Floats
    below: Floats


class ItemMarginal:
    """Marginal log-likelihood of abilities theta (n,) for responses (n, m) of 0, 1 and nan."""

    def __init__(self, responses: Floats, grid: ItemGrid) -> None:
        self._grid = grid
        # right and wrong side by side: one product of matrices instead of two
        self._answers = np.hstack([(responses == 1).T, (responses == 0).T]).astype(np.float64)

    def posterior(self, theta: Floats) -> Floats:
        """Weight of each node for each item given the abilities, of shape (m, q); rows sum to one."""
        return self._posterior(self._tables(theta))[1]

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        """l(theta) and dl/dtheta of shape (n,)."""
        tables = self._tables(theta)
        value, posterior = self._posterior(tables)
        slopes = (tables.slope * (posterior.T @ self._answers)).sum(axis=0)
        return value, slopes[: len(theta)] + slopes[len(theta) :]

    def complete_information(self, theta: Floats) -> Floats:
        """Information (n,) there would be were the item parameters known: an upper bound, for scaling."""
        tables = self._tables(theta)
        return -self._curvature(tables, self._posterior(tables)[1])

    def hessian(self, theta: Floats) -> Floats:
        """d2l/dtheta dtheta' of shape (n, n)."""
        tables = self._tables(theta)
        posterior = self._posterior(tables)[1]
        hessian, n = np.diag(self._curvature(tables, posterior)), len(theta)
        for weights, answers in zip(posterior, self._answers, strict=True):
            seen = np.flatnonzero(weights > _NEGLIGIBLE)
            slopes = tables.slope[seen] * answers
            slopes = slopes[:, :n] + slopes[:, n:]
            weighted = slopes * weights[seen, None]
            mean = weighted.sum(axis=0)
            hessian += weighted.T @ slopes - np.outer(mean, mean)
        return np.asarray((hessian + hessian.T) / 2, dtype=np.float64)

    def _posterior(self, tables: _Tables) -> tuple[float, Floats]:
        joint = self._answers @ tables.log_probability.T
        joint += self._grid.log_weight
        top = joint.max(axis=1, keepdims=True)
        joint -= top
        np.exp(joint, out=joint)
        total = joint.sum(axis=1, keepdims=True)
        joint /= total
        return float((top + np.log(total)).sum()), joint

    def _curvature(self, tables: _Tables, posterior: Floats) -> Floats:
        a, slope_right = self._grid.a[:, None], tables.slope[:, : tables.above.shape[1]]
        curve_right = slope_right * (a * (tables.below - tables.above) - slope_right)
        curve_wrong = -(a**2) * tables.above * tables.below
        curves = (np.hstack([curve_right, curve_wrong]) * (posterior.T @ self._answers)).sum(axis=0)
        return np.asarray(curves[: len(curves) // 2] + curves[len(curves) // 2 :], dtype=np.float64)

    def _tables(self, theta: Floats) -> _Tables:
        a, b, c = (values[:, None] for values in (self._grid.a, self._grid.b, self._grid.c))
        z = a * (theta[None, :] - b)
        log_above = -np.logaddexp(0, -z)
        log_below = log_above - z
        above, below = np.exp(log_above), np.exp(log_below)
        log_right = np.logaddexp(np.log(c), np.log1p(-c) + log_above)
        # P'/P, with P' = a (1-c) s (1-s)
        slope_right = a * np.exp(np.log1p(-c) + log_above + log_below - log_right)
        return _Tables(
            log_probability=np.hstack([log_right, np.log1p(-c) + log_below]),
            slope=np.hstack([slope_right, -a * above]),
            above=above,
            below=below,
        )
