"""Are cells that were kept from the fit predicted better than by an item's or an examinee's mean?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.core.estimates import Estimate
from viva.metrics.intervals import CONFIDENCE
from viva.metrics.irt.model.responses import (
    Bools,
    Floats,
    Ints,
    NotJudged,
    probability_matrix,
    response_matrix,
    share,
)

# what a row or column mean is drawn towards the mean of all cells with, in answers
_PRIOR_ANSWERS = 2.0
_FEW_ITEMS = 5
_RESAMPLES = 2000

Predictor = Callable[[Floats], ArrayLike]


@dataclass(frozen=True)
class HeldOutBaseline:
    """What a mean predicts. Gains are the baseline's loss less the predictor's: above 0 the predictor is better."""

    name: str
    log_loss: float
    brier: float
    log_loss_gain: Estimate
    brier_gain: Estimate


@dataclass(frozen=True)
class HeldOut:
    """Mean losses over the `cells` kept from the fit, beside those of the item means and the examinee means."""

    cells: int
    log_loss: float
    brier: float
    item_mean: HeldOutBaseline
    examinee_mean: HeldOutBaseline


def split_cells(responses: ArrayLike, *, held: float = 0.2, seed: int = 0) -> Bools:
    """Cells (n, m) to keep from a fit: the share `held` of the graded ones, drawn by the seed.

    No examinee and no item loses its last graded cell, so that the share may fall short on sparse matrices.
    """
    graded = ~np.isnan(response_matrix(responses))
    kept = graded.copy()
    draw = np.random.default_rng(seed)
    rows, columns = np.nonzero(graded)
    row_left, column_left = graded.sum(axis=1), graded.sum(axis=0)
    wanted = round(share(held, "The share of held-out cells") * len(rows))
    for cell in draw.permutation(len(rows)):
        row, column = rows[cell], columns[cell]
        if wanted == 0:
            break
        if row_left[row] > 1 and column_left[column] > 1:
            kept[row, column] = False
            row_left[row] -= 1
            column_left[column] -= 1
            wanted -= 1
    return graded & ~kept


def held_out(responses: ArrayLike, predict: Predictor, *, seed: int = 0) -> HeldOut | NotJudged:
    """Losses of a predictor on held-out cells of responses (n, m) of 1, 0 and nan, against two means.

    `predict` gets the responses with the held-out cells set to nan and returns probabilities (n, m). Means are
    drawn towards the mean of all cells with the weight of two answers. The 95% intervals of the gains are
    percentiles of a paired bootstrap over whole items: cells of one item share its misfit (Davison & Hinkley 1997,
    3.8). Examinees are taken as given. NotJudged below five items with held-out cells.
    """
    values = response_matrix(responses)
    hidden = split_cells(values, seed=seed)
    if int(hidden.any(axis=0).sum()) < _FEW_ITEMS:
        return NotJudged(f"fewer than {_FEW_ITEMS} items have cells to hold out")
    seen = np.where(hidden, np.nan, values)
    predicted = probability_matrix(predict(seen.copy()), values.shape)
    own = item_losses(predicted, values, hidden)
    drawn = _resampled_items(hidden.sum(axis=0), seed)
    item_means, examinee_means = _means(seen, axis=0), _means(seen, axis=1)
    return HeldOut(
        cells=int(hidden.sum()),
        log_loss=float(own[0].sum() / hidden.sum()),
        brier=float(own[1].sum() / hidden.sum()),
        item_mean=_baseline("item mean", item_losses(item_means, values, hidden), own, hidden, drawn),
        examinee_mean=_baseline("examinee mean", item_losses(examinee_means, values, hidden), own, hidden, drawn),
    )


def _means(seen: Floats, axis: int) -> Floats:
    """Mean over `axis`, drawn towards the mean of all cells, in the shape of the matrix."""
    graded = ~np.isnan(seen)
    right = np.where(graded, seen, 0.0)
    overall = (right.sum() + 1) / (graded.sum() + 2)
    total = right.sum(axis=axis, keepdims=True) + _PRIOR_ANSWERS * overall
    return np.broadcast_to(total / (graded.sum(axis=axis, keepdims=True) + _PRIOR_ANSWERS), seen.shape)


def item_losses(predicted: Floats, values: Floats, hidden: Bools) -> Floats:
    """Log loss and Brier score summed over each item's held-out cells, of shape (2, m)."""
    right = values == 1
    log_loss = -np.log(np.where(right, predicted, 1 - predicted))
    squared = (predicted - right) ** 2
    return np.stack([np.where(hidden, loss, 0.0).sum(axis=0) for loss in (log_loss, squared)])


def _resampled_items(cells: Ints, seed: int) -> Floats:
    """How often each item is drawn in each resample, of shape (_RESAMPLES, m); items without held-out cells never."""
    items = np.flatnonzero(cells)
    even = np.zeros(len(cells))
    even[items] = 1 / len(items)
    return np.random.default_rng([seed, 1]).multinomial(len(items), even, size=_RESAMPLES).astype(np.float64)


def _baseline(name: str, losses: Floats, own: Floats, hidden: Bools, drawn: Floats) -> HeldOutBaseline:
    cells = hidden.sum(axis=0)
    means = losses.sum(axis=1) / cells.sum()
    gains = [_gain(each, cells.astype(np.float64), drawn) for each in losses - own]
    return HeldOutBaseline(name, float(means[0]), float(means[1]), gains[0], gains[1])


def gain_over_items(difference: Floats, cells: Ints, *, seed: int = 0) -> Estimate:
    """Mean of a loss difference (m,), summed over each item's held-out `cells` (m,), per cell; bootstrap of items."""
    return _gain(difference, cells.astype(np.float64), _resampled_items(cells, seed))


def _gain(difference: Floats, cells: Floats, drawn: Floats) -> Estimate:
    resampled = (drawn @ difference) / (drawn @ cells)
    low, high = np.quantile(resampled, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Estimate(float(difference.sum() / cells.sum()), float(low), float(high))
