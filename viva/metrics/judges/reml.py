"""Restricted maximum likelihood of variance components, crossed or nested: its fit and its profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.sparse import csr_array
from scipy.special import gammaincinv

from viva.metrics.intervals import CONFIDENCE
from viva.metrics.irt.model.inputs import Ints
from viva.metrics.judges.pairs import Floats

# in units of the scores' variance: a residual below it is none, and the likelihood has no bound
LEAST_RESIDUAL = 1e-6
# a variance that is 0 counts as this in the sums, which divide by it
NOTHING = 1e-9
# a variance this small is where a profile's search begins
LEAST_REACH = 0.01
# above it the mean has no information left that a float could hold
MOST = 1e4


@dataclass(frozen=True, eq=False)
class Fitted:
    """`variances` (f + 1,), the residual's last; `deviance` is -2 log restricted likelihood, less constants."""

    variances: Floats
    deviance: float


class Reml:
    """The model y = mean + sum of random effects + residual, for scores (n,) and groups, each (n,) of level numbers.

    Where the finest group refines all others, its cells' means and the spread within them hold all there is to know:
    a mean of k scores has the variance finest + residual / k beyond the other effects. Else each score is a cell.
    With D these variances, S the other effects' standard deviations, A = Z'D^-1 Z and K = I + S A S, the covariance V
    has log|V| = log|D| + log|K| and V^-1 = D^-1 - D^-1 Z (S K^-1 S) Z' D^-1. The widest effect's block of K is
    diagonal, so that only the others' Schur complement is inverted.
    """

    def __init__(self, y: Floats, groups: Sequence[Ints]) -> None:
        self._scale = float(y.std())
        scaled = (y - y.mean()) / self._scale
        self._factors, self._finest = len(groups), _refining(groups)
        cells = np.arange(len(y)) if self._finest is None else groups[self._finest]
        first, cell, counts = np.unique(cells, return_index=True, return_inverse=True, return_counts=True)[1:]
        means = np.bincount(cell, scaled) / counts
        self._within, self._freed = float(((scaled - means[cell]) ** 2).sum()), len(y) - len(first)
        self._x = np.column_stack([means, np.ones(len(first))])
        self._sizes, self._size_of, self._cells = np.unique(counts, return_inverse=True, return_counts=True)
        self._lay_out([(place, groups[place][first]) for place in range(len(groups)) if place != self._finest])

    def _lay_out(self, effects: Sequence[tuple[int, Ints]]) -> None:
        """Columns of the effects, the widest last, and their cross-products over the cells of each size."""
        levels = {place: np.unique(group, return_inverse=True)[1] for place, group in effects}
        widths = {place: int(column.max()) + 1 for place, column in levels.items()}
        self._effects = sorted(levels, key=lambda place: (widths[place], place))
        self._widths = [widths[place] for place in self._effects]
        self._starts = np.cumsum([0, *self._widths[:-1]])[: len(self._widths)]
        self._others = sum(self._widths[:-1])
        rows = np.tile(np.arange(len(self._x)), len(levels))
        at = [levels[place] + start for place, start in zip(self._effects, self._starts, strict=True)]
        columns = np.concatenate(at) if at else rows
        self._z = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(self._x), sum(self._widths)))
        own = [self._z[self._size_of == size] for size in range(len(self._sizes))]
        left = [z[:, : self._others] for z in own]
        self._gg = np.array([(z.T @ z).toarray() for z in left])
        self._gd = np.array([(z.T @ each[:, self._others :]).toarray() for z, each in zip(left, own, strict=True)])
        self._dd = np.array([each[:, self._others :].sum(axis=0) for each in own])

    def fit(self) -> Fitted:
        """The variances that make the restricted likelihood greatest, none below 0."""
        start = np.full(self._factors + 1, 1 / (self._factors + 1))
        if self._freed:
            start[-1] = max(self._within / self._freed, LEAST_RESIDUAL)
        found = self._minimised(start, {})
        variances = np.where(found.variances > 2 * NOTHING, found.variances, 0.0)
        return Fitted(variances * self._scale**2, found.deviance)

    def profile(self, place: int, best: Fitted) -> tuple[float, float]:
        """The range of one variance over which the deviance, the others refitted, rises by less than chi-square."""
        allowed, start = float(2 * gammaincinv(0.5, CONFIDENCE)), best.variances / self._scale**2

        def excess(value: float) -> float:
            risen = self._minimised(start, {place: value}).deviance - best.deviance
            # the root of the rise is nearly straight, so that its zero is found in few steps
            return float(np.sqrt(max(risen, 0.0)) - np.sqrt(allowed))

        least = LEAST_RESIDUAL if place == self._factors else NOTHING
        estimate = max(float(start[place]), least)
        low = 0.0 if excess(least) <= 0 else float(brentq(excess, least, estimate, rtol=1e-3))
        inside, reach = estimate, max(2 * estimate, LEAST_REACH)
        while excess(reach) < 0 and reach < MOST:
            inside, reach = reach, 2 * reach
        high = reach if reach >= MOST else float(brentq(excess, inside, reach, rtol=1e-3))
        return low * self._scale**2, high * self._scale**2

    def _minimised(self, start: Floats, fixed: dict[int, float]) -> Fitted:
        last = self._factors
        # in units of where it starts: the residual is known far more exactly than the variance of a few judges
        unit = np.maximum(start, LEAST_REACH)
        unit[last] = max(float(start[last]), LEAST_RESIDUAL)
        low = np.where(np.arange(last + 1) == last, LEAST_RESIDUAL, NOTHING)
        high = np.full(last + 1, MOST)
        for place, value in fixed.items():
            low[place] = high[place] = value

        def deviance(scaled: Floats) -> tuple[float, Floats]:
            value, gradient = self._deviance(np.clip(scaled * unit, low, high))
            return value, gradient * unit

        bounds = list(zip(low / unit, high / unit, strict=True))
        begin = np.clip(start / unit, low / unit, high / unit)
        found = minimize(deviance, begin, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-10})
        return Fitted(np.clip(np.asarray(found.x) * unit, low, high), float(found.fun))

    def _deviance(self, variances: Floats) -> tuple[float, Floats]:
        """-2 log restricted likelihood at variances (f + 1,), none of them 0, and its gradient."""
        residual = float(variances[-1])
        own = residual / self._sizes + (0.0 if self._finest is None else variances[self._finest])
        spread = np.repeat(np.sqrt(variances[self._effects]), self._widths)
        k = _Inverted(self._gg, self._gd, self._dd, 1 / own, spread)
        weight = (1 / own)[self._size_of][:, None]
        inverse_x = weight * (self._x - self._z @ k.times(self._z.T @ (weight * self._x)))
        one = inverse_x[:, 1]
        left = inverse_x[:, 0] - one * float(inverse_x[:, 0].sum() / one.sum())
        # u'Vu for x'V^-1 x: a sum of squares, where differences of large numbers would fall below 0
        of_one, of_left = self._z.T @ one, self._z.T @ left
        one_one = float(own[self._size_of] @ one**2 + spread**2 @ of_one**2)
        fit = float(own[self._size_of] @ left**2 + spread**2 @ of_left**2)
        log_det = float(self._cells @ np.log(own)) + k.log_det + float(np.log(one_one))
        gradient = np.empty(self._factors + 1)
        # tr(P dV) - y'P dV P y, by level of an effect and by size of a cell
        if self._effects:
            of_level = (1 - k.diagonal) / spread**2 - of_one**2 / one_one - of_left**2
            gradient[self._effects] = np.add.reduceat(of_level, self._starts)
        of_size = self._cells / own - k.leverages / own**2
        of_size -= np.bincount(self._size_of, one**2 / one_one + left**2)
        if self._finest is not None:
            gradient[self._finest] = of_size.sum()
        gradient[-1] = (of_size / self._sizes).sum() + self._freed / residual - self._within / residual**2
        return log_det + fit + self._freed * float(np.log(residual)) + self._within / residual, gradient


