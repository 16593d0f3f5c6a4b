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
from viva.metrics.irt.fit.items_integrated.grid import (
    HYPER_MEAN,
    NODES_C,
    USUAL_ROWS,
    GridNodes,
    ItemGrid,
    item_grid,
    needed_rows,
)
from viva.metrics.irt.model.formats import ItemFormats

Floats = NDArray[np.float64]

HYPERS = len(HYPER_MEAN)
# nodes with less of an item's posterior than this cannot be seen in the Hessian, nor in how it changes
_NEGLIGIBLE, _ROUGHLY = 1e-5, 1e-3
# logits beyond this are 0 or 1 to the last digit; the square of exp(300) is still a number
_STEEP = 300.0
_DIFFERENCE = 1e-5
# nodes x examinees, over items, of which the visible ones are gathered at a time: they stay in the cache
_TOGETHER = 262144
# nodes x items x answers either way: with more, one look at the likelihood takes most of a second
_MOST_WORK = 8e8


@dataclass(frozen=True, eq=False)
class ItemPosterior:
    """Log-likelihood; posterior means and sds (m,) of a, b, c; predicted probabilities (n, m) averaged over it."""

    loglik: float
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
    """Items of one format: columns, grid, and which answers (m, n) are right and known (None: all of them)."""

    format: _Format
    columns: NDArray[np.intp]
    grid: ItemGrid
    right: Floats
    known: Floats | None


@dataclass(frozen=True, eq=False)
class _Tables:
    """Per node and examinee (q, n): log odds of right, log-probability of wrong, slopes in theta of both outcomes.

    `above` and `below` are the logistic s and 1 - s, `wrong_share` (1 - P) / P / (1 - c).
    """

    nodes: GridNodes
    log_odds: Floats
    log_wrong: Floats
    slope_right: Floats
    slope_wrong: Floats
    wrong_share: Floats
    above: Floats
    below: Floats


@dataclass(frozen=True, eq=False)
class _Expected:
    """Of each node's items, answers per examinee: those right (q, n), and all of them, (q, n) or (q, 1)."""

    right: Floats
    known: Floats


class ItemMarginal:
    """Marginal log-likelihood of psi = abilities theta (n,) and hyper-parameters phi (3,), of shape (n + 3,).

    `responses` (n, m) are 0, 1 and nan. It is integrated over the usual grid until `refine` lays another.
    """

    def __init__(self, responses: Floats, formats: ItemFormats) -> None:
        self._shape = responses.shape
        right, known = (responses == 1).T.astype(np.float64), ~np.isnan(responses).T
        self._groups = [
            _Group(
                format=form,
                columns=columns,
                grid=form.grid(USUAL_ROWS),
                right=right[columns],
                known=None if known[columns].all() else known[columns].astype(np.float64),
            )
            for form, columns in _by_format(formats)
        ]

    @property
    def moving(self) -> list[int]:
        """Places of the hyper-parameters on which an item depends: not all where slopes or guessing are fixed."""
        forms = [group.format for group in self._groups]
        free = (True, any(each.free_slope for each in forms), any(each.free_guessing for each in forms))
        return [place for place, each in enumerate(free) if each]

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
            gradient += _gradient(psi, tables, _expected(group, posterior))
        return value, gradient

    def hessian(self, psi: Floats) -> Floats:
        """d2l/dpsi dpsi' of shape (n + 3, n + 3)."""
        n = self._shape[0]
        hessian = np.zeros((len(psi), len(psi)))
        hessian[:n, :n], here = self._theta_hessian_and_gradient(psi)
        for k in self.moving:
            step = np.zeros_like(psi)
            step[n + k] = _DIFFERENCE
            hessian[n + k] = hessian[:, n + k] = (self.value_and_gradient(psi + step)[1] - here) / _DIFFERENCE
        return np.asarray((hessian + hessian.T) / 2, dtype=np.float64)

    def theta_hessian(self, psi: Floats) -> Floats:
        """d2l/dtheta dtheta' of shape (n, n), roughly: for its changes."""
        return self._theta_hessian_and_gradient(psi, _ROUGHLY)[0]

    def _theta_hessian_and_gradient(self, psi: Floats, negligible: float = _NEGLIGIBLE) -> tuple[Floats, Floats]:
        n = self._shape[0]
        gradient, hessian = np.zeros_like(psi), np.zeros((n, n))
        for group in self._groups:
            tables = _tables(psi, group.grid)
            posterior = _posterior(group, tables)[1]
            expected = _expected(group, posterior)
            gradient += _gradient(psi, tables, expected)
            hessian[range(n), range(n)] += _curvature(tables, expected)
            hessian += _covariance_of_slopes(group, tables, np.where(posterior > negligible, posterior, 0.0))
        return hessian, gradient

    def items(self, psi: Floats) -> ItemPosterior:
        """What is known of the items given the abilities and the hyper-parameters."""
        n, m = self._shape
        moments, probability, loglik = np.zeros((6, m)), np.zeros((n, m)), 0.0
        for group in self._groups:
            tables = _tables(psi, group.grid)
            (found, posterior), nodes = _posterior(group, tables), tables.nodes
            loglik += found
            for k, values in enumerate((nodes.a, nodes.b, nodes.c)):
                moments[k, group.columns] = mean = posterior @ values
                variance = (posterior * (values[None, :] - mean[:, None]) ** 2).sum(axis=1)
                moments[3 + k, group.columns] = np.sqrt(variance)
            probability[:, group.columns] = (posterior @ np.exp(tables.log_odds + tables.log_wrong)).T
        a, b, c, a_se, b_se, c_se = moments
        return ItemPosterior(loglik, a, b, c, a_se, b_se, c_se, np.clip(probability, 0.0, 1.0))


