"""What the answers of a system are worth to a gate, question by question, and why one became wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from viva.core.records import Examinee, ExamItem, Grade, GradeResult, Item, Record, Response, Span
from viva.exams.published import GateAnswer, GateAnswers
from viva.metrics.exam import grade

RIGHT = 0.5
"""The score from which an answer is right, and of several answers to one question their mean."""


class ChangedQuestion(Record):
    """A question that the baseline has right and the candidate has not, and why."""

    item_id: str
    question: str
    why: str


def question_key(shown: ExamItem) -> str:
    """Name a question by its words alone: it is the same with and without documents to point into."""
    item = shown.item
    return Item.id_of(item.stem, item.key, [wrong.text for wrong in item.distractors], (), item.history)


def answered(
    exam_id: str,
    examinee: Examinee,
    questions: Sequence[ExamItem],
    responses: Sequence[Response],
    graded: Mapping[str, GradeResult],
) -> GateAnswers:
    """Give what these responses are worth: failures are wrong answers; what a judge left ungraded is left out.

    A question that was asked on several occasions has the mean of its answers.
    """
    answers: dict[str, GateAnswer] = {}
    given: dict[str, list[Response]] = {}
    for response in responses:
        given.setdefault(response.item_id, []).append(response)
    for shown in questions:
        own = [r for r in given.get(shown.item.id, ()) if r.id == Response.id_of(examinee.id, shown, r.occasion)]
        results = [(each, _or_wrong(grade(shown, each, graded), each)) for each in own]
        scored = [(each, result.score) for each, result in results if isinstance(result, Grade)]
        if scored:
            answers[question_key(shown)] = _mean(shown, sorted(scored, key=lambda pair: pair[0].occasion))
    return GateAnswers(exam_id=exam_id, system=examinee.name, answers=answers)


def _mean(shown: ExamItem, scored: Sequence[tuple[Response, float]]) -> GateAnswer:
    score = fmean(each for _, each in scored)
    # a right answer does not show why the mean is wrong, nor a wrong one why it is right
    alike = next(response for response, each in scored if (each >= RIGHT) == (score >= RIGHT))
    failed = any(response.failure for response, _ in scored)
    return GateAnswer(score=score, evidence=_holds(shown, alike), failed=failed, answers=len(scored))


def _or_wrong(result: GradeResult, response: Response) -> GradeResult:
    if response.failure is None:
        return result
    return Grade(
        response_id=response.id,
        examinee_id=response.examinee_id,
        item_id=response.item_id,
        score=0.0,
        reason="failed",
    )


def _holds(shown: ExamItem, response: Response) -> bool | None:
    """Whether the evidence is among the passages; None where there are none, or the question names no evidence."""
    if not response.passages:
        return None
    from viva.metrics.diagnosis import evidence_among

    item = shown.item
    spans = item.evidence or tuple(
        Span(document_id="", start=0, end=len(text), quote=text) for text in item.contexts if text
    )
    found = evidence_among(response.passages, spans)
    return None if found is None else found.held


def why_wrong(before: GateAnswer, now: GateAnswer) -> str:
    """Say why an answer became wrong, by whose passages held the evidence; what nobody knows is not known."""
    if now.failed:
        return "failed"
    if now.evidence is None:
        return "not known"
    if now.evidence:
        return "reading"
    return "not known" if before.evidence is False else "retrieval"


def gate_kind(examinee_id: str) -> str:
    """Name the result that says that a gate has asked the system a part of the exam."""
    return f"gate {examinee_id}"
