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
from scipy.special import expit, logit

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.metrics.irt.checks.held_out import gain_over_items, item_losses, split_cells
from viva.metrics.irt.model.responses import (
    LEAST_PROBABILITY,
    Bools,
    Floats,
    NotJudged,
    probability_matrix,
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
# loadings that differ by less are equally large, whatever the machine
_SIGN_DIGITS = 6


@dataclass(frozen=True, eq=False)
class Factors:
    """Places z (n, k) of the examinees, predicted probabilities (n, m).

    The first dimension runs from low to high scores; the others set apart examinees of the same score.
    """

    z: Floats
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


def fit_factors(responses: ArrayLike, dimensions: int) -> Factors:
    """The model with so many dimensions, from responses (n, m) of 1, 0 and nan (not graded).

    Raises UsageError for fewer dimensions than one, or more than 8 or than examinees less one.
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
        _update_people(people, questions, half, graded)
        before, now = now, people.mean @ questions.mean.T
        if np.abs(now - before).mean() < _SETTLED:
            break
    return Factors(_turned(people, questions), _averaged(people, questions))


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


def _turned(people: _Normals, questions: _Normals) -> Floats:
    """Places: the first dimension along the mean loading, the others along what it leaves, by size."""
    z, w = people.mean[:, 1:], questions.mean[:, 1:]
    mean = w.mean(axis=0)
    first = mean / max(float(np.sqrt(mean @ mean)), LEAST_PROBABILITY)
    left = w - np.outer(w @ first, first)
    # eigenvalues rise; the first dimension, of which nothing is left, comes last
    axes = np.linalg.eigh(left.T @ left)[1][:, ::-1]
    axes[:, 1:] = axes[:, :-1].copy()
    axes[:, 0] = first
    along = w @ axes
    largest = along[np.argmax(np.abs(along.round(_SIGN_DIGITS)), axis=0), range(along.shape[1])]
    axes[:, 1:] *= np.where(largest[1:] < 0, -1.0, 1.0)
    return np.asarray(z @ axes, dtype=np.float64)


# fewer leave nothing to be told apart in two ways
FEWEST_EXAMINEES, FEWEST_ITEMS = 8, 20
# of more cells a sample is looked at: what hangs together shows in a part
_MOST_EXAMINEES, _MOST_ITEMS = 200, 500
# a gain below this changes no reading: a hundredth of what a coin tells
MATTERS = 0.005


@dataclass(frozen=True, eq=False)
class SecondDimension:
    """What a second ability adds, beside one, to the prediction of held-out answers.

    `one` and `two` are the mean log-losses of a logistic factor model with one and with two dimensions, `gain` the
    first less the second with a 95% interval over items. `places` (n,) are the examinees along the second dimension
    (nan for those not looked at). It `matters` where the gain is above .005 for sure.
    """

    one: float
    two: float
    gain: Estimate
    places: Floats

    @property
    def matters(self) -> bool:
        """Whether one ability leaves out what these answers show."""
        return self.gain.low > MATTERS


def second_dimension(responses: ArrayLike, *, seed: int = 0) -> SecondDimension | NotJudged:
    """The second dimension of responses (n, m) of 1, 0 and nan; of large matrices, of a sample drawn by the seed.

    NotJudged below 8 examinees or 20 items, and where too few cells can be held out.
    """
    values = response_matrix(responses)
    n, m = values.shape
    if n < FEWEST_EXAMINEES or m < FEWEST_ITEMS:
        return NotJudged(f"it takes at least {FEWEST_EXAMINEES} examinees and {FEWEST_ITEMS} items")
    draw = np.random.default_rng([seed, 2])
    rows = np.sort(draw.choice(n, min(n, _MOST_EXAMINEES), replace=False))
    columns = np.sort(draw.choice(m, min(m, _MOST_ITEMS), replace=False))
    seen = values[np.ix_(rows, columns)]
    hidden = split_cells(seen, seed=seed)
    if int(hidden.any(axis=0).sum()) < FEWEST_ITEMS:
        return NotJudged(f"fewer than {FEWEST_ITEMS} items have answers that could be held out")
    kept = np.where(hidden, np.nan, seen)
    predicted = [probability_matrix(fit_factors(kept, k).probability, seen.shape) for k in (1, 2)]
    losses = [item_losses(each, seen, hidden)[0] for each in predicted]
    places = np.full(n, np.nan)
    places[rows] = fit_factors(seen, 2).z[:, 1]
    cells = hidden.sum()
    return SecondDimension(
        one=float(losses[0].sum() / cells),
        two=float(losses[1].sum() / cells),
        gain=gain_over_items(losses[0] - losses[1], hidden, seed=seed),
        places=places,
    )
