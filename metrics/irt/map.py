"""Maximum a posteriori by Fisher scoring, for as many examinees and items as there are.

Abilities and item parameters are found together: theta ~ N(x beta, s^2) with beta integrated out, b ~ N(0, sd_b^2),
log a ~ N(0, sd_a^2), logit c ~ N(logit(1/options), sd_c^2). The mean of log a over the items is held at 0 (a
bordered system): with independent priors on both sides of a (theta - b) abilities and difficulties shrink together.
sd_b, sd_a, sd_c (Dempster, Laird & Rubin 1977) and s (its mean under the restricted likelihood) are learned in the
first passes, until they rest, then held. Each pass costs one look at the cells (module cells), 3x3 blocks for the
items and one system of the size of the examinees (module blocks); the information that remains gives the standard
errors. Fisher scoring converges linearly: its steps after the first are extrapolated (Anderson 1965).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri
from scipy.special import expit, logit

from viva.metrics.irt.acceleration import History
from viva.metrics.irt.blocks import (
    ItemBlocks,
    ItemInformation,
    diagonal,
    item_blocks,
    item_cross,
    item_gradient,
    item_information,
    item_variance,
    profile_information,
    theta_cross,
)
from viva.metrics.irt.cells import Cells, Sums
from viva.metrics.irt.design import Design, ability_prior
from viva.metrics.irt.formats import ItemFormats
from viva.metrics.irt.residual import NO_RESIDUAL_SD, residual_given

Floats = NDArray[np.float64]

MAX_PASSES = 200
# half the squared step in units of standard errors, over all parameters and for each: what is left to gain
_REACHED = 1e-4
_REACHED_EACH = 5e-7
# passes in which the spreads of the priors are updated at most: until they have hardly moved in so many in a row
_LEARNING = 20
_SETTLED = 0.03
_STILL = 3
# of b, of log a and of logit c, with the items' worth of belief in them
_USUAL_SD = (1.0, 0.4, 0.4)
_USUAL = 5.0
# guessing freer than this takes the search hundreds of passes
_LOGIT_C_SDS = (0.2, 0.8)
# with more examinees^2 x items than this the curvature is taken from a part of the items, in the first passes alone
_CHEAP = 1.3e9
_FRESH = 5
# averaging over items or examinees flattens a curve
_STRETCH = 1.2
_LONGEST = np.array([1.5, 2.0, 1.0])


@dataclass(frozen=True, eq=False)
class Spreads:
    """Of the priors: sd of b, of log a, of logit c, of the residual."""

    b: float
    log_a: float
    logit_c: float
    residual: float


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
    """Everything a step needs at a point: the penalised log-likelihood, its slopes and the items' information."""

    point: _Point
    sums: Sums
    height: float
    theta_slope: Floats
    item_slope: Floats
    responses: ItemInformation
    blocks: ItemBlocks

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

    def __init__(self, responses: Floats, formats: ItemFormats, design: Design) -> None:
        self.cells = Cells(responses)
        self.design = design
        free_slope, free_guessing = formats.free_slope, formats.free_guessing
        self._free = np.stack([free_guessing, np.ones_like(free_slope), free_slope], axis=1).astype(np.float64)
        self._pinned = self._free[:, 2]
        self._centre = np.zeros_like(self._free)
        self._centre[:, 0] = _logit(formats.start_guessing)
        self.learn(Spreads(*_USUAL_SD, residual=_first_residual(design)))

    def learn(self, spreads: Spreads) -> None:
        self.spreads = spreads
        self._theta_prior = ability_prior(self.design, spreads.residual)
        # what is fixed stays where it is, under any precision
        self._precision = np.array([spreads.logit_c, spreads.b, spreads.log_a]) ** -2.0

    def start(self, theta: Floats) -> _Point:
        c = expit(self._centre[:, 0])
        known = np.clip((self.cells.shares() - c) / (1 - c), 0.05, 0.95)
        items = self._centre.copy()
        items[:, 1] = theta.mean() - _STRETCH * logit(known)
        return _Point(theta, items)

    def system(self, point: _Point) -> _System:
        """From one pass over the cells."""
        a, b, c = point.abc
        sums = self.cells.sums(point.theta, a, -a * b, c)
        return self.penalised(point, sums, item_information(sums, a, b, c, self._free))

    def penalised(self, point: _Point, sums: Sums, responses: ItemInformation) -> _System:
        """By the priors as they are now."""
        off = point.items - self._centre
        by_theta, by_items = self._theta_prior.times(point.theta), self._precision * off
        return _System(
            point=point,
            sums=sums,
            height=sums.loglik - 0.5 * float(point.theta @ by_theta + np.vdot(by_items, off)),
            theta_slope=sums.theta - by_theta,
            item_slope=self._free * item_gradient(sums, *point.abc) - by_items,
            responses=responses,
            blocks=item_blocks(responses, self._precision),
        )

    def factor(self, information: Floats) -> Floats:
        """Of the precision of theta, the lower Cholesky factor; the other triangle holds what was there before."""
        prior = self._theta_prior
        precision = dsyrk(-1 / prior.variance, prior.half.T, beta=1.0, c=information, trans=1, lower=1)
        diagonal(precision)[:] += 1 / prior.variance
        factor, failed = dpotrf(precision, lower=1, clean=0, overwrite_a=1)
        if failed:
            raise LinAlgError("The precision of the abilities is not positive definite.")
        return np.asarray(factor, dtype=np.float64)

    def step(self, system: _System, factor: Floats) -> _Step:
        point, blocks, weights = system.point, system.blocks, system.sums.weights
        sides = np.zeros((len(point.items), 3, 2))
        sides[:, :, 0], sides[:, 2, 1] = system.item_slope, self._pinned
        halved = blocks.halved(sides)
        reduced = -theta_cross(weights, blocks, halved)
        reduced[:, 0] += system.theta_slope
        theta = dpotrs(factor, reduced, lower=1)[0]
        items = blocks.solved(halved - item_cross(weights, blocks, theta))
        scale = float(self._pinned @ items[:, 2, 1])
        excess = float(self._pinned @ (items[:, 2, 0] + point.items[:, 2]))
        weight = excess / scale if scale > 0 else 0.0
        by_theta, by_items = theta[:, 0] - weight * theta[:, 1], items[:, :, 0] - weight * items[:, :, 1]
        left = 0.5 * float(system.theta_slope @ by_theta + np.vdot(system.item_slope, by_items))
        return _Step(by_theta, by_items, left, theta[:, 1], items[:, :, 1], scale)

    def learned(self, system: _System, information: Floats) -> Spreads:
        """One step of EM for the items' spreads, weakly held to their usual values; the residual's sd anew."""
        point, blocks, weights = system.point, system.blocks, system.sums.weights
        squares = (point.items - self._centre) ** 2 + blocks.variance()
        taken = theta_cross(weights, blocks, blocks.halved(system.item_slope[:, :, None]))[:, 0]
        slope = system.theta_slope + self._theta_prior.times(point.theta) - taken
        own = np.maximum(diagonal(information), 1e-3)
        usual_b, usual_a, usual_c = _USUAL_SD
        free, (least, most) = self._free > 0, _LOGIT_C_SDS
        return Spreads(
            b=_spread(squares[:, 1], usual_b),
            log_a=_spread(squares[free[:, 2], 2], usual_a),
            logit_c=min(max(_spread(squares[free[:, 0], 0], usual_c), least), most),
            residual=residual_given(self.design, point.theta + slope / own, 1 / own),
        )


