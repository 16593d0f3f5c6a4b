"""The likelihood of abilities with the items integrated out, its gradient and its Hessian.

Persons fixed, items random: with few examinees and many items it is the item parameters that are the
incidental ones (Neyman & Scott 1948), so they are integrated over a grid of prior nodes:

    l(theta, phi) = sum_j log sum_q w_q prod_i P_q(theta_i)^y_ij (1 - P_q(theta_i))^(1 - y_ij)

phi are the hyper-parameters of the items' prior (module grid), which move the nodes: several hundred items determine
their own spread, and a spread assumed wrongly stretches or shrinks every ability. The Hessian in theta is exact; it
is the observed information of Louis (1982): the expected curvature given the items less the covariance, over an
item's posterior, of the slopes. Its rows of phi are differences of the exact gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt.formats import ItemFormats
from viva.metrics.irt.grid import HYPER_MEAN, NODES_C, USUAL_ROWS, ItemGrid, Nodes, item_grid, needed_rows

Floats = NDArray[np.float64]

HYPERS = len(HYPER_MEAN)
# nodes with less of an item's posterior than this cannot be seen in the Hessian
_NEGLIGIBLE = 1e-5
# logits beyond this are 0 or 1 to the last digit; the square of exp(300) is still a number
_STEEP = 300.0
_DIFFERENCE = 1e-5
# nodes x examinees, over items, of which the visible ones are gathered at a time: they stay in the cache
_TOGETHER = 131072
# nodes x items x answers either way: with more, one look at the likelihood takes most of a second
_MOST_WORK = 8e8


@dataclass(frozen=True, eq=False)
class ItemPosterior:
    """Posterior means and sds (m,) of a, b, c, and the predicted probabilities (n, m) averaged over it."""

    a: Floats
    b: Floats
    c: Floats
    a_se: Floats
    b_se: Floats
    c_se: Floats
    probability: Floats


@dataclass(frozen=True)
class _Format:
    """What decides the grid of an item: its guessing, or the prior's mean of it, and what is free."""

    free_slope: bool
    free_guessing: bool
    guessing: float

    def grid(self, rows: Sequence[int]) -> ItemGrid:
        return item_grid(self.guessing, free_slope=self.free_slope, free_guessing=self.free_guessing, rows=rows)

    def rows(self, theta: Floats, hyper: Floats, spacing: float) -> list[int]:
        return needed_rows(theta, hyper, self.guessing, spacing, free_slope=self.free_slope)


@dataclass(frozen=True, eq=False)
class _Group:
    """Items of one format: their columns, their grid, and their answers (m, 2n), right and wrong side by side."""

    format: _Format
    columns: NDArray[np.intp]
    grid: ItemGrid
    answers: Floats


@dataclass(frozen=True, eq=False)
class _Tables:
    """Per node: log-probability of right (n), then wrong (n), and their slopes in theta, (q, 2n).

    `above` and `below` (q, n) are the logistic s and 1 - s, `wrong_share` (1 - P) / P / (1 - c).
    """

    nodes: Nodes
    log_probability: Floats
    slope: Floats
    wrong_share: Floats
    above: Floats
    below: Floats


