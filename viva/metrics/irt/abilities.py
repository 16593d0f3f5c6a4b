"""Reported abilities: from an examinee's own answers to items taken as known, drawn towards no others.

Where the exam does not measure an ability there is no number, but on which side of the exam's range it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from viva.core.estimates import Ability, OutsideAbility, Side
from viva.metrics.intervals import Z
from viva.metrics.irt.checks.person_fit import person_fit
from viva.metrics.irt.model.curves import information_3pl, probability_3pl, standard_error_curve
from viva.metrics.irt.model.responses import Bools, Floats, finite_vector, response_matrix

Parameters = tuple[Floats, Floats, Floats]

# abilities are sought so far from 0, and so far beyond the hardest and the easiest item
_REACH, _BEYOND = 8.0, 4.0
_MOST_STEPS, _CLOSE, _LEAST = 80, 1e-10, 1e-12
_HALVINGS = 45
_STEPS = 161
# a 95% interval of 2.9 either way goes from 5 to 95% right on an item of even odds: it says nothing
MOST_SE = 1.5
# an exam too short for any such ability still measures where it is within so much of its best
_OF_BEST = 2.0
# one in twenty of those that follow the model: its standard error is right too, only less steady
POOR_FIT = -1.645
_RESAMPLES = 400
# the correlation of two errors is then off by .03 (its standard error)
_MOST_LOADINGS = 1000


def warm_abilities(responses: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> tuple[Floats, Floats]:
    """Weighted likelihood abilities theta (n,) and their standard errors (n,), 1 / sqrt(information).

    From responses (n, m) of 1, 0 and nan and item parameters a, b, c (m,), taken as known. Within -8 to 8, or 4
    beyond the items' difficulties, for perfect and zero scores too; without responses 0, with the error of so wide a
    range. Source: Warm (1989), Psychometrika 54, 427-450.
    """
    values = response_matrix(responses)
    items = _checked(values, a, b, c)
    known, right, reach = ~np.isnan(values), np.nan_to_num(values), _reach(items)
    theta, low, high = np.zeros(len(values)), np.full(len(values), -reach), np.full(len(values), reach)
    left = np.flatnonzero(known.any(axis=1))
    for _ in range(_MOST_STEPS):
        if not len(left):
            break
        here = theta[left]
        step = _scored(right[left], known[left], here, items)
        low[left], high[left] = np.where(step > 0, here, low[left]), np.where(step > 0, high[left], here)
        there = here + step
        inside = (there > low[left]) & (there < high[left])
        # where the slope is no guide the bracket is halved
        theta[left] = np.where(inside, there, (low[left] + high[left]) / 2)
        left = left[np.abs(theta[left] - here) > _CLOSE]
    information = (known * information_3pl(theta, *items)).sum(axis=1)
    # without information an ability is anywhere between the bounds
    return theta, 1 / np.sqrt(np.maximum(information, reach**-2))


def reported_abilities(
    responses: ArrayLike, theta: Floats, se: Floats, items: Parameters
) -> tuple[Ability | OutsideAbility | None, ...]:
    """Per row of responses (n, m): its Warm ability, or where the exam does not measure it; None without an answer.

    `theta` and `se` (n,) are `warm_abilities`. Outside are those with all or none right, with no more right than
    guessing may give (97.5%), and those at which the standard error is above 1.5 and twice the exam's least. The
    bound is where so few (so many) right answers stop being a surprise (97.5%; score limit), or the end of the
    abilities with a smaller error. An ability of poor person fit has the larger of its two standard errors, from
    information and from a bootstrap over items, seeded.
    """
    values = response_matrix(responses)
    scale = np.linspace(-_reach(items), _reach(items), _STEPS)
    errors = standard_error_curve(scale, *items)
    best, worst = float(scale[int(np.argmin(errors))]), max(MOST_SE, _OF_BEST * float(errors.min()))
    measured = scale[errors <= worst]
    poor = np.flatnonzero(person_fit(values, theta, *items) < POOR_FIT)
    wide = se.copy()
    wide[poor] = np.maximum(se[poor], _bootstrap_errors(values[poor], theta[poor], items))
    found = list[Ability | OutsideAbility | None]()
    for row, own, error, wider in zip(values, theta.tolist(), se.tolist(), wide.tolist(), strict=True):
        graded = ~np.isnan(row)
        answered, known = row[graded], (items[0][graded], items[1][graded], items[2][graded])
        side = _side(answered, known[2], own < best, error > worst) if len(answered) else None
        if side is not None:
            bound = _bound(answered, known, side)
            bound = max(bound, float(measured[0])) if side == "below" else min(bound, float(measured[-1]))
            found.append(OutsideAbility(side, bound))
        else:
            found.append(Ability(own, wider) if len(answered) else None)
    return tuple(found)


def error_loadings(responses: ArrayLike, theta: Floats, se: Floats, a: Floats, b: Floats, c: Floats) -> Floats:
    """Loadings L (n, k) on items of the errors of abilities (n,): their covariance is L @ L.T, its diagonal `se`^2.

    Errors correlate as the residuals of the answers do, item by item: those of systems that share a retriever go
    wrong together (Huber's sandwich, clustered by item). With many items it is a sample of them.
    """
    values = response_matrix(responses)
    step = -(-values.shape[1] // _MOST_LOADINGS)
    values, items = values[:, ::step], (a[::step], b[::step], c[::step])
    right, counts = np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)
    loadings = counts * _residuals(right, theta, items)
    length = np.sqrt((loadings**2).sum(axis=1))
    own = length <= 0
    loadings *= (se / np.where(own, 1.0, length))[:, None]
    # whose residuals are all zero has an error of its own
    return np.hstack([loadings, np.diag(np.where(own, se, 0.0))[:, own]])


def _checked(values: Floats, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Parameters:
    items = values.shape[1]
    return finite_vector(a, items, "a"), finite_vector(b, items, "b"), finite_vector(c, items, "c")


def _reach(items: Parameters) -> float:
    return max(_REACH, float(np.abs(items[1]).max(initial=0.0)) + _BEYOND)


def _side(answered: Floats, chance: Floats, low: bool, unsure: bool) -> Side | None:
    right = float(answered.sum())
    if right == 0 or right - float(chance.sum()) < Z * float(np.sqrt((chance * (1 - chance)).sum())):
        return "below"
    if right == len(answered):
        return "above"
    return ("below" if low else "above") if unsure else None


def _bound(answered: Floats, items: Parameters, side: Side) -> float:
    """The limit of the ability from the number of right answers."""
    wanted, right = -Z if side == "below" else Z, float(answered.sum())
    high = _reach(items)
    low = -high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        p = probability_3pl(middle, *items)
        z = (right - float(p.sum())) / max(float(np.sqrt((p * (1 - p)).sum())), 1e-12)
        low, high = (middle, high) if z > wanted else (low, middle)
    return (low + high) / 2


def _bootstrap_errors(values: Floats, theta: Floats, items: Parameters) -> Floats:
    """Standard errors (n,) over samples of the items with replacement, one step of Newton's from theta for each."""
    known, count = ~np.isnan(values), values.shape[1]
    slope = known * _residuals(np.nan_to_num(values), theta, items)
    information = known * information_3pl(theta, *items)
    weights = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), size=_RESAMPLES)
    steps = (weights @ slope.T) / np.maximum(weights @ information.T, _LEAST)
    return np.asarray(steps.std(axis=0, ddof=1), dtype=np.float64)


