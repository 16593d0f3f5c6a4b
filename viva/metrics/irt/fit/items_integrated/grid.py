"""The prior of an item's parameters, as a grid of nodes over which items are integrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, roots_hermitenorm

Floats = NDArray[np.float64]

# nodes of b on each node of log a: b needs the most, for its posterior is narrow and those of a and c are wide
USUAL_ROWS = (20,) * 6
NODES_C = 2
_GUESSING_NODES = roots_hermitenorm(NODES_C)
REACH_B = 3.5
REACH_A = 2.4
_FEWEST_A, _FEWEST_B = 5, 9
# where the information on an item is looked at, to see how narrow its posterior may be
_LOOKED_A, _LOOKED_B = 9, 31

_STEEPEST = 200.0
"""Logits; the third power of exp(200) is still a number."""

# sd of logit c around its mean
SPREAD_C = 0.35
# what is unknown of the prior: log sd of b, log sd of log a, shift of logit c; the mean and sd each has before
# anything was seen. A few hundred items outweigh it; with fewer they could not tell a low guessing from dull items
HYPER_MEAN = np.array([0.0, np.log(0.4), 0.0])
HYPER_SD = np.array([0.1, 0.25, 0.1])
_HYPER_REACH = np.array([2.0, 0.9, 2.5])


@dataclass(frozen=True, eq=False)
class GridNodes:
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

    def nodes(self, hyper: Floats) -> GridNodes:
        """The nodes under hyper-parameters of shape (3,)."""
        (sd_b, sd_a, shift), (rate_b, rate_a, rate_c) = _spreads(hyper)
        b, log_a = sd_b * self.unit_b, sd_a * self.unit_a
        if self.unit_c.any():
            c, moves_c = expit(logit(self.guessing) + shift + SPREAD_C * self.unit_c), np.full_like(b, rate_c)
        else:
            c, moves_c = np.full_like(b, self.guessing), np.zeros_like(b)
        moves = np.stack([rate_b * b, rate_a * log_a, moves_c])
        return GridNodes(a=np.exp(log_a), b=b, c=np.asarray(c, dtype=np.float64), moves=moves)


def item_grid(
    guessing: float, *, free_slope: bool, free_guessing: bool, rows: Sequence[int] = USUAL_ROWS
) -> ItemGrid:
    """Nodes of the prior of b, log a and logit c, normal all three: 240 where all are free.

    `rows`: how many nodes of b there are on each node of log a; without a free slope the first alone counts. Nodes of
    b and log a are evenly spaced (the trapezoidal rule), those of c are Gauss-Hermite.
    """
    counts = tuple(rows) if free_slope else tuple(rows[:1])
    a, weight_a = _normal_nodes(len(counts), REACH_A) if free_slope else (np.zeros(1), np.ones(1))
    c, weight_c = _GUESSING_NODES if free_guessing else (np.zeros(1), np.ones(1))
    columns = [_normal_nodes(count, REACH_B) for count in counts]
    b, weight_b = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    weight = (np.repeat(weight_a, counts) * weight_b)[:, None] * (weight_c / weight_c.sum())
    return ItemGrid(
        unit_a=np.repeat(a, np.multiply(counts, len(c))),
        unit_b=np.repeat(b, len(c)),
        unit_c=np.tile(c, len(b)),
        log_weight=np.log(weight.ravel()),
        guessing=guessing,
    )


def needed_rows(theta: Floats, hyper: Floats, guessing: float, spacing: float, *, free_slope: bool) -> list[int]:
    """Rows of `item_grid` on which no item answered at abilities theta (n,) can have a posterior too narrow for it.

    Nodes stand at most `spacing` posterior sds apart, by the largest information there is on b (at each log a) and on
    log a. The trapezoid rule errs by 2 exp(-2 pi^2 / spacing^2) on a normal density: 1.4% at 2, .0003 at 1.5, in a
    ripple that averages out over items.
    """
    sd_b, sd_a = _spreads(hyper)[0][:2]
    reach_a = REACH_A * sd_a if free_slope else 0.0
    seen_a = np.linspace(-reach_a, reach_a, _LOOKED_A if free_slope else 1)
    on_b, on_log_a = _largest_information(theta, np.exp(seen_a), guessing)
    count_a = (
        _nodes_over(2 * REACH_A * np.sqrt(sd_a**2 * on_log_a.max() + 1), spacing, _FEWEST_A) if free_slope else 1
    )
    by_row = np.exp(np.interp(np.linspace(-reach_a, reach_a, count_a), seen_a, np.log(on_b)))
    return [_nodes_over(2 * REACH_B * np.sqrt(sd_b**2 * each + 1), spacing, _FEWEST_B) for each in by_row]


def _nodes_over(width: float, spacing: float, fewest: int) -> int:
    return max(fewest, int(np.ceil(width / spacing)) + 1)


def _largest_information(theta: Floats, a: Floats, guessing: float) -> tuple[Floats, Floats]:
    """On b and on log a of an item of discrimination a (k,), wherever among the abilities it stands: (k,) each."""
    off = theta - np.linspace(theta.min() - 1, theta.max() + 1, _LOOKED_B)[:, None]
    # curves.information_3pl of all at once
    slope = a[:, None, None]
    odds = np.exp(np.minimum(-slope * off, _STEEPEST))
    information = odds / ((1 + odds) ** 2 * (1 + guessing * odds))
    information *= slope**2 * (1 - guessing)
    on_log_a = np.einsum("abn,bn->ab", information, off**2)
    return information.sum(axis=2).max(axis=1), on_log_a.max(axis=1)


def _spreads(hyper: Floats) -> tuple[Floats, Floats]:
    """sd of b, sd of log a and shift of logit c (3,); the change of log sd_b, of log sd_a and of the shift."""
    # no exam is known to need more than these reaches: the hyper-parameters level off
    bent = np.tanh((hyper - HYPER_MEAN) / _HYPER_REACH)
    log_b, log_a, shift = HYPER_MEAN + _HYPER_REACH * bent
    return np.array([np.exp(log_b), np.exp(log_a), shift]), 1 - bent**2


def _normal_nodes(count: int, reach: float) -> tuple[Floats, Floats]:
    nodes = np.linspace(-reach, reach, count)
    density = np.exp(-0.5 * nodes**2)
    return nodes, density / density.sum()
