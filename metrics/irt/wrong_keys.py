"""Suspected wrong keys, from right and wrong alone.

A fit explains a wrong key away as a very hard item of low discrimination, and dropping items of low discrimination
does not find it. Signs that do: the score test of a slope at no slope at all, which keeps its sign; the information
that is expected of the item over these examinees; and, the sharpest, how much likelier the responses are if the key
is one of the options that examinees take who miss the true answer (module evidence). Where the options chosen are
known, module rivals names the option that may be right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.metrics.irt.curves import information_3pl
from viva.metrics.irt.evidence import believed, fault_evidence
from viva.metrics.irt.inputs import Bools, Floats, finite_vector, response_matrix


@dataclass(frozen=True)
class KeySuspicion:
    """An item (its column) whose key looks wrong, and `reason`, in words.

    `evidence` is the log Bayes factor of a wrong key against a sound item; `key_z` the slope score of the key, below
    0 where the able miss it.
    """

    item: int
    evidence: float
    key_z: float
    reason: str


def slope_scores(responses: ArrayLike, theta: ArrayLike) -> Floats:
    """Signed slope-score z (m,): the score test of a slope in theta against none, with the sign of the slope.

    z = sum (y - mean y)(theta - mean theta) / sqrt(p q sum (theta - mean theta)^2) over the examinees that answered
    (responses (n, m) of 1, 0, nan; theta (n,)): the Cochran-Armitage trend statistic (Armitage 1955). Near 0 for
    items that do not tell the able from the others, below 0 where the able do worse; 0 where nothing varies. Theta
    should rest on many other items: of few, each raises its own z.
    """
    values = response_matrix(responses)
    return trend(values == 1, ~np.isnan(values), finite_vector(theta, len(values), "theta"))


def expected_information(theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Floats:
    """Mean 3PL information (m,) of items with parameters a, b, c (m,) over examinees of abilities theta (n,).

    The other sign: what an item is fitted to tell about these examinees. Wrong keys and unanswerable items have
    least; so have items that are merely too easy or too hard for them (curves.information_3pl; Lord 1980).
    """
    ability = np.atleast_1d(np.asarray(theta, dtype=np.float64))
    finite_vector(ability, len(ability), "theta")
    return np.asarray(information_3pl(ability, a, b, c).mean(axis=0), dtype=np.float64)


def suspected_keys(
    responses: ArrayLike,
    theta: ArrayLike,
    *,
    options: int = 4,
    prior_share: float = 0.02,
    false_share: float = 0.05,
) -> tuple[KeySuspicion, ...]:
    """Items whose responses speak for a wrong key, the surest first.

    Responses (n, m) of 1, 0 and nan, abilities theta (n,) on the scale on which item difficulties are about N(0, 1).
    `prior_share` of the keys are expected to be wrong; the expected share of false alarms among the suspected is at
    most `false_share` (evidence.believed).
    """
    evidence = fault_evidence(responses, theta, options=options)
    z = slope_scores(responses, theta)
    suspected = believed(evidence.wrong_key, prior_share=prior_share, false_share=false_share)
    found = [
        KeySuspicion(
            item=int(j),
            evidence=float(evidence.wrong_key[j]),
            key_z=float(z[j]),
            reason="examinees answer it as one does who guesses: an item without an answer explains it as well"
            if evidence.unanswerable[j] >= evidence.wrong_key[j]
            else "abler examinees choose the key more rarely: another option may be the right one",
        )
        for j in np.flatnonzero(suspected)
    ]
    return tuple(sorted(found, key=lambda each: (-each.evidence, each.item)))


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
