"""The search for the maximum of the marginal likelihood over persons, and what is known of it there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize

from viva.metrics.irt.fit.persons_integrated.marginal import Expected, Items, PersonMarginal
from viva.metrics.irt.fit.persons_integrated.model import PersonModel

Floats = NDArray[np.float64]

# more parameters than this and the whole information matrix costs more than it tells
WHOLE_INFORMATION = 1500
_ROUNDS = 10
_OPTIONS = {"maxiter": 60, "ftol": 0.0, "gtol": 1e-5, "maxcor": 20}
# in units in which an item known but for the abilities has a standard error of 1
_SLOPE = 1e-4
# keeps the scaling finite where the data say nothing
_RIDGE = 1e-4


@dataclass(frozen=True, eq=False)
class Maximum:
    """Items at the maximum, the log-likelihood there, and the covariance (m, 3, 3) of each item's (a, d, logit c).

    What is not free has a covariance of zero. It is None where the information is not positive definite; unless
    `whole`, each item's is that with the other items known. `gain` is the gain in log-likelihood that a Newton step
    from here promises.
    """

    items: Items
    loglik: float
    cov: Floats | None
    whole: bool
    gain: float


def climbed(marginal: PersonMarginal, model: PersonModel, x: Floats) -> tuple[Floats, int]:
    """The maximum from `x` (p,), and the steps it took.

    L-BFGS in coordinates in which the information there would be were the abilities known is the identity: what is
    left is the share of missing information, so that few steps are needed. The coordinates are renewed each round.
    """
    iterations = 0
    for _ in range(_ROUNDS):
        x, steps, slope = _round(marginal, model, x)
        iterations += steps
        if slope <= _SLOPE:
            break
    return x, iterations


def inspected(marginal: PersonMarginal, model: PersonModel, x: Floats) -> Maximum:
    """What is known of the items at `x` (p,), and whether it is a maximum."""
    items = model.items(x)
    expected = marginal.expect(items)
    slopes = _slopes(marginal, model, expected, items)
    curvature = marginal.complete_curvature(expected, items)
    curvature[:, [0, 1, 2], [0, 1, 2]] += model.prior_slopes(items)[1]
    whole = len(x) <= WHOLE_INFORMATION
    invert = _whole if whole else _by_item
    try:
        cov, gain = invert(marginal, model, expected, items, curvature, slopes)
    except LinAlgError:
        return Maximum(items, expected.loglik, None, whole, np.inf)
    return Maximum(items, expected.loglik, cov, whole, gain)


def _round(marginal: PersonMarginal, model: PersonModel, start: Floats) -> tuple[Floats, int, float]:
    root = _scaling(marginal, model, start)

    def place(step: Floats) -> Floats:
        return start + model.pick(np.einsum("jkl,jl->jk", root, model.spread(step)))

    def objective(step: Floats) -> tuple[float, Floats]:
        items = model.items(place(step))
        expected = marginal.expect(items)
        slopes = _slopes(marginal, model, expected, items) * model.chain(items)
        value = expected.loglik + model.log_prior(items)
        return -value, -model.collect(np.einsum("jlk,jl->jk", root, slopes))

    result = minimize(objective, np.zeros_like(start), jac=True, method="L-BFGS-B", options=_OPTIONS)
    return place(result.x), int(result.nit), float(np.abs(result.jac).max())


def _slopes(marginal: PersonMarginal, model: PersonModel, expected: Expected, items: Items) -> Floats:
    return marginal.gradient(expected, items) + model.prior_slopes(items)[0]


def _scaling(marginal: PersonMarginal, model: PersonModel, x: Floats) -> Floats:
    """Roots (m, 3, 3) of the inverses of items' information were the abilities known."""
    items = model.items(x)
    chain = model.chain(items)
    blocks = marginal.complete_information(marginal.expect(items), items)
    blocks[:, [0, 1, 2], [0, 1, 2]] += np.maximum(model.prior_slopes(items)[1], 0.0)
    blocks *= chain[:, :, None] * chain[:, None, :]
    if model.common:
        blocks[:, 0, 1:] = blocks[:, 1:, 0] = 0.0
        blocks[:, 0, 0] = blocks[:, 0, 0].sum()
    blocks[~model.guessed, 2, :] = blocks[~model.guessed, :, 2] = 0.0
    blocks += _RIDGE * np.eye(3)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(blocks)).transpose(0, 2, 1), dtype=np.float64)


def _whole(
    marginal: PersonMarginal, model: PersonModel, expected: Expected, items: Items, curvature: Floats, slopes: Floats
) -> tuple[Floats, float]:
    missing = marginal.missing_information(expected, items, model.guessed)
    information = model.assemble(curvature) - model.merge(missing)
    for vector in model.prior_coupling(items).transpose(2, 0, 1):
        coupled = model.collect(vector)
        information -= np.outer(coupled, coupled)
    cov = cho_solve(cho_factor(information), np.eye(len(information)))
    gradient = model.collect(slopes)
    return model.take_blocks(cov), float(gradient @ cov @ gradient) / 2


def _by_item(
    marginal: PersonMarginal, model: PersonModel, expected: Expected, items: Items, curvature: Floats, slopes: Floats
) -> tuple[Floats, float]:
    curvature -= marginal.missing_information_by_item(expected, items)
    curvature[~model.guessed, 2, :] = curvature[~model.guessed, :, 2] = 0.0
    curvature[~model.guessed, 2, 2] = 1.0
    cov = np.linalg.inv(np.linalg.cholesky(curvature))
    cov = cov.transpose(0, 2, 1) @ cov
    cov[~model.guessed, 2, 2] = slopes[~model.guessed, 2] = 0.0
    if model.common:
        # only their sum vanishes at the maximum
        slopes[:, 0] = slopes[:, 0].mean()
    return cov, float(np.einsum("ja,jab,jb->", slopes, cov, slopes)) / 2
