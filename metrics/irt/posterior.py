"""Abilities given the responses: components as a prior mean, a residual around it, its sd integrated out.

theta ~ N(x beta, s^2), beta ~ N(0, B) weakly. Given s, theta is found by maximising the penalised marginal
likelihood; its covariance is the inverse of the observed information plus the prior precision. s is not
plugged in: around that maximum the likelihood is expanded to second order once, which gives the evidence of any
s in closed form (Laplace; Tierney & Kadane 1986), and abilities are averaged over a grid of s under a half-normal
prior. The expansion is renewed at the s it points to until that s settles. A mode of s is not used: with few
examinees it often is 0, and an additive model without residual is too sure of itself.
"""

from __future__ import annotations

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
_RESIDUAL_GRID = np.geomspace(0.01, 3.0, 48)
_FIRST_RESIDUAL = 0.3
_SETTLED = 0.01
_MAX_ROUNDS = 12
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
    """The log-likelihood to second order: pull @ theta - theta @ information @ theta / 2 + a constant."""

    mode: Floats
    pull: Floats
    information: Floats
    decrement: float
    iterations: int


def ability_posterior(likelihood: ItemMarginal, design: Design, start: Floats) -> AbilityPosterior:
    """The posterior of abilities, from `start` (n,)."""
    residual_sd, mode, iterations, settled = _FIRST_RESIDUAL, start, 0, False
    for _ in range(_MAX_ROUNDS):
        expansion = _expand(likelihood, _prior_cov(design, residual_sd), mode)
        iterations, mode = iterations + expansion.iterations, expansion.mode
        weights = _residual_weights(design, expansion)
        previous, residual_sd = residual_sd, float(np.exp(weights @ np.log(_RESIDUAL_GRID)))
        settled = abs(np.log(residual_sd / previous)) < _SETTLED
        if settled:
            break
    converged = settled and 0 <= expansion.decrement < _DECREMENT
    return _averaged(design, expansion, weights, converged=converged, iterations=iterations)


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
        options={"maxiter": 500, "gtol": 1e-5, "ftol": 1e-14, "maxcor": 20},
    )
    mode = start + basis @ found.x
    information = -likelihood.hessian(mode)
    gradient = likelihood.value_and_gradient(mode)[1]
    slope = precision @ mode - gradient
    # `found.success` is not asked: the Newton decrement measures the distance to the maximum itself
    decrement = 0.5 * float(slope @ np.linalg.solve(precision + information, slope))
    information = _positive_part(information)
    return _Expansion(
        mode=mode,
        pull=gradient + information @ mode,
        information=information,
        decrement=decrement,
        iterations=int(found.nit),
    )


def _positive_part(information: Floats) -> Floats:
    # where the responses say nothing (a perfect score) the likelihood may curve upwards by a hair
    values, vectors = eigh(information)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T, dtype=np.float64)


def _given_residual(design: Design, expansion: _Expansion, residual_sd: float) -> tuple[Floats, Floats, float]:
    """Mean and covariance of theta given s, and the log evidence of s up to a constant."""
    prior_cov = _prior_cov(design, residual_sd)
    precision = np.linalg.inv(prior_cov) + expansion.information
    factor = cho_factor(precision, lower=True)
    cov = cho_solve(factor, np.eye(len(precision)))
    mean = cov @ expansion.pull
    log_det = 2 * float(np.log(np.diag(factor[0])).sum())
    evidence = 0.5 * float(expansion.pull @ mean) - 0.5 * float(np.linalg.slogdet(prior_cov)[1]) - 0.5 * log_det
    return mean, cov, evidence


def _residual_weights(design: Design, expansion: _Expansion) -> Floats:
    evidence = np.array([_given_residual(design, expansion, float(s))[2] for s in _RESIDUAL_GRID])
    # the grid is even in log s: the last term is the Jacobian
    log_prior = -0.5 * (_RESIDUAL_GRID / RESIDUAL_PRIOR_SD) ** 2 + np.log(_RESIDUAL_GRID)
    return np.asarray(softmax(evidence + log_prior), dtype=np.float64)


def _averaged(
    design: Design, expansion: _Expansion, weights: Floats, *, converged: bool, iterations: int
) -> AbilityPosterior:
    thetas, theta_covs, betas, beta_covs = [], [], [], []
    for residual_sd in _RESIDUAL_GRID:
        theta, theta_cov, _ = _given_residual(design, expansion, float(residual_sd))
        beta_given = np.linalg.inv(np.diag(design.prior_sd**-2) + design.x.T @ design.x / residual_sd**2)
        to_beta = beta_given @ design.x.T / residual_sd**2
        thetas.append(theta)
        theta_covs.append(theta_cov)
        betas.append(to_beta @ theta)
        beta_covs.append(beta_given + to_beta @ theta_cov @ to_beta.T)
    theta, theta_cov = _mixture(weights, np.array(thetas), np.array(theta_covs))
    beta, beta_cov = _mixture(weights, np.array(betas), np.array(beta_covs))
    mean_sd = float(weights @ _RESIDUAL_GRID)
    return AbilityPosterior(
        theta=theta,
        theta_cov=theta_cov,
        beta=beta,
        beta_cov=beta_cov,
        residual_sd=mean_sd,
        residual_sd_se=float(np.sqrt(weights @ (_RESIDUAL_GRID - mean_sd) ** 2)),
        converged=converged,
        iterations=iterations,
    )


def _mixture(weights: Floats, means: Floats, covs: Floats) -> tuple[Floats, Floats]:
    mean = weights @ means
    off = means - mean
    cov = np.einsum("k,kij->ij", weights, covs) + np.einsum("k,ki,kj->ij", weights, off, off)
    return np.asarray(mean, dtype=np.float64), np.asarray((cov + cov.T) / 2, dtype=np.float64)
