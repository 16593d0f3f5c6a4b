"""From a judge's score to the scale on which people score: a monotone map, and what it predicts out of sample."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from viva.core.wording import counted
from viva.metrics.judges.pairs import Floats, Scores, Undefined, kept_groups, paired_rows, too_few, vector

FOLDS = 5


@dataclass(frozen=True)
class MonotoneMap:
    """Judge scores `knots` (k,), rising, and what people give there on average, `values` (k,), never falling."""

    knots: tuple[float, ...]
    values: tuple[float, ...]

    def apply(self, judge: Scores) -> Floats:
        """What people would give: linear between knots, flat beyond the outermost; nan where the score is missing."""
        scores = vector(judge, "Scores of the judge")
        # numpy interpolates a nan to nan
        return np.interp(scores, self.knots, self.values).astype(np.float64)

    @property
    def flat(self) -> bool:
        """Whether every score maps to the same: people do not give more where this judge gives more."""
        return self.values[0] == self.values[-1]


@dataclass(frozen=True, eq=False)
class CrossFit:
    """`predicted` (n,): for each row what people would give, never by a map that has seen the labels of its group.

    A row without a label is predicted by the mean of the `maps`, one for each fold; nan where there is no score.
    """

    predicted: Floats
    maps: tuple[MonotoneMap, ...]


def monotone_map(judge: Scores, people: Scores) -> MonotoneMap | Undefined:
    """The isotonic regression of people (n,) on judge (n,) by least squares (Barlow et al. 1972).

    Tied judge scores get one value, from their mean. Rows that lack a score are left out. Undefined for fewer than 3
    pairs and where the judge gave one score throughout. Raises UsageError for different lengths and infinite scores.
    """
    rows = paired_rows(judge=judge, people=people).rows
    few = too_few(rows)
    if few:
        return few
    knots, places, counts = np.unique(rows[:, 0], return_inverse=True, return_counts=True)
    if len(knots) < 2:
        return Undefined(f"Every score of the judge is {knots[0]:g}: there is nothing to map.")
    # summed in the order of the labels, so that the order of the rows moves no digit
    order = np.argsort(rows[:, 1], kind="stable")
    means = np.bincount(places[order], weights=rows[order, 1]) / counts
    values = isotonic_regression(means, weights=counts.astype(np.float64)).x
    return MonotoneMap(tuple(knots.tolist()), tuple(values.tolist()))


def cross_fitted(
    judge: Scores, people: Scores, groups: Sequence[Hashable] | None = None, *, seed: int
) -> CrossFit | Undefined:
    """Isotonic maps, each fitted without one fold of the labelled groups, and what they predict out of their fold.

    judge (n,) and people (n,), None where there is no score or no label; rows of one group share a fold. Source of
    cross-fitting for prediction-powered inference: Zrnic & Candes (2024). Undefined where a map is, and with fewer
    labelled groups than folds. Raises UsageError as `monotone_map`.
    """
    scores, labels = vector(judge, "Scores of the judge"), vector(people, "Scores of the people")
    paired = paired_rows(judge=scores, people=labels)
    own = kept_groups(paired, groups)
    named = range(len(paired.rows)) if own is None else own
    fold_of = _folds(paired.rows, list(named), seed)
    if fold_of is None:
        return Undefined(f"{counted(len(set(named)), 'labelled group')} for {FOLDS} folds.")
    maps, held_out = list[MonotoneMap](), np.empty(len(paired.rows))
    for fold in range(FOLDS):
        inside = fold_of == fold
        fitted = monotone_map(paired.rows[~inside, 0], paired.rows[~inside, 1])
        if isinstance(fitted, Undefined):
            return fitted
        held_out[inside] = fitted.apply(paired.rows[inside, 0])
        maps.append(fitted)
    predicted = np.mean([each.apply(scores) for each in maps], axis=0)
    predicted[paired.kept] = held_out
    return CrossFit(predicted, tuple(maps))


def _folds(rows: Floats, groups: Sequence[Hashable], seed: int) -> NDArray[np.int64] | None:
    """The fold of each row: groups by content, shuffled, dealt out in turn. None with fewer groups than folds."""
    places: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        places.setdefault(group, []).append(place)
    if len(places) < FOLDS:
        return None
    ordered = sorted(places.values(), key=lambda own: sorted(map(tuple, rows[own].tolist())))
    fold_of = np.empty(len(rows), dtype=np.int64)
    for turn, group in enumerate(np.random.default_rng(seed).permutation(len(ordered))):
        fold_of[ordered[group]] = turn % FOLDS
    return fold_of