def _by_format(formats: ItemFormats) -> Iterator[tuple[_Format, NDArray[np.intp]]]:
    kinds = list(zip(formats.free_slope, formats.free_guessing, formats.start_guessing, strict=True))
    for kind in sorted(set(kinds)):
        free_slope, free_guessing, guessing = kind
        columns = np.array([j for j, own in enumerate(kinds) if own == kind], dtype=np.intp)
        yield _Format(bool(free_slope), bool(free_guessing), float(guessing)), columns


def _tables(psi: Floats, grid: ItemGrid) -> _Tables:
    theta, nodes = psi[:-HYPERS], grid.nodes(psi[-HYPERS:])
    a, b, c = (values[:, None] for values in (nodes.a, nodes.b, nodes.c))
    odds = b - theta
    odds *= a
    np.minimum(odds, _STEEP, out=odds)
    np.maximum(odds, -_STEEP, out=odds)
    # log Q = log(1-c) - z + log s, log P = log s + log(1 + c exp(-z)) with z = -odds so far
    log_odds, log_wrong = np.negative(odds), odds + np.log1p(-c)
    np.exp(odds, out=odds)
    above = odds + 1
    np.divide(1.0, above, out=above)
    below = odds * above
    wrong_share = odds * c
    wrong_share += 1
    log_odds += np.log(wrong_share)
    log_odds -= np.log1p(-c)
    log_wrong += np.log(above)
    np.divide(odds, wrong_share, out=wrong_share)
    # P'/P, with P' = a (1-c) s (1-s)
    slope_wrong = above * -a
    slope_right = slope_wrong * wrong_share
    slope_right *= c - 1
    return _Tables(nodes, log_odds, log_wrong, slope_right, slope_wrong, wrong_share, above, below)


def _posterior(group: _Group, tables: _Tables) -> tuple[float, Floats]:
    joint = group.right @ tables.log_odds.T
    joint += tables.log_wrong.sum(axis=1) if group.known is None else group.known @ tables.log_wrong.T
    joint += group.grid.log_weight
    top = joint.max(axis=1, keepdims=True)
    joint -= top
    np.exp(joint, out=joint)
    total = joint.sum(axis=1, keepdims=True)
    joint *= 1 / total
    return float((top + np.log(total)).sum()), joint


def _expected(group: _Group, posterior: Floats) -> _Expected:
    known = posterior.sum(axis=0)[:, None] if group.known is None else posterior.T @ group.known
    return _Expected(posterior.T @ group.right, known)


def _gradient(psi: Floats, tables: _Tables, expected: _Expected) -> Floats:
    theta, nodes = psi[:-HYPERS], tables.nodes
    by_theta = tables.slope_right - tables.slope_wrong
    by_theta *= expected.right
    by_theta += tables.slope_wrong * expected.known
    per_node = by_theta.sum(axis=1)
    by_log_a = by_theta @ theta - per_node * nodes.b
    # d log P / d logit c = c (1-c) (1-s) / P for right, -c for wrong
    wrong = (expected.known - expected.right).sum(axis=1)
    by_logit_c = nodes.c * ((1 - nodes.c) * np.einsum("qi,qi->q", tables.wrong_share, expected.right) - wrong)
    moved = np.stack([-per_node, by_log_a, by_logit_c])
    return np.concatenate([by_theta.sum(axis=0), (moved * nodes.moves).sum(axis=1)])


def _curvature(tables: _Tables, expected: _Expected) -> Floats:
    a, slope_right = tables.nodes.a[:, None], tables.slope_right
    curve_right = slope_right * (a * (tables.below - tables.above) - slope_right)
    curve_wrong = -(a**2) * tables.above * tables.below
    curves = (curve_right - curve_wrong) * expected.right + curve_wrong * expected.known
    return np.asarray(curves.sum(axis=0), dtype=np.float64)


def _covariance_of_slopes(group: _Group, tables: _Tables, visible: Floats) -> Floats:
    """Over the items' posteriors, 0 where it is not `visible`, summed over items, (n, n)."""
    right = group.right > 0
    means = np.where(right, visible @ tables.slope_right, visible @ tables.slope_wrong)
    if group.known is not None:
        means *= group.known
    total = -means.T @ means
    # single precision: what is neglected here is larger than what it rounds
    apart, slope_wrong, roots, answered = (
        each.astype(np.float32)
        for each in (tables.slope_right - tables.slope_wrong, tables.slope_wrong, np.sqrt(visible), group.right)
    )
    known = None if group.known is None else group.known.astype(np.float32)
    step = max(1, _TOGETHER // apart.size)
    for first in range(0, len(roots), step):
        # every visible node of every item is a row
        part = slice(first, first + step)
        item, node = roots[part].nonzero()
        rows = apart.take(node, axis=0)
        rows *= answered[part].take(item, axis=0)
        rows += slope_wrong.take(node, axis=0)
        rows *= roots[part][item, node][:, None]
        if known is not None:
            rows *= known[part].take(item, axis=0)
        total += rows.T @ rows
    return total
