"""Curves of the three-parameter logistic model: probability, information, standard error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_expit

Floats = NDArray[np.float64]

# cells worked out at a time: they stay in the cache
_TOGETHER = 65536
_LARGEST_EXPONENT = 709.0


def probability_3pl(theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Floats:
    """Probability of a right answer, c + (1-c) logistic(a (theta-b)) (Birnbaum 1968).

    `theta` of shape (n,), item parameters of shape (m,): the result is (n, m). No scaling constant 1.7.
    """
    ability, slope, location, floor = _columns(theta, a, b, c)
    items = max(slope.size, location.size, floor.size)
    found = np.empty((len(ability), items))
    span, step = 1 - floor, max(1, _TOGETHER // max(items, 1))
    for first in range(0, len(found), step):
        rows = found[first : first + step]
        np.subtract(location, ability[first : first + step], out=rows)
        rows *= slope
        np.minimum(rows, _LARGEST_EXPONENT, out=rows)
        np.exp(rows, out=rows)
        rows += 1.0
        np.divide(span, rows, out=rows)
        rows += floor
    return found


def log_probabilities_3pl(theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> tuple[Floats, Floats]:
    """Logarithms of the probabilities of a right and of a wrong answer, each (n, m), without loss near 0 and 1."""
    ability, slope, location, floor = _columns(theta, a, b, c)
    z = slope * (ability - location)
    with np.errstate(divide="ignore"):  # a guessing of zero vanishes
        log_right = np.logaddexp(np.log(floor), np.log1p(-floor) + log_expit(z))
    return np.asarray(log_right, dtype=np.float64), np.asarray(np.log1p(-floor) + log_expit(-z), dtype=np.float64)


def information_3pl(theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Floats:
    """Fisher information of each item at each theta, a^2 (q/p) ((p-c)/(1-c))^2, of shape (n, m).

    Source: Lord (1980), Applications of Item Response Theory, eq. 5-9. Only with c = 0 is it a^2 p q.
    """
    ability, slope, location, floor = _columns(theta, a, b, c)
    odds = slope * (location - ability)
    np.minimum(odds, _LARGEST_EXPONENT, out=odds)
    np.exp(odds, out=odds)
    # with s the logistic and u = (1-s)/s: a^2 (1-c) u s^2 / (1 + c u), no difference of which cancels
    above = 1 / (1 + odds)
    found = odds * above
    found *= above
    odds *= floor
    odds += 1.0
    found /= odds
    found *= slope**2 * (1 - floor)
    return found


def test_information(theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Floats:
    """Information of the whole exam at each theta: the sum over items, of shape (n,)."""
    return np.asarray(information_3pl(theta, a, b, c).sum(axis=1), dtype=np.float64)


# the field's name begins with the word that test collectors look for
test_information.__test__ = False  # type: ignore[attr-defined]


def standard_error_curve(theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Floats:
    """1 / sqrt(test information) at each theta, of shape (n,); infinite where the exam tells nothing."""
    information = test_information(theta, a, b, c)
    with np.errstate(divide="ignore"):
        return np.asarray(1 / np.sqrt(information), dtype=np.float64)


def _columns(theta: ArrayLike, *parameters: ArrayLike) -> tuple[Floats, ...]:
    ability = np.atleast_1d(np.asarray(theta, dtype=np.float64))[:, None]
    return (ability, *(np.atleast_1d(np.asarray(p, dtype=np.float64))[None, :] for p in parameters))
