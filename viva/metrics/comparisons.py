"""Every pair of examinees on the same items, in families that do not adjust each other's p-values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from viva.core.estimates import Estimate
from viva.core.records import Exam, GradeResult
from viva.core.scores import ExamineeScore
from viva.core.scores_pairs import Comparison, Family, PairVerdict, verdict_of
from viva.metrics.exam import response_matrix
from viva.metrics.intervals import PairedComparison, compare_paired, holm, paired_difference
from viva.metrics.panel import Panel, is_own


def comparisons(
    examinees: Sequence[ExamineeScore],
    exam: Exam,
    grades: Sequence[GradeResult],
    panel: Panel | None,
    named: Collection[tuple[str, str]] = (),
) -> tuple[Comparison, ...]:
    """Every pair of `examinees`, the earlier one first, by grades in which a failure is a wrong answer.

    P-values are adjusted within three families: pairs of the user's ranked systems, all others, and pairs of ids that
    the user `named`, each by itself. References and a panel, that nobody chooses from, cost the choice no power.
    """
    ids = [row.examinee.id for row in examinees]
    own = {row.examinee.id for row in examinees if is_own(row.examinee) and not row.failing}
    rows = dict(zip(ids, response_matrix(exam, ids, grades), strict=True))
    better = panel.fit.probability_better() if panel else None
    place = {each.id: n for n, each in enumerate(panel.examinees)} if panel else {}
    alone = {frozenset(pair) for pair in named}
    families: dict[Family, dict[tuple[str, str], PairedComparison]] = {
        family: {} for family in (Family.NAMED, Family.OWN, Family.OTHERS)
    }
    for a, b in combinations(ids, 2):
        compared = compare_paired(rows[a], rows[b])
        if compared is not None:
            family = Family.NAMED if {a, b} in alone else Family.OWN if {a, b} <= own else Family.OTHERS
            families[family][a, b] = compared
    found = {pair: each for family, pairs in families.items() for pair, each in _tested(family, pairs).items()}
    return tuple(
        each.model_copy(update={"probability_better": float(better[place[a], place[b]])})
        if better is not None and a in place and b in place
        else each
        for a, b in combinations(ids, 2)
        if (each := found.get((a, b)))
    )


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
    verdict = verdict_of(each.difference.value, p)
    interval = _agreeing(paired_difference(each.only_first, each.only_second, each.items, intervals=over), verdict)
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
