"""The residual's sd s: what is known of it before, and its mean given abilities measured with known errors.

With components s is nearly 0 with probability one half (abilities are additive), else half-normal (sd .5): without
the first a dozen additive examinees look less certain than they are, a narrower prior overlooks a residual.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from viva.metrics.irt.model.design import Design

Floats = NDArray[np.float64]

# what the module says of s before the answers
RESIDUAL_PRIOR_SD = 0.5
ADDITIVE_PROBABILITY = 0.5
# without components the residual is all that tells examinees apart
FLAT_RESIDUAL_PRIOR_SD = 1.5
# as good as none; also where every examinee has an effect of its own, which then holds the residual
NO_RESIDUAL_SD = 0.02
_GRID = np.geomspace(NO_RESIDUAL_SD, 4.0, 40)
# products of two columns that are worked out at a time: they stay in the cache
_TOGETHER = 65536


def log_prior(residual_sd: float | Floats, width: float, *, components: bool) -> Floats:
    """Log probability of s within a cell `width` wide in log s, where s is not nearly 0."""
    scale = RESIDUAL_PRIOR_SD if components else FLAT_RESIDUAL_PRIOR_SD
    share = 1 - ADDITIVE_PROBABILITY if components else 1.0
    density = np.log(2 * share / (scale * np.sqrt(2 * np.pi))) - 0.5 * (residual_sd / scale) ** 2
    return np.asarray(density + np.log(residual_sd * width), dtype=np.float64)


@lru_cache(maxsize=2)
def _grid_prior(components: bool) -> Floats:
    """Of each point of the grid (40,)."""
    before = log_prior(_GRID, float(np.log(_GRID[1] / _GRID[0])), components=components)
    if components:
        before[0] = np.log(ADDITIVE_PROBABILITY)
    return before


def residual_given(design: Design, theta: Floats, variance: Floats) -> float:
    """Mean of s given abilities (n,) measured with independent errors of variance (n,).

    The restricted likelihood (Patterson & Thompson 1971) of theta ~ N(x beta, s^2 + variance), over a grid of s.
    """
    # the rank of x need not be found where it has too few columns
    if design.x.shape[1] >= len(theta) and design.saturated:
        return NO_RESIDUAL_SD
    weight = 1 / (_GRID[:, None] ** 2 + variance)
    # with theta as a last column the last pivot of Cholesky is the square root of what the regression leaves, here
    # plus one: the same for every s, it keeps the pivot from zero
    both = np.column_stack([design.x, theta])
    squares = _weighted_squares(both, weight) + np.diag([*design.prior_sd**-2.0, 1.0])
    pivots = np.diagonal(np.linalg.cholesky(squares), axis1=1, axis2=2)
    log_weight = 0.5 * np.log(weight).sum(axis=1) - np.log(pivots[:, :-1]).sum(axis=1) - 0.5 * pivots[:, -1] ** 2
    log_weight += _grid_prior(bool(design.levels))
    share = np.exp(log_weight - log_weight.max())
    return float(share @ _GRID / share.sum())


def _weighted_squares(x: Floats, weight: Floats) -> Floats:
    """x' diag(weight) x for x (n, k) and each row of weight (g, n), of shape (g, k, k)."""
    n, k = x.shape
    total, step = np.zeros((len(weight), k * k)), max(1, _TOGETHER // k**2)
    for first in range(0, n, step):
        rows = x[first : first + step]
        total += weight[:, first : first + step] @ (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
    return total.reshape(-1, k, k)
