"""Pairs in words, and the grades of each examinee in the exam's order."""

from __future__ import annotations

from dataclasses import dataclass

from viva.core.note_words import names_of, nothing_separates
from viva.core.records import Exam, Grade
from viva.core.scores import Scores
from viva.core.scores_pairs import (
    CAUSES,
    Comparison,
    EvidenceAmong,
    Family,
    PairFindings,
    PartedQuestion,
    pair_sentence,
)
from viva.core.wording import counted
from viva.metrics.compare_systems import pair_findings
from viva.metrics.exam import grade, right_or_wrong
from viva.reports.data import ReportData
from viva.reports.sections.spending import usage_sentence

MOST_TOLD = 6
"""Pairs of the user's systems that have a sentence each; of more, those with the best of these systems."""


def told_pairs(scores: Scores) -> tuple[str, ...]:
    """The verdicts on the pairs that the user named and on pairs of the user's systems, a sentence each."""
    names = names_of(scores)
    return tuple(pair_sentence(each, names[each.first_id], names[each.second_id]) for each in _shown(scores))


def _shown(scores: Scores) -> list[Comparison]:
    if nothing_separates(scores):
        return []
    named, own = ([c for c in scores.comparisons if c.family is family] for family in (Family.NAMED, Family.OWN))
    if len(own) > MOST_TOLD:
        own = [each for each in own if each.first_id == own[0].first_id][:MOST_TOLD]
    return [*named, *own]


def reason_sentences(found: PairFindings) -> tuple[str, ...]:
    """Why two systems differ: of the questions that each has right alone, or more often, where the evidence was."""
    told, repeated = [], found.comparison.repeated
    for right, wrong in ((found.first, found.second), (found.second, found.first)):
        counts = found.evidence_of(right)
        if not counts:
            continue
        where = {
            EvidenceAmong.OF_RIGHT: f"among the passages of {right.name} alone in {{}} (retrieval)",
            EvidenceAmong.BOTH: "among the passages of both in {} (reading)",
            EvidenceAmong.OF_WRONG: f"among the passages of {wrong.name} alone in {{}} (reading)",
            EvidenceAmong.NEITHER: "among the passages of neither in {}",
        }
        known = [text.format(counts[each]) for each, text in where.items() if each in counts]
        parts = [f"the evidence was {', '.join(known)}"] if known else []
        if failed := counts.get(EvidenceAmong.FAILED):
            parts.append(f"{wrong.name} failed on {failed}")
        if unknown := counts.get(EvidenceAmong.UNKNOWN):
            parts.append(f"where the evidence was is not known of {unknown} (no passages shown, or no evidence)")
        questions = counted(sum(counts.values()), "question")
        has = f"{right.name} has right more often" if repeated else f"{right.name} alone has right"
        told.append(f"Of {questions} that {has}, {'; '.join(parts)}.")
    return tuple(told) or (f"The two have the same questions right{', equally often' if repeated else ''}.",)


def usage_sentences(found: PairFindings) -> tuple[str, ...]:
    """What an answer of each takes, where that is known."""
    both = ((found.first, found.first_usage), (found.second, found.second_usage))
    return tuple(f"{each.name}: {told}" for each, usage in both if (told := usage_sentence(usage)))


@dataclass(frozen=True)
class PairView:
    """Two systems in words; `parted`: number of the question, the question, who is right, what it is put down to."""

    found: PairFindings
    verdict: str
    reasons: tuple[str, ...]
    usage: tuple[str, ...]
    parted: tuple[tuple[int, PartedQuestion, str, str], ...]

    @classmethod
    def of(cls, found: PairFindings, exam: Exam) -> PairView:
        """The findings as report and viewer show them."""
        place = {shown.item.id: number for number, shown in enumerate(exam.items, start=1)}
        names = {each.id: each.name for each in (found.first, found.second)}
        return cls(
            found=found,
            verdict=pair_sentence(found.comparison, found.first.name, found.second.name),
            reasons=reason_sentences(found),
            usage=usage_sentences(found),
            parted=tuple(
                (place[each.item_id], each, names[each.right], CAUSES.get(each.evidence, "")) for each in found.parted
            ),
        )


def shown_pairs(data: ReportData) -> tuple[PairView, ...]:
    """The pairs that have a sentence, each with what parts it."""
    answers = [*(response for own in data.responses.values() for response in own), *data.later]
    found = [
        pair_findings(data.scores, data.exam, answers, data.judged, each.first_id, each.second_id)
        for each in _shown(data.scores)
    ]
    return tuple(PairView.of(each, data.exam) for each in found if each)


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
