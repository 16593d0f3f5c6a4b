"""Every pair of examinees on the same items, in families that do not adjust each other's p-values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from viva.core.estimates import DocumentEffects, Estimate
from viva.core.records import Exam, Examinee, GradeResult
from viva.core.scores import ExamineeScore
from viva.core.scores_pairs import Comparison, Family, PairVerdict, verdict_of
from viva.metrics.clusters import QuestionClusters, clusters_of, differences_of
from viva.metrics.exam import response_matrix
from viva.metrics.intervals import INDEPENDENT, ClusterDesign, PairedComparison, compare_paired, holm
from viva.metrics.occasions import steps_of
from viva.metrics.panel import REFERENCES, Panel, is_own

_FAMILIES = (Family.OTHERS, Family.AGAINST, Family.OWN)
"""By how many of a pair are ranked systems of the user's."""


@dataclass(frozen=True)
class ExamClusters:
    """Tell whether the exam's questions hang together by document: in shares of right answers, in differences."""

    accuracy: QuestionClusters = field(default_factory=QuestionClusters)
    own_pairs: QuestionClusters | None = None
    other_pairs: QuestionClusters | None = None

    @property
    def pair_effect(self) -> float:
        """What tests of the user's pairs allow for, or of all pairs where the user has none."""
        by = self.own_pairs or self.other_pairs
        return by.found.used if by and by.found else 1.0

    @property
    def record(self) -> DocumentEffects | None:
        """What was found; None where no system was asked."""
        if self.accuracy.found is None:
            return None
        return DocumentEffects(
            accuracy=self.accuracy.found,
            own_pairs=self.own_pairs.found if self.own_pairs else None,
            other_pairs=self.other_pairs.found if self.other_pairs else None,
        )


def document_clusters(
    exam: Exam, examinees: Sequence[Examinee], unranked: Set[str], grades: Sequence[GradeResult]
) -> ExamClusters:
    """By the grades of all candidates, failures as wrong answers; pairs of the user's systems by these alone."""
    candidates = [
        each
        for each in examinees
        if each.id not in unranked and not (each.manufactured or REFERENCES & set(each.components.values()))
    ]
    ids = [each.id for each in candidates]
    if not ids:
        return ExamClusters()
    answers = response_matrix(exam, ids, [each for each in grades if each.examinee_id in set(ids)])
    own = answers[[is_own(each) for each in candidates]]
    return ExamClusters(
        clusters_of(exam.items, answers), differences_of(exam.items, own), differences_of(exam.items, answers)
    )


def comparisons(
    examinees: Sequence[ExamineeScore],
    exam: Exam,
    grades: Sequence[GradeResult],
    panel: Panel | None,
    named: Collection[tuple[str, str]] = (),
    clusters: ExamClusters | None = None,
) -> tuple[Comparison, ...]:
    """Every pair of `examinees`, the earlier one first, by grades in which a failure is a wrong answer.

    P-values are adjusted within families: pairs of the user's ranked systems, pairs of one of these with another
    (a reference), pairs of the others, and pairs of ids that the user `named`, each by itself. References among
    themselves, that nobody chooses from, cost no power.
    """
    ids = [row.examinee.id for row in examinees]
    own = {row.examinee.id for row in examinees if is_own(row.examinee) and not row.failing}
    times = {row.examinee.id: row.stability.occasions if row.stability else 1 for row in examinees}
    rows = dict(zip(ids, response_matrix(exam, ids, grades), strict=True))
    alone = {frozenset(pair) for pair in named}
    families: dict[Family, dict[tuple[str, str], PairedComparison]] = {
        family: {} for family in (Family.NAMED, Family.OWN, Family.AGAINST, Family.OTHERS)
    }
    for a, b in combinations(ids, 2):
        design = _design(clusters, exam, rows[a] + rows[b], own={a, b} <= own)
        steps = steps_of(times[a], times[b])
        compared = compare_paired(rows[a], rows[b], steps=steps, design=design)
        if compared is not None:
            family = Family.NAMED if {a, b} in alone else _FAMILIES[len({a, b} & own)]
            families[family][a, b] = compared
    found = {pair: each for family, pairs in families.items() for pair, each in _tested(family, pairs).items()}
    chances = _chances(panel, {pair: each for pairs in families.values() for pair, each in pairs.items()})
    return tuple(
        found[pair].model_copy(
            update={"probability_better": chances.get(pair), "repeated": max(times[a] for a in pair) > 1}
        )
        for pair in combinations(ids, 2)
        if pair in found
    )


def _design(clusters: ExamClusters | None, exam: Exam, both: NDArray[np.float64], *, own: bool) -> ClusterDesign:
    """Of the questions that a pair has grades for."""
    by = (clusters.own_pairs if own else clusters.other_pairs) if clusters else None
    if by is None:
        return INDEPENDENT
    return by.design([exam.items[place].item.id for place in np.flatnonzero(~np.isnan(both))])


def _chances(
    panel: Panel | None, pairs: Mapping[tuple[str, str], PairedComparison]
) -> dict[tuple[str, str], float | None]:
    """The probability that the first of each pair is better; of those that the model was fitted to."""
    if panel is None:
        return {}
    place = {each.id: n for n, each in enumerate(panel.examinees)}
    fitted = {pair: each for pair, each in pairs.items() if set(pair) <= place.keys()}
    only = np.zeros((len(place), len(place)))
    for (a, b), each in fitted.items():
        only[place[a], place[b]], only[place[b], place[a]] = each.worth
    better = panel.fit.probability_better(only)
    return {(a, b): float(better[place[a], place[b]]) for a, b in fitted}


def _tested(family: Family, pairs: Mapping[tuple[str, str], PairedComparison]) -> dict[tuple[str, str], Comparison]:
    """The pairs of a family with p-values after Holm, and intervals that say nothing else than these."""
    over = 1 if family is Family.NAMED else len(pairs)
    alone = [each.p_value for each in pairs.values()]
    adjusted = alone if over == 1 else holm(alone)
    return {
        (a, b): _comparison(a, b, each, p, family, over)
        for ((a, b), each), p in zip(pairs.items(), adjusted, strict=True)
    }


def _comparison(a: str, b: str, each: PairedComparison, p: float, family: Family, over: int) -> Comparison:
    verdict = verdict_of(each.total, p)
    interval = _agreeing(each.interval(over), verdict)
    return Comparison(
        first_id=a,
        second_id=b,
        items=each.items,
        difference=interval.value,
        low=interval.low,
        high=interval.high,
        p_value=each.p_value,
        p_adjusted=p,
        family=family,
        adjusted_over=over,
        verdict=verdict,
        only_first=each.only_first,
        only_second=each.only_second,
        design_effect=each.design.effect,
        probability_better=None,
    )


def _agreeing(found: Estimate, verdict: PairVerdict) -> Estimate:
    """The interval, which holds 0 inside exactly where the two are not told apart.

    A bound moves to 0 where the approximation by normals and the exact test differ, or Holm rejects what Bonferroni
    does not (bounds compatible with Holm: Strassburger & Bretz 2008).
    """
    low, high = found.low, found.high
    if verdict is PairVerdict.NOT_TOLD_APART:
        low, high = min(low, 0.0), max(high, 0.0)
    elif verdict is PairVerdict.BETTER:
        low = max(low, 0.0)
    else:
        high = min(high, 0.0)
    return Estimate(found.value, low, high)
