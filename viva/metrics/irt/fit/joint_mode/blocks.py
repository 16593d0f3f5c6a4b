"""Fisher information of the items: a 3x3 block each, eliminated by Cholesky, and what is left for abilities.

An item's parameters stand in the order (logit c, b, log a). The abilities' cross information with them is
M_j [zc; zz; theta zz] with a 3x3 matrix M_j, so that nothing larger than two weights per cell is kept. "Halved" is
what an item's inverse Cholesky factor was applied to: the product of two such is what a solved system would give.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsymm, dsyrk, dtrmm

from viva.metrics.irt.fit.joint_mode.cells import Sums, Weights
from viva.metrics.irt.fit.population import AbilityPrior

Floats = NDArray[np.float64]

# rows gathered before they are multiplied: few calls on a large square matrix
_GATHERED = 768
# cells gathered at a time: five arrays of them stay in the cache
_TOGETHER = 16384


@dataclass(frozen=True, eq=False)
class ItemInformation:
    """What the responses alone tell of the items: six entries (m,) of symmetric matrices, and the M_j (m, 3, 3)."""

    diagonal: tuple[Floats, Floats, Floats]
    below: tuple[Floats, Floats, Floats]
    cross: Floats


@dataclass(frozen=True, eq=False)
class ItemBlocks:
    """`root` (m, 3, 3): inverse lower Cholesky factors of the items' information; `half`: root @ M."""

    root: Floats
    half: Floats

    def halved(self, right: Floats) -> Floats:
        """Factor^-1 @ right, right of shape (m, 3, k)."""
        return np.asarray(self.root @ right, dtype=np.float64)

    def solved(self, halved: Floats) -> Floats:
        """Information^-1 @ right from `halved` right (m, 3, k)."""
        return np.asarray(self.root.transpose(0, 2, 1) @ halved, dtype=np.float64)

    def variance(self) -> Floats:
        """Of each item's parameters given the abilities, (m, 3)."""
        return np.asarray((self.root**2).sum(axis=1), dtype=np.float64)


def item_gradient(sums: Sums, a: Floats, b: Floats, c: Floats) -> Floats:
    """Slopes of the log-likelihood in (logit c, b, log a), of shape (m, 3)."""
    slopes = np.empty((len(a), 3))
    slopes[:, 0] = sums.c * c * (1 - c)
    slopes[:, 1] = -a * sums.z
    slopes[:, 2] = a * (sums.z_theta - b * sums.z)
    return slopes


def item_information(sums: Sums, a: Floats, b: Floats, c: Floats, free: Floats) -> ItemInformation:
    """From the sums of a pass; `free` (m, 3) is 0 where a parameter is fixed and 1 elsewhere."""
    by_c, by_b, by_a = free.T * (c * (1 - c), -a, a)
    (w0, w1, w2), (x0, x1) = sums.zz.T, sums.zc.T
    off = w1 - b * w0
    cross = np.zeros((len(a), 3, 3))
    cross[:, 0, 0], cross[:, 1, 1], cross[:, 2, 2] = a * by_c, a * by_b, a * by_a
    cross[:, 2, 1] = -b * cross[:, 2, 2]
    return ItemInformation(
        diagonal=(by_c**2 * sums.cc, by_b**2 * w0, by_a**2 * (w2 - b * (w1 + off))),
        below=(by_c * by_b * x0, by_c * by_a * (x1 - b * x0), by_b * by_a * off),
        cross=cross,
    )


def item_blocks(information: ItemInformation, precision: Floats) -> ItemBlocks:
    """With the prior's precision (3,)."""
    root = _inverse_factor(np.stack(information.diagonal) + precision[:, None], information.below)
    return ItemBlocks(root, root @ information.cross)


def overfitting(weights: Weights, a: Floats, prior: AbilityPrior) -> Floats:
    """By how much the slopes of log a (m,) are too high where abilities stand at their mode as if known.

    An item's log-likelihood curves by -a^2 zz in theta, which log a multiplies: its mean slope over abilities with an
    error of variance v is lower by a^2 zz v, to second order. This is what a step of EM over abilities (Bock & Aitkin
    1981) would see; without it items are fitted to abilities that were fitted to them.
    """
    squared, nodes = a**2, weights.nodes
    variance = prior.variance_given(nodes.to_examinees(squared @ weights.zz))
    return np.asarray(squared * (weights.zz @ nodes.summed(variance)), dtype=np.float64)


