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
from viva.metrics.irt.model.curves import information_3pl
from viva.metrics.irt.model.design import component_design

Floats = NDArray[np.float64]

_MOST_STEPS, _SETTLED = 100, 1e-8


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
"""Guessing differs (sd .095), and discrimination more: found by benchmarks/irt/irt_population.py, see there."""
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


def additive_abilities(truth: Truth) -> Floats:
    """Abilities (n,) by maximum likelihood of intercept and component effects, the true items given, no residual.

    What the responses themselves leave uncertain, before anything must be found about the items. Fisher scoring;
    RuntimeError where it does not settle, as where everyone answered everything right.
    """
    x = component_design(len(truth.theta), truth.components).x
    beta, items = np.zeros(x.shape[1]), (truth.a, truth.b, truth.c)
    for _ in range(_MOST_STEPS):
        p = probability_3pl(x @ beta, *items)
        slope = ((truth.responses - p) / p * (p - truth.c) / (1 - truth.c)) @ truth.a
        weight = information_3pl(x @ beta, *items).sum(axis=1)
        step = np.linalg.solve(x.T @ (weight[:, None] * x), x.T @ slope)
        beta = beta + step
        if float(np.abs(step).max()) < _SETTLED:
            return np.asarray(x @ beta, dtype=np.float64)
    raise RuntimeError(f"No maximum after {_MOST_STEPS} steps: the responses do not determine the effects.")


def _items(draw: np.random.Generator, count: int, population: SimulatedPopulation) -> tuple[Floats, Floats, Floats]:
    a, b = np.exp(draw.normal(0, population.log_a_sd, count)), draw.normal(0, 1, count)
    return a, b, draw.beta(*population.c_beta, count)


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean(), dtype=np.float64)
