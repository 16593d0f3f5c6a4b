"""Two examinees on the same items, asked for in either order."""

from __future__ import annotations

from dataclasses import dataclass

from viva.core.records import Grade
from viva.core.scores import Comparison, Scores
from viva.metrics.exam import grade, right_or_wrong
from viva.reports.data import ReportData

SIGNIFICANT = 0.05


class Pairs:
    """The comparisons of the scores, turned to face the way they are asked for."""

    def __init__(self, scores: Scores) -> None:
        self._found = {(c.first_id, c.second_id): c for c in scores.comparisons}

    def between(self, first_id: str, second_id: str) -> Comparison | None:
        """The comparison with `first_id` as the first; None where the two were not compared."""
        if (first_id, second_id) in self._found:
            return self._found[first_id, second_id]
        turned = self._found.get((second_id, first_id))
        return _turned(turned) if turned else None

    def __len__(self) -> int:
        return len({frozenset(pair) for pair in self._found})


def _turned(comparison: Comparison) -> Comparison:
    chance = comparison.probability_better
    return comparison.model_copy(
        update={
            "first_id": comparison.second_id,
            "second_id": comparison.first_id,
            "difference": -comparison.difference,
            "low": -comparison.high,
            "high": -comparison.low,
            "only_first": comparison.only_second,
            "only_second": comparison.only_first,
            "probability_better": None if chance is None else 1 - chance,
        }
    )


@dataclass(frozen=True)
class GradeBook:
    """Each examinee's grades (1, 0, None: not graded) in the order of the exam's items, and where it failed."""

    rows: dict[str, list[float | None]]
    failed: dict[str, list[bool]]

    @classmethod
    def of(cls, data: ReportData) -> GradeBook:
        """The grades of every response that the data hold."""
        rows: dict[str, list[float | None]] = {s.examinee.id: [] for s in data.scores.examinees}
        failed: dict[str, list[bool]] = {examinee_id: [] for examinee_id in rows}
        for shown in data.exam.items:
            responses = data.responses.get(shown.item.id, ())
            given = {r.examinee_id: right_or_wrong(grade(shown, r, data.judged)) for r in responses}
            failures = {r.examinee_id for r in responses if r.failure}
            for examinee_id, row in rows.items():
                result = given.get(examinee_id)
                row.append(result.score if isinstance(result, Grade) else None)
                failed[examinee_id].append(examinee_id in failures)
        return cls(rows, failed)