class ItemMarginal:
    """Marginal log-likelihood of psi = abilities theta (n,) and hyper-parameters phi (3,), of shape (n + 3,).

    `responses` (n, m) are 0, 1 and nan. It is integrated over the usual grid until `refine` lays another.
    """

    def __init__(self, responses: Floats, formats: ItemFormats) -> None:
        self._shape = responses.shape
        # right and wrong side by side: one product of matrices instead of two
        answers = np.hstack([(responses == 1).T, (responses == 0).T]).astype(np.float64)
        self._groups = [
            _Group(form, columns, form.grid(USUAL_ROWS), answers[columns]) for form, columns in _by_format(formats)
        ]

    def refine(self, psi: Floats, spacing: float) -> None:
        """Lays grids whose nodes are at most `spacing` posterior sds apart where items are answered as at psi.

        Raises UsageError where that takes too many nodes.
        """
        theta, hyper = psi[:-HYPERS], psi[-HYPERS:]
        wanted = [group.format.rows(theta, hyper, spacing) for group in self._groups]
        nodes = sum(sum(rows) * len(group.columns) for group, rows in zip(self._groups, wanted, strict=True))
        if nodes * NODES_C * 2 * len(theta) > _MOST_WORK:
            raise UsageError(
                f"Abilities are so far apart, or items so steep, that each of {self._shape[1]} items must be "
                f"integrated over {NODES_C * nodes // self._shape[1]} points.",
                allowed=f"At most {_MOST_WORK / (2 * len(theta) * self._shape[1]):.0f} for so many responses.",
                next_step="Fit with the method 'map'.",
            )
        self._groups = [
            replace(group, grid=group.format.grid(rows)) for group, rows in zip(self._groups, wanted, strict=True)
        ]

    def value_and_gradient(self, psi: Floats) -> tuple[float, Floats]:
        """l(psi) and its gradient, of shape (n + 3,)."""
        value, gradient = 0.0, np.zeros_like(psi)
        for group in self._groups:
            tables = _tables(psi, group.grid)
            found, posterior = _posterior(group, tables)
            value += found
            gradient += _gradient(psi, tables, posterior.T @ group.answers)
        return value, gradient

    def hessian(self, psi: Floats) -> Floats:
        """d2l/dpsi dpsi' of shape (n + 3, n + 3)."""
        n = self._shape[0]
        hessian = np.zeros((len(psi), len(psi)))
        hessian[:n, :n], here = self._theta_hessian_and_gradient(psi)
        for k in range(n, n + HYPERS):
            step = np.zeros_like(psi)
            step[k] = _DIFFERENCE
            hessian[k] = hessian[:, k] = (self.value_and_gradient(psi + step)[1] - here) / _DIFFERENCE
        return np.asarray((hessian + hessian.T) / 2, dtype=np.float64)

    def theta_hessian(self, psi: Floats) -> Floats:
        """d2l/dtheta dtheta' of shape (n, n)."""
        return self._theta_hessian_and_gradient(psi)[0]

    def _theta_hessian_and_gradient(self, psi: Floats) -> tuple[Floats, Floats]:
        n = self._shape[0]
        gradient, hessian = np.zeros_like(psi), np.zeros((n, n))
        for group in self._groups:
            tables = _tables(psi, group.grid)
            posterior = _posterior(group, tables)[1]
            expected = posterior.T @ group.answers
            gradient += _gradient(psi, tables, expected)
            hessian[range(n), range(n)] += _curvature(tables, expected)
            hessian += _covariance_of_slopes(tables.slope, posterior, group.answers)
        return hessian, gradient

    def items(self, psi: Floats) -> ItemPosterior:
        """What is known of the items given the abilities and the hyper-parameters."""
        n, m = self._shape
        moments, probability = np.zeros((6, m)), np.zeros((n, m))
        for group in self._groups:
            tables = _tables(psi, group.grid)
            posterior, nodes = _posterior(group, tables)[1], tables.nodes
            for k, values in enumerate((nodes.a, nodes.b, nodes.c)):
                moments[k, group.columns] = mean = posterior @ values
                variance = (posterior * (values[None, :] - mean[:, None]) ** 2).sum(axis=1)
                moments[3 + k, group.columns] = np.sqrt(variance)
            probability[:, group.columns] = (posterior @ np.exp(tables.log_probability[:, :n])).T
        a, b, c, a_se, b_se, c_se = moments
        return ItemPosterior(a, b, c, a_se, b_se, c_se, np.clip(probability, 0.0, 1.0))


def _by_format(formats: ItemFormats) -> Iterator[tuple[_Format, NDArray[np.intp]]]:
    kinds = list(zip(formats.free_slope, formats.free_guessing, formats.start_guessing, strict=True))
    for kind in sorted(set(kinds)):
        free_slope, free_guessing, guessing = kind
        columns = np.array([j for j, own in enumerate(kinds) if own == kind], dtype=np.intp)
        yield _Format(bool(free_slope), bool(free_guessing), float(guessing)), columns


