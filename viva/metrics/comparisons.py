"""Every pair of examinees on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from viva.core.records import Exam, GradeResult
from viva.core.scores import Comparison, ExamineeScore
from viva.metrics.exam import response_matrix
from viva.metrics.intervals import compare_paired, holm
from viva.metrics.panel import Panel


def comparisons(
    examinees: Sequence[ExamineeScore], exam: Exam, grades: Sequence[GradeResult], panel: Panel | None
) -> tuple[Comparison, ...]:
    """Every pair of `examinees`, the earlier one first, by grades in which a failure is a wrong answer.

    P-values are adjusted over the pairs of those asked for, and by themselves over the pairs with manufactured or
    failing ones: company that nobody chooses from must not cost the choice its power.
    """
    ids = [row.examinee.id for row in examinees]
    made = {row.examinee.id for row in examinees if row.examinee.manufactured or row.failing}
    rows = dict(zip(ids, response_matrix(exam, ids, grades), strict=True))
    better = panel.fit.probability_better() if panel else None
    place = {each.id: n for n, each in enumerate(panel.examinees)} if panel else {}
    tested = [(a, b, compare_paired(rows[a], rows[b])) for a, b in combinations(ids, 2)]
    found = [(a, b, c) for a, b, c in tested if c is not None]
    families = [bool(made & {a, b}) for a, b, _ in found]
    adjusted = _adjusted([c.p_value for _, _, c in found], families)
    return tuple(
        Comparison(
            first_id=a,
            second_id=b,
            items=c.items,
            difference=c.difference.value,
            low=c.difference.low,
            high=c.difference.high,
            p_value=p,
            only_first=c.only_first,
            only_second=c.only_second,
            adjusted_over=families.count(family),
            probability_better=(
                float(better[place[a], place[b]]) if better is not None and a in place and b in place else None
            ),
        )
        for (a, b, c), p, family in zip(found, adjusted, families, strict=True)
    )


def _adjusted(p_values: Sequence[float], families: Sequence[bool]) -> list[float]:
    """Holm's adjustment within each family, in the order given."""
    within = {
        family: iter(holm([p for p, own in zip(p_values, families, strict=True) if own == family]))
        for family in (False, True)
    }
    return [next(within[family]) for family in families]
