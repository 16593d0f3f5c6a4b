"""The prior of an item's parameters, as a grid of nodes over which items are integrated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_jacobi

Floats = NDArray[np.float64]

# b needs the most nodes: a posterior of b is narrow, those of a and c are wide
NODES_B = 20
NODES_A = 9
NODES_C = 3
REACH_B = 3.5
REACH_A = 2.4
LOG_A_SD = 0.5
# prior weight of the guessing parameter, in answers
GUESSING_WEIGHT = 20.0


@dataclass(frozen=True, eq=False)
class ItemGrid:
    """Nodes (a, b, c) and log prior weights, each of shape (q,). exp(log_weight) sums to one."""

    a: Floats
    b: Floats
    c: Floats
    log_weight: Floats


def item_grid(options: int, *, fineness: int = 1) -> ItemGrid:
    """540 nodes (times fineness^2) of the prior b ~ N(0,1), log a ~ N(0, .5^2), c ~ Beta, mean 1/options.

    The prior fixes origin and unit of the ability scale. Nodes of b and log a are evenly spaced (the
    trapezoidal rule), those of c are Gauss-Jacobi.
    """
    b, weight_b = _normal_nodes(NODES_B * fineness, REACH_B)
    log_a, weight_a = _normal_nodes(NODES_A * fineness, REACH_A)
    c, weight_c = _beta_nodes(NODES_C, GUESSING_WEIGHT / options, GUESSING_WEIGHT * (1 - 1 / options))
    mesh_a, mesh_b, mesh_c = np.meshgrid(np.exp(LOG_A_SD * log_a), b, c, indexing="ij")
    weight = weight_a[:, None, None] * weight_b[None, :, None] * weight_c[None, None, :]
    return ItemGrid(a=mesh_a.ravel(), b=mesh_b.ravel(), c=mesh_c.ravel(), log_weight=np.log(weight.ravel()))


def _normal_nodes(count: int, reach: float) -> tuple[Floats, Floats]:
    nodes = np.linspace(-reach, reach, count)
    density = np.exp(-0.5 * nodes**2)
    return nodes, density / density.sum()


def _beta_nodes(count: int, alpha: float, beta: float) -> tuple[Floats, Floats]:
    nodes, weights = roots_jacobi(count, beta - 1, alpha - 1)
    return np.asarray((nodes + 1) / 2, dtype=np.float64), np.asarray(weights / weights.sum(), dtype=np.float64)