def _scored(right: Floats, known: Bools, theta: Floats, items: Parameters) -> Floats:
    """A step of Fisher scoring (n,): slope of the log-likelihood with Warm's J / 2I, by the information."""
    p, logistic, slope = _slopes(theta, items)
    by_variance = known * slope / np.maximum(p * (1 - p), _LEAST)
    score = ((right - p) * by_variance).sum(axis=1)
    information = np.maximum((slope * by_variance).sum(axis=1), _LEAST)
    bias = (by_variance * slope * items[0] * (1 - 2 * logistic)).sum(axis=1)
    return np.asarray((score + bias / (2 * information)) / information, dtype=np.float64)


def _residuals(right: Floats, theta: Floats, items: Parameters) -> Floats:
    """By cell (n, m), the slope of its log-likelihood in theta."""
    p, _, slope = _slopes(theta, items)
    return (right - p) * slope / np.maximum(p * (1 - p), _LEAST)


def _slopes(theta: Floats, items: Parameters) -> tuple[Floats, Floats, Floats]:
    """By cell: probability, its part beyond guessing, and its slope in theta."""
    a, _, c = items
    p = probability_3pl(theta, *items)
    logistic = np.where(c < 1, (p - c) / np.maximum(1 - c, _LEAST), 0.0)
    return p, logistic, a * (p - c) * (1 - logistic)
