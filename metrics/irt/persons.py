"""The classical estimate of items: maximum marginal likelihood over persons.

Abilities are drawn from N(0, 1) and integrated out (Bock & Aitkin 1981): the method of the great testing programmes,
for many examinees and few items. With few examinees the items are the incidental parameters: integrate over them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.metrics.irt.estimates import Estimates
from viva.metrics.irt.persons_marginal import REACH, PersonMarginal, needed_nodes
from viva.metrics.irt.persons_model import ItemPriors, PersonModel, person_model
from viva.metrics.irt.persons_search import WHOLE_INFORMATION, Maximum, maximum

Floats = NDArray[np.float64]

# the gain in log-likelihood that a Newton step may still promise
CONVERGED = 1e-6
# beyond these (slope; intercept and standard errors) an item's curve is a step or flat: there is no finite maximum
STEEPEST, FARTHEST = 20.0, 25.0
# a common slope below this tells no abilities apart
_COMMON_FLAT = 1e-3
_FEWEST_NODES, _MOST_NODES = 5, 4001
# a flat item has no difficulty: what is reported is far away, with a standard error to match
_FLATTEST = 1e-6


def fit_persons(
    responses: ArrayLike,
    *,
    model: str = "2pl",
    guessing: ArrayLike | None = None,
    priors: ItemPriors | None = None,
    nodes: int = 61,
    counts: ArrayLike | None = None,
) -> Estimates:
    """Items by maximum marginal likelihood over persons, abilities by their posterior mean (EAP) given the items.

    `responses` (n, m) holds 1, 0 and nan (not graded); `counts` (n,) says how many examinees gave each row. `model`
    is "1pl" (one discrimination for all items), "2pl" or "3pl". `guessing`, one number or one per item, is fixed; nan
    or None in a 3pl leaves it free under `priors.logit_c`. `nodes` is the least number of nodes from -6 to 6: where
    the exam tells more, as many are taken as leave no posterior narrower than their spacing.

    Scale: abilities have mean 0 and sd 1. Standard errors come from the observed information (of log-likelihood plus
    priors; b by the delta method), those of abilities from their posterior, items taken as known. Raises UsageError
    where there is no finite estimate: an item that all answered alike (unless `priors.d` is given), too few items.
    """
    if not _FEWEST_NODES <= nodes <= _MOST_NODES:
        raise UsageError(f"There cannot be {nodes} nodes.", allowed=f"From {_FEWEST_NODES} to {_MOST_NODES}.")
    values = np.atleast_2d(np.asarray(responses, dtype=np.float64))
    weights = _weights(values, counts)
    coding = person_model(values.shape[1], model, guessing, priors)
    _check(values, weights, coding)
    share = weights @ np.nan_to_num(values) / np.maximum(weights @ ~np.isnan(values), 1)
    x, iterations = coding.start(share), 0
    grid = _grid(needed_nodes(coding.items(x), nodes))
    while True:
        marginal = PersonMarginal(values, weights, grid)
        x, found = maximum(marginal, coding, x)
        iterations += found.iterations
        unbounded = _unbounded(found, coding)
        needed = needed_nodes(found.items, len(grid))
        if unbounded or needed == len(grid) or len(grid) == _MOST_NODES:
            return _estimates(found, coding, grid, iterations, unbounded)
        # a little finer than needed: the items move on it
        grid = _grid(int(1.2 * needed))


def _weights(values: Floats, counts: ArrayLike | None) -> Floats:
    weights = np.ones(len(values)) if counts is None else np.asarray(counts, dtype=np.float64)
    if weights.shape != (len(values),):
        raise UsageError(f"Counts have the shape {weights.shape}.", allowed=f"One for each of {len(values)} rows.")
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise UsageError("A count of examinees is not positive.", allowed="Numbers above 0.")
    return weights


def _check(values: Floats, weights: Floats, coding: PersonModel) -> None:
    if values.ndim != 2 or not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise UsageError("A response is neither right nor wrong.", allowed="1, 0, or nan for not graded.")
    least = 2 if coding.common or coding.priors.log_a else 3
    if values.shape[1] < least:
        raise UsageError(
            f"The model is not determined by {counted(values.shape[1], 'item')}.",
            allowed=f"At least {least} items.",
            next_step="Take the model 1pl, or the method 'map' or 'mml-items'.",
        )
    if coding.priors.d:
        return
    alike = [j for j, column in enumerate(values.T) if len(np.unique(column[~np.isnan(column)])) < 2]
    if alike:
        raise UsageError(
            f"{counted(len(alike), 'item')} answered alike by all who were graded (item {_list(alike)}, counted from "
            f"1): no finite estimate of difficulty from {counted(round(float(weights.sum())), 'examinee')}.",
            next_step="Leave them out, or take the method 'map' or 'mml-items', which has a prior for them.",
        )


def _grid(nodes: int) -> Floats:
    return np.linspace(-REACH, REACH, min(nodes, _MOST_NODES))


def _unbounded(found: Maximum, coding: PersonModel) -> list[int]:
    """Columns of the items that the search followed towards infinity."""
    a, d = np.abs(found.items.a), np.abs(found.items.d)
    off = (a > STEEPEST) | (d > FARTHEST)
    if found.cov is not None:
        off |= (found.cov[:, [0, 1], [0, 1]] > FARTHEST**2).any(axis=1)
    if coding.common:
        off |= a < _COMMON_FLAT
    return [int(j) for j in np.flatnonzero(off)]


def _estimates(found: Maximum, coding: PersonModel, grid: Floats, iterations: int, unbounded: list[int]) -> Estimates:
    items, posterior = found.items, found.expected.posterior
    theta = posterior @ grid
    variance = np.maximum(posterior @ grid**2 - theta**2, 0.0)
    b = -items.d / np.where(np.abs(items.a) < _FLATTEST, np.copysign(_FLATTEST, items.a), items.a)
    errors = _errors(found, coding, b)
    return Estimates(
        theta=theta,
        theta_cov=np.diag(variance),
        a=items.a,
        b=b,
        c=items.c,
        a_se=errors[0],
        b_se=errors[1],
        c_se=errors[2],
        loglik=found.expected.loglik,
        converged=bool(found.gain <= CONVERGED and not unbounded),
        iterations=iterations,
        message=_message(found, errors, grid, unbounded),
    )


def _errors(found: Maximum, coding: PersonModel, b: Floats) -> tuple[Floats | None, Floats | None, Floats | None]:
    if found.cov is None or (coding.common and not found.whole):
        return None, None, None
    cov, items = found.cov, found.items
    b_variance = (cov[:, 1, 1] + 2 * b * cov[:, 0, 1] + b**2 * cov[:, 0, 0]) / np.maximum(items.a**2, _FLATTEST**2)
    slope_c = items.c * (1 - items.c)
    return np.sqrt(cov[:, 0, 0]), np.sqrt(np.maximum(b_variance, 0.0)), slope_c * np.sqrt(cov[:, 2, 2])


def _message(found: Maximum, errors: tuple[Floats | None, ...], grid: Floats, unbounded: list[int]) -> str:
    parts = [f"marginal likelihood over persons, {len(grid)} nodes"]
    if unbounded:
        parts.append(
            f"not converged: no finite maximum, curves are steps or flat, those of {counted(len(unbounded), 'item')} "
            f"(item {_list(unbounded)}, counted from 1); leave them out, or take the method 'map' or 'mml-items'"
        )
    elif found.gain <= CONVERGED:
        parts.append(f"converged: a Newton step would gain {found.gain:.0e} of log-likelihood")
    elif found.cov is None:
        parts.append("not converged: the information is not positive definite, the data do not determine the items")
    else:
        parts.append(f"not converged: a Newton step would gain {found.gain:.1g} of log-likelihood")
    if found.cov is not None and not found.whole:
        kept = "standard errors take the other items as known" if errors[0] is not None else "no standard errors"
        parts.append(f"{kept}, for there are more than {WHOLE_INFORMATION} parameters")
    if len(grid) == _MOST_NODES:
        parts.append(
            f"{_MOST_NODES} nodes, the most allowed, may be too few: abilities may be too sure of themselves"
        )
    return "; ".join(parts)


def _list(columns: list[int]) -> str:
    shown = ", ".join(str(j + 1) for j in columns[:5])
    return shown + (", ..." if len(columns) > 5 else "")
