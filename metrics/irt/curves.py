"""Curves of the three-parameter logistic model: probability, information, standard error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

Floats = NDArray[np.float64]


def probability_3pl(theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Floats:
    """Probability of a right answer, c + (1-c) logistic(a (theta-b)) (Birnbaum 1968).

    `theta` of shape (n,), item parameters of shape (m,): the result is (n, m). No scaling constant 1.7.
    """
    ability, slope, location, floor = _columns(theta, a, b, c)
    return np.asarray(floor + (1 - floor) * expit(slope * (ability - location)), dtype=np.float64)


def information_3pl(theta: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Floats:
    """Fisher information of each item at each theta, a^2 (q/p) ((p-c)/(1-c))^2, of shape (n, m).

    Source: Lord (1980), Applications of Item Response Theory, eq. 5-9. Only with c = 0 is it a^2 p q.
    """
    ability, slope, location, floor = _columns(theta, a, b, c)
    z = slope * (ability - location)
    above = expit(z)
    # expit(-z) rather than 1 - expit(z): the difference cancels for easy items
    wrong = (1 - floor) * expit(-z)
    right = floor + (1 - floor) * above
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(right > 0, above / right, 1.0)
    return np.asarray(slope**2 * wrong * ratio * above, dtype=np.float64)


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
