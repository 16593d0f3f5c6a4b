"""The prior of an item's parameters, as a grid of nodes over which items are integrated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, roots_hermitenorm

Floats = NDArray[np.float64]

# b needs the most nodes: a posterior of b is narrow, those of a and c are wide
NODES_B = 20
NODES_A = 6
NODES_C = 2
REACH_B = 3.5
REACH_A = 2.4

# sd of logit c around its mean
SPREAD_C = 0.35
# what is unknown of the prior: log sd of b, log sd of log a, shift of logit c; the mean and sd each has before
# anything was seen. A few hundred items outweigh it; with fewer they could not tell a low guessing from dull items
HYPER_MEAN = np.array([0.0, np.log(0.4), 0.0])
HYPER_SD = np.array([0.1, 0.25, 0.1])
_HYPER_REACH = np.array([2.0, 0.9, 2.5])


@dataclass(frozen=True, eq=False)
class Nodes:
    """Discrimination, difficulty and guessing at each node, of shape (q,), and how the hyper-parameters move them.

    `moves` (3, q): the change of b, log a and logit c with each of the three.
    """

    a: Floats
    b: Floats
    c: Floats
    moves: Floats


@dataclass(frozen=True, eq=False)
class ItemGrid:
    """Standard nodes of shape (q,) and their log weights: exp(log_weight) sums to one.

    b = sd_b * unit_b and log a = sd_a * unit_a: mean difficulty 0 and a typical (geometric mean) discrimination of 1
    are origin and unit of the ability scale. logit c = logit(guessing) + shift + .35 * unit_c.
    """

    unit_a: Floats
    unit_b: Floats
    unit_c: Floats
    log_weight: Floats
    guessing: float

    def nodes(self, hyper: Floats) -> Nodes:
        """The nodes under hyper-parameters of shape (3,)."""
        # beyond these reaches nodes would stand too far apart to integrate over: the hyper-parameters level off
        bent = np.tanh((hyper - HYPER_MEAN) / _HYPER_REACH)
        spread_b, spread_a, shift = HYPER_MEAN + _HYPER_REACH * bent
        rate_b, rate_a, rate_c = 1 - bent**2
        b, log_a = np.exp(spread_b) * self.unit_b, np.exp(spread_a) * self.unit_a
        if self.unit_c.any():
            c, moves_c = expit(logit(self.guessing) + shift + SPREAD_C * self.unit_c), np.full_like(b, rate_c)
        else:
            c, moves_c = np.full_like(b, self.guessing), np.zeros_like(b)
        moves = np.stack([rate_b * b, rate_a * log_a, moves_c])
        return Nodes(a=np.exp(log_a), b=b, c=np.asarray(c, dtype=np.float64), moves=moves)


def item_grid(
    guessing: float, *, free_slope: bool, free_guessing: bool, fineness: float = 1.0, wide: float = 1.0
) -> ItemGrid:
    """Nodes of the prior of b, log a and logit c, normal all three: 240 where all are free.

    Nodes of b and log a are evenly spaced (the trapezoidal rule), `fineness` times as many
    (those of b `wide` times more, for an sd of b of so much); those of c are Gauss-Hermite.
    """
    b, weight_b = _normal_nodes(round(NODES_B * fineness * wide), REACH_B)
    a, weight_a = _normal_nodes(round(NODES_A * fineness), REACH_A) if free_slope else (np.zeros(1), np.ones(1))
    c, weight_c = roots_hermitenorm(NODES_C) if free_guessing else (np.zeros(1), np.ones(1))
    mesh_a, mesh_b, mesh_c = np.meshgrid(a, b, c, indexing="ij")
    weight = weight_a[:, None, None] * weight_b[None, :, None] * (weight_c / weight_c.sum())[None, None, :]
    return ItemGrid(
        unit_a=mesh_a.ravel(),
        unit_b=mesh_b.ravel(),
        unit_c=mesh_c.ravel(),
        log_weight=np.log(weight.ravel()),
        guessing=guessing,
    )


def _normal_nodes(count: int, reach: float) -> tuple[Floats, Floats]:
    nodes = np.linspace(-reach, reach, count)
    density = np.exp(-0.5 * nodes**2)
    return nodes, density / density.sum()
