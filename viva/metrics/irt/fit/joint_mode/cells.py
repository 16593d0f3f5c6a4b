"""One pass over the responses: slopes and Fisher weights, in blocks of items that stay in the cache.

With z = a theta + d, u = exp(-z), s = 1/(1+u) and v = 1/(1+cu) every derivative of a cell is a product of u, s and v
(no logarithm, one exponential, two divisions):

    dl/dz = y v - s                     Fisher weight of z    (1-c) u v s^2
    dl/dc = (y (1+u) v - 1) / (1-c)     of z with c           u v s        of c    u v / (1-c)

All are curves of ability. Where examinees are many they are evaluated at a few nodes (module nodes), at which right
answers and examinees are counted as the curves' sums ask for. Where cells are missing every examinee is a node: such
a cell has y = 1 and u = 0 and so adds nothing to any of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import asinh, ceil, log, pi

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# cells per block: six buffers of doubles stay within a megabyte and a half
_BLOCK_CELLS = 32768
# a logit beyond this is 0 or 1 to the last digit, and a product of six probabilities does not underflow
_STEEP = 100.0
# cells whose probabilities are multiplied before a logarithm is taken
_PER_LOG = 6


@dataclass(frozen=True, eq=False)
class Weights:
    """Fisher weights (m, k) of z and of z with c at the `nodes`. Those of one pass are overwritten by the next."""

    nodes: Nodes
    zz: Floats
    zc: Floats


@dataclass(frozen=True, eq=False)
class Sums:
    """Log-likelihood; over items (n,): slope of theta; over examinees (m,): the rest; and the weights per cell.

    `z`, `z_theta`: slopes of z and of z weighted with theta; `c` of guessing. `zz`: Fisher weights of z times
    1, theta, theta^2 (m, 3); `zc`: of z with c times 1, theta (m, 2); `cc` of c.
    """

    loglik: float
    theta: Floats
    z: Floats
    z_theta: Floats
    c: Floats
    zz: Floats
    zc: Floats
    cc: Floats
    weights: Weights


@dataclass(frozen=True, eq=False)
class _Pass:
    """What a pass knows of the nodes: 1 and theta (2, k), examinees (k,); and what it fills, item by item."""

    line: Floats
    count: Floats
    steep: bool
    weights: Weights
    slopes: Floats
    ratio: Floats
    cc: Floats


class Cells:
    """Responses (n, m) of 0, 1, nan, item by item."""

    def __init__(self, responses: Floats) -> None:
        # a copy in any case: what is missing is filled in
        self._right = np.array(responses.T, dtype=np.float64, order="C")
        missing = np.isnan(self._right)
        self._known = None
        if missing.any():
            self._known = (~missing).astype(np.float64)
            self._right[missing] = 1.0
        self._wrong = self._right.shape[1] - self._right.sum(axis=1)
        self._each = np.ones(self._right.shape[1])
        # kept from pass to pass: new memory costs more than the arithmetic
        self._weights, self._free = np.empty((2, 0, 0)), np.empty((4, 0, 0))

    def shares(self) -> Floats:
        """Share of right answers of each item (m,), half an answer each way added."""
        n = self._right.shape[1]
        graded = np.full(len(self._right), float(n)) if self._known is None else self._known.sum(axis=1)
        return np.asarray((graded - self._wrong + 0.5) / (graded + 1), dtype=np.float64)

    def sums(self, theta: Floats, a: Floats, d: Floats, c: Floats) -> Sums:
        """One pass at theta (n,) and items (m,)."""
        m, steep = len(a), float((a * np.abs(theta).max(initial=0.0) + np.abs(d)).max(initial=0.0)) > _STEEP
        exact = steep or self._known is not None
        nodes = Nodes(theta) if exact else nodes_of(theta, float(a.max(initial=0.0)))
        step = max(1, min(_BLOCK_CELLS // max(len(nodes.at), 1), m))
        line, powers = np.ones((2, len(nodes.at))), np.empty((3, len(nodes.at)))
        line[1], powers[0] = nodes.at, nodes.summed(self._each)
        np.multiply(powers[0], nodes.at, out=powers[1])
        np.multiply(powers[1], nodes.at, out=powers[2])
        found = _Pass(line, powers[0], steep, self._room(nodes, m, step), np.empty((m, 2)), np.empty(m), np.empty(m))
        by_theta, loglik = np.zeros(len(theta)), float(self._wrong @ np.log1p(-c))
        for first in range(0, m, step):
            items = slice(first, min(first + step, m))
            value, slope = self._block(found, items, a[items], d[items], c[items, None])
            loglik += value
            by_theta += slope
        return Sums(
            loglik=loglik,
            theta=by_theta,
            z=found.slopes[:, 0],
            z_theta=found.slopes[:, 1],
            c=(found.ratio - len(theta)) / (1 - c),
            zz=found.weights.zz @ powers.T,
            zc=found.weights.zc @ powers[:2].T,
            cc=found.cc / (1 - c),
            weights=found.weights,
        )

    def _block(self, found: _Pass, items: slice, a: Floats, d: Floats, c: Floats) -> tuple[float, Floats]:
        """Of some items: the log-likelihood and the slope of theta (n,); all else is written into what is `found`."""
        y, count, basis = self._right[items], found.count, found.weights.nodes.basis
        right = y if basis is None else y @ basis
        u, s, v, above = self._free[:, : len(y)]
        w, x = found.weights.zz[items], found.weights.zc[items]
        np.matmul(np.stack([-d, -a], axis=1), found.line, out=u)
        if found.steep:
            np.clip(u, -_STEEP, _STEEP, out=u)
        loglik = float((u @ count).sum() - np.vdot(right, u))
        np.exp(u, out=u)
        if self._known is not None:
            u *= self._known[items]
        np.add(u, 1.0, out=above)
        np.divide(1.0, above, out=s)
        np.multiply(u, c, out=v)
        loglik += _log_of_product(y, v, s, x) if basis is None else _logs(right, v, count, above, x)
        v += 1.0
        np.divide(1.0, v, out=v)
        u *= v
        np.multiply(u, s, out=x)
        np.multiply(x, s, out=w)
        w *= 1 - c
        found.cc[items] = u @ count
        if basis is not None:
            slope = np.einsum("ik,ik->i", y.T @ (a[:, None] * v), basis) - basis @ (a @ s)
            s *= count
        v *= right
        found.ratio[items] = np.einsum("ij,ij->i", above, v)
        v -= s
        np.matmul(v, found.line.T, out=found.slopes[items])
        return loglik, a @ v if basis is None else slope

    def _room(self, nodes: Nodes, items: int, step: int) -> Weights:
        """For the weights of `items`, and for what is worked out about `step` items at a time."""
        k = len(nodes.at)
        if self._weights.shape != (2, items, k):
            self._weights, self._free = np.empty((2, items, k)), np.empty((4, step, k))
        return Weights(nodes, *self._weights)


def _log_of_product(y: Floats, cu: Floats, s: Floats, free: Floats) -> float:
    """Sum of log(s (1+cu)^y), what log p is made of beside linear terms; one logarithm for a few cells."""
    np.multiply(y, cu, out=free)
    free += 1.0
    free *= s
    flat = free.reshape(-1)
    whole = len(flat) // _PER_LOG * _PER_LOG
    products = np.multiply.reduce(flat[:whole].reshape(_PER_LOG, -1), axis=0)
    return float(np.log(products).sum() + np.log(flat[whole:]).sum())


def _logs(right: Floats, cu: Floats, count: Floats, above: Floats, free: Floats) -> float:
    """The same at nodes, where neither right answers nor examinees are whole numbers."""
    np.add(cu, 1.0, out=free)
    found = np.vdot(right, np.log(free, out=free))
    return float(found - (np.log(above, out=free) @ count).sum())


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
