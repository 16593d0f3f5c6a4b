"""Responses of known abilities to known items, for benchmarks/irt/irt.py.

theta = intercept + one effect per component + residual: effects are drawn from N(0, effect_sd^2) and centred within
their component, residuals from N(0, residual_sd^2). Items: a lognormal (mean of log a 0), b ~ N(0, 1), c beta.
p = c + (1-c) logistic(a (theta - b)). Which spreads, says a SimulatedPopulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from viva.metrics.irt import probability_3pl

Floats = NDArray[np.float64]

NEARLY_COPIED = 0.04
"""Answers of a near copy that are drawn anew."""


@dataclass(frozen=True)
class SimulatedPopulation:
    """What effects and items are drawn from."""

    intercept: float
    effect_sd: float
    """of one component"""
    log_a_sd: float
    c_beta: tuple[float, float]


LIKE_ITEMS = SimulatedPopulation(intercept=0.3, effect_sd=0.5, log_a_sd=0.4, c_beta=(15.0, 45.0))
"""Guessing hardly differs from item to item (sd .055)."""
UNLIKE_ITEMS = SimulatedPopulation(intercept=0.0, effect_sd=0.35, log_a_sd=0.6, c_beta=(5.0, 15.0))
"""Guessing differs (sd .095), and discrimination more (docs/decisions/0022)."""
SHARED_SD = 0.6
"""Of deviations of items that systems with one retriever share, and of what retriever and reader do together."""
POPULATIONS = {"unlike-items": UNLIKE_ITEMS, "like-items": LIKE_ITEMS}


@dataclass(frozen=True, eq=False)
class Truth:
    """Responses (n, m) and what they were drawn from; `effects` holds each component's effects by level."""

    responses: Floats
    theta: Floats
    a: Floats
    b: Floats
    c: Floats
    components: dict[str, list[str]]
    effects: dict[str, dict[str, float]]

    @property
    def probability(self) -> Floats:
        """Of shape (n, m)."""
        return probability_3pl(self.theta, self.a, self.b, self.c)

    def contrasts(self) -> dict[tuple[str, str, str], float]:
        """(component, level, reference) -> difference of effects, for every pair of levels.

        Where a component tells every examinee apart, its effects hold the residuals: nothing could part them.
        """
        return {
            (name, first, second): levels[first] - levels[second]
            for name, levels in self.effects.items()
            for first, second in combinations(sorted(levels), 2)
        }


def simulate(
    seed: int,
    levels: Sequence[int],
    items: int,
    *,
    residual_sd: float = 0.0,
    population: SimulatedPopulation = LIKE_ITEMS,
) -> Truth:
    """A full crossing of components with `levels` levels each, answered on `items` items."""
    draw = np.random.default_rng(seed)
    effects = [_centred(draw.normal(0, population.effect_sd, count)) for count in levels]
    rows = list(product(*(range(count) for count in levels)))
    theta = population.intercept + np.array([sum(effects[k][level] for k, level in enumerate(row)) for row in rows])
    residual = draw.normal(0, residual_sd, len(rows)) if residual_sd else np.zeros(len(rows))
    theta = theta + residual
    if len(levels) == 1:
        effects = [_centred(theta)]
    a, b, c = _items(draw, items, population)
    right = draw.random((len(rows), items)) < probability_3pl(theta, a, b, c)
    names = [f"component {k}" for k in range(len(levels))]
    return Truth(
        responses=right.astype(np.float64),
        theta=theta,
        a=a,
        b=b,
        c=c,
        components={name: [f"level {row[k]}" for row in rows] for k, name in enumerate(names)},
        effects={name: {f"level {i}": float(e) for i, e in enumerate(effects[k])} for k, name in enumerate(names)},
    )


def simulate_shared(seed: int, levels: tuple[int, int], items: int, *, copies: int = 1) -> Truth:
    """A crossing of retrievers and readers whose abilities do not add up, and that go wrong together.

    theta = retriever + reader + interaction (N(0, .6^2)); to systems with one retriever each item is harder or
    easier by a deviation of theirs, N(0, .6^2). Of each system there are so many near copies: a third component
    that draws one answer in 25 anew. True abilities and effects are those at which the curve without deviations has
    the same expected answers (normal for logistic: Demidenko 2013, 7.1.2).
    """
    draw, population = np.random.default_rng(seed), LIKE_ITEMS
    retriever, reader = (_centred(draw.normal(0, 0.5, count)) for count in levels)
    together = draw.normal(0, SHARED_SD, levels)
    a, b, c = _items(draw, items, population)
    deviation = draw.normal(0, SHARED_SD, (levels[0], items))
    rows = [(i, j, k) for i, j in product(*(range(count) for count in levels)) for k in range(copies)]
    theta = np.array([retriever[i] + reader[j] + together[i, j] for i, j, _ in rows]) + population.intercept
    where = [i for i, _, _ in rows]
    p = c + (1 - c) / (1 + np.exp(-a * (theta[:, None] + deviation[where] - b)))
    responses = _drawn(draw, p)
    for row, (_, _, k) in enumerate(rows):
        if k:
            changed = draw.random(items) < NEARLY_COPIED
            responses[row] = np.where(changed, _drawn(draw, p[row]), responses[row - k])
    unit = 1 / np.sqrt(1 + 0.346 * SHARED_SD**2)
    named = {"retriever": 0, "reader": 1} | ({"variant": 2} if copies > 1 else {})
    effects = {"retriever": unit * retriever, "reader": unit * reader, "variant": np.zeros(copies)}
    return Truth(
        responses=responses,
        theta=unit * theta,
        a=a,
        b=b,
        c=c,
        components={name: [f"level {row[k]}" for row in rows] for name, k in named.items()},
        effects={name: {f"level {i}": float(e) for i, e in enumerate(effects[name])} for name in named},
    )


def _drawn(draw: np.random.Generator, p: Floats) -> Floats:
    return (draw.random(p.shape) < p).astype(np.float64)


def _items(draw: np.random.Generator, count: int, population: SimulatedPopulation) -> tuple[Floats, Floats, Floats]:
    a, b = np.exp(draw.normal(0, population.log_a_sd, count)), draw.normal(0, 1, count)
    return a, b, draw.beta(*population.c_beta, count)


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean(), dtype=np.float64)
