"""How wrong answers went wrong: what rules can tell, and with a language model what the critic tells."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viva.agents.rules.failure_modes import told_by_rule
from viva.core.errors import BudgetReached, RoleFailed
from viva.core.records import ExamItem
from viva.core.scores_diagnosis import FailureMode, FailureModeFound, WrongAnswer
from viva.graphs.diagnosis.session import DiagnosisSession

if TYPE_CHECKING:
    from viva.agents.language_model.failure_modes import FailureCritic


@dataclass(frozen=True)
class ModesFound:
    """The answers with their failure modes, and what is to be known of them."""

    answers: list[WrongAnswer]
    notes: tuple[str, ...]


async def modes_told(
    answers: Sequence[WrongAnswer], session: DiagnosisSession, critic: FailureCritic | None
) -> ModesFound:
    """The mode of each; by rules alone where there is no critic."""
    items = {shown.item.id: shown for shown in session.exam.items}
    by_rule = [_with(answer, _by_rule(answer, items[answer.item_id], session)) for answer in answers]
    if critic is None:
        untold = sum(answer.mode.mode is None for answer in by_rule)
        note = f"Failure modes were told by rules alone, and of {untold} answers none: the critic takes a --model."
        return ModesFound(by_rule, (note,) if untold else ())
    places = asyncio.Semaphore(session.settings.concurrency)

    async def read(answer: WrongAnswer) -> WrongAnswer | BudgetReached:
        async with places:
            try:
                return await _criticised(critic, answer, items[answer.item_id], session)
            except BudgetReached as reached:
                return reached

    found = await asyncio.gather(*(read(answer) for answer in by_rule))
    reached = [each for each in found if isinstance(each, BudgetReached)]
    told = [rule if isinstance(each, BudgetReached) else each for rule, each in zip(by_rule, found, strict=True)]
    note = f"The critic of failure modes did not read {len(reached)} answers: {reached[0].problem}" if reached else ""
    return ModesFound(told, (note,) if note else ())


def _by_rule(answer: WrongAnswer, shown: ExamItem, session: DiagnosisSession) -> FailureModeFound:
    chosen, own = None if answer.choice is None else shown.options[answer.choice], session.own[answer.item_id]
    offered = (shown.item.stem, *shown.options)
    return told_by_rule(chosen, answer.evidence, [p.text for p in own.passages], own.text, offered)


async def _criticised(
    critic: FailureCritic, answer: WrongAnswer, shown: ExamItem, session: DiagnosisSession
) -> WrongAnswer:
    """What the critic tells; what the rule did where it tells nothing, or where a rule is sure."""
    if answer.mode.mode is FailureMode.WRONG_FORMAT:
        return answer
    from viva.agents.language_model.failure_modes import Failed

    failed = Failed(
        question=shown.item.shown,
        options=shown.options,
        key=shown.item.key,
        evidence="\n".join(span.quote for span in shown.item.evidence),
        passages=[passage.text for passage in session.own[answer.item_id].passages],
        held=answer.evidence.held if answer.evidence else None,
        answer=session.own[answer.item_id].text,
        chosen=None if answer.choice is None else shown.options[answer.choice],
    )
    try:
        told = await critic.read(failed)
    except RoleFailed as failure:
        return _with(
            answer, answer.mode if answer.mode.mode else FailureModeFound(why=f"the critic failed: {failure.code}")
        )
    return _with(answer, told if told.mode else answer.mode)


def _with(answer: WrongAnswer, mode: FailureModeFound) -> WrongAnswer:
    return answer.model_copy(update={"mode": mode})