def theta_cross(weights: Weights, blocks: ItemBlocks, halved: Floats) -> Floats:
    """Cross information of theta with the items times what was `halved` (m, 3, k) and is to be solved: (n, k)."""
    k, nodes = halved.shape[2], weights.nodes
    by_item = blocks.half.transpose(0, 2, 1) @ halved
    # the large matrix on the right: read in the order it is kept in, half the time
    by_zz = by_item[:, 1:].reshape(-1, 2 * k).T @ weights.zz
    total = by_item[:, 0].T @ weights.zc + by_zz[:k] + nodes.at * by_zz[k:]
    return nodes.to_examinees(total.T)


def item_cross(weights: Weights, blocks: ItemBlocks, step: Floats) -> Floats:
    """Cross information of the items with theta times `step` (n, k), halved: of shape (m, 3, k)."""
    k, nodes = step.shape[1], weights.nodes
    summed = nodes.summed(step)
    parts = np.empty((len(blocks.half), 3, k))
    parts[:, 0] = weights.zc @ summed
    parts[:, 1:] = (weights.zz @ np.hstack([summed, nodes.at[:, None] * summed])).reshape(-1, 2, k)
    return np.asarray(blocks.half @ parts, dtype=np.float64)


def profile_information(weights: Weights, a: Floats, blocks: ItemBlocks, *, every: int = 1) -> Floats:
    """Information on theta with the items eliminated (Schur complement), (n, n): the lower triangle.

    From one item in `every` on, it is that of those items times `every`: still positive, and near enough to step by.
    """
    nodes = weights.nodes
    schur = np.zeros((len(nodes.at), len(nodes.at)), order="F")
    for rows in halved_cross(weights, blocks, every=every):
        schur = dsyrk(-1.0, rows.T, beta=1.0, c=schur, lower=1, overwrite_c=1)
    if nodes.basis is not None:
        schur = np.asfortranarray(nodes.basis @ dsymm(1.0, schur, nodes.basis.T, lower=1))
    diagonal(schur)[:] += nodes.to_examinees(a[::every] ** 2 @ weights.zz[::every])
    schur *= every
    return schur


def halved_cross(weights: Weights, blocks: ItemBlocks, *, every: int = 1) -> Iterator[Floats]:
    """factor^-1 @ cross information, in pieces (3 k, nodes): the sum of their squares is what elimination costs.

    A piece is overwritten by the next.
    """
    items = np.arange(0, len(blocks.root), every)
    per = min(_GATHERED // 3, len(items))
    gathered = np.empty(3 * per * len(weights.nodes.at))
    for k in range(0, len(items), per):
        part = slice(int(items[k]), int(items[min(k + per, len(items)) - 1]) + 1, every)
        yield _rows(weights, blocks.half[part], part, gathered)


def item_variance(weights: Weights, blocks: ItemBlocks, half_cov: Floats) -> Floats:
    """Of (logit c, b, log a), (m, 3), the error of the abilities included: theirs is half_cov' @ half_cov.

    `half_cov` (n, n) is lower triangular.
    """
    found, done, basis = blocks.variance(), 0, weights.nodes.basis
    if basis is not None:
        half_cov = np.asarray(np.linalg.qr(dtrmm(1.0, half_cov, basis, lower=1), mode="r"), dtype=np.float64)
    for rows in halved_cross(weights, blocks):
        half = dtrmm(1.0, half_cov, rows.T, lower=basis is None).T.reshape(3, -1, len(half_cov)).transpose(1, 0, 2)
        items = slice(done, done + len(half))
        root = blocks.root[items]
        found[items] += ((half @ half.transpose(0, 2, 1) @ root) * root).sum(axis=1)
        done = items.stop
    return found


def diagonal(matrix: Floats) -> Floats:
    """Of a square matrix (n, n), to write on."""
    return np.asarray(np.einsum("ii->i", matrix))


def _rows(weights: Weights, half: Floats, items: slice, gathered: Floats) -> Floats:
    k, theta = len(half), weights.nodes.at
    rows = gathered[: 3 * k * len(theta)].reshape(3, k, len(theta))
    # a few items at a time, which stay in the cache
    step = max(1, _TOGETHER // len(theta))
    own = np.empty((min(step, k), len(theta)))
    weight_zz, weight_zc = weights.zz[items], weights.zc[items]
    for first in range(0, k, step):
        part = slice(first, min(first + step, k))
        w, x, (for_c, for_b, for_a), free = weight_zz[part], weight_zc[part], rows[:, part], own[: part.stop - first]
        by = half[part, :, :, None]
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


def _inverse_factor(diagonal: Floats, below: tuple[Floats, Floats, Floats]) -> Floats:
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
