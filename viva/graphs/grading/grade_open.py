"""Open answers are graded by judges: for correctness, each once by a judge, against key and reference answer.

They may be graded for faithfulness and relevance besides, in the same way. What was graded is kept at once, so that
an interrupted grading goes on where it was. What a judge could not grade is put to it again when the run is scored
again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from viva.agents.judges.model.forms import NO_CLAIMS
from viva.agents.judges.roles import Judge
from viva.core.errors import BudgetReached
from viva.core.records import (
    Case,
    Exam,
    ExamItem,
    Grade,
    GradeResult,
    Item,
    JudgeCard,
    Judgement,
    Quality,
    Response,
    Ungraded,
    Unjudged,
    responses_to,
)
from viva.core.text.overlap import caseless
from viva.graphs.grading.batch_judging import judge_cases
from viva.graphs.grading.graders import FURTHER, GRADING, fingerprint, further_judges, judge_of
from viva.metrics.exam import ungraded
from viva.storage.judges import all_judges, joined, stamp_of
from viva.storage.runs import RunStore

if TYPE_CHECKING:
    from viva.graphs.context import RunContext

CARD, UNGRADED = "judge", "ungraded answers"
"""Results of the run: the card of the judge that graded last, and why it could not grade what it could not. For a
further quality, the same with its name."""
NO_PASSAGES = "no_passages"
"""Code of an answer whose faithfulness cannot be judged, since its system showed nothing that it rests on."""
NO_REFERENCE = "no_reference"
"""Code of an answer to a question that has relevant documents, and no right answer."""
RECORDED_EVERY = 32
"""Answers that a kill can cost at most."""


def case_of(item: Item, response: Response, quality: Quality = Quality.CORRECTNESS) -> Case:
    """What a judge of the quality is handed, and no more: question, answer, and what the answer is held against."""
    match quality:
        case Quality.FAITHFULNESS:
            passages = tuple(each.text for each in response.passages if each.text.strip())
            return Case(question=item.shown, answer=response.text, passages=passages)
        case Quality.RELEVANCE:
            return Case(question=item.shown, answer=response.text)
    return Case(question=item.shown, answer=response.text, reference=reference_of(item), key=item.key)


def reference_of(item: Item) -> str:
    """The reference answer, after the key where it does not hold it word for word."""
    reference, key = item.reference_answer.strip(), item.key.strip()
    if caseless(key) in caseless(reference):
        return reference
    return f"{key.rstrip('.')}. {reference}".strip()


def open_answers(exam: Exam, responses: Sequence[Response]) -> list[tuple[ExamItem, Response]]:
    """The answers to open questions of this exam that there are to judge, in the order given; failures have none."""
    shown = {each.item.id: each for each in exam.items if each.item.is_open}
    every = responses_to(shown.values(), responses, all_occasions=True)
    given = (r for r in every if r.failure is None and not r.is_retrieval)
    return [(shown[r.item_id], r) for r in given]


async def grade_open(
    store: RunStore,
    exam: Exam,
    responses: Sequence[Response],
    judge: Judge,
    watch: Callable[[int, int], None],
) -> None:
    """Have the judge grade what it has not graded yet. BudgetReached comes through; what was graded is kept."""
    answers, quality = open_answers(exam, responses), judge.card.judges
    store.add_result(_of(CARD, quality), _as_measured(judge.card).model_dump(mode="json"))
    lost = await _grade(store, answers, judge, lambda done: watch(done, len(answers)))
    reasons = {i: _told(judge.card.name, each) for i, each in lost.items()}
    codes = {i: each.code for i, each in lost.items()}
    store.add_result(_of(UNGRADED, quality), {"judge": fingerprint(judge.card), "reasons": reasons, "codes": codes})


def _of(kind: str, quality: Quality) -> str:
    """The kind of result, of this quality."""
    return kind if quality in GRADING else f"{kind} {quality}"


async def _grade(
    store: RunStore, answers: Sequence[tuple[ExamItem, Response]], judge: Judge, watch: Callable[[int], None]
) -> dict[str, Unjudged]:
    """One judge's work; by response id, what it could not judge."""
    judge_id, name = fingerprint(judge.card), judge.card.name
    given = store.grades(judge_id)
    left = [(shown, response) for shown, response in answers if response.id not in given]
    lost: dict[str, Unjudged] = {}
    done = len(answers) - len(left)
    watch(done)
    for first in range(0, len(left), RECORDED_EVERY):
        batch = left[first : first + RECORDED_EVERY]
        cases = [case_of(shown.item, response, judge.card.judges) for shown, response in batch]
        said = await _said(judge, cases)
        results = [_result(response, found, name) for (_, response), found in zip(batch, said, strict=True)]
        store.add_grades(judge_id, [each for each in results if isinstance(each, Grade)])
        lost |= {r.id: found for (_, r), found in zip(batch, said, strict=True) if isinstance(found, Unjudged)}
        done += len(batch)
        watch(done)
    return lost


