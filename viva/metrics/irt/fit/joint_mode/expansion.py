"""A log-likelihood to second order around the maximum of the posterior, found by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, eigh
from scipy.linalg.lapack import dpotrf

Floats = NDArray[np.float64]

# a search that has not ended by then is said not to have converged
MAX_STEPS = 30
# logits, or logs of a spread: a quadratic is not believed further
_LONGEST = 1.0
_ROUNDING = 1e-8
# half the squared Newton step in units of standard errors: what is left to gain in log-likelihood
_REACHED = 1e-5
# what an expansion may be off by, on the same scale, and still be used
_HOLDS = 3e-2
# so close to the maximum, the curvature is that at the maximum
_NEAR = 1e-2
# a step that leaves more than this of the gain to make calls for a fresh curvature
_STALE = 0.1


class Likelihood(Protocol):
    """What is expanded."""

    def value_and_gradient(self, psi: Floats, /) -> tuple[float, Floats]:
        """Log-likelihood and gradient."""

    def hessian(self, psi: Floats, /) -> Floats:
        """Second derivatives."""


@dataclass(frozen=True, eq=False)
class GaussianPrior:
    """Mean (k,) and precision (k, k) of psi; the log determinant of the covariance, up to a constant."""

    mean: Floats
    precision: Floats
    log_det_cov: float


@dataclass(frozen=True, eq=False)
class Expansion:
    """The log-likelihood to second order: constant + pull @ psi - psi @ information @ psi / 2, around `mode`."""

    mode: Floats
    constant: float
    pull: Floats
    information: Floats
    converged: bool
    iterations: int


def expand(
    likelihood: Likelihood,
    prior: GaussianPrior,
    start: Floats,
    near: Floats | None = None,
    *,
    tilt: Floats | float = 0.0,
    rough: bool = False,
) -> Expansion:
    """The expansion around the maximum of log-likelihood + log prior + tilt @ psi, sought from `start` (k,).

    `near` (k, k) is the information somewhere near, to begin with; a `rough` expansion keeps what it last used.
    """
    psi, (value, gradient) = start, likelihood.value_and_gradient(start)
    information, gain, off, steps = near, np.inf, np.inf, 0
    enough = _HOLDS if rough else _REACHED
    while steps < MAX_STEPS:
        if information is None:
            information, off = _positive_part(-likelihood.hessian(psi)), -1.0
        slope = gradient + tilt - prior.precision @ (psi - prior.mean)
        step = cho_solve(factored(prior.precision + information), slope, check_finite=False)
        left = 0.5 * float(slope @ step)
        # `off`: how far the information is from home; -1 where it was made here
        off = left if off < 0 else off
        if left < enough and (rough or off < _HOLDS):
            break
        if (not rough and left < _NEAR and off >= _HOLDS) or (left > _STALE * gain and off > left):
            information, gain = None, np.inf
            continue
        psi, value, gradient, moved = _uphill(likelihood, prior, psi, value, step, tilt, left)
        gain, steps = left, steps + 1
        if not moved:
            break
    information = _positive_part(-likelihood.hessian(psi)) if information is None else information
    slope = gradient + tilt - prior.precision @ (psi - prior.mean)
    return Expansion(
        mode=psi,
        constant=value - float(gradient @ psi) - 0.5 * float(psi @ information @ psi),
        pull=gradient + information @ psi,
        information=information,
        converged=_decrement(prior.precision + information, slope) < 10 * enough,
        iterations=steps,
    )


def holds_at(
    likelihood: Likelihood, prior: GaussianPrior, expansion: Expansion, psi: Floats, tilt: Floats | float = 0.0
) -> bool:
    """Whether `psi`, the maximum under `prior` by the expansion, nearly is the maximum by the likelihood itself."""
    slope = likelihood.value_and_gradient(psi)[1] + tilt - prior.precision @ (psi - prior.mean)
    return _decrement(prior.precision + expansion.information, slope) < _HOLDS


def _uphill(
    likelihood: Likelihood,
    prior: GaussianPrior,
    psi: Floats,
    value: float,
    step: Floats,
    tilt: Floats | float,
    left: float,
) -> tuple[Floats, float, Floats, bool]:
    """A step that does not lose, halved until it does not; the last item is False where none was found."""
    height = value - _penalty(prior, psi, tilt)
    step = step * min(1.0, _LONGEST / float(np.abs(step).max()))
    for halvings in range(12):
        there = psi + step / 2**halvings
        value_there, gradient = likelihood.value_and_gradient(there)
        # rounding in a sum over all cells must not be taken for a loss
        if value_there - _penalty(prior, there, tilt) > height - 1e-9 * (1 + abs(height)) - 1e-3 * left:
            return there, value_there, gradient, True
    return psi, value, likelihood.value_and_gradient(psi)[1], False


def _penalty(prior: GaussianPrior, psi: Floats, tilt: Floats | float) -> float:
    off = psi - prior.mean
    return 0.5 * float(off @ prior.precision @ off) - float((tilt * psi).sum())


def _decrement(precision: Floats, slope: Floats) -> float:
    return 0.5 * float(slope @ cho_solve(factored(precision), slope, check_finite=False))


def factored(precision: Floats) -> tuple[Floats, bool]:
    """The lower Cholesky factor, of a matrix that is positive definite but for rounding."""
    factor, failed = dpotrf(precision, lower=1, clean=0)
    if failed:
        ridge = _ROUNDING * float(np.abs(np.diag(precision)).max()) * np.eye(len(precision))
        factor, failed = dpotrf(precision + ridge, lower=1, clean=0)
    if failed:
        raise LinAlgError("The precision of abilities and spreads is not positive definite.")
    return np.asarray(factor, dtype=np.float64), True


def _positive_part(information: Floats) -> Floats:
    # where the responses say nothing (a perfect score) the likelihood may curve upwards by a hair
    if not dpotrf(information, lower=1, clean=0)[1]:
        return information
    values, vectors = eigh(information)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T, dtype=np.float64)
