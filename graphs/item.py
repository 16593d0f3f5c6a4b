"""The item graph: one knowledge unit walks to an accepted item or a rejection.

write -> answer, screen -> criticise -> distract -> check -> accept
  ^___________revise___________|  |         ^__redo__|  |
                                  v reject <____________v

The question is screened for itself while the expert answers it: neither needs the other.

A role that cannot do its work (RoleFailed) says so in the verdict, from wherever it stands: the unit goes to
`reject`, and is counted as failed, not as rejected by a judgement.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from operator import add
from typing import Annotated, Literal, Protocol, TypedDict, TypeVar

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from viva.agents.roles import Cast, Source
from viva.core.calls import binding
from viva.core.errors import RoleFailed
from viva.core.records import Distractor, Draft, Item, KnowledgeUnit, Rejection, Step, Verdict
from viva.graphs.panels import ask_panels

T = TypeVar("T")


@dataclass(frozen=True)
class Committee:
    """Who works on a chunk, and the limits they keep."""

    cast: Cast
    items_per_chunk: int
    revisions: int
    redos: int


def _later(_: T, said: T) -> T:
    """Answer and screen may both fail in one step: the verdict of either ends the round."""
    return said


class ItemWalk(TypedDict, total=False):
    """What a unit's walk has made: its whole record."""

    items: Annotated[list[Item], add]
    rejections: Annotated[list[Rejection], add]
    steps: Annotated[list[Step], add]
    """in walking order; the chunk's walk numbers them"""


class ItemState(ItemWalk, total=False):
    """One unit's walk."""

    source: Source
    """the chunk and its document"""
    unit: KnowledgeUnit
    """what is asked about"""
    refused: int
    """how many units were refused in this one's place before; `source`, `unit` and `refused` are the graph's input"""
    draft: Draft | None
    expert_answer: str | None
    verdict: Annotated[Verdict | None, _later]
    """that ended the round, or of the last critic that spoke"""
    screened: tuple[Verdict, ...]
    """of the critics of the question alone"""
    round: Annotated[tuple[Verdict, ...], _later]
    """of all critics that spoke in this round, in the order they were asked"""
    distractors: tuple[Distractor, ...] | None
    redos: int
    """how often the distractors were written again"""


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
            place = {"chunk_id": state["source"].chunk.id, "unit_id": state["unit"].id, "urgency": _urgency(state)}
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
                chunk_id=state["source"].chunk.id,
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
    return {"verdict": verdict, "round": (verdict,)}


def _stem(state: ItemState) -> str:
    draft = state.get("draft")
    return draft.stem if draft else ""


def _options(state: ItemState) -> str:
    return " | ".join(distractor.text for distractor in state.get("distractors") or ())


def _reason(state: ItemState) -> str:
    verdict = state.get("verdict")
    return f"{verdict.critic}: {verdict.reason}" if verdict else ""


def _spoken(verdicts: Sequence[Verdict]) -> str:
    return "\n".join(f"{v.critic}: {'passed' if v.passed else 'FAILED'}. {v.reason}" for v in verdicts)