def _as_measured(card: JudgeCard) -> JudgeCard:
    """The card with all that was measured of this judge here, wherever it is kept."""
    for each in all_judges()[0]:
        if stamp_of(each.card) == stamp_of(card):
            card = joined(each.card, card)
    return card


async def _said(judge: Judge, cases: Sequence[Case]) -> list[Judgement | Unjudged]:
    """What the judge says of each; it is not asked what needs no judge."""
    settled = [_settled(case, judge.card.judges) for case in cases]
    asked = [case for case, found in zip(cases, settled, strict=True) if found is None]
    told = iter(await judge_cases(judge, asked))
    return [next(told) if found is None else found for found in settled]


def _settled(case: Case, quality: Quality) -> Judgement | Unjudged | None:
    """What is clear without a judge: an empty answer says nothing, and without passages nothing is supported."""
    if quality in GRADING and not case.reference.strip():
        return Unjudged(code=NO_REFERENCE, reason="The question has no right answer: its retrieval alone is scored.")
    faithful = quality is Quality.FAITHFULNESS
    if faithful and not case.passages:
        return Unjudged(code=NO_PASSAGES, reason="The system returned no passages.")
    if case.answer.strip():
        return None
    if faithful:
        return Unjudged(code=NO_CLAIMS, reason="The answer is empty: it claims nothing.")
    return Judgement(reason="The answer is empty.", score=0)


def _result(response: Response, found: Judgement | Unjudged, judge: str) -> Grade | Ungraded:
    if isinstance(found, Judgement):
        return Grade(
            response_id=response.id,
            examinee_id=response.examinee_id,
            item_id=response.item_id,
            score=found.score,
            judge=judge,
            reason=found.reason,
        )
    return ungraded(response, _told(judge, found), found.code)


def _told(judge: str, found: Unjudged) -> str:
    return f"judge {judge}: {found.code}: {found.reason}".rstrip(": ")


# --- what was graded ----------------------------------------------------------------------------------------


def judge_card(store: RunStore, quality: Quality = Quality.CORRECTNESS) -> JudgeCard | None:
    """The card of the judge that graded last for the quality; None where none was asked."""
    found = store.latest_result(_of(CARD, quality))
    return None if found is None else JudgeCard.model_validate(found)


def judged(
    store: RunStore, responses: Sequence[Response], quality: Quality = Quality.CORRECTNESS
) -> Mapping[str, GradeResult]:
    """By response id, what the judge that graded last made of these; those it never saw are left out."""
    card = judge_card(store, quality)
    if card is None:
        return {}
    judge_id, last = fingerprint(card), store.latest_result(_of(UNGRADED, quality)) or {}
    reasons: dict[str, str] = last["reasons"] if last.get("judge") == judge_id else {}
    # earlier versions kept no codes
    codes: dict[str, str] = last.get("codes", {})
    refused = {r.id: ungraded(r, reasons[r.id], codes.get(r.id, "")) for r in responses if r.id in reasons}
    return {**refused, **store.grades(judge_id)}


def further_grades(
    store: RunStore, responses: Sequence[Response]
) -> dict[Quality, tuple[JudgeCard, Mapping[str, GradeResult]]]:
    """By each further quality that the run was last graded for: the judge's card, and what it made of these."""
    cards = {quality: judge_card(store, quality) for quality in FURTHER}
    return {quality: (card, judged(store, responses, quality)) for quality, card in cards.items() if card}


# --- within a run -------------------------------------------------------------------------------------------


async def grade_exam(context: RunContext, asked_for: Collection[str]) -> None:
    """Have the run's judges grade the open answers to its exam; for further qualities, those of `asked_for` alone.

    Without open answers no judge is made. Where a judge ends the budget of model calls, `context.stopped` says so;
    what was graded is scored.
    """
    store, exam = context.store, context.store.latest_exam()
    put_openly = [shown for shown in exam.items if shown.item.is_open] if exam else []
    responses = store.responses_to(put_openly, all_occasions=True)
    if exam is None or not open_answers(exam, responses):
        return
    further = further_judges(context)
    for quality in FURTHER:
        if quality not in further and judge_card(store, quality):
            store.add_result(_of(CARD, quality), None)
    own = [each for each in responses if each.examinee_id in asked_for and not each.occasion]
    for judge, answers in ((judge_of(context), responses), *((each, own) for each in further.values())):
        stage = _of("grade", judge.card.judges)
        try:
            await grade_open(store, exam, answers, judge, partial(context.watch, stage))
        except BudgetReached as reached:
            not_done = "The run is scored without the open answers that are not graded yet."
            context.stopped = BudgetReached(reached.problem, allowed=not_done, next_step=reached.next_step)
