"""Responses of known abilities to known items, for benchmarks/irt.py.

theta = INTERCEPT + one effect per component + residual: effects are drawn from N(0, EFFECT_SD^2) and centred within
their component, residuals from N(0, residual_sd^2). Items: a lognormal (mean of log a 0, sd LOG_A_SD), b ~ N(0, 1),
c ~ Beta(15, 45) (mean .25, sd .055). p = c + (1-c) logistic(a (theta - b)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from viva.metrics.irt import probability_3pl
from viva.metrics.irt.curves import information_3pl
from viva.metrics.irt.design import component_design

Floats = NDArray[np.float64]

INTERCEPT = 0.3
EFFECT_SD = 0.5
LOG_A_SD = 0.4
C_BETA = (15.0, 45.0)
_MOST_STEPS, _SETTLED = 100, 1e-8


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


def simulate(seed: int, levels: Sequence[int], items: int, *, residual_sd: float = 0.0) -> Truth:
    """A full crossing of components with `levels` levels each, answered on `items` items."""
    draw = np.random.default_rng(seed)
    effects = [_centred(draw.normal(0, EFFECT_SD, count)) for count in levels]
    rows = list(product(*(range(count) for count in levels)))
    theta = INTERCEPT + np.array([sum(effects[k][level] for k, level in enumerate(row)) for row in rows])
    residual = draw.normal(0, residual_sd, len(rows)) if residual_sd else np.zeros(len(rows))
    theta = theta + residual
    if len(levels) == 1:
        effects = [_centred(theta)]
    a, b = np.exp(draw.normal(0, LOG_A_SD, items)), draw.normal(0, 1, items)
    c = draw.beta(*C_BETA, items)
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


def flat(seed: int, examinees: int, items: int) -> Truth:
    """Examinees without components: theta ~ N(INTERCEPT, 1)."""
    draw = np.random.default_rng(seed)
    theta = draw.normal(INTERCEPT, 1, examinees)
    a, b = np.exp(draw.normal(0, LOG_A_SD, items)), draw.normal(0, 1, items)
    c = draw.beta(*C_BETA, items)
    right = draw.random((examinees, items)) < probability_3pl(theta, a, b, c)
    return Truth(right.astype(np.float64), theta, a, b, c, {}, {})


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean(), dtype=np.float64)
