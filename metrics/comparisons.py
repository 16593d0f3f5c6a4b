"""Every pair of examinees on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from viva.core.records import Exam, Grade, GradeResult
from viva.core.scores import Comparison
from viva.metrics.intervals import compare_paired, holm
from viva.metrics.panel import Panel


def comparisons(
    ids: Sequence[str], exam: Exam, grades: Sequence[GradeResult], panel: Panel | None
) -> tuple[Comparison, ...]:
    """Every pair of `ids`, the earlier one first; p-values adjusted over all pairs."""
    scores = {(g.examinee_id, g.item_id): g.score for g in grades if isinstance(g, Grade)}
    rows = {i: [scores.get((i, item.item.id)) for item in exam.items] for i in ids}
    better = panel.fit.probability_better() if panel else None
    place = {each.id: n for n, each in enumerate(panel.examinees)} if panel else {}
    tested = [(a, b, compare_paired(rows[a], rows[b])) for a, b in combinations(ids, 2)]
    found = [(a, b, c) for a, b, c in tested if c is not None]
    adjusted = holm([c.p_value for _, _, c in found])
    return tuple(
        Comparison(
            first_id=a,
            second_id=b,
            items=c.items,
            difference=c.difference.estimate,
            low=c.difference.low,
            high=c.difference.high,
            p_value=p,
            probability_better=(
                float(better[place[a], place[b]]) if better is not None and a in place and b in place else None
            ),
        )
        for (a, b, c), p in zip(found, adjusted, strict=True)
    )
