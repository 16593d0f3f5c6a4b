"""Fisher information of the items: a 3x3 block each, eliminated by Cholesky, and what is left for abilities.

An item's parameters stand in the order (logit c, b, log a). The abilities' cross information with them is
M_j [zc; zz; theta zz] with a 3x3 matrix M_j, so that nothing larger than two weights per cell is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk, dtrmm

from viva.metrics.irt.cells import Cells, Sums

Floats = NDArray[np.float64]

# rows gathered before they are multiplied: few calls on a large square matrix
_GATHERED = 768
# cells gathered at a time: five arrays of them stay in the cache
_TOGETHER = 16384


@dataclass(frozen=True, eq=False)
class ItemBlocks:
    """`root` (m, 3, 3): inverse lower Cholesky factors of the items' information; `cross` (m, 3, 3): the M_j."""

    root: Floats
    cross: Floats

    def solve(self, right: Floats) -> Floats:
        """Information^-1 @ right, right of shape (m, 3, k)."""
        return np.asarray(self.root.transpose(0, 2, 1) @ (self.root @ right), dtype=np.float64)

    def variance(self) -> Floats:
        """Of each item's parameters given the abilities, (m, 3)."""
        return np.asarray((self.root**2).sum(axis=1), dtype=np.float64)


def item_gradient(sums: Sums, a: Floats, b: Floats, c: Floats) -> Floats:
    """Slopes of the log-likelihood in (logit c, b, log a), of shape (m, 3)."""
    return np.stack([sums.c * c * (1 - c), -a * sums.z, a * (sums.z_theta - b * sums.z)], axis=1)


def item_blocks(sums: Sums, a: Floats, b: Floats, c: Floats, precision: Floats) -> ItemBlocks:
    """From the sums of a pass and the prior precision (m, 3), infinite where a parameter is fixed."""
    free = np.isfinite(precision)
    rate_c, rate_b, rate_a = (np.stack([a * c * (1 - c), -(a**2), a**2]) * free.T).copy()
    w0, w1, w2 = sums.zz.T
    x0, x1 = sums.zc.T
    prior_c, prior_b, prior_a = np.where(free, precision, 1.0).T
    root = _inverse_factor(
        diagonal=(
            rate_c * (c * (1 - c) / a) * sums.cc + prior_c,
            -rate_b * w0 + prior_b,
            rate_a * (w2 - 2 * b * w1 + b**2 * w0) + prior_a,
        ),
        below=(-rate_c * free[:, 1] * x0, rate_c * free[:, 2] * (x1 - b * x0), rate_b * free[:, 2] * (w1 - b * w0)),
    )
    cross = np.zeros_like(root)
    cross[:, 0, 0], cross[:, 1, 1], cross[:, 2, 2] = rate_c, rate_b, rate_a
    cross[:, 2, 1] = -rate_a * b
    return ItemBlocks(root, cross)


def theta_cross(cells: Cells, theta: Floats, blocks: ItemBlocks, solved: Floats) -> Floats:
    """Cross information of theta with the items times `solved` (m, 3, k): of shape (n, k)."""
    k = solved.shape[2]
    weights = np.einsum("jrs,jrk->jsk", blocks.cross, solved)
    # the large matrix on the right: read in the order it is kept in, half the time
    by_zz = weights[:, 1:].reshape(-1, 2 * k).T @ cells.weight_zz
    total = weights[:, 0].T @ cells.weight_zc + by_zz[:k] + theta * by_zz[k:]
    return np.asarray(total.T, dtype=np.float64)


def item_cross(cells: Cells, theta: Floats, blocks: ItemBlocks, step: Floats) -> Floats:
    """Cross information of the items with theta times `step` (n, k): of shape (m, 3, k)."""
    k = step.shape[1]
    parts = np.empty((len(blocks.cross), 3, k))
    parts[:, 0] = cells.weight_zc @ step
    parts[:, 1:] = (cells.weight_zz @ np.hstack([step, theta[:, None] * step])).reshape(-1, 2, k)
    return np.asarray(np.matmul(blocks.cross, parts), dtype=np.float64)


