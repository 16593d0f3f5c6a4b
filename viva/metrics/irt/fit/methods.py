"""The estimation methods: each turns responses into estimates and what the components add."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from viva.metrics.irt.fit.items_integrated.grid import HYPER_MEAN
from viva.metrics.irt.fit.items_integrated.likelihood import ItemMarginal, ItemPosterior
from viva.metrics.irt.fit.items_integrated.posterior import SearchStart, ability_posterior
from viva.metrics.irt.fit.joint_mode.search import MapFit, fit_map
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.formats import ItemFormats

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """What every method is given: responses (n, m), and how the items can be answered."""

    values: Floats
    formats: ItemFormats


@dataclass(frozen=True, eq=False)
class Calibration:
    """Abilities theta (n,) with their covariance (n, n), items a, b, c (m,) with standard errors (m,).

    `spread` is the sd of abilities in the population; predicted probabilities (n, m). `loglik` is the log-likelihood
    the method maximised, without priors (what it is integrated over is the method's own). `converged` was checked
    from the gradient, not taken from an optimiser's word; `message` says in words what was found.
    """

    theta: Floats
    theta_cov: Floats
    a: Floats
    b: Floats
    c: Floats
    a_se: Floats
    b_se: Floats
    c_se: Floats
    spread: float
    probability: Floats
    loglik: float
    converged: bool
    iterations: int
    message: str


def by_items(problem: Problem) -> Calibration:
    """Marginal maximum likelihood over items: modules likelihood and posterior."""
    likelihood = ItemMarginal(problem.values, problem.formats)
    found = ability_posterior(likelihood, rough_start(problem))
    psi = np.concatenate([found.theta, found.hyper])
    items, formats = likelihood.items(psi), problem.formats
    unit = _unit(items) if formats.free_slope.all() else 1.0
    return Calibration(
        theta=unit * found.theta,
        theta_cov=unit**2 * found.theta_cov,
        a=np.where(formats.free_slope, items.a / unit, 1.0),
        b=unit * items.b,
        c=np.where(formats.free_guessing, items.c, formats.guessing),
        a_se=np.where(formats.free_slope, items.a_se / unit, 0.0),
        b_se=unit * items.b_se,
        c_se=np.where(formats.free_guessing, items.c_se, 0.0),
        spread=unit * found.spread,
        probability=items.probability,
        loglik=items.loglik,
        converged=found.converged,
        iterations=found.iterations,
        message=(
            f"{_state(found.converged)}: {found.iterations} Newton steps over abilities and the items' spreads"
            + (f"; {found.trouble}" if found.trouble else "")
        ),
    )


def _unit(items: ItemPosterior) -> float:
    """Give the geometric mean of the discriminations: the prior puts its own at 1, the answers somewhat above.

    Without it abilities are drawn in, by 15% with 150 examinees and 60 items. An item's mean of log a is that of a
    lognormal posterior.
    """
    return float(np.exp(np.mean(np.log(items.a) - 0.5 * np.log1p((items.a_se / items.a) ** 2))))


def rough_start(problem: Problem) -> SearchStart:
    """Where the search of `by_items` begins: near the joint mode."""
    mode = _mode(problem, rough=True)
    hyper = np.array([np.log(mode.spreads.b), np.log(mode.spreads.log_a), HYPER_MEAN[2]])
    return SearchStart.rough(np.concatenate([mode.theta, hyper]), mode.spreads.abilities)


def by_mode(problem: Problem) -> Calibration:
    """Maximum a posteriori by Fisher scoring: module map."""
    found = _mode(problem)
    a, b, c = np.exp(found.items[:, 2]), found.items[:, 1], expit(found.items[:, 0])
    # delta method: d a / d log a = a, d c / d logit c = c (1 - c)
    c_se, b_se, a_se = (np.sqrt(found.items_variance) * np.stack([c * (1 - c), np.ones_like(b), a], axis=1)).T
    free = problem.formats
    return Calibration(
        theta=found.theta,
        theta_cov=found.theta_cov,
        a=a,
        b=b,
        c=c,
        a_se=np.where(free.free_slope, a_se, 0.0),
        b_se=b_se,
        c_se=np.where(free.free_guessing, c_se, 0.0),
        spread=found.spreads.abilities,
        probability=probability_3pl(found.theta, a, b, c),
        loglik=found.loglik,
        converged=found.converged,
        iterations=found.passes,
        message=(
            f"{_state(found.converged)}: {found.passes} passes of Fisher scoring, {found.left:.1g} of log-likelihood "
            "left to gain"
        ),
    )


METHODS = {"mml-items": by_items, "map": by_mode}


def _mode(problem: Problem, *, rough: bool = False) -> MapFit:
    start = _start(problem.values, problem.formats)
    return fit_map(problem.values, problem.formats, start, rough=rough)


def _start(values: Floats, formats: ItemFormats) -> Floats:
    """Abilities from shares of right answers, one answer added either way."""
    right, missing = np.count_nonzero(values == 1, axis=1), np.count_nonzero(np.isnan(values), axis=1)
    share = (right + 1) / (values.shape[1] - missing + 2)
    floor = float(formats.start_guessing.mean())
    return np.asarray(logit(np.clip((share - floor) / (1 - floor), 0.05, 0.95)), dtype=np.float64)


def _state(converged: bool) -> str:
    return "converged" if converged else "not converged"
