"""Do an examinee's answers follow the model, or is its ability a summary of something else?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from viva.metrics.intervals import holm
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.responses import LEAST_PROBABILITY, Bools, Floats, response_matrix

# answers of fewer items follow any model
FEWEST_ITEMS = 10
_SURE = 0.01


def person_fit(responses: ArrayLike, theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Floats:
    """Standardised log-likelihood lz* (n,) of each row of responses (n, m) of 1, 0 and nan at its ability.

    About standard normal where the answers follow the model; far below 0 where easy items are missed and hard ones
    are right. nan below ten graded items, or where the model leaves nothing to vary. Corrected for the ability being
    estimated from the same answers. Source: Snijders (2001), Psychometrika 66, 331-342, eqs. 13 to 16; the weights
    are those of lz (Drasgow, Levine & Williams 1985).
    """
    values = response_matrix(responses)
    graded = ~np.isnan(values)
    p = np.clip(probability_3pl(theta, a, b, c), LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    floor = np.atleast_1d(np.asarray(c, dtype=np.float64))
    slope = np.asarray(a, dtype=np.float64) * (p - floor) * (1 - p) / (1 - floor)
    variance = np.where(graded, p * (1 - p), 0.0)
    weight = np.log(p) - np.log1p(-p)
    # what the estimate of the ability takes up of the weights: their regression on the score's own
    own = slope / (p * (1 - p))
    information = np.maximum((own**2 * variance).sum(axis=1), LEAST_PROBABILITY)
    weight = weight - own * ((weight * own * variance).sum(axis=1) / information)[:, None]
    surprise = (np.where(graded, values - p, 0.0) * weight).sum(axis=1)
    spread = (weight**2 * variance).sum(axis=1)
    judged = (graded.sum(axis=1) >= FEWEST_ITEMS) & (spread > LEAST_PROBABILITY)
    return np.where(judged, surprise / np.sqrt(np.where(judged, spread, 1.0)), np.nan)


def strays(fit: Floats) -> Bools:
    """Which of the person fits (n,) are too low for chance: one-sided 1%, adjusted by Holm over those known."""
    found = np.zeros(len(fit), dtype=np.bool_)
    known = np.flatnonzero(~np.isnan(fit))
    found[known] = np.array(holm([float(p) for p in ndtr(fit[known])])) < _SURE
    return found
