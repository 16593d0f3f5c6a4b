"""What a report is made of, and the sums that must hold before one is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from viva.core.accounts import Coverage, Funnel, ModelUse, OwnExam, StageTime
from viva.core.blueprint import LevelFill
from viva.core.records import (
    Document,
    Exam,
    Exclusion,
    GradeResult,
    Rejection,
    Response,
    Run,
)
from viva.core.records.refinement import Refinement
from viva.core.scores import Scores
from viva.core.scores_diagnosis import Diagnosis
from viva.graphs.oral_exam.record import OralExaminations
from viva.storage.corpus.editions.finding import EditionPair
from viva.storage.corpus.statistics import CorpusStatistics


@dataclass(frozen=True)
class ReportData:
    """Everything one report shows. `documents` holds those with evidence; the first `responses` come by item id."""

    run: Run
    statistics: CorpusStatistics
    exclusions: tuple[Exclusion, ...]
    funnel: Funnel
    exam: Exam
    scores: Scores
    documents: Mapping[str, Document]
    rejections: tuple[Rejection, ...]
    responses: Mapping[str, tuple[Response, ...]]
    times: tuple[StageTime, ...]
    model_use: tuple[ModelUse, ...] = ()
    blueprint: tuple[LevelFill, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    exam_notes: tuple[str, ...] = ()
    """what the choice of questions could not hold"""
    unscored: tuple[str, ...] = ()
    """who has sat the exam and is not in the scores"""
    own: OwnExam | None = None
    """the exam that was given, where it was not written from the documents"""
    refinement: Refinement | None = None
    """what the exam came of, where it was refined"""
    diagnoses: tuple[Diagnosis, ...] = ()
    """why answers were wrong"""
    editions: tuple[EditionPair, ...] = ()
    """documents that are editions of one text"""
    oral: OralExaminations | None = None
    """what systems know, unit by unit"""
    later: tuple[Response, ...] = ()
    """responses of later occasions"""
    judged: Mapping[str, GradeResult] = field(default_factory=dict)
    """by response id, what the judge made of open answers"""

    @property
    def counted(self) -> Exam:
        """The exam without the questions that the scores set aside."""
        return self.exam.without({each.item_id for each in self.scores.set_aside})

    @property
    def chance(self) -> float | None:
        """Expected accuracy of guessing: the mean of 1 / options over items, 0 for an open one; None for no exam."""
        items = self.counted.items
        if not items:
            return None
        return sum(0 if shown.item.is_open else 1 / len(shown.options) for shown in items) / len(items)


def check_funnel(funnel: Funnel, exam: Exam) -> None:
    """Raises ValueError where units or items went missing on the way, or where the exam is not the funnel's."""
    sums = {
        "units = accepted + rejected + failed + not asked": (
            funnel.units,
            funnel.accepted + sum(funnel.rejected.values()) + sum(funnel.failed.values()) + funnel.not_asked,
        ),
        "accepted = in the exam + worked examples + left out": (
            funnel.accepted,
            funnel.in_exam + funnel.examples + sum(funnel.left_out.values()),
        ),
        "in the exam = items of the exam": (funnel.in_exam + funnel.own, len(exam.items)),
    }
    for rule, (whole, parts) in sums.items():
        if whole != parts:
            raise ValueError(f"The funnel does not add up: {rule}, but {whole} is not {parts}.")
    single = (funnel.accepted, funnel.not_asked, funnel.in_exam, funnel.examples)
    if min(*single, *funnel.rejected.values(), *funnel.left_out.values()) < 0:
        raise ValueError("The funnel counts fewer than no units or items.")
