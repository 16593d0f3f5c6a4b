"""Maximum a posteriori by Fisher scoring, for as many examinees and items as there are.

Abilities and item parameters are found together: theta ~ N(x beta, s^2) with beta integrated out, b ~ N(0, sd_b^2),
log a ~ N(0, sd_a^2), logit c ~ N(logit(1/options), sd_c^2). The mean of log a over the items is held at 0 (a
bordered system): with independent priors on both sides of a (theta - b) abilities and difficulties shrink together.
The error of abilities enters the slopes of log a: with few items the steepest would else grow steeper without end.
sd_b, sd_a, sd_c (scoring of their marginal likelihood, module spreads) and s (its mean under the restricted
likelihood) are learned in the first passes, until they rest, then held. Each pass costs one look at the cells (module
cells), 3x3 blocks for the items and one system of the size of the examinees (module blocks); the information that
remains gives the standard errors. Fisher scoring converges linearly: its steps after the first, those of the spreads
with them, are extrapolated (Anderson 1965).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dsyr
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri
from scipy.special import expit, logit

from viva.metrics.irt.fit.joint_mode.acceleration import History
from viva.metrics.irt.fit.joint_mode.blocks import (
    ItemBlocks,
    diagonal,
    item_blocks,
    item_cross,
    item_gradient,
    item_information,
    item_variance,
    overfitting,
    profile_information,
    theta_cross,
)
from viva.metrics.irt.fit.joint_mode.cells import Cells, Sums
from viva.metrics.irt.fit.joint_mode.spreads import USUAL, Spreads, spreads_step
from viva.metrics.irt.fit.population import ability_prior, spread_given
from viva.metrics.irt.model.formats import ItemFormats

Floats = NDArray[np.float64]

# a search that has not ended by then is said not to have converged
MAX_PASSES = 200
# half the squared step in units of standard errors, over all parameters and for each: what is left to gain
_REACHED = 1e-4
_REACHED_EACH = 5e-7
# a start for another search may leave so many times more
_ROUGHLY = 100
# passes in which the spreads of the priors are updated at most: until none moves by more than this share of itself
# where no more than so much of log-likelihood is left to gain for each parameter
_LEARNING = 30
_SETTLED = 0.01
_NEAR_EACH = 5e-4
# with more examinees^2 x items than this the curvature is taken from a part of the items, in the first passes alone
_CHEAP = 1.3e9
_FRESH = 5
# averaging over examinees flattens a curve
_STRETCH = 1.2
_LONGEST_THETA, _LONGEST = 1.5, np.array([1.5, 2.0, 1.0])


@dataclass(frozen=True, eq=False)
class MapFit:
    """Mode and covariance of theta (n,), (n, n); items (m, 3) as (logit c, b, log a), with variances (m, 3)."""

    theta: Floats
    theta_cov: Floats
    items: Floats
    items_variance: Floats
    spreads: Spreads
    loglik: float
    converged: bool
    passes: int
    left: float


@dataclass(frozen=True, eq=False)
class _Point:
    theta: Floats
    items: Floats

    @cached_property
    def abc(self) -> tuple[Floats, Floats, Floats]:
        return np.exp(self.items[:, 2]), self.items[:, 1], expit(self.items[:, 0])


@dataclass(frozen=True, eq=False)
class _System:
    """What a step needs at a point, under the priors of the items: their slopes and their information.

    `tilt` (m,): what the error of the abilities adds to the slopes of log a. `halved` (m, 3, 2): what the items are
    solved for, their slopes and the direction of the scale, by `blocks`; `taken` (n, 2): what that takes from the
    slopes of theta.
    """

    point: _Point
    sums: Sums
    tilt: Floats
    item_slope: Floats
    blocks: ItemBlocks
    halved: Floats
    taken: Floats

    def on_theta(self, every: int = 1) -> Floats:
        return profile_information(self.sums.weights, self.point.abc[0], self.blocks, every=every)


@dataclass(frozen=True, eq=False)
class _Step:
    """The constrained step, what it promises, and the direction (theta, items) in which the scale would move."""

    theta: Floats
    items: Floats
    left: float
    scale_theta: Floats
    scale_items: Floats
    scale: float


class _Problem:
    """The penalised log-likelihood of one data set."""

    def __init__(self, responses: Floats, formats: ItemFormats) -> None:
        self.cells = Cells(responses)
        free_slope, free_guessing = formats.free_slope, formats.free_guessing
        self._free = np.stack([free_guessing, np.ones_like(free_slope), free_slope], axis=1).astype(np.float64)
        self._pinned = self._free[:, 2]
        self._centre = np.zeros_like(self._free)
        self._centre[:, 0] = _logit(formats.start_guessing)
        self.spreads = USUAL
        self._theta_prior = ability_prior(len(responses), self.spreads.abilities)

    def start(self, theta: Floats) -> _Point:
        c = expit(self._centre[:, 0])
        known = np.clip((self.cells.shares() - c) / (1 - c), 0.05, 0.95)
        items = self._centre.copy()
        items[:, 1] = theta.mean() - _STRETCH * logit(known)
        return _Point(theta, items)

    def moved(self, point: _Point, theta: Floats, items: Floats) -> _Point:
        """By a step, as far as it is believed; the mean of log a stays at 0."""
        there = point.items + _within(items, _LONGEST)
        there[:, 2] -= self._pinned * (self._pinned @ there[:, 2]) / max(self._pinned.sum(), 1.0)
        return _Point(point.theta + _within(theta, _LONGEST_THETA), there)

    def look(self, point: _Point) -> Sums:
        """One pass over the cells."""
        a, b, c = point.abc
        return self.cells.sums(point.theta, a, -a * b, c)

    def height(self, point: _Point, loglik: float, tilt: Floats) -> float:
        """The penalised log-likelihood."""
        off = point.items - self._centre
        by_items = float(np.vdot(self.spreads.precision * off, off))
        by_theta = float(point.theta @ self._theta_prior.times(point.theta))
        return loglik + float(tilt @ point.items[:, 2]) - 0.5 * (by_theta + by_items)

    def system(self, point: _Point, sums: Sums) -> _System:
        """By the priors as they are now."""
        # what is fixed stays where it is, under any precision
        precision = self.spreads.precision
        slope = self._free * item_gradient(sums, *point.abc) - precision * (point.items - self._centre)
        tilt = -self._pinned * overfitting(sums.weights, point.abc[0], self._theta_prior)
        slope[:, 2] += tilt
        blocks = item_blocks(item_information(sums, *point.abc, self._free), precision)
        sides = np.zeros((len(slope), 3, 2))
        sides[:, :, 0], sides[:, 2, 1] = slope, self._pinned
        halved = blocks.halved(sides)
        return _System(point, sums, tilt, slope, blocks, halved, theta_cross(sums.weights, blocks, halved))

    def factor(self, information: Floats) -> Floats:
        """Of the precision of theta, the lower Cholesky factor; the other triangle holds what was there before."""
        prior = self._theta_prior
        precision = dsyr(-1 / prior.variance, prior.half, a=information, lower=1)
        diagonal(precision)[:] += 1 / prior.variance
        factor, failed = dpotrf(precision, lower=1, clean=0, overwrite_a=1)
        if failed:
            raise LinAlgError("The precision of the abilities is not positive definite.")
        return np.asarray(factor, dtype=np.float64)

    def step(self, system: _System, factor: Floats) -> _Step:
        point, blocks = system.point, system.blocks
        theta_slope = system.sums.theta - self._theta_prior.times(point.theta)
        reduced = -system.taken
        reduced[:, 0] += theta_slope
        theta = dpotrs(factor, reduced, lower=1)[0]
        items = blocks.solved(system.halved - item_cross(system.sums.weights, blocks, theta))
        scale = float(self._pinned @ items[:, 2, 1])
        weight = float(self._pinned @ items[:, 2, 0]) / scale if scale > 0 else 0.0
        by_theta, by_items = theta[:, 0] - weight * theta[:, 1], items[:, :, 0] - weight * items[:, :, 1]
        left = 0.5 * float(theta_slope @ by_theta + np.vdot(system.item_slope, by_items))
        return _Step(by_theta, by_items, left, theta[:, 1], items[:, :, 1], scale)

    def learn_spread(self, system: _System, information: Floats) -> float:
        """The sd of abilities anew, the items profiled out; by what share of itself it moved."""
        own, before = np.maximum(diagonal(information), 1e-3), self.spreads
        theta = system.point.theta + (system.sums.theta - system.taken[:, 0]) / own
        self.spreads = replace(before, abilities=spread_given(theta, 1 / own))
        self._theta_prior = ability_prior(len(theta), self.spreads.abilities)
        return abs(self.spreads.abilities / before.abilities - 1)

    def spreads_step(self, system: _System, step: _Step) -> Floats:
        """For the logs of the items' spreads (3,), as of where `step` leads."""
        off = system.point.items + _within(step.items, _LONGEST) - self._centre
        return spreads_step(self.spreads, off, system.blocks.variance(), self._free)


