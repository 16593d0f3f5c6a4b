"""Maximum a posteriori by Fisher scoring, for as many examinees and items as there are.

Abilities and item parameters are found together: theta ~ N(x beta, s^2) with beta integrated out, b ~ N(0, sd_b^2),
log a ~ N(0, sd_a^2), logit c ~ N(logit(1/options), sd_c^2). The mean of log a over the items is held at 0 (a
bordered system): with independent priors on both sides of a (theta - b) abilities and difficulties shrink together.
sd_b, sd_a, sd_c (Dempster, Laird & Rubin 1977) and s (its mean under the restricted likelihood) are learned in the
first passes, then held. Each pass costs one look at the cells (module cells), 3x3 blocks for the items and one system
of the size of the examinees (module blocks); the information that remains gives the standard errors. Fisher scoring
converges linearly: its steps are extrapolated (Anderson 1965).
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dtrtri
from scipy.special import expit, logit

from viva.metrics.irt.acceleration import History
from viva.metrics.irt.blocks import (
    ItemBlocks,
    item_blocks,
    item_cross,
    item_gradient,
    item_variance,
    profile_information,
    theta_cross,
)
from viva.metrics.irt.cells import Cells, Sums
from viva.metrics.irt.design import Design, theta_precision
from viva.metrics.irt.formats import ItemFormats
from viva.metrics.irt.residual import NO_RESIDUAL_SD, residual_given

Floats = NDArray[np.float64]

MAX_PASSES = 200
# half the squared step in units of standard errors, over all parameters and for each: what is left to gain
_REACHED = 1e-4
_REACHED_EACH = 5e-7
# passes in which the spreads of the priors are updated
_LEARNING = 8
_SETTLED = 0.03
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

    @property
    def abc(self) -> tuple[Floats, Floats, Floats]:
        return np.exp(self.items[:, 2]), self.items[:, 1], expit(self.items[:, 0])


@dataclass(frozen=True, eq=False)
class _System:
    """Everything a step needs at a point: slopes of the penalised log-likelihood and the items' information."""

    sums: Sums
    blocks: ItemBlocks
    theta_slope: Floats
    item_slope: Floats


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
        self._free = np.stack([formats.free_guessing, np.ones(len(formats.models), bool), formats.free_slope], axis=1)
        self._pinned = formats.free_slope.astype(np.float64)
        self._centre = np.zeros((len(formats.models), 3))
        self._centre[:, 0] = _logit(formats.start_guessing)
        self.learn(Spreads(*_USUAL_SD, residual=_first_residual(design)))

    def learn(self, spreads: Spreads) -> None:
        self.spreads = spreads
        self.theta_prior = theta_precision(self.design, spreads.residual)[0]

    def start(self, theta: Floats, share: Floats) -> _Point:
        c = expit(self._centre[:, 0])
        known = np.clip((share - c) / (1 - c), 0.05, 0.95)
        items = self._centre.copy()
        items[:, 1] = theta.mean() - _STRETCH * logit(known)
        return _Point(theta, items)

    def system(self, point: _Point, sums: Sums) -> _System:
        a, b, c = point.abc
        precision = self._precision()
        off = np.where(self._free, point.items - self._centre, 0.0)
        return _System(
            sums=sums,
            blocks=item_blocks(sums, a, b, c, np.where(self._free, precision, np.inf)),
            theta_slope=sums.theta - self.theta_prior @ point.theta,
            item_slope=np.where(self._free, item_gradient(sums, a, b, c), 0.0) - precision * off,
        )

    def information(self, point: _Point, system: _System, every: int = 1) -> Floats:
        """On theta, the items eliminated: the lower triangle."""
        return profile_information(self.cells, point.theta, point.abc[0], system.blocks, every=every)

    def factor(self, information: Floats) -> tuple[Floats, bool]:
        # transposed, a symmetric matrix is in the order that LAPACK works in
        precision = information + self.theta_prior.T
        return cho_factor(precision, lower=True, overwrite_a=True, check_finite=False)[0], True

    def height(self, point: _Point, sums: Sums) -> float:
        off = np.where(self._free, point.items - self._centre, 0.0)
        pull = self._precision() * off
        return sums.loglik - 0.5 * float(point.theta @ self.theta_prior @ point.theta + (pull * off).sum())

    def _precision(self) -> Floats:
        return np.array([self.spreads.logit_c, self.spreads.b, self.spreads.log_a]) ** -2.0

    def step(self, point: _Point, system: _System, factor: tuple[Floats, bool]) -> _Step:
        sides = np.zeros((len(point.items), 3, 2))
        sides[:, :, 0], sides[:, 2, 1] = system.item_slope, self._pinned
        solved = system.blocks.solve(sides)
        reduced = -theta_cross(self.cells, point.theta, system.blocks, solved)
        reduced[:, 0] += system.theta_slope
        theta = cho_solve(factor, reduced, check_finite=False)
        items = solved - system.blocks.solve(item_cross(self.cells, point.theta, system.blocks, theta))
        scale = float(self._pinned @ items[:, 2, 1])
        excess = float(self._pinned @ (items[:, 2, 0] + point.items[:, 2]))
        weight = excess / scale if scale > 0 else 0.0
        by_theta, by_items = theta[:, 0] - weight * theta[:, 1], items[:, :, 0] - weight * items[:, :, 1]
        left = 0.5 * float(system.theta_slope @ by_theta + (system.item_slope * by_items).sum())
        return _Step(by_theta, by_items, left, theta[:, 1], items[:, :, 1], scale)

    def learned(self, point: _Point, system: _System, information: Floats) -> Spreads:
        """One step of EM for the items' spreads, weakly held to their usual values; the residual's sd anew."""
        squares = (point.items - self._centre) ** 2 + system.blocks.variance()
        slope = system.theta_slope + self.theta_prior @ point.theta
        solved = system.blocks.solve(system.item_slope[:, :, None])
        slope = slope - theta_cross(self.cells, point.theta, system.blocks, solved)[:, 0]
        own = np.maximum(np.diag(information), 1e-3)
        usual_b, usual_a, usual_c = _USUAL_SD
        return Spreads(
            b=_spread(squares[:, 1], usual_b),
            log_a=_spread(squares[self._free[:, 2], 2], usual_a),
            logit_c=float(np.clip(_spread(squares[self._free[:, 0], 0], usual_c), *_LOGIT_C_SDS)),
            residual=residual_given(self.design, point.theta + slope / own, 1 / own),
        )


