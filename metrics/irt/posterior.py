"""Abilities given the responses: components as a prior mean, a residual around it, its sd integrated out.

theta ~ N(x beta, s^2), beta ~ N(0, B) weakly. Given s, theta is found by maximising the penalised marginal
likelihood; its covariance is the inverse of the observed information plus the prior precision. s is not
plugged in: abilities are averaged over a grid of s by its evidence (Laplace; Tierney & Kadane 1986) under a
half-normal prior (sd .5; 1.5 where no component tells examinees apart). The maximum is sought at a few anchors
and the likelihood expanded there to second order, which gives every s near an anchor in closed form; an
expansion is not used further away, for that of a perfect score does not reach far. A mode of s is not used
either: with few examinees it often is 0, and an additive model without residual is too sure of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.optimize import minimize
from scipy.special import softmax

from viva.metrics.irt.design import Design
from viva.metrics.irt.likelihood import ItemMarginal

Floats = NDArray[np.float64]

RESIDUAL_PRIOR_SD = 0.5
# without components the residual is all that tells examinees apart
FLAT_RESIDUAL_PRIOR_SD = 1.5
_ANCHORS = np.geomspace(0.02, 4.0, 8)
_PER_ANCHOR = 7
# an anchor with less of the weight than this cannot spoil a result
_VISIBLE = 1e-3
# half the squared Newton step in units of standard errors: what is left to gain in log-likelihood
_DECREMENT = 1e-5


@dataclass(frozen=True, eq=False)
class AbilityPosterior:
    """Posterior mean and covariance of theta (n,), (n, n) and beta (p,), (p, p); mean and sd of s."""

    theta: Floats
    theta_cov: Floats
    beta: Floats
    beta_cov: Floats
    residual_sd: float
    residual_sd_se: float
    converged: bool
    iterations: int


@dataclass(frozen=True, eq=False)
class _Expansion:
    """The log-likelihood to second order: constant + pull @ theta - theta @ information @ theta / 2."""

    mode: Floats
    constant: float
    pull: Floats
    information: Floats
    decrement: float
    iterations: int


@dataclass(frozen=True, eq=False)
class _GivenResidual:
    """What holds given s: mean and covariance of theta and of beta, and the log evidence of s."""

    residual_sd: float
    theta: Floats
    theta_cov: Floats
    beta: Floats
    beta_cov: Floats
    evidence: float


def ability_posterior(likelihood: ItemMarginal, design: Design, start: Floats) -> AbilityPosterior:
    """The posterior of abilities, from `start` (n,)."""
    expansions, mode = list[_Expansion](), start
    for anchor in _ANCHORS:
        expansions.append(_expand(likelihood, _prior_cov(design, float(anchor)), mode))
        mode = expansions[-1].mode
    given = [
        _given_residual(design, expansion, float(residual_sd))
        for anchor, expansion in zip(_ANCHORS, expansions, strict=True)
        for residual_sd in anchor * _steps()
    ]
    weights = _residual_weights(given, flat=not design.levels)
    per_anchor = weights.reshape(len(_ANCHORS), _PER_ANCHOR).sum(axis=1)
    reached = [e.decrement < _DECREMENT for e, w in zip(expansions, per_anchor, strict=True) if w > _VISIBLE]
    return _averaged(given, weights, converged=all(reached), iterations=sum(e.iterations for e in expansions))


def _steps() -> Floats:
    """Factors that spread an anchor's grid points evenly, in log s, over half the way to its neighbours."""
    ratio = np.log(_ANCHORS[1] / _ANCHORS[0])
    return np.asarray(np.exp(ratio * ((np.arange(_PER_ANCHOR) + 0.5) / _PER_ANCHOR - 0.5)), dtype=np.float64)


def _prior_cov(design: Design, residual_sd: float) -> Floats:
    scaled = design.x * design.prior_sd
    return np.asarray(scaled @ scaled.T + residual_sd**2 * np.eye(len(scaled)), dtype=np.float64)