def fit_map(responses: Floats, formats: ItemFormats, start: Floats, *, rough: bool = False) -> MapFit:
    """The mode from abilities `start` (n,), for responses (n, m) of 0, 1 and nan; a `rough` one is not polished."""
    problem = _Problem(responses, formats)
    point = problem.start(start)
    sums = problem.look(point)
    parameters = len(start) + point.items.size
    enough = max(_REACHED, _REACHED_EACH * parameters) * (_ROUGHLY if rough else 1)
    learning, history, information = True, History(), np.zeros((0, 0))
    for passes in range(1, MAX_PASSES + 1):
        system = problem.system(point, sums)
        every = max(1, round(len(sums.weights.nodes.at) ** 2 * len(point.items) / _CHEAP))
        if every == 1 or passes <= _FRESH:
            information = system.on_theta(every)
        moved = problem.learn_spread(system, information) if learning else 0.0
        factor = problem.factor(information)
        step, spreads = problem.step(system, factor), np.zeros(3)
        if learning:
            spreads = problem.spreads_step(system, step)
            near = abs(step.left) < _NEAR_EACH * parameters
            settled = near and max(moved, float(np.abs(spreads).max())) < _SETTLED
            learning = passes < _LEARNING and not settled
        if (abs(step.left) < enough and not learning) or passes == MAX_PASSES:
            break
        here = _together(point.theta, point.items, problem.spreads.log_items)
        towards = history.extrapolated(here, _together(step.theta, step.items, spreads))
        point, sums, gained = _uphill(problem, system, towards, step)
        if learning:
            problem.spreads = problem.spreads.moved(towards[-3:] if gained else spreads)
    if every > 1:
        factor = problem.factor(system.on_theta())
        step = problem.step(system, factor)
    return _finished(problem, system, factor, step, passes, enough)