def _tables(psi: Floats, grid: ItemGrid) -> _Tables:
    theta, nodes = psi[:-HYPERS], grid.nodes(psi[-HYPERS:])
    a, b, c = (values[:, None] for values in (nodes.a, nodes.b, nodes.c))
    odds = a * (b - theta)
    np.clip(odds, -_STEEP, _STEEP, out=odds)
    np.exp(odds, out=odds)
    above = 1 / (1 + odds)
    below = odds * above
    wrong_share = 1 + c * odds
    n = len(theta)
    log_probability, slope = (np.empty((len(a), 2 * n)) for _ in range(2))
    np.multiply(wrong_share, above, out=log_probability[:, :n])
    np.multiply(below, 1 - c, out=log_probability[:, n:])
    np.log(log_probability, out=log_probability)
    np.divide(odds, wrong_share, out=wrong_share)
    # P'/P, with P' = a (1-c) s (1-s)
    np.multiply(above, -a, out=slope[:, n:])
    np.multiply(slope[:, n:], wrong_share, out=slope[:, :n])
    slope[:, :n] *= c - 1
    return _Tables(nodes, log_probability, slope, wrong_share, above, below)


def _posterior(group: _Group, tables: _Tables) -> tuple[float, Floats]:
    joint = group.answers @ tables.log_probability.T
    joint += group.grid.log_weight
    top = joint.max(axis=1, keepdims=True)
    joint -= top
    np.exp(joint, out=joint)
    total = joint.sum(axis=1, keepdims=True)
    joint *= 1 / total
    return float((top + np.log(total)).sum()), joint


def _gradient(psi: Floats, tables: _Tables, expected: Floats) -> Floats:
    """From the expected answers (q, 2n) at each node."""
    theta, nodes = psi[:-HYPERS], tables.nodes
    slopes = tables.slope * expected
    by_theta = slopes[:, : len(theta)] + slopes[:, len(theta) :]
    per_node = by_theta.sum(axis=1)
    by_log_a = by_theta @ theta - per_node * nodes.b
    right, wrong = expected[:, : len(theta)], expected[:, len(theta) :]
    # d log P / d logit c = c (1-c) (1-s) / P for right, -c for wrong
    by_logit_c = nodes.c * ((1 - nodes.c) * (tables.wrong_share * right).sum(axis=1) - wrong.sum(axis=1))
    moved = np.stack([-per_node, by_log_a, by_logit_c])
    return np.concatenate([by_theta.sum(axis=0), (moved * nodes.moves).sum(axis=1)])


def _curvature(tables: _Tables, expected: Floats) -> Floats:
    n, a = tables.above.shape[1], tables.nodes.a[:, None]
    slope_right = tables.slope[:, :n]
    curve_right = slope_right * (a * (tables.below - tables.above) - slope_right)
    curve_wrong = -(a**2) * tables.above * tables.below
    return np.asarray((curve_right * expected[:, :n] + curve_wrong * expected[:, n:]).sum(axis=0), dtype=np.float64)


def _covariance_of_slopes(slope: Floats, posterior: Floats, answers: Floats) -> Floats:
    """Over the items' posteriors, summed over items, (n, n)."""
    n = slope.shape[1] // 2
    # single precision: what is neglected here is larger than what it rounds
    slope_right, slope_wrong = slope[:, :n].astype(np.float32), slope[:, n:].astype(np.float32)
    right = answers[:, :n] > 0
    known = (right | (answers[:, n:] > 0)).astype(np.float32)
    partial = bool(known.min(initial=1.0) < 1)
    seen, roots = posterior > _NEGLIGIBLE, np.sqrt(posterior).astype(np.float32)
    total, means = np.zeros((n, n)), np.empty((len(answers), n))
    step = max(1, _TOGETHER // slope_wrong.size)
    for first in range(0, len(answers), step):
        # every visible node of every item is a row
        part = slice(first, first + step)
        item, node = seen[part].nonzero()
        rows = np.where(
            right[part].take(item, axis=0), slope_right.take(node, axis=0), slope_wrong.take(node, axis=0)
        )
        root = roots[part][item, node][:, None]
        rows *= root
        if partial:
            rows *= known[part].take(item, axis=0)
        total += rows.T @ rows
        rows *= root
        # an item's rows follow each other
        means[part] = np.add.reduceat(rows, np.flatnonzero(np.diff(item, prepend=-1)), axis=0)
    return np.asarray(total - means.T @ means, dtype=np.float64)
