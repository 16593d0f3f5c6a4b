"""Every step of the item graph on record: what a node saw, what it said, how long it needed, whom it called."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Protocol

from langgraph.runtime import Runtime

from viva.core.calls import binding
from viva.core.errors import RoleFailed
from viva.core.records import Step, Verdict
from viva.graphs.authoring.state import Committee, ItemState


class Node(Protocol):
    """State in, partial state out."""

    async def __call__(self, state: ItemState, runtime: Runtime[Committee]) -> ItemState: ...


def traced(role: str, seen: Callable[[ItemState], str], said: Callable[[ItemState], str]) -> Callable[[Node], Node]:
    """Adds to a node's update the step it took: what it saw, what it said, how long it needed, whom it called."""

    def decorate(node: Node) -> Node:
        @wraps(node)
        async def step(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
            started = time.perf_counter()
            calls: list[str] = []
            place = {"chunk_id": state["source"].id, "unit_id": state["unit"].id, "urgency": _urgency(state)}
            with binding(**place, calls=calls):
                try:
                    update = await node(state, runtime)
                except RoleFailed as failed:
                    update = _failed(role, failed)
            after: ItemState = {**state, **update}
            draft, verdict = after.get("draft"), update.get("verdict")
            items = update.get("items")
            could_not_work = verdict is not None and verdict.failed
            record = Step(
                chunk_id=state["source"].id,
                number=len(state.get("steps", [])),
                unit_id=state["unit"].id,
                draft_id=draft.id if draft else None,
                item_id=items[0].id if items else None,
                role=role,
                input=seen(state),
                output=f"FAILED. {verdict.reason}" if verdict and could_not_work else said(after),
                verdict="" if verdict is None else ("passed" if verdict.passed else verdict.code),
                duration_s=round(time.perf_counter() - started, 6),
                calls=tuple(calls),
            )
            return {**update, "steps": [record]}

        return step

    return decorate


def _urgency(state: ItemState) -> int:
    """How often something was refused on the way here: it has the longest way to go, so its requests go first."""
    draft, verdict = state.get("draft"), state.get("verdict")
    now = verdict is not None and not verdict.passed
    return 3 * state.get("refused", 0) + (draft.attempt if draft else 0) + state.get("redos", 0) + now


def _failed(role: str, failed: RoleFailed) -> ItemState:
    """What a node that could not do its work leaves behind."""
    verdict = Verdict(critic=role, passed=False, reason=failed.reason, code=failed.code, failed=True)
    return {"verdict": verdict}


def stem(state: ItemState) -> str:
    """The question, if it is worded."""
    draft = state.get("draft")
    return draft.shown if draft else ""


def worded(state: ItemState) -> str:
    """The question, and its key where there is one."""
    draft = state.get("draft")
    if draft is None:
        return ""
    return f"{draft.shown}\nkey: {draft.key}" if draft.key else draft.shown


def answered(state: ItemState) -> str:
    """What the expert said."""
    answer = state.get("expert_answer")
    return answer.text if answer else ""


def recalled(state: ItemState) -> str:
    """What somebody said who has no documents."""
    draft = state.get("draft")
    recall = draft.recall if draft else None
    if recall is None:
        return ""
    guesses = "; ".join(recall.guesses)
    said = f"knows it: {recall.answer}" if recall.known else "does not know it"
    return f"{said}\nguesses: {guesses}" if guesses else said


def options(state: ItemState) -> str:
    """The wrong options."""
    return " | ".join(distractor.text for distractor in state.get("distractors") or ())


def reason(state: ItemState) -> str:
    """The last verdict, in words."""
    verdict = state.get("verdict")
    return f"{verdict.critic}: {verdict.reason}" if verdict else ""


def spoken(verdicts: Sequence[Verdict]) -> str:
    """What critics said, a line each."""
    return "\n".join(f"{v.critic}: {'passed' if v.passed else 'FAILED'}. {v.reason}" for v in verdicts)
