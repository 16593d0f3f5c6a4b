"""Calibrated banks, and examinees that sit against them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viva.metrics.irt.adaptive.bank import Bank
from viva.metrics.irt.adaptive.sitting import Ask, Sitting, answered, next_item
from viva.metrics.irt.model.curves import probability_3pl

Floats = NDArray[np.float64]


def bank(items: int = 200, seed: int = 0, topics: tuple[str, ...] = ()) -> Bank:
    rng = np.random.default_rng(seed)
    return Bank(np.exp(rng.normal(0, 0.5, items)), rng.normal(0, 1, items), np.full(items, 0.25), topics)


def answers_of(theta: float, of: Bank, seed: int) -> Floats:
    p = probability_3pl(theta, of.a, of.b, of.c)[0]
    return np.asarray(np.random.default_rng(seed).random(len(of)) < p, dtype=np.float64)


def sat(state: Sitting, answers: Floats) -> Sitting:
    while isinstance(step := next_item(state), Ask):
        state = answered(state, step, float(answers[step.item]))
    return state
