"""What the answers of a system took, and why two systems differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from viva.core.accounts import SystemUsage
from viva.core.records import Exam, ExamItem, Grade, GradeResult, Response, Span
from viva.core.scores import Scores
from viva.core.scores_pairs import EvidenceAmong, PairAtLevel, PairFindings, Pairs, PartedQuestion
from viva.metrics.diagnosis import evidence_among
from viva.metrics.exam import failures_wrong, grade, right_or_wrong
from viva.metrics.intervals import compare_paired
from viva.metrics.occasions import occasions_of, over_occasions, steps_of


def system_usage(exam: Exam, answered: Sequence[Response]) -> SystemUsage | None:
    """Tokens, cost and latency of one system's answers; None without any.

    Questions are asked in the exam's order, so the first answer is the one to the earliest question. A latency of 0
    is not known: recorded answers may name none.
    """
    if not answered:
        return None
    place = {shown.item.id: number for number, shown in enumerate(exam.items)}
    ordered = sorted(answered, key=lambda response: place[response.item_id])
    seconds = [response.latency_s for response in ordered if response.latency_s]
    used = [response.usage for response in ordered if response.usage]
    return SystemUsage(
        answers=len(ordered),
        counted=len(used),
        input_tokens=_mean(each.input_tokens for each in used),
        output_tokens=_mean(each.output_tokens for each in used),
        cost=_mean(each.cost for each in used),
        first_s=seconds[0] if seconds else None,
        p50_s=float(np.quantile(seconds[1:], 0.5)) if seconds[1:] else None,
        p95_s=float(np.quantile(seconds[1:], 0.95)) if seconds[1:] else None,
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


# --- why two systems differ -------------------------------------------------------------------------------


def pair_findings(
    scores: Scores,
    exam: Exam,
    responses: Iterable[Response],
    judged: Mapping[str, GradeResult],
    first_id: str,
    second_id: str,
) -> PairFindings | None:
    """The verdict of the scores on two systems, and what parts them; None where the scores do not compare them.

    Questions that the scores set aside are left out, as in the verdict.
    """
    comparison = Pairs(scores.comparisons).between(first_id, second_id)
    if comparison is None:
        return None
    rows = {row.examinee.id: row for row in scores.examinees}
    exam = exam.without({each.item_id for each in scores.set_aside})
    told = list(responses)
    one, other = (_Answers.of(exam, [r for r in told if r.examinee_id == i], judged) for i in (first_id, second_id))
    common = [shown for shown in exam.items if shown.item.id in one.right and shown.item.id in other.right]
    return PairFindings(
        first=rows[first_id].examinee,
        second=rows[second_id].examinee,
        comparison=comparison,
        parted=tuple(
            _parted(shown, first_id, one, other)
            if one.right[shown.item.id] > other.right[shown.item.id]
            else _parted(shown, second_id, other, one)
            for shown in common
            if one.right[shown.item.id] != other.right[shown.item.id]
        ),
        levels=(
            *_levels("topic", {shown.item.id: shown.item.topic for shown in common}, one, other),
            *_levels("kind", {shown.item.id: shown.item.kind.value for shown in common}, one, other),
        ),
        first_usage=rows[first_id].usage,
        second_usage=rows[second_id].usage,
    )


@dataclass(frozen=True)
class _Answers:
    """One system's answers by item: on which share of occasions they are right, failures as wrong.

    `given`: by item the first answer that is right, and the first that is wrong.
    """

    right: Mapping[str, float]
    given: Mapping[tuple[str, bool], Response]
    occasions: int
    shows_passages: bool

    @classmethod
    def of(cls, exam: Exam, responses: Sequence[Response], judged: Mapping[str, GradeResult]) -> _Answers:
        shown = {each.item.id: each for each in exam.items}
        own = [each for each in sorted(responses, key=lambda each: each.occasion) if each.item_id in shown]
        graded = [(each, right_or_wrong(grade(shown[each.item_id], each, judged))) for each in own]
        counted = failures_wrong(graded)
        right = {each.item_id: each.score for each in over_occasions(counted) if isinstance(each, Grade)}
        given: dict[tuple[str, bool], Response] = {}
        for response, result in zip(own, counted, strict=True):
            if isinstance(result, Grade):
                given.setdefault((response.item_id, bool(result.score)), response)
        return cls(right, given, occasions_of(graded), any(each.passages for each in responses))

    def holds(self, item_id: str, evidence: Sequence[Span], *, right: bool) -> bool | None:
        """Tell whether the evidence is among the passages of its right, or wrong, answer; None where not known."""
        if not self.shows_passages or not evidence:
            return None
        found = evidence_among(self.given[item_id, right].passages, evidence)
        return found is not None and found.held


def _parted(shown: ExamItem, right_id: str, right: _Answers, wrong: _Answers) -> PartedQuestion:
    item = shown.item
    return PartedQuestion(
        item_id=item.id,
        question=item.stem,
        right=right_id,
        evidence=_evidence(shown, right, wrong),
        topic=item.topic,
        kind=item.kind.value,
    )


def _evidence(shown: ExamItem, right: _Answers, wrong: _Answers) -> EvidenceAmong:
    item = shown.item
    if wrong.given[item.id, False].failure:
        return EvidenceAmong.FAILED
    held = right.holds(item.id, item.evidence, right=True), wrong.holds(item.id, item.evidence, right=False)
    if None in held:
        return EvidenceAmong.UNKNOWN
    return {
        (True, False): EvidenceAmong.OF_RIGHT,
        (True, True): EvidenceAmong.BOTH,
        (False, True): EvidenceAmong.OF_WRONG,
    }.get((bool(held[0]), bool(held[1])), EvidenceAmong.NEITHER)


def _levels(attribute: str, of: Mapping[str, str], one: _Answers, other: _Answers) -> list[PairAtLevel]:
    """A row for each level, those with the most questions first; none where all questions are of one level."""
    own: dict[str, list[str]] = {}
    for item_id, level in of.items():
        own.setdefault(level, []).append(item_id)
    rows = []
    for level, ids in sorted(own.items(), key=lambda each: (-len(each[1]), each[0])):
        first, second = ([answers.right[i] for i in ids] for answers in (one, other))
        compared = compare_paired(first, second, steps=steps_of(one.occasions, other.occasions))
        if compared is None:
            raise AssertionError("a level has questions that both have a grade for")
        rows.append(
            PairAtLevel(
                attribute=attribute,
                level=level,
                items=len(ids),
                first=sum(first) / len(ids),
                second=sum(second) / len(ids),
                difference=compared.difference,
            )
        )
    return rows if len(rows) > 1 else []