@traced(
    "question writer",
    lambda s: s["unit"].statement,
    lambda s: f"{_stem(s)}\nkey: {s['draft'].key}" if s.get("draft") else "no (other) way to ask about it",  # type: ignore[union-attr]
)
async def write(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Word a question, or word it again with the critic's reason in hand."""
    draft = await runtime.context.cast.writer.write(
        state["unit"], state["source"], state.get("draft"), state.get("verdict")
    )
    if draft is not None:
        return {"draft": draft, "verdict": None, "screened": (), "expert_answer": None}
    failed = state.get("verdict")
    if failed is None:
        failed = Verdict(critic="question writer", passed=False, reason="No question suits it.", code="no_question")
    return {"verdict": failed}


@traced("expert answerer", _stem, lambda s: s.get("expert_answer") or "no answer")
async def answer(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Answer from the chunk alone, without having seen the key."""
    draft = _draft(state)
    return {"expert_answer": await runtime.context.cast.expert.answer(draft.stem, draft.answer_form, state["source"])}


@traced("screen", _stem, lambda s: _spoken(s.get("screened", ())))
async def screen(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Ask the critics of the question alone."""
    spoken, ended = await ask_panels(runtime.context.cast.screen, _draft(state), None, state["source"])
    return {"screened": spoken, "verdict": ended} if ended else {"screened": spoken}


@traced("critics", lambda s: f"{_stem(s)}\nexpert: {s.get('expert_answer')}", lambda s: _spoken(s.get("round", ())))
async def criticise(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Ask the critics of question and answer, unless the round has ended already."""
    screened = state.get("screened", ())
    if state.get("verdict") is not None:
        return {"verdict": state["verdict"], "round": screened}
    answered = state.get("expert_answer")
    spoken, ended = await ask_panels(runtime.context.cast.draft_critics, _draft(state), answered, state["source"])
    everyone = (*screened, *spoken)
    return {"verdict": ended or (everyone[-1] if everyone else None), "round": everyone}


@traced(
    "distractor writer",
    lambda s: f"{_stem(s)}\nkey: {_draft(s).key}",
    lambda s: _options(s) or "not enough plausible options",
)
async def distract(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Write the wrong options."""
    again = state.get("distractors") is not None
    attempt = state.get("redos", 0) + again
    distractors = await runtime.context.cast.distractors.write(_draft(state), state["source"], attempt)
    if distractors is None:
        reason = "The corpus holds too few expressions of the key's form."
        lacking = Verdict(critic="distractor writer", passed=False, reason=reason, code="too_few_distractors")
        return {"distractors": None, "redos": attempt, "verdict": lacking}
    return {"distractors": distractors, "redos": attempt}


@traced(
    "option critics",
    lambda s: " | ".join(d.text for d in s.get("distractors") or ()),
    lambda s: _spoken(s.get("round", ())),
)
async def check(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Ask the option critics in turn; the first that fails the set ends the round."""
    spoken: list[Verdict] = []
    for critic in runtime.context.cast.option_critics:
        spoken.append(await critic.judge(_draft(state), state.get("distractors") or (), state["source"]))
        if not spoken[-1].passed:
            break
    return {"verdict": spoken[-1] if spoken else None, "round": tuple(spoken)}


@traced("chair", _stem, lambda _: "accepted")
async def accept(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """The draft becomes an item."""
    topic = state["source"].document.topic
    item = Item.of(_draft(state), state.get("distractors") or (), topic=topic, cast=runtime.context.cast.name)
    return {"items": [item]}


@traced("chair", _stem, lambda s: f"rejected: {_reason(s)}")
async def reject(state: ItemState, runtime: Runtime[Committee]) -> ItemState:  # noqa: ARG001
    """The unit is given up, with the verdict that ended it."""
    verdict = state["verdict"]
    if verdict is None:
        raise AssertionError("a unit is rejected by a verdict")
    return {"rejections": [Rejection.of(state["unit"], state.get("draft"), verdict)]}


def after_writing(state: ItemState) -> list[Literal["answer", "screen"]] | Literal["reject"]:
    """Is there a draft to judge?"""
    return ["answer", "screen"] if state.get("verdict") is None else "reject"


def after_critics(state: ItemState, runtime: Runtime[Committee]) -> Literal["write", "reject", "distract"]:
    """Passed: go on. Failed: revise while revisions are left."""
    verdict = state["verdict"]
    if _could_not_work(state):
        return "reject"
    if verdict is None or verdict.passed:
        return "distract"
    return "write" if _draft(state).attempt < runtime.context.revisions else "reject"


def after_distractors(state: ItemState) -> Literal["check", "reject"]:
    """Are there options to judge?"""
    return "reject" if state.get("distractors") is None or _could_not_work(state) else "check"


def after_options(state: ItemState, runtime: Runtime[Committee]) -> Literal["distract", "reject", "accept"]:
    """Passed: accepted. Failed: other distractors while redos are left."""
    verdict = state["verdict"]
    if _could_not_work(state):
        return "reject"
    if verdict is None or verdict.passed:
        return "accept"
    return "distract" if state.get("redos", 0) < runtime.context.redos else "reject"


def _could_not_work(state: ItemState) -> bool:
    verdict = state.get("verdict")
    return verdict is not None and verdict.failed


def _draft(state: ItemState) -> Draft:
    draft = state.get("draft")
    if draft is None:
        raise AssertionError("there is a draft wherever a critic or the distractor writer is asked")
    return draft


def build_item_graph() -> CompiledStateGraph[ItemState, Committee, ItemState, ItemWalk]:
    """The graph, compiled without a checkpointer: a chunk is recorded whole or not at all."""
    graph = StateGraph(ItemState, context_schema=Committee, output_schema=ItemWalk)
    graph.add_node("write", write)
    graph.add_node("answer", answer)
    graph.add_node("screen", screen)
    graph.add_node("criticise", criticise)
    graph.add_node("distract", distract)
    graph.add_node("check", check)
    graph.add_node("accept", accept)
    graph.add_node("reject", reject)

    graph.add_edge(START, "write")
    graph.add_conditional_edges("write", after_writing, ["answer", "screen", "reject"])
    graph.add_edge(["answer", "screen"], "criticise")
    graph.add_conditional_edges("criticise", after_critics)
    graph.add_conditional_edges("distract", after_distractors)
    graph.add_conditional_edges("check", after_options)
    graph.add_edge("accept", END)
    graph.add_edge("reject", END)
    return graph.compile(checkpointer=False)


graph = build_item_graph()