def profile_information(cells: Cells, theta: Floats, a: Floats, blocks: ItemBlocks, *, every: int = 1) -> Floats:
    """Information on theta with the items eliminated (Schur complement), (n, n): the lower triangle, above it 0.

    From one item in `every` on, it is that of those items times `every`: still positive, and near enough to step by.
    """
    schur = np.zeros((len(theta), len(theta)), order="F")
    for rows in halved_cross(cells, theta, blocks, every=every):
        schur = dsyrk(-1.0, rows.T, beta=1.0, c=schur, lower=1, overwrite_c=1)
    schur[range(len(theta)), range(len(theta))] += a[::every] ** 2 @ cells.weight_zz[::every]
    schur *= every
    return schur


def halved_cross(cells: Cells, theta: Floats, blocks: ItemBlocks, *, every: int = 1) -> Iterator[Floats]:
    """factor^-1 @ cross information, in pieces (3 k, n): the sum of their squares is what elimination costs.

    A piece is overwritten by the next.
    """
    items = np.arange(0, len(blocks.root), every)
    per = min(_GATHERED // 3, len(items))
    g = blocks.root[::every] @ blocks.cross[::every]
    gathered = np.empty(3 * per * len(theta))
    for k in range(0, len(items), per):
        part = slice(int(items[k]), int(items[min(k + per, len(items)) - 1]) + 1, every)
        yield _rows(cells, theta, g[k : k + per], part, gathered)


def item_variance(cells: Cells, theta: Floats, blocks: ItemBlocks, half_cov: Floats) -> Floats:
    """Of (logit c, b, log a), (m, 3), the error of the abilities included: theirs is half_cov' @ half_cov.

    `half_cov` (n, n) is lower triangular.
    """
    found, done = blocks.variance(), 0
    for rows in halved_cross(cells, theta, blocks):
        half = dtrmm(1.0, half_cov, rows.T, lower=1).T.reshape(3, -1, len(theta)).transpose(1, 0, 2)
        items = slice(done, done + len(half))
        root = blocks.root[items]
        found[items] += ((half @ half.transpose(0, 2, 1) @ root) * root).sum(axis=1)
        done = items.stop
    return found


def _rows(cells: Cells, theta: Floats, g: Floats, items: slice, gathered: Floats) -> Floats:
    k = len(g)
    rows = gathered[: 3 * k * len(theta)].reshape(3, k, len(theta))
    # a few items at a time, which stay in the cache
    step = max(1, _TOGETHER // len(theta))
    own = np.empty((min(step, k), len(theta)))
    weight_zz, weight_zc = cells.weight_zz[items], cells.weight_zc[items]
    for first in range(0, k, step):
        part = slice(first, min(first + step, k))
        w, x, (for_c, for_b, for_a), free = weight_zz[part], weight_zc[part], rows[:, part], own[: part.stop - first]
        by = g[part, :, :, None]
        np.multiply(x, by[:, 0, 0], out=for_c)
        np.multiply(x, by[:, 1, 0], out=for_b)
        np.multiply(w, by[:, 1, 1], out=free)
        for_b += free
        np.multiply(by[:, 2, 2], theta, out=for_a)
        for_a += by[:, 2, 1]
        for_a *= w
        np.multiply(x, by[:, 2, 0], out=free)
        for_a += free
    return rows.reshape(-1, len(theta))


def _inverse_factor(diagonal: tuple[Floats, Floats, Floats], below: tuple[Floats, Floats, Floats]) -> Floats:
    """Inverses of the lower Cholesky factors of 3x3 matrices (m, 3, 3), `below` in the order (1,0), (2,0), (2,1).

    Written out: LAPACK spends more on the call than on the work.
    """
    (b00, b11, b22), (b10, b20, b21) = diagonal, below
    r00 = 1 / np.sqrt(b00)
    l10, l20 = b10 * r00, b20 * r00
    r11 = 1 / np.sqrt(b11 - l10**2)
    l21 = (b21 - l20 * l10) * r11
    r22 = 1 / np.sqrt(b22 - l20**2 - l21**2)
    root = np.zeros((len(b00), 3, 3))
    root[:, 0, 0], root[:, 1, 1], root[:, 2, 2] = r00, r11, r22
    root[:, 1, 0] = r10 = -l10 * r00 * r11
    root[:, 2, 0] = -(l20 * r00 + l21 * r10) * r22
    root[:, 2, 1] = -l21 * r11 * r22
    return root
