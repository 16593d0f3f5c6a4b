"""Answers by several abilities at once: a logistic factor model, for what one ability leaves unexplained.

logit p_ij = b_j + w_j . z_i with z_i ~ N(0, I) of k dimensions and (b_j, w_j) ~ N(mu, Sigma), mu and Sigma learned.
The logistic likelihood is bounded from below by Polya-Gamma augmentation (Polson, Scott & Windle 2013, JASA 108),
under which examinees and items have normal posteriors in closed form; both are averaged over, so that a dimension
that the answers do not bear out costs next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_ndtr, logit

from viva.core.errors import UsageError
from viva.metrics.irt.model.responses import (
    Bools,
    Floats,
    response_matrix,
)

# more are beyond what panels of a few dozen tell apart
MOST_DIMENSIONS = 8
# it has settled where probabilities change by less than any reading of them
_STEPS, _SETTLED = 100, 1e-4
# half an answer's worth of doubt in each item before anything was seen
_START_VARIANCE = 0.1
# the belief, of one item's worth, that items vary by 1 in each parameter
_BELIEF = 1.0


@dataclass(frozen=True, eq=False)
class Factors:
    """Places z (n, k) of the examinees, loadings w (m, k) of the items, predicted probabilities (n, m).

    With more dimensions than one their axes are arbitrary: any rotation predicts the same.
    """

    z: Floats
    w: Floats
    probability: Floats


@dataclass(eq=False)
class _Normals:
    """Means (k, d) and covariances (k, d, d) of k normal posteriors."""

    mean: Floats
    cov: Floats

    @property
    def squares(self) -> Floats:
        """Second moments, flat: (k, d * d)."""
        return (self.mean[:, :, None] * self.mean[:, None, :] + self.cov).reshape(len(self.mean), -1)


def fit_factors(responses: ArrayLike, dimensions: int, *, positive: bool = False) -> Factors:
    """The model with so many dimensions, from responses (n, m) of 1, 0 and nan (not graded).

    `positive` (of one dimension) keeps every loading at or above 0: no item is easier for the less able. Raises
    UsageError for fewer dimensions than one, or more than 8 or than examinees less one.
    """
    values = response_matrix(responses)
    n, items = values.shape
    if not 1 <= dimensions <= min(MOST_DIMENSIONS, n - 1, items - 1):
        raise UsageError(
            f"There cannot be {dimensions} dimensions of {n} examinees on {items} items.",
            allowed=f"From 1 to {max(1, min(MOST_DIMENSIONS, n - 1, items - 1))}.",
        )
    graded = ~np.isnan(values)
    half = np.where(graded, np.nan_to_num(values) - 0.5, 0.0)
    people, questions = _start(values, graded, dimensions)
    now = people.mean @ questions.mean.T
    for _ in range(_STEPS):
        _update_items(questions, people, half, graded)
        if positive:
            _keep_positive(questions)
        _update_people(people, questions, half, graded)
        before, now = now, people.mean @ questions.mean.T
        if np.abs(now - before).mean() < _SETTLED:
            break
    return Factors(people.mean[:, 1:], questions.mean[:, 1:], _averaged(people, questions))


def _start(values: Floats, graded: Bools, dimensions: int) -> tuple[_Normals, _Normals]:
    """Singular vectors of what item means leave, those of examinees turned towards many right answers."""
    n, items = values.shape
    share = (np.nansum(values, axis=0) + 1) / (graded.sum(axis=0) + 2)
    left = np.where(graded, np.nan_to_num(values) - share, 0.0)
    vectors, sizes, across = np.linalg.svd(left, full_matrices=False)
    sign = np.where(across[:dimensions].sum(axis=1) < 0, -1.0, 1.0)
    z = vectors[:, :dimensions] * sign * np.sqrt(n)
    # four times a difference of shares is one of logits, near one half
    w = 4 * (across[:dimensions] * sign[:, None]).T * sizes[:dimensions] / np.sqrt(n)
    people = _Normals(np.column_stack([np.ones(n), z]), np.zeros((n, dimensions + 1, dimensions + 1)))
    people.cov[:, 1:, 1:] = _START_VARIANCE * np.eye(dimensions)
    spread = np.tile(_START_VARIANCE * np.eye(dimensions + 1), (items, 1, 1))
    return people, _Normals(np.column_stack([logit(share), w]), spread)


def _bound(people: _Normals, questions: _Normals, graded: Bools) -> Floats:
    """Mean of the Polya-Gamma variables (n, m): the curvature of each cell's bound."""
    reach = np.sqrt(np.maximum(people.squares @ questions.squares.T, 1e-12))
    return np.where(graded, np.tanh(reach / 2) / (2 * reach), 0.0)


def _update_items(questions: _Normals, people: _Normals, half: Floats, graded: Bools) -> None:
    items, size = questions.mean.shape
    mean = questions.mean.mean(axis=0)
    off = questions.mean - mean
    spread = (off.T @ off + questions.cov.sum(axis=0) + _BELIEF * np.eye(size)) / (items + _BELIEF)
    precision = np.linalg.inv(spread)
    bound = _bound(people, questions, graded)
    questions.cov = _inverse((bound.T @ people.squares).reshape(items, size, size) + precision)
    pull = half.T @ people.mean + precision @ mean
    questions.mean = np.einsum("jab,jb->ja", questions.cov, pull)


def _keep_positive(questions: _Normals) -> None:
    """Moments of the posteriors of (b, w) given w >= 0: those of a truncated normal, b along its regression on w."""
    m, v = questions.mean[:, 1], questions.cov[:, 1, 1]
    reach = m / np.sqrt(v)
    # the inverse Mills ratio, by logarithms: far below 0 both density and share vanish
    mills = np.exp(-(reach**2) / 2 - np.log(np.sqrt(2 * np.pi)) - log_ndtr(reach))
    slope = questions.cov[:, :, 1] / v[:, None]
    questions.mean = questions.mean + slope * (np.sqrt(v) * mills)[:, None]
    lost = v * np.clip(mills * (mills + reach), 0.0, 1.0)
    questions.cov = questions.cov - lost[:, None, None] * slope[:, :, None] * slope[:, None, :]


def _update_people(people: _Normals, questions: _Normals, half: Floats, graded: Bools) -> None:
    n, size = people.mean.shape
    bound = _bound(people, questions, graded)
    of_items = (bound @ questions.squares).reshape(n, size, size)
    cov = _inverse(of_items[:, 1:, 1:] + np.eye(size - 1))
    pull = half @ questions.mean[:, 1:] - of_items[:, 0, 1:]
    people.cov[:, 1:, 1:] = cov
    people.mean[:, 1:] = np.einsum("iab,ib->ia", cov, pull)


def _inverse(matrices: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrices), dtype=np.float64)


def _averaged(people: _Normals, questions: _Normals) -> Floats:
    """Probabilities averaged over both posteriors (MacKay 1992, Neural Computation 4, 720-736, eq. 4)."""
    middle = people.mean @ questions.mean.T
    variance = np.maximum(people.squares @ questions.squares.T - middle**2, 0.0)
    return np.asarray(expit(middle / np.sqrt(1 + np.pi * variance / 8)), dtype=np.float64)
