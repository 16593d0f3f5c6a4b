"""Nodes of ability: curves of items are evaluated at a few abilities and carried to the examinees by a polynomial.

Everything a pass over the responses needs is, per item, a smooth curve of ability: its nearest singularities lie at
a (theta - b) = log c +- i pi and +- i pi, whatever the item. A polynomial through Chebyshev's nodes of the range of
the abilities therefore comes within 1e-10 of it at 40 to 100 nodes (Trefethen 2013, Approximation Theory and
Approximation Practice, theorem 8.2), and sums over hundreds of examinees become products of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import asinh, ceil, log, pi

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# of a curve of an item: what the polynomial of the steepest may be off by
_ERROR = 1e-10
# examinees for each node: with fewer, the curves are as soon evaluated where the examinees are
_WORTH = 2
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Nodes:
    """Abilities `at` (k,) and `basis` (n, k), which carries curves from there to the n examinees.

    `basis` is None where the nodes are the examinees themselves.
    """

    at: Floats
    basis: Floats | None = None

    def to_examinees(self, curves: Floats) -> Floats:
        """Of curves at the nodes (k,) or (k, r): their values at the examinees, (n,) or (n, r)."""
        return curves if self.basis is None else np.asarray(self.basis @ curves, dtype=np.float64)

    def summed(self, weights: Floats) -> Floats:
        """Weights of nodes (k,) or (k, r) under which curves have the sums that `weights` of examinees give them."""
        return weights if self.basis is None else np.asarray(self.basis.T @ weights, dtype=np.float64)


def nodes_of(theta: Floats, steepest: float) -> Nodes:
    """Nodes for items of discrimination up to `steepest`; the abilities theta (n,) themselves where these are few."""
    low, high = float(theta.min()), float(theta.max())
    middle, reach = (low + high) / 2, max((high - low) / 2, 1e-6)
    # the singularities' distance in units of the range gives the rate at which the error falls
    count = ceil(-log(_ERROR) / asinh(pi / (steepest * reach))) + 1
    if count * _WORTH > len(theta):
        return Nodes(theta)
    on_unit, weights = _chebyshev(count)
    at = middle + reach * on_unit
    basis = theta[:, None] - at
    # where an examinee is a node, that node alone counts
    basis[basis == 0] = _TINY
    np.divide(weights, basis, out=basis)
    basis /= basis.sum(axis=1, keepdims=True)
    return Nodes(at, basis)


@lru_cache(maxsize=64)
def _chebyshev(count: int) -> tuple[Floats, Floats]:
    """Nodes (k,) on [-1, 1] and their weights (k,) in the barycentric formula (Berrut & Trefethen 2004)."""
    angle = np.pi * (np.arange(count) + 0.5) / count
    return np.cos(angle), np.sin(angle) * (-1.0) ** np.arange(count)
