"""Pairs in words, and the grades of each examinee in the exam's order."""

from __future__ import annotations

from dataclasses import dataclass

from viva.core.note_words import names_of
from viva.core.records import Grade
from viva.core.scores import Scores
from viva.core.scores_pairs import Family, pair_sentence
from viva.metrics.exam import grade, right_or_wrong
from viva.reports.data import ReportData

MOST_TOLD = 6
"""Pairs of the user's systems that have a sentence each; of more, those with the best of these systems."""


def told_pairs(scores: Scores) -> tuple[str, ...]:
    """The verdicts on the pairs that the user named and on pairs of the user's systems, a sentence each."""
    names = names_of(scores)
    named, own = ([c for c in scores.comparisons if c.family is family] for family in (Family.NAMED, Family.OWN))
    if len(own) > MOST_TOLD:
        own = [each for each in own if each.first_id == own[0].first_id][:MOST_TOLD]
    return tuple(pair_sentence(each, names[each.first_id], names[each.second_id]) for each in (*named, *own))


@dataclass(frozen=True)
class GradeBook:
    """Each examinee's grades (1, 0, None: not graded) in the order of the exam's items."""

    rows: dict[str, list[float | None]]

    @classmethod
    def of(cls, data: ReportData) -> GradeBook:
        """The grades of every response that the data hold."""
        rows: dict[str, list[float | None]] = {s.examinee.id: [] for s in data.scores.examinees}
        for shown in data.exam.items:
            responses = data.responses.get(shown.item.id, ())
            given = {r.examinee_id: right_or_wrong(grade(shown, r, data.judged)) for r in responses}
            for examinee_id, row in rows.items():
                result = given.get(examinee_id)
                row.append(result.score if isinstance(result, Grade) else None)
        return cls(rows)