def fit_map(responses: Floats, formats: ItemFormats, design: Design, start: Floats) -> MapFit:
    """The mode from abilities `start` (n,), for responses (n, m) of 0, 1 and nan."""
    problem = _Problem(responses, formats, design)
    point = problem.start(start, problem.cells.shares())
    sums = problem.cells.sums(point.theta, *_slope_intercept(point))
    every = max(1, round(len(start) ** 2 * len(point.items) / _CHEAP))
    enough = max(_REACHED, _REACHED_EACH * (len(start) + point.items.size))
    learning, history, information = _LEARNING, History(), np.zeros((0, 0))
    for passes in range(1, MAX_PASSES + 1):
        system, current = problem.system(point, sums), False
        if every == 1 or passes <= _FRESH:
            information, current = problem.information(point, system, every), every == 1
        if learning and passes > 1:
            spreads = problem.learned(point, system, information)
            learning = 0 if _close(spreads, problem.spreads) else learning - 1
            problem.learn(spreads)
            system, current = problem.system(point, sums), False
        factor = problem.factor(information)
        step = problem.step(point, system, factor)
        if step.left < enough and not learning:
            break
        direction = (step.theta, step.items) if learning else _extrapolated(history, point, step)
        point, sums = _uphill(problem, point, system, direction, step)
        current = False
    if not current:
        system = problem.system(point, sums)
        factor = problem.factor(problem.information(point, system))
        step = problem.step(point, system, factor)
    return _finished(problem, point, system, factor[0], step, passes, enough)


def _uphill(
    problem: _Problem, point: _Point, system: _System, direction: tuple[Floats, Floats], step: _Step
) -> tuple[_Point, Sums]:
    """Along `direction`, or where that loses along the plain step, halved until it does not lose."""
    height = problem.height(point, system.sums)
    enough = height - 1e-10 * abs(height) - 1e-3 * step.left
    for theta, items in (direction, *((step.theta / 2**k, step.items / 2**k) for k in range(8))):
        there = _Point(point.theta + np.clip(theta, -1.5, 1.5), point.items + np.clip(items, -_LONGEST, _LONGEST))
        sums = problem.cells.sums(there.theta, *_slope_intercept(there))
        # rounding in a sum over all cells must not be taken for a loss
        if problem.height(there, sums) > enough:
            break
    return there, sums


def _extrapolated(history: History, point: _Point, step: _Step) -> tuple[Floats, Floats]:
    here, move = (np.concatenate([each.theta, each.items.ravel()]) for each in (point, step))
    found = history.extrapolated(here, move)
    return found[: len(point.theta)], found[len(point.theta) :].reshape(point.items.shape)


def _finished(
    problem: _Problem, point: _Point, system: _System, factor: Floats, step: _Step, passes: int, enough: float
) -> MapFit:
    """With standard errors, from the lower Cholesky `factor` of the abilities' precision and what is left to gain."""
    half_cov = dtrtri(factor, lower=1)[0]
    variance = item_variance(problem.cells, point.theta, system.blocks, half_cov)
    # the other triangle of the factor holds what was there before
    half_cov = np.tril(half_cov)
    theta_cov = half_cov.T @ half_cov
    if step.scale > 0:
        theta_cov -= np.outer(step.scale_theta, step.scale_theta) / step.scale
        variance -= step.scale_items**2 / step.scale
    return MapFit(
        theta=point.theta,
        theta_cov=theta_cov,
        items=point.items,
        items_variance=np.maximum(variance, 0.0),
        spreads=problem.spreads,
        loglik=system.sums.loglik,
        converged=step.left < 10 * enough,
        passes=passes,
        left=step.left,
    )


def _slope_intercept(point: _Point) -> tuple[Floats, Floats, Floats]:
    a, b, c = point.abc
    return a, -a * b, c


def _spread(squares: Floats, usual: float) -> float:
    return float(np.sqrt((squares.sum() + _USUAL * usual**2) / (len(squares) + _USUAL)))


def _close(first: Spreads, second: Spreads) -> bool:
    pairs = zip(astuple(first), astuple(second), strict=True)
    return all(abs(x / y - 1) < _SETTLED for x, y in pairs)


def _first_residual(design: Design) -> float:
    if design.saturated:
        return NO_RESIDUAL_SD
    return 0.2 if design.levels else 1.0


def _logit(c: Floats) -> Floats:
    # a guessing of 0 is fixed: any logit whose logistic is 0 serves
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(logit(c), -745.0), dtype=np.float64)
