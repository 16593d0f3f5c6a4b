"""Abilities of examinees on items whose parameters are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError
from viva.metrics.irt.persons_marginal import REACH, Items, PersonMarginal, needed_nodes

Floats = NDArray[np.float64]

METHODS = ("eap", "map", "ml", "wle", "jeffreys")
# modes are sought on this range; an estimate at its end is infinite
_FARTHEST, _SPACING = 20.0, 0.1
_FLAT = 1e-9
_STEPS = 60
_TOLERANCE = 1e-10
_CURVATURE_STEP = 1e-4


def abilities(
    responses: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike, *, method: str = "eap"
) -> tuple[Floats, Floats]:
    """Ability and standard error (n,), (n,) of each examinee from responses (n, m) of 0, 1 and nan (not graded).

    a, b, c are numbers or arrays (m,). `method`: "eap" and "map", mean and mode of the posterior under N(0, 1); "ml",
    maximum likelihood (plus or minus infinity with an infinite standard error where it has no finite maximum);
    "wle", the root of the likelihood equation with Warm's (1989, eq. 5) correction J / 2I for bias; "jeffreys", the
    mode of likelihood times the root of the information, which mirt calls WLE and is Warm's only without guessing.
    The standard error is the posterior sd for "eap", else from the curvature at the estimate.
    Raises UsageError for an unknown method, or an examinee with no response where there is no prior.
    """
    values, items = _arguments(responses, a, b, c, method)
    if method == "eap":
        return _mean(values, items)
    unseen = np.flatnonzero(np.isnan(values).all(axis=1))
    if len(unseen) and method != "map":
        raise UsageError(
            f"Examinee {unseen[0] + 1} (row, counted from 1) has no graded response.",
            next_step="Leave it out, or take 'eap' or 'map'.",
        )
    return _Mode(values, items, method).find()


def _arguments(responses: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike, method: str) -> tuple[Floats, Items]:
    values = np.atleast_2d(np.asarray(responses, dtype=np.float64))
    m = values.shape[1]
    if method not in METHODS:
        raise UsageError(f"There is no method '{method}'.", allowed="Known: " + ", ".join(METHODS) + ".")
    if not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise UsageError("A response is neither right nor wrong.", allowed="1, 0, or nan for not graded.")
    given = [np.asarray(parameter, dtype=np.float64) for parameter in (a, b, c)]
    if any(parameter.shape not in {(), (m,)} for parameter in given):
        shapes = ", ".join(str(parameter.shape) for parameter in given)
        raise UsageError(
            f"The item parameters have the shapes {shapes}.", allowed=f"One number, or one for each of {m} items."
        )
    slope, location, floor = (np.broadcast_to(parameter, m).astype(np.float64) for parameter in given)
    if not (np.isfinite(slope) & np.isfinite(location) & (floor >= 0) & (floor < 1)).all():
        raise UsageError("An item parameter is out of range.", allowed="Finite a and b, c from 0 to below 1.")
    return values, Items(slope, -slope * location, floor)


def _mean(values: Floats, items: Items) -> tuple[Floats, Floats]:
    theta = np.linspace(-REACH, REACH, needed_nodes(items, 61))
    posterior = PersonMarginal(values, np.ones(len(values)), theta).expect(items).posterior
    mean = posterior @ theta
    return mean, np.sqrt(np.maximum(posterior @ theta**2 - mean**2, 0.0))


@dataclass(frozen=True, eq=False)
class _Parts:
    """At abilities (k,): logs of right, wrong and of s, of shape (k, m)."""

    log_right: Floats
    log_wrong: Floats
    log_above: Floats


class _Mode:
    """The ability at which likelihood, prior and correction for bias together are highest."""

    def __init__(self, values: Floats, items: Items, method: str) -> None:
        self._right = (values == 1).astype(np.float64)
        self._wrong = (values == 0).astype(np.float64)
        self._items = items
        self._method = method

    def find(self) -> tuple[Floats, Floats]:
        """Estimates and standard errors: the highest point of a grid, then the root of the slope beside it."""
        grid = np.arange(-_FARTHEST, _FARTHEST + _SPACING / 2, _SPACING)
        height = self._heights(grid)
        best = height.argmax(axis=1)
        top = height.max(axis=1)
        theta = self._root(grid[best])
        theta[height[:, -1] >= top - _FLAT] = np.inf
        theta[height[:, 0] >= top - _FLAT] = -np.inf
        finite = np.isfinite(theta)
        errors = np.full(len(theta), np.inf)
        errors[finite] = self._errors(np.where(finite, theta, 0.0))[finite]
        return theta, errors

    def _root(self, theta: Floats) -> Floats:
        low, high = theta - _SPACING, theta + _SPACING
        for step in range(_STEPS):
            slope, information = self._slope(theta)
            low, high = np.where(slope > 0, theta, low), np.where(slope > 0, high, theta)
            proposed = theta + slope / np.maximum(information, 1e-12)
            # every third step halves the bracket, whatever scoring proposes
            outside = (proposed <= low) | (proposed >= high) | (step % 3 == 2)
            proposed = np.where(outside, (low + high) / 2, proposed)
            moved = np.abs(proposed - theta).max()
            theta = proposed
            if moved < _TOLERANCE:
                break
        return theta

    def _errors(self, theta: Floats) -> Floats:
        above, below = self._slope(theta + _CURVATURE_STEP)[0], self._slope(theta - _CURVATURE_STEP)[0]
        curvature = (below - above) / (2 * _CURVATURE_STEP)
        with np.errstate(divide="ignore"):
            return np.asarray(1 / np.sqrt(np.maximum(curvature, 0.0)), dtype=np.float64)

    def _heights(self, grid: Floats) -> Floats:
        parts = self._parts(grid)
        height = self._right @ parts.log_right.T + self._wrong @ parts.log_wrong.T
        if self._method == "map":
            height -= grid**2 / 2
        if self._method in {"wle", "jeffreys"}:
            information, change = self._information(parts)
            seen = self._right + self._wrong
            correction = (seen @ change.T) / np.maximum(2 * (seen @ information.T), 1e-300)
            height[:, 1:] += np.cumsum((correction[:, 1:] + correction[:, :-1]) / 2, axis=1) * _SPACING
        return np.asarray(height, dtype=np.float64)

    def _slope(self, theta: Floats) -> tuple[Floats, Floats]:
        """Derivative (n,) of what is maximised, each examinee at an ability of its own, and the information."""
        parts, a = self._parts(theta), self._items.a
        above = np.exp(parts.log_above)
        odds = np.exp(parts.log_wrong + parts.log_above - parts.log_right)
        slope = (self._right * odds - self._wrong * above) @ a
        information, change = self._information(parts)
        seen = self._right + self._wrong
        total = (seen * information).sum(axis=1)
        if self._method == "map":
            return slope - theta, total + 1
        if self._method in {"wle", "jeffreys"}:
            slope = slope + (seen * change).sum(axis=1) / np.maximum(2 * total, 1e-300)
        return slope, total

    def _information(self, parts: _Parts) -> tuple[Floats, Floats]:
        """Information of each item, and what is summed over it in the correction: Warm's J, or dI/dtheta."""
        a, above = self._items.a, np.exp(parts.log_above)
        odds = np.exp(parts.log_wrong + parts.log_above - parts.log_right)
        information = a**2 * odds * above
        if self._method == "jeffreys":
            return information, a * information * (2 - 3 * above - odds)
        return information, a * information * (1 - 2 * above)

    def _parts(self, theta: Floats) -> _Parts:
        c = self._items.c
        z = theta[:, None] * self._items.a + self._items.d
        log_above = -np.logaddexp(0, -z)
        with np.errstate(divide="ignore"):
            log_c = np.log(c)
        log_right = np.logaddexp(log_c, np.log1p(-c) + log_above)
        return _Parts(log_right, np.log1p(-c) + log_above - z, log_above)
