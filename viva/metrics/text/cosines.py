"""Cosines of embedding vectors that are the same whatever they are computed with, and in whatever company."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

VECTOR_DECIMALS = 6
"""To which the components of a vector are kept."""
COSINE_DECIMALS = 4
"""To which cosines, and scores made of them, are told and compared."""

ROUGH_COSINE_ERROR = 4e-6
"""By which the cosine of two vectors of single precision may be off: four times the most that was found
(docs/decisions/0005)."""

Vectors = NDArray[np.float32]
Whole = NDArray[np.float64]
"""Vectors in millionths, so that every component is a whole number."""


def whole(vectors: Vectors) -> Whole:
    """Vectors of length 1, of any shape, in millionths: for those that are compared with others time and again."""
    return np.rint(vectors.astype(np.float64) * 10.0**VECTOR_DECIMALS)


def cosines_of_whole(these: Whole, those: Whole) -> NDArray[np.float64]:
    """Of each of `these` (n, d) with each of `those` (m, d): shape (n, m), to four decimals.

    One vector (d,) in the place of several leaves out its side of the shape. Sums of products of whole millionths
    stay below 2**53, where double precision is exact: no order of summation, number of threads or instruction set
    changes a digit. Rounding makes ties, which whoever orders by it must part.
    """
    exact = np.asarray(these @ those.T) / 10.0 ** (2 * VECTOR_DECIMALS)
    return _rounded(exact)


def _rounded(exact: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.round(exact, COSINE_DECIMALS) + 0.0, dtype=np.float64)


def settled_cosines(
    rough: Vectors, vector: Vectors, exact: Callable[[list[int]], NDArray[np.float64]], *, ranks_only: bool
) -> NDArray[np.float64]:
    """The cosines of rows (n, d) with a vector (d,), to four decimals, where either may be of single precision.

    `exact` gives the cosines of exact vectors, by the places of the rows, where the fourth decimal is unsure; with
    `ranks_only` where a rank depends on it.
    """
    found = whole(rough) @ whole(vector) / 10.0 ** (2 * VECTOR_DECIMALS)
    steps = found * 10.0**COSINE_DECIMALS
    unsure = np.abs(steps - np.floor(steps) - 0.5) < ROUGH_COSINE_ERROR * 10.0**COSINE_DECIMALS
    if ranks_only:
        apart = np.abs(steps[:, np.newaxis] - steps)
        np.fill_diagonal(apart, np.inf)
        # both may be rounded towards each other
        unsure &= apart.min(axis=1, initial=np.inf) < 3
    places = np.flatnonzero(unsure).tolist()
    result = _rounded(found)
    if places:
        result[places] = exact(places)
    return result


def cosines(these: Vectors, those: Vectors) -> NDArray[np.float64]:
    """The same of vectors as they are embedded."""
    return cosines_of_whole(whole(these), whole(those))


def cosine(this: Vectors, other: Vectors) -> float:
    """Of two vectors (d,), to four decimals."""
    return float(cosines(this, other))
