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
    """Of shape (q, n): log-probability of right and wrong, slope and curvature of each in theta."""

    log_right: Floats
    log_wrong: Floats
    slope_right: Floats
    slope_wrong: Floats
    curve_right: Floats
    curve_wrong: Floats


class ItemMarginal:
    """Marginal log-likelihood of abilities theta (n,) for responses (n, m) of 0, 1 and nan."""

    def __init__(self, responses: Floats, grid: ItemGrid) -> None:
        self._grid = grid
        self._right = np.ascontiguousarray((responses == 1).T, dtype=np.float64)
        self._wrong = np.ascontiguousarray((responses == 0).T, dtype=np.float64)

    def posterior(self, theta: Floats) -> Floats:
        """Weight of each node for each item given the abilities, of shape (m, q); rows sum to one."""
        return self._posterior(self._tables(theta))[1]

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        """l(theta) and dl/dtheta of shape (n,)."""
        tables = self._tables(theta)
        value, posterior = self._posterior(tables)
        slopes = tables.slope_right * (posterior.T @ self._right) + tables.slope_wrong * (posterior.T @ self._wrong)
        return value, np.asarray(slopes.sum(axis=0), dtype=np.float64)

    def complete_information(self, theta: Floats) -> Floats:
        """Information (n,) there would be were the item parameters known: an upper bound, for scaling."""
        tables = self._tables(theta)
        return -self._curvature(tables, self._posterior(tables)[1])

    def hessian(self, theta: Floats) -> Floats:
        """d2l/dtheta dtheta' of shape (n, n)."""
        tables = self._tables(theta)
        posterior = self._posterior(tables)[1]
        hessian = np.diag(self._curvature(tables, posterior))
        for weights, right, wrong in zip(posterior, self._right, self._wrong, strict=True):
            seen = np.flatnonzero(weights > _NEGLIGIBLE)
            slopes = tables.slope_right[seen] * right + tables.slope_wrong[seen] * wrong
            weighted = slopes * weights[seen, None]
            mean = weighted.sum(axis=0)
            hessian += weighted.T @ slopes - np.outer(mean, mean)
        return np.asarray((hessian + hessian.T) / 2, dtype=np.float64)

    def _posterior(self, tables: _Tables) -> tuple[float, Floats]:
        joint = self._right @ tables.log_right.T
        joint += self._wrong @ tables.log_wrong.T
        joint += self._grid.log_weight
        top = joint.max(axis=1, keepdims=True)
        joint -= top
        np.exp(joint, out=joint)
        total = joint.sum(axis=1, keepdims=True)
        joint /= total
        return float((top + np.log(total)).sum()), joint

    def _curvature(self, tables: _Tables, posterior: Floats) -> Floats:
        curvature = tables.curve_right * (posterior.T @ self._right)
        curvature += tables.curve_wrong * (posterior.T @ self._wrong)
        return np.asarray(curvature.sum(axis=0), dtype=np.float64)

    def _tables(self, theta: Floats) -> _Tables:
        a, b, c = (values[:, None] for values in (self._grid.a, self._grid.b, self._grid.c))
        z = a * (theta[None, :] - b)
        log_above, log_below = -np.logaddexp(0, -z), -np.logaddexp(0, z)
        above, below = np.exp(log_above), np.exp(log_below)
        log_right = np.logaddexp(np.log(c), np.log1p(-c) + log_above)
        # P'/P, with P' = a (1-c) s (1-s)
        slope_right = a * np.exp(np.log1p(-c) + log_above + log_below - log_right)
        return _Tables(
            log_right=log_right,
            log_wrong=np.log1p(-c) + log_below,
            slope_right=slope_right,
            slope_wrong=-a * above,
            curve_right=slope_right * (a * (below - above) - slope_right),
            curve_wrong=-(a**2) * above * below,
        )