def _expand(likelihood: ItemMarginal, prior_cov: Floats, start: Floats) -> _Expansion:
    precision = np.linalg.inv(prior_cov)
    # coordinates in which the posterior is nearly round: L-BFGS then needs tens of steps, not hundreds
    scale = precision + np.diag(np.maximum(likelihood.complete_information(start), 0.0))
    basis = np.linalg.inv(np.linalg.cholesky(scale)).T

    def objective(step: Floats) -> tuple[float, Floats]:
        theta = start + basis @ step
        value, gradient = likelihood.value_and_gradient(theta)
        pulled = precision @ theta
        return 0.5 * float(theta @ pulled) - value, basis.T @ (pulled - gradient)

    found = minimize(
        objective,
        np.zeros(len(start)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 500, "gtol": 1e-4, "ftol": 1e-14, "maxcor": 20},
    )
    mode = start + basis @ found.x
    information = -likelihood.hessian(mode)
    value, gradient = likelihood.value_and_gradient(mode)
    slope = precision @ mode - gradient
    decrement = _newton_decrement(precision + information, slope)
    information = _positive_part(information)
    return _Expansion(
        mode=mode,
        constant=value - float(gradient @ mode) - 0.5 * float(mode @ information @ mode),
        pull=gradient + information @ mode,
        information=information,
        decrement=decrement,
        iterations=int(found.nit),
    )


def _newton_decrement(curvature: Floats, slope: Floats) -> float:
    """How far the log-posterior is below its maximum (inf: at none); asked in place of the optimiser's own word."""
    if eigh(curvature, eigvals_only=True)[0] <= 0:
        return float("inf")
    return 0.5 * float(slope @ np.linalg.solve(curvature, slope))


def _positive_part(information: Floats) -> Floats:
    # where the responses say nothing (a perfect score) the likelihood may curve upwards by a hair
    values, vectors = eigh(information)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T, dtype=np.float64)


def _given_residual(design: Design, expansion: _Expansion, residual_sd: float) -> _GivenResidual:
    prior_cov = _prior_cov(design, residual_sd)
    precision = np.linalg.inv(prior_cov) + expansion.information
    factor = cho_factor(precision, lower=True)
    theta_cov = cho_solve(factor, np.eye(len(precision)))
    theta = theta_cov @ expansion.pull
    log_dets = 2 * float(np.log(np.diag(factor[0])).sum()) + float(np.linalg.slogdet(prior_cov)[1])
    beta_given = np.linalg.inv(np.diag(design.prior_sd**-2) + design.x.T @ design.x / residual_sd**2)
    to_beta = beta_given @ design.x.T / residual_sd**2
    return _GivenResidual(
        residual_sd=residual_sd,
        theta=theta,
        theta_cov=theta_cov,
        beta=to_beta @ theta,
        beta_cov=beta_given + to_beta @ theta_cov @ to_beta.T,
        evidence=expansion.constant + 0.5 * float(expansion.pull @ theta) - 0.5 * log_dets,
    )


def _residual_weights(given: Sequence[_GivenResidual], *, flat: bool) -> Floats:
    residual_sd = np.array([each.residual_sd for each in given])
    evidence = np.array([each.evidence for each in given])
    scale = FLAT_RESIDUAL_PRIOR_SD if flat else RESIDUAL_PRIOR_SD
    # the grid is even in log s: the last term is the Jacobian
    return np.asarray(softmax(evidence - 0.5 * (residual_sd / scale) ** 2 + np.log(residual_sd)), dtype=np.float64)


def _averaged(
    given: Sequence[_GivenResidual], weights: Floats, *, converged: bool, iterations: int
) -> AbilityPosterior:
    theta, theta_cov = _mixture(weights, [each.theta for each in given], [each.theta_cov for each in given])
    beta, beta_cov = _mixture(weights, [each.beta for each in given], [each.beta_cov for each in given])
    residual_sd = np.array([each.residual_sd for each in given])
    mean_sd = float(weights @ residual_sd)
    return AbilityPosterior(
        theta=theta,
        theta_cov=theta_cov,
        beta=beta,
        beta_cov=beta_cov,
        residual_sd=mean_sd,
        residual_sd_se=float(np.sqrt(weights @ (residual_sd - mean_sd) ** 2)),
        converged=converged,
        iterations=iterations,
    )


def _mixture(weights: Floats, means: Sequence[Floats], covs: Sequence[Floats]) -> tuple[Floats, Floats]:
    mean = weights @ np.array(means)
    off = np.array(means) - mean
    cov = np.einsum("k,kij->ij", weights, np.array(covs)) + (off * weights[:, None]).T @ off
    return np.asarray(mean, dtype=np.float64), np.asarray((cov + cov.T) / 2, dtype=np.float64)