class _Inverted:
    """What is asked of the inverse of K = I + S A S, for weights (sizes,) and standard deviations `spread` (q,).

    `gg` (sizes, g, g), `gd` (sizes, g, d) and `dd` (sizes, d): cross-products of the other effects' levels, of these
    with the widest effect's, and of the latter, whose own block is diagonal.
    """

    def __init__(self, gg: Floats, gd: Floats, dd: Floats, weight: Floats, spread: Floats) -> None:
        others = gg.shape[1]
        self._spread, (s_g, s_d) = spread, (spread[:others], spread[others:])
        self._d = 1 + s_d**2 * (weight @ dd)
        f = s_g[:, None] * np.tensordot(weight, gd, 1) * s_d
        self._ratio = f / self._d
        schur = np.eye(others) + s_g[:, None] * np.tensordot(weight, gg, 1) * s_g - self._ratio @ f.T
        self._inverse = np.linalg.inv(schur)
        solved = self._inverse @ self._ratio
        d_diagonal = 1 / self._d + (self._ratio * solved).sum(axis=0)
        self.diagonal = np.concatenate([np.diag(self._inverse), d_diagonal])
        self.log_det = float(np.log(self._d).sum() + np.linalg.slogdet(schur)[1])
        h_gg, h_gd = s_g[:, None] * self._inverse * s_g, -s_g[:, None] * solved * s_d
        # the sums over cells of each size of the diagonal of Z (S K^-1 S) Z'
        self.leverages = (gg * h_gg).sum(axis=(1, 2)) + 2 * (gd * h_gd).sum(axis=(1, 2)) + dd @ (s_d**2 * d_diagonal)

    def times(self, b: Floats) -> Floats:
        """S K^-1 S b, for b (q, 2)."""
        others = len(self._inverse)
        scaled = self._spread[:, None] * b
        g = self._inverse @ (scaled[:others] - self._ratio @ scaled[others:])
        d = scaled[others:] / self._d[:, None] - self._ratio.T @ g
        solved: Floats = self._spread[:, None] * np.concatenate([g, d])
        return solved


def _refining(groups: Sequence[Ints]) -> int | None:
    """The place of the group whose every level lies within one level of each other group; None where none does."""
    finest = max(range(len(groups)), key=lambda place: len(np.unique(groups[place])))
    cells = len(np.unique(groups[finest]))
    together = (np.column_stack([groups[finest], other]) for other in groups)
    return finest if all(len(np.unique(both, axis=0)) == cells for both in together) else None
