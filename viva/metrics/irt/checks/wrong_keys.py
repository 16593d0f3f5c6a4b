"""Doubtful keys, from right and wrong alone.

A fit explains a wrong key away as a very hard item of low discrimination, and dropping items of low discrimination
does not find it. Signs that do: the score test of a slope at no slope at all, which keeps its sign; the information
that is expected of the item over these examinees; and, the sharpest, how much likelier the responses are if the key
is one of the answers that examinees give who miss the true one (module evidence).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from viva.metrics.irt.model.curves import information_3pl
from viva.metrics.irt.model.responses import Bools, Floats, finite_vector, response_matrix


def slope_scores(responses: ArrayLike, theta: ArrayLike) -> Floats:
    """Signed slope-score z (m,): the score test of a slope in theta against none, with the sign of the slope.

    z = sum (y - mean y)(theta - mean theta) / sqrt(p q sum (theta - mean theta)^2) over the examinees that answered
    (responses (n, m) of 1, 0, nan; theta (n,)): the Cochran-Armitage trend statistic (Armitage 1955). Near 0 for
    items that do not tell the able from the others, below 0 where the able do worse; 0 where nothing varies. Theta
    should rest on many other items: of few, each raises its own z.
    """
    values = response_matrix(responses)
    return trend(values == 1, ~np.isnan(values), finite_vector(theta, len(values), "theta"))


def share_abilities(values: Floats, probability: Floats) -> Floats:
    """Log odds (n,) of a right answer, one answer added either way: what is not graded counts as predicted.

    By these, spoiled items bend the scale of abilities less than by a model's, which weighs items as they fit it.
    """
    right = np.where(np.isnan(values), probability, values).sum(axis=1)
    return np.asarray(logit((right + 1) / (values.shape[1] + 2)), dtype=np.float64)


def expected_information(theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Floats:
    """Mean 3PL information (m,) of items with parameters a, b, c (m,) over examinees of abilities theta (n,).

    The other sign: what an item is fitted to tell about these examinees. Wrong keys and unanswerable items have
    least; so have items that are merely too easy or too hard for them (curves.information_3pl; Lord 1980).
    """
    ability = np.atleast_1d(np.asarray(theta, dtype=np.float64))
    finite_vector(ability, len(ability), "theta")
    return np.asarray(information_3pl(ability, a, b, c).mean(axis=0), dtype=np.float64)


def trend(hit: Bools, counted: Bools, ability: Floats) -> Floats:
    """Armitage's trend z (m,) of hits in ability over the counted examinees; 0 where either does not vary."""
    weight = counted.astype(np.float64)
    number = np.maximum(weight.sum(axis=0), 1.0)
    hits = (hit & counted).astype(np.float64)
    rate = hits.sum(axis=0) / number
    # centred first: a common shift of all abilities must not cost digits
    centred = ability - ability.mean() if len(ability) else ability
    total = centred @ weight
    spread = (centred**2) @ weight - total**2 / number
    covariance = centred @ hits - total * rate
    variance = rate * (1 - rate) * spread
    told = variance > 1e-12
    return np.asarray(np.where(told, covariance / np.sqrt(np.where(told, variance, 1.0)), 0.0), dtype=np.float64)
