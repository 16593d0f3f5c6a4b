"""One pass over the cells of the response matrix: slopes and Fisher weights, in blocks that stay in the cache.

With z = a theta + d, u = exp(-z), s = 1/(1+u) and v = 1/(1+cu) every derivative of a cell is a product of u, s and v
(no logarithm, one exponential, two divisions):

    dl/dz = y v - s                     Fisher weight of z    (1-c) u v s^2
    dl/dc = (y (1+u) v - 1) / (1-c)     of z with c           u v s        of c    u v / (1-c)

A missing cell has y = 1 and u = 0 and so adds nothing to any of them.
"""

from __future__ import annotations

from dataclasses import dataclass

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
class Sums:
    """Log-likelihood; over items (n,): slope and information of theta; over examinees (m,): the rest.

    `z`, `z_theta`: slopes of z and of z weighted with theta; `c` of guessing. `zz`: Fisher weights of z times
    1, theta, theta^2 (m, 3); `zc`: of z with c times 1, theta (m, 2); `cc` of c.
    """

    loglik: float
    theta: Floats
    theta_information: Floats
    z: Floats
    z_theta: Floats
    c: Floats
    zz: Floats
    zc: Floats
    cc: Floats


class Cells:
    """Responses (n, m) of 0, 1, nan, item by item; `weight_zz` and `weight_zc` (m, n) are those of the last pass."""

    def __init__(self, responses: Floats) -> None:
        self._right = np.ascontiguousarray(responses.T, dtype=np.float64)
        missing = np.isnan(self._right)
        self._known = None
        if missing.any():
            self._known = (~missing).astype(np.float64)
            self._right[missing] = 1.0
        m, n = self._right.shape
        self._wrong = n - self._right.sum(axis=1)
        self.weight_zz = np.empty((m, n))
        self.weight_zc = np.empty((m, n))
        self._step = max(1, _BLOCK_CELLS // max(n, 1))
        self._buffers = [np.empty((min(self._step, m), n)) for _ in range(4)]

    def shares(self) -> Floats:
        """Share of right answers of each item (m,), half an answer each way added."""
        n = self._right.shape[1]
        graded = np.full(len(self._right), float(n)) if self._known is None else self._known.sum(axis=1)
        return np.asarray((graded - self._wrong + 0.5) / (graded + 1), dtype=np.float64)

    def blocks(self) -> list[slice]:
        """Items that are worked on together."""
        m = len(self._right)
        return [slice(k, min(k + self._step, m)) for k in range(0, m, self._step)]

    def sums(self, theta: Floats, a: Floats, d: Floats, c: Floats) -> Sums:
        """One pass at theta (n,) and items (m,)."""
        n, m = len(theta), len(a)
        powers = np.stack([np.ones(n), theta, theta**2], axis=1)
        steep = float((np.abs(a) * np.abs(theta).max(initial=0.0) + np.abs(d)).max(initial=0.0)) > _STEEP
        slopes, cc, ratio = np.empty((m, 2)), np.empty(m), np.empty(m)
        zz, zc = np.empty((m, 3)), np.empty((m, 2))
        by_theta, information, loglik = np.zeros(n), np.zeros(n), 0.0
        for items in self.blocks():
            r, t, y_ratio, found = self._cells(items, powers[:, :2], a[items], d[items], c[items], steep)
            loglik += found
            w, x = self.weight_zz[items], self.weight_zc[items]
            np.matmul(r, powers[:, :2], out=slopes[items])
            np.matmul(w, powers, out=zz[items])
            np.matmul(x, powers[:, :2], out=zc[items])
            cc[items] = t.sum(axis=1)
            ratio[items] = y_ratio
            by_theta += a[items] @ r
            information += a[items] ** 2 @ w
        return Sums(
            loglik=loglik,
            theta=by_theta,
            theta_information=information,
            z=slopes[:, 0],
            z_theta=slopes[:, 1],
            c=(ratio - n) / (1 - c),
            zz=zz,
            zc=zc,
            cc=cc / (1 - c),
        )

    def _cells(
        self, items: slice, line: Floats, a: Floats, d: Floats, c: Floats, steep: bool
    ) -> tuple[Floats, Floats, Floats, float]:
        """A block at powers 0 and 1 of theta, `line` (n, 2).

        dl/dz (k, n), u v (k, n), the sum of y (1+u) v (k,) and the log-likelihood.
        """
        k = len(a)
        y, w, x = self._right[items], self.weight_zz[items], self.weight_zc[items]
        u, s, v, free = (buffer[:k] for buffer in self._buffers)
        np.matmul(np.stack([-d, -a], axis=1), line.T, out=u)
        if steep:
            np.clip(u, -_STEEP, _STEEP, out=u)
        loglik = float(u.sum() - np.vdot(y, u) + self._wrong[items] @ np.log1p(-c))
        np.exp(u, out=u)
        if self._known is not None:
            u *= self._known[items]
        np.add(u, 1.0, out=free)
        np.divide(1.0, free, out=s)
        np.multiply(u, c[:, None], out=v)
        loglik += _log_of_product(y, v, s, x)
        v += 1.0
        np.divide(1.0, v, out=v)
        np.multiply(u, v, out=u)
        np.multiply(u, s, out=x)
        np.multiply(x, s, out=w)
        w *= (1 - c)[:, None]
        v *= y
        ratio = np.einsum("ij,ij->i", free, v)
        v -= s
        return v, u, ratio, loglik


def _log_of_product(y: Floats, cu: Floats, s: Floats, free: Floats) -> float:
    """Sum of log(s (1+cu)^y), what log p is made of beside linear terms; one logarithm for a few cells."""
    np.multiply(y, cu, out=free)
    free += 1.0
    free *= s
    flat = free.reshape(-1)
    whole = len(flat) // _PER_LOG * _PER_LOG
    products = np.multiply.reduce(flat[:whole].reshape(_PER_LOG, -1), axis=0)
    return float(np.log(products).sum() + np.log(flat[whole:]).sum())