def _uphill(problem: _Problem, system: _System, towards: Floats, step: _Step) -> tuple[_Point, Sums, bool]:
    """Along `towards`; where that loses (the last is then False) along the plain step, halved until it gains."""
    point, n = system.point, len(step.theta)
    height = problem.height(point, system.sums.loglik, system.tilt)
    # rounding in a sum over all cells must not be taken for a loss
    enough = height - 1e-10 * abs(height) - 1e-3 * step.left
    theta, items = towards[:n], towards[n:-3].reshape(point.items.shape)
    # an item that crosses a plateau goes faster and faster, which extrapolates to where it came from
    back = np.einsum("ij,ij->i", items, step.items) < 0
    items = np.where(back[:, None], step.items, items)
    for halvings in range(9):
        moved = problem.moved(point, theta, items)
        sums = problem.look(moved)
        if problem.height(moved, sums.loglik, system.tilt) > enough:
            break
        theta, items = step.theta / 2**halvings, step.items / 2**halvings
    return moved, sums, halvings == 0


def _within(step: Floats, longest: Floats | float) -> Floats:
    return np.asarray(np.minimum(np.maximum(step, -longest), longest), dtype=np.float64)


def _together(theta: Floats, items: Floats, log_spreads: Floats) -> Floats:
    return np.concatenate([theta, items.ravel(), log_spreads])


def _finished(problem: _Problem, system: _System, factor: Floats, step: _Step, passes: int, enough: float) -> MapFit:
    """With standard errors, from the lower Cholesky `factor` of the abilities' precision and what is left to gain."""
    half_cov = dtrtri(factor, lower=1)[0]
    variance = item_variance(system.sums.weights, system.blocks, half_cov)
    # the other triangle of the factor holds what was there before
    half_cov = np.tril(half_cov)
    theta_cov = half_cov.T @ half_cov
    if step.scale > 0:
        theta_cov -= np.outer(step.scale_theta, step.scale_theta) / step.scale
        variance -= step.scale_items**2 / step.scale
    return MapFit(
        theta=system.point.theta,
        theta_cov=theta_cov,
        items=system.point.items,
        items_variance=np.maximum(variance, 0.0),
        spreads=problem.spreads,
        loglik=system.sums.loglik,
        converged=abs(step.left) < 10 * enough,
        passes=passes,
        left=step.left,
    )


def _logit(c: Floats) -> Floats:
    # a guessing of 0 is fixed: any logit whose logistic is 0 serves
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(logit(c), -745.0), dtype=np.float64)
