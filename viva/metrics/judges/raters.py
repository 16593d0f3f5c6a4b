"""Agreement among raters beyond chance: Krippendorff's alpha, Fleiss' kappa, Cohen's kappa.

Ratings are a table (units, raters) of numbers, nan or None where a rater gave none; named classes by any code. For an
interval around any of them give the function, its options bound, to `paired.bootstrap`, which draws units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from viva.core.errors import UsageError
from viva.metrics.judges.pairs import Floats, Scores, Undefined, table

Level = Literal["nominal", "ordinal", "interval"]
Weights = Literal["none", "linear", "quadratic"]


def krippendorff_alpha(ratings: Sequence[Scores] | Floats, level: Level = "nominal") -> float | Undefined:
    """Krippendorff's alpha (2011, "Computing Krippendorff's alpha-reliability"); missing ratings are allowed.

    1 - observed / expected disagreement over pairs of ratings of one unit; a unit with one rating says nothing and is
    left out. The ordinal distance is that of the ratings' mid-ranks, which is Krippendorff's sum between two ranks.
    Undefined where no unit has two ratings, and where all of them are the same (no disagreement was possible).
    Raises UsageError for a table that is none and an unknown level.
    """
    if level not in ("nominal", "ordinal", "interval"):
        raise UsageError(f"'{level}' is no level of measurement.", allowed="nominal, ordinal or interval.")
    values = table(ratings, "rater")
    values = values[(~np.isnan(values)).sum(axis=1) >= 2]
    if not len(values):
        return Undefined("No unit was rated by two raters.")
    observed, expected = _disagreement_by_label(values) if level == "nominal" else _disagreement(values, level)
    if expected <= 0:
        return Undefined("All ratings are the same: no disagreement was possible, so agreement says nothing.")
    return 1 - observed / expected


def fleiss_kappa(ratings: Sequence[Scores] | Floats) -> float | Undefined:
    """Fleiss' kappa (1971) for named classes and the same number of ratings (two or more) of each unit.

    Units without any rating are left out. Undefined without units and where all ratings are the same. Raises
    UsageError where units have different numbers of ratings: Krippendorff's alpha takes those.
    """
    values = table(ratings, "rater")
    rated = (~np.isnan(values)).sum(axis=1)
    values, rated = values[rated > 0], rated[rated > 0]
    if not len(values):
        return Undefined("No unit was rated.")
    if (rated != rated[0]).any() or rated[0] < 2:
        raise UsageError(
            f"Units have from {rated.min()} to {rated.max()} ratings.",
            allowed="The same number for each, at least 2.",
            next_step="Use Krippendorff's alpha, which takes missing ratings.",
        )
    counts, raters = _label_counts(values), int(rated[0])
    agreed = float(((counts**2).sum(axis=1) - raters).mean()) / (raters * (raters - 1))
    by_chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    if counts.shape[1] < 2:
        return Undefined("All ratings are the same: no disagreement was possible, so agreement says nothing.")
    return (agreed - by_chance) / (1 - by_chance)


def cohen_kappa(ratings: Sequence[Scores] | Floats, weights: Weights = "none") -> float | Undefined:
    """Cohen's kappa of two raters, table (units, 2): 1960, or weighted by the distance of their labels (1968).

    Distances are in places among the labels that occur, in order, so that a scale of 1-5 of which 3 never occurs has
    4 places. Units that lack a rating are left out. Undefined without units, and where chance alone would agree
    throughout. Raises UsageError for another number of raters and unknown weights.
    """
    if weights not in ("none", "linear", "quadratic"):
        raise UsageError(f"'{weights}' are no weights.", allowed="none, linear or quadratic.")
    values = table(ratings, "rater")
    if values.shape[1] != 2:
        raise UsageError(f"{values.shape[1]} raters.", allowed="2; for more, Fleiss' kappa or Krippendorff's alpha.")
    values = values[~np.isnan(values).any(axis=1)]
    if not len(values):
        return Undefined("No unit was rated by both.")
    labels, places = np.unique(values, return_inverse=True)
    first, second = places.reshape(values.shape).T
    size = len(labels)
    counts = np.bincount(first * size + second, minlength=size**2).reshape(size, size)
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    cost = {"none": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}[weights]
    expected = float((np.outer(counts.sum(axis=1), counts.sum(axis=0)) * cost).sum()) / len(values)
    if expected == 0:
        return Undefined("Both gave one and the same label throughout: chance alone would agree as much.")
    return 1 - float((counts * cost).sum()) / expected


def _disagreement_by_label(values: Floats) -> tuple[float, float]:
    """Observed and expected shares of pairs with different labels, from counts (units, labels)."""
    counts = _label_counts(values)
    rated, of_label, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    observed = ((rated**2 - (counts**2).sum(axis=1)) / (rated - 1)).sum() / total
    return float(observed), float(total**2 - (of_label**2).sum()) / float(total * (total - 1))


def _disagreement(values: Floats, level: Level) -> tuple[float, float]:
    """Observed and expected mean squared distances of two ratings: twice a variance within units, and of all."""
    from scipy.stats import rankdata

    given = ~np.isnan(values)
    scores = np.zeros_like(values)
    scores[given] = rankdata(values[given]) if level == "ordinal" else values[given]
    scores[given] -= scores[given].mean()
    rated = given.sum(axis=1)
    mean = scores.sum(axis=1) / rated
    within = np.where(given, (scores - mean[:, None]) ** 2, 0.0).sum(axis=1)
    total = int(given.sum())
    # all the same comes out as rounding, not as 0
    if np.ptp(values[given]) == 0:
        return 0.0, 0.0
    observed = float((2 * rated * within / (rated - 1)).sum()) / total
    return observed, 2 * float((scores[given] ** 2).sum()) / (total - 1)


def _label_counts(values: Floats) -> Floats:
    """How often each unit got each label: shape (units, labels)."""
    given = ~np.isnan(values)
    labels, places = np.unique(values[given], return_inverse=True)
    counts = np.zeros((len(values), len(labels)))
    np.add.at(counts, (np.nonzero(given)[0], places), 1)
    return counts
