"""Abilities from responses alone, drawn towards no prior: what a test of the prior's own shape must start from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from viva.metrics.irt.model.curves import information_3pl, probability_3pl
from viva.metrics.irt.model.responses import Floats, finite_vector, response_matrix

# logits beyond which no exam of any length tells abilities apart, and halvings down to the last digits of a float
_REACH = 8.0
_HALVINGS = 45


def unshrunk_abilities(responses: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> tuple[Floats, Floats]:
    """Weighted likelihood abilities theta (n,) and their covariance (n, n), a diagonal of 1 / information.

    From responses (n, m) of 1, 0 and nan and item parameters a, b, c (m,), taken as known. Within -8 to 8 for perfect
    and zero scores too; 0 with the variance 64 without responses. Source: Warm (1989), Psychometrika 54, 427-450.
    """
    values = response_matrix(responses)
    items = values.shape[1]
    parameters = [finite_vector(each, items, name) for each, name in ((a, "a"), (b, "b"), (c, "c"))]
    low, high = np.full(len(values), -_REACH), np.full(len(values), _REACH)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = _score(values, middle, *parameters) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    theta = np.where(np.isnan(values).all(axis=1), 0.0, (low + high) / 2)
    information = np.where(np.isnan(values), 0.0, information_3pl(theta, *parameters)).sum(axis=1)
    # without information an ability is anywhere between the bounds
    return theta, np.diag(1 / np.maximum(information, _REACH**-2))


def _score(values: Floats, theta: Floats, a: Floats, b: Floats, c: Floats) -> Floats:
    """Slope of the log-likelihood in theta plus Warm's correction J / 2I, (n,)."""
    graded = ~np.isnan(values)
    p = probability_3pl(theta, a, b, c)
    logistic = np.where(c < 1, (p - c) / np.maximum(1 - c, 1e-12), 0.0)
    slope = a * (p - c) * (1 - logistic)
    variance = np.maximum(p * (1 - p), 1e-12)
    score = np.where(graded, (values - p) * slope / variance, 0.0).sum(axis=1)
    information = np.where(graded, slope**2 / variance, 0.0).sum(axis=1)
    bias = np.where(graded, slope**2 * a * (1 - 2 * logistic) / variance, 0.0).sum(axis=1)
    return np.asarray(score + bias / (2 * np.maximum(information, 1e-12)), dtype=np.float64)