def fit_map(responses: Floats, formats: ItemFormats, design: Design, start: Floats) -> MapFit:
    """The mode from abilities `start` (n,), for responses (n, m) of 0, 1 and nan."""
    problem = _Problem(responses, formats, design)
    system = problem.system(problem.start(start))
    enough = max(_REACHED, _REACHED_EACH * (len(start) + system.item_slope.size))
    learning, still, history, information = _LEARNING, 0, History(), np.zeros((0, 0))
    for passes in range(1, MAX_PASSES + 1):
        every = max(1, round(len(system.sums.weights.nodes.at) ** 2 * len(system.item_slope) / _CHEAP))
        current = every == 1
        if current or passes <= _FRESH:
            information = system.on_theta(every)
        if learning and passes > 1:
            spreads = problem.learned(system, information)
            still = still + 1 if _close(spreads, problem.spreads) else 0
            learning = 0 if still == _STILL else learning - 1
            problem.learn(spreads)
            system, current = problem.penalised(system.point, system.sums, system.responses), False
        factor = problem.factor(information)
        step = problem.step(system, factor)
        if step.left < enough and not learning:
            break
        direction = (step.theta, step.items) if passes == 1 else _extrapolated(history, system.point, step)
        system, current = _uphill(problem, system, direction, step), False
    if not current:
        factor = problem.factor(system.on_theta())
        step = problem.step(system, factor)
    return _finished(problem, system, factor, step, passes, enough)


def _uphill(problem: _Problem, system: _System, direction: tuple[Floats, Floats], step: _Step) -> _System:
    """Along `direction`, or where that loses along the plain step, halved until it does not lose."""
    point, enough = system.point, system.height - 1e-10 * abs(system.height) - 1e-3 * step.left
    for theta, items in (direction, *((step.theta / 2**k, step.items / 2**k) for k in range(8))):
        moved = _Point(point.theta + np.clip(theta, -1.5, 1.5), point.items + np.clip(items, -_LONGEST, _LONGEST))
        system = problem.system(moved)
        # rounding in a sum over all cells must not be taken for a loss
        if system.height > enough:
            break
    return system


def _extrapolated(history: History, point: _Point, step: _Step) -> tuple[Floats, Floats]:
    here, move = (np.concatenate([each.theta, each.items.ravel()]) for each in (point, step))
    found = history.extrapolated(here, move)
    return found[: len(point.theta)], found[len(point.theta) :].reshape(point.items.shape)


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
        converged=step.left < 10 * enough,
        passes=passes,
        left=step.left,
    )


def _spread(squares: Floats, usual: float) -> float:
    return float(np.sqrt((squares.sum() + _USUAL * usual**2) / (len(squares) + _USUAL)))


def _close(first: Spreads, second: Spreads) -> bool:
    return all(abs(getattr(first, each.name) / getattr(second, each.name) - 1) < _SETTLED for each in fields(Spreads))


def _first_residual(design: Design) -> float:
    return NO_RESIDUAL_SD if design.saturated else (0.2 if design.levels else 1.0)


def _logit(c: Floats) -> Floats:
    # a guessing of 0 is fixed: any logit whose logistic is 0 serves
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(logit(c), -745.0), dtype=np.float64)
