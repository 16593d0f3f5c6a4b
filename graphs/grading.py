"""Open answers are graded by a judge: each once by each judge, against the key and the reference answer.

What was graded is kept at once, so that an interrupted grading goes on where it was. What a judge could not grade is
put to it again when the run is scored again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from viva.agents.judge_roles import Judge
from viva.core.errors import BudgetReached, UsageError
from viva.core.ids import content_hash
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
)
from viva.graphs.judging import judge_cases
from viva.storage.judges import Installed, all_judges, find_judge, joined, stamp_of
from viva.storage.runs import RunStore

if TYPE_CHECKING:
    from viva.graphs.desk import Desk

OFFLINE = "offline"
GRADING = (Quality.CORRECTNESS, Quality.RUBRIC)
"""What a judge must judge to grade answers."""
SHIPPED = f"{Quality.CORRECTNESS}-local"
"""The trained judge that comes with viva."""
CARD, UNGRADED = "judge", "ungraded answers"
"""Results of the run: the card of the judge that graded last, and why it could not grade what it could not."""
RECORDED_EVERY = 32
"""Answers that a kill can cost at most."""


def fingerprint(card: JudgeCard) -> str:
    """What tells a judge from another, or from itself after a change: who gives the same grades has the same."""
    return content_hash("judge", card.name, *stamp_of(card))


def case_of(item: Item, response: Response) -> Case:
    """What the judge is handed: question, answer, and what is right."""
    return Case(question=item.stem, answer=response.text, reference=reference_of(item))


def reference_of(item: Item) -> str:
    """The reference answer, after the key where it does not hold it word for word."""
    reference, key = item.reference_answer.strip(), item.key.strip()
    if " ".join(key.casefold().split()) in " ".join(reference.casefold().split()):
        return reference
    return f"{key.rstrip('.')}. {reference}".strip()


def open_answers(exam: Exam, responses: Sequence[Response]) -> list[tuple[ExamItem, Response]]:
    """The answers to open questions of this exam that there are to judge, in the order given; failures have none."""
    shown = {each.item.id: each for each in exam.items if each.item.is_open}
    return [
        (shown[r.item_id], r)
        for r in responses
        if r.item_id in shown and r.failure is None and r.id == Response.id_of(r.examinee_id, shown[r.item_id])
    ]


async def grade_open(
    store: RunStore, exam: Exam, responses: Sequence[Response], judge: Judge, watch: Callable[[int, int], None]
) -> None:
    """Have the judge grade what it has not graded yet. BudgetReached comes through; what was graded is kept."""
    judge_id, name = fingerprint(judge.card), judge.card.name
    answers = open_answers(exam, responses)
    given = store.grades(judge_id)
    left = [(shown, response) for shown, response in answers if response.id not in given]
    store.add_result(CARD, _as_measured(judge.card).model_dump(mode="json"))
    reasons: dict[str, str] = {}
    done = len(answers) - len(left)
    watch(done, len(answers))
    for first in range(0, len(left), RECORDED_EVERY):
        batch = left[first : first + RECORDED_EVERY]
        said = await _said(judge, [case_of(shown.item, response) for shown, response in batch])
        results = [_result(response, found, name) for (_, response), found in zip(batch, said, strict=True)]
        store.add_grades(judge_id, [each for each in results if isinstance(each, Grade)])
        reasons |= {each.response_id: each.reason for each in results if isinstance(each, Ungraded)}
        done += len(batch)
        watch(done, len(answers))
    store.add_result(UNGRADED, {"judge": judge_id, "reasons": reasons})


def _as_measured(card: JudgeCard) -> JudgeCard:
    """The card with all that was measured of this judge here, wherever it is kept."""
    for each in all_judges()[0]:
        if stamp_of(each.card) == stamp_of(card):
            card = joined(each.card, card)
    return card


async def _said(judge: Judge, cases: Sequence[Case]) -> list[Judgement | Unjudged]:
    """What the judge says of each; an empty answer says nothing, and no judge is needed to see that."""
    empty = Judgement(reason="The answer is empty.", score=0)
    told = iter((await judge_cases(judge, [case for case in cases if case.answer.strip()])).results)
    return [next(told) if case.answer.strip() else empty for case in cases]


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
    return _refused(response, f"judge {judge}: {found.code}: {found.reason}".rstrip(": "))


def _refused(response: Response, reason: str) -> Ungraded:
    return Ungraded(
        response_id=response.id, examinee_id=response.examinee_id, item_id=response.item_id, reason=reason
    )


# --- what was graded ----------------------------------------------------------------------------------------


def judge_card(store: RunStore) -> JudgeCard | None:
    """The card of the judge that graded last; None where none was asked."""
    found = store.latest_result(CARD)
    return None if found is None else JudgeCard.model_validate(found)


def judged(store: RunStore, responses: Sequence[Response]) -> Mapping[str, GradeResult]:
    """By response id, what the judge that graded last made of these answers; those it never saw are left out."""
    card = judge_card(store)
    if card is None:
        return {}
    judge_id, last = fingerprint(card), store.latest_result(UNGRADED) or {}
    reasons: dict[str, str] = last["reasons"] if last.get("judge") == judge_id else {}
    refused = {r.id: _refused(r, reasons[r.id]) for r in responses if r.id in reasons}
    return {**refused, **store.grades(judge_id)}


# --- within a run -------------------------------------------------------------------------------------------


async def grade_exam(desk: Desk) -> None:
    """Have the run's judge grade the open answers to its exam. Without any, no judge is made.

    Where it ends the budget of model calls, `desk.stopped` says so; what it graded is scored.
    """
    exam = desk.store.latest_exam()
    ids = [shown.item.id for shown in exam.items if shown.item.is_open] if exam else []
    responses = desk.store.responses(ids) if ids else []
    if exam is None or not open_answers(exam, responses):
        return
    try:
        await grade_open(desk.store, exam, responses, judge_of(desk), lambda n, of: desk.watch("grade", n, of))
    except BudgetReached as reached:
        desk.stopped = BudgetReached(
            reached.problem,
            allowed="The run is scored without the open answers that are not graded yet.",
            next_step=reached.next_step,
        )


def check_judge(desk: Desk) -> None:
    """Raise now what grading would raise later: UsageError for a judge that cannot be used."""
    if desk.settings.open_share or desk.settings.judge != OFFLINE:
        judge_of(desk)


def judge_of(desk: Desk) -> Judge:
    """The judge that the run names. UsageError for one that is not there, or that judges something else."""
    name = desk.settings.judge
    if name in (OFFLINE, f"{Quality.CORRECTNESS}-{OFFLINE}"):
        from viva.agents.offline_judges.judge import OfflineJudge

        return OfflineJudge(Quality.CORRECTNESS, desk.embedder)
    if name in GRADING:
        return _asking_a_model(desk, Quality(name))
    if name == SHIPPED and name not in {each.card.name for each in all_judges()[0]}:
        from viva.agents.local_judge.judge import LocalJudge

        return LocalJudge.shipped(Quality.CORRECTNESS, desk.embedder)
    return _installed(desk, find_judge(name))


def _installed(desk: Desk, found: Installed) -> Judge:
    card = found.card
    if card.judges not in GRADING:
        raise UsageError(
            f"The judge {card.name} judges {card.judges}, and open answers are graded for correctness.",
            allowed=f"A judge of {' or '.join(GRADING)}.",
        )
    if found.weights is not None:
        from viva.agents.local_judge.judge import LocalJudge

        return LocalJudge.load(found.weights, desk.embedder)
    return _asking_a_model(desk, card.judges, found)


def _asking_a_model(desk: Desk, quality: Quality, found: Installed | None = None) -> Judge:
    """The base judge of a quality, or one that was tuned, played by the run's model."""
    from viva.agents.judges import language_model_judge, stamped
    from viva.agents.judging.compiled import Compiled

    if not desk.settings.model:
        raise UsageError(
            f"The judge {desk.settings.judge} asks a language model, and this run has none.",
            next_step="Name it when the run is made, --model PROVIDER:MODEL; or grade with --judge offline.",
        )
    model = str(desk.door.roster.of("judge"))
    card = found.card if found else stamped(quality).model_copy(update={"model": model})
    if card.model not in ("", model):
        raise UsageError(
            f"The judge {card.name} was measured with {card.model}, and {model} is to play it.",
            allowed="A judge is used only with the model it was measured with.",
            next_step=f"Make the run with --model judge={card.model}, or grade with --judge offline.",
        )
    program = Compiled.from_json(found.program) if found else None
    audience = desk.settings.audience
    return language_model_judge(quality, desk.door.asker, card=card, program=program, audience=audience)
