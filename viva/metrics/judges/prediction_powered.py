"""Prediction-powered inference: the mean that people would give, from few labels and a judge's score of everything.

The judge's mean over the rows without a label, put right by its mean error on those that have one (Angelopoulos,
Bates, Fannjiang, Jordan & Zrnic 2023), the judge weighted by how much it helps (PPI++: Angelopoulos, Duchi & Zrnic
2024). The interval is valid however wrong the judge is, as long as the labelled rows are a random draw (within each
stratum).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.wording import counted
from viva.metrics.intervals import CONFIDENCE
from viva.metrics.irt.model.responses import Ints
from viva.metrics.judges.pairs import Floats, Scores, Undefined, numbered, vector


@dataclass(frozen=True)
class PredictionPowered:
    """The mean that people would give, with what it rests on.

    `weight`: of the judge (lambda; 0 ignores it). `labels_alone`: the mean of the labels without a judge.
    `judge_mean`: the judge's own, not put right, over all rows. `effective_labels`: how many labels alone would give
    this standard error. `ungraded`: rows without a judge's score, for which its mean score stands in (any stand-in is
    put right by the labels alike).
    """

    mean: Estimate
    se: float
    weight: float
    labels_alone: Estimate
    judge_mean: float
    effective_labels: float
    labels: int
    unlabelled: int
    ungraded: int
    clusters: int


@dataclass(frozen=True, eq=False)
class _Parts:
    """Each row's share (n,) in the deviation of the estimate: `label` once, `judge` as often as it is weighted."""

    label: Floats
    judge: Floats
    label_mean: float
    judge_correction: float


def prediction_powered_mean(
    judge: Scores,
    people: Scores,
    *,
    clusters: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
    weight: float | None = None,
) -> PredictionPowered | Undefined:
    """The mean that people (n,) would give over all rows, of which some have a label (the others None).

    judge (n,) is any score, best mapped to the people's scale (`calibration_to_people.cross_fitted`); `clusters`
    (n,): rows that rise and fall together (an item's responses, a document's items), labelled or not; `strata` (n,):
    labelled at different rates, each weighted by its share of all rows (Fisch et al. 2024). `weight` None: the lambda
    that makes the variance least, over clusters; 1: plain PPI; 0: labels alone. Without clusters and strata the
    standard error is that of PPI++: weight^2 var(judge) / N + var(people - weight judge) / n. Quantiles are
    Student's, with as many degrees of freedom as labelled clusters less strata (less one for a tuned weight).

    For systems' scores from 0 to 1 with few labels of each, see `labelled_systems`.

    Undefined for fewer than 3 labels, fewer than two labelled clusters in a stratum, and where the
    labels do not vary. Raises UsageError for different lengths and infinite scores.
    """
    labels, scores = vector(people, "Scores of the people"), vector(judge, "Scores of the judge")
    n = len(labels)
    for name, given in (("scores of the judge", scores), ("clusters", clusters), ("strata", strata)):
        if given is not None and len(given) != n:
            raise UsageError(f"{len(given)} {name} for {n} rows.", allowed="One for each.")
    graded = ~np.isnan(scores)
    if not graded.any():
        return Undefined("The judge scored nothing.")
    labelled = ~np.isnan(labels)
    if labelled.sum() < 3:
        return Undefined(f"{counted(int(labelled.sum()), 'label')}; at least 3 are needed.")
    filled = np.where(graded, scores, scores[graded].mean())
    cluster_of, stratum_of = (
        numbered(range(n) if clusters is None else clusters),
        numbered([0] * n if strata is None else strata),
    )
    parts = _parts(labels, filled, labelled, cluster_of, stratum_of)
    if isinstance(parts, Undefined):
        return parts
    label = np.bincount(cluster_of, parts.label).astype(np.float64)
    predicted = np.bincount(cluster_of, parts.judge).astype(np.float64)
    held = len(np.unique(cluster_of[labelled])) - len(np.unique(stratum_of))
    tuned = weight is None and bool(predicted.any()) and held > 1
    used = _best(label, predicted) if tuned else (weight or 0.0)
    variance = _variance(label + used * predicted, held, tuned)
    alone = _variance(label, held, False)
    if variance <= 0:
        return Undefined("All labels are the same: they show no spread to give an interval by.")
    estimate = parts.label_mean + used * parts.judge_correction
    return PredictionPowered(
        mean=_interval(estimate, variance, held - tuned),
        se=float(np.sqrt(variance)),
        weight=used,
        labels_alone=_interval(parts.label_mean, alone, held),
        judge_mean=float(scores[graded].mean()),
        effective_labels=float(labelled.sum() * alone / variance),
        labels=int(labelled.sum()),
        unlabelled=int((~labelled).sum()),
        ungraded=int((~graded).sum()),
        clusters=len(label),
    )


def _parts(
    labels: Floats, scores: Floats, labelled: NDArray[np.bool_], cluster_of: Ints, stratum_of: Ints
) -> _Parts | Undefined:
    label, judge = np.zeros(len(labels)), np.zeros(len(labels))
    label_mean = correction = 0.0
    for stratum in range(int(stratum_of.max()) + 1):
        inside = stratum_of == stratum
        known, unknown = inside & labelled, inside & ~labelled
        if len(np.unique(cluster_of[known])) < 2:
            return Undefined(
                f"One stratum of {inside.sum()} rows has labels in fewer than two clusters; its spread is unknown."
            )
        weight = inside.sum() / len(labels)
        label_mean += float(weight) * float(labels[known].mean())
        label[known] = weight * _deviations(labels[known], cluster_of[known])
        # unlabelled rows of a single cluster have an unknown spread: there the labels stand alone
        if len(np.unique(cluster_of[unknown])) < 2:
            continue
        correction += float(weight) * float(scores[unknown].mean() - scores[known].mean())
        judge[known] = -weight * _deviations(scores[known], cluster_of[known])
        judge[unknown] = weight * _deviations(scores[unknown], cluster_of[unknown])
    return _Parts(label, judge, label_mean, correction)


def _deviations(values: Floats, cluster_of: Ints) -> Floats:
    """Each row's share in the deviation of the mean, so that squares summed over clusters give its variance."""
    clusters = len(np.unique(cluster_of))
    centred: Floats = values - values.mean()
    return centred / len(values) * float(np.sqrt(clusters / (clusters - 1)))


def _best(label: Floats, judge: Floats) -> float:
    """The weight at which the squares of label + weight * judge, by cluster, are least (PPI++, proposition 2)."""
    return float(-(label @ judge) / (judge @ judge))


def _variance(deviations: Floats, held: int, tuned: bool) -> float:
    # a weight chosen to make the variance least takes a degree of freedom, as a slope does
    return float(deviations @ deviations) * (held / (held - 1) if tuned else 1.0)


def _interval(estimate: float, variance: float, freedom: int) -> Estimate:
    half = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * float(np.sqrt(variance))
    return Estimate(float(estimate), float(estimate) - half, float(estimate) + half)
