"""The item graph: one chunk walks from knowledge units to accepted or rejected items.

extract -> take -> write -> answer -> criticise -> distract -> check -> accept
            ^        ^________revise______|  |         ^__redo__|  |      |
            |________________________________v reject <____________v      |
            |________________________________|____________________________|
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from operator import add
from typing import Annotated, Literal, Protocol, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from viva.agents.roles import Cast, Source
from viva.core.records import Distractor, Draft, Item, KnowledgeUnit, Rejection, Step, Verdict


@dataclass(frozen=True)
class Committee:
    """Who works on a chunk, and the limits they keep."""

    cast: Cast
    items_per_chunk: int
    revisions: int
    redos: int


class ItemState(TypedDict, total=False):
    """One chunk's walk. What the lists hold at the end is the chunk's whole record."""

    source: Source
    """the chunk and its document; the graph's only input"""
    found: int
    """how many knowledge units the chunk holds"""
    pending: list[KnowledgeUnit]
    """units not asked about yet, the most askable first"""
    unit: KnowledgeUnit
    draft: Draft | None
    expert_answer: str | None
    verdict: Verdict | None
    """of the last critic that spoke"""
    round: tuple[Verdict, ...]
    """of all critics that spoke in this round, in the order they were asked"""
    distractors: tuple[Distractor, ...] | None
    redos: int
    items: Annotated[list[Item], add]
    rejections: Annotated[list[Rejection], add]
    steps: Annotated[list[Step], add]


class Node(Protocol):
    """State in, partial state out."""

    async def __call__(self, state: ItemState, runtime: Runtime[Committee]) -> ItemState: ...


def traced(role: str, seen: Callable[[ItemState], str], said: Callable[[ItemState], str]) -> Callable[[Node], Node]:
    """Adds to a node's update the step it took: what it saw, what it said, how long it needed."""

    def decorate(node: Node) -> Node:
        @wraps(node)
        async def step(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
            started = time.perf_counter()
            update = await node(state, runtime)
            after: ItemState = {**state, **update}
            draft, verdict = after.get("draft"), update.get("verdict")
            items = update.get("items")
            record = Step(
                chunk_id=state["source"].chunk.id,
                number=len(state.get("steps", [])),
                unit_id=after["unit"].id if "unit" in after else None,
                draft_id=draft.id if draft else None,
                item_id=items[0].id if items else None,
                role=role,
                input=seen(state),
                output=said(after),
                verdict="" if verdict is None else ("passed" if verdict.passed else verdict.code),
                duration_s=round(time.perf_counter() - started, 6),
            )
            return {**update, "steps": [record]}

        return step

    return decorate


def _stem(state: ItemState) -> str:
    draft = state.get("draft")
    return draft.stem if draft else ""


def _reason(state: ItemState) -> str:
    verdict = state.get("verdict")
    return f"{verdict.critic}: {verdict.reason}" if verdict else ""


def _round(state: ItemState) -> str:
    return "\n".join(
        f"{verdict.critic}: {'passed' if verdict.passed else 'FAILED'}. {verdict.reason}"
        for verdict in state.get("round", ())
    )


@traced("unit extractor", lambda s: s["source"].chunk.text, lambda s: f"{len(s['pending'])} knowledge units")
async def extract(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Name the chunk's checkable facts."""
    units = await runtime.context.cast.units.extract(state["source"])
    return {"found": len(units), "pending": units}


async def take(state: ItemState, runtime: Runtime[Committee]) -> ItemState:  # noqa: ARG001
    """Turn to the next unit."""
    unit, *pending = state["pending"]
    return {
        "unit": unit,
        "pending": pending,
        "draft": None,
        "verdict": None,
        "expert_answer": None,
        "distractors": None,
        "redos": 0,
    }


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
        return {"draft": draft, "verdict": None}
    failed = state.get("verdict")
    if failed is None:
        failed = Verdict(critic="question writer", passed=False, reason="No question suits it.", code="no_question")
    return {"verdict": failed}


@traced("expert answerer", _stem, lambda s: s.get("expert_answer") or "no answer")
async def answer(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Answer from the chunk alone, without having seen the key."""
    draft = _draft(state)
    return {"expert_answer": await runtime.context.cast.expert.answer(draft.stem, draft.answer_form, state["source"])}


@traced("critics", lambda s: f"{_stem(s)}\nexpert: {s.get('expert_answer')}", _round)
async def criticise(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Ask the critics in turn; the first that fails the draft ends the round."""
    spoken: list[Verdict] = []
    for critic in runtime.context.cast.draft_critics:
        spoken.append(await critic.judge(_draft(state), state.get("expert_answer"), state["source"]))
        if not spoken[-1].passed:
            break
    return {"verdict": spoken[-1] if spoken else None, "round": tuple(spoken)}


@traced(
    "distractor writer",
    lambda s: f"{_stem(s)}\nkey: {_draft(s).key}",
    lambda s: " | ".join(d.text for d in s.get("distractors") or ()) or "not enough plausible options",
)
async def distract(state: ItemState, runtime: Runtime[Committee]) -> ItemState:
    """Write the wrong options."""
    again = state.get("distractors") is not None
    attempt = state["redos"] + again
    distractors = await runtime.context.cast.distractors.write(_draft(state), state["source"], attempt)
    if distractors is None:
        reason = "The corpus holds too few expressions of the key's form."
        lacking = Verdict(critic="distractor writer", passed=False, reason=reason, code="too_few_distractors")
        return {"distractors": None, "redos": attempt, "verdict": lacking}
    return {"distractors": distractors, "redos": attempt}


@traced("option critics", lambda s: " | ".join(d.text for d in s.get("distractors") or ()), _round)
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


def after_units(state: ItemState, runtime: Runtime[Committee]) -> Literal["take", "__end__"]:
    """Is there a unit left, and room for another item?"""
    full = len(state.get("items", [])) >= runtime.context.items_per_chunk
    return "take" if state["pending"] and not full else "__end__"


def after_writing(state: ItemState) -> Literal["answer", "reject"]:
    """Is there a draft to judge?"""
    verdict = state.get("verdict")
    return "answer" if verdict is None else "reject"


def after_critics(state: ItemState, runtime: Runtime[Committee]) -> Literal["write", "reject", "distract"]:
    """Passed: go on. Failed: revise while revisions are left."""
    verdict = state["verdict"]
    if verdict is None or verdict.passed:
        return "distract"
    return "write" if _draft(state).attempt < runtime.context.revisions else "reject"


def after_distractors(state: ItemState) -> Literal["check", "reject"]:
    """Are there options to judge?"""
    return "reject" if state.get("distractors") is None else "check"


def after_options(state: ItemState, runtime: Runtime[Committee]) -> Literal["distract", "reject", "accept"]:
    """Passed: accepted. Failed: other distractors while redos are left."""
    verdict = state["verdict"]
    if verdict is None or verdict.passed:
        return "accept"
    return "distract" if state["redos"] < runtime.context.redos else "reject"


def _draft(state: ItemState) -> Draft:
    draft = state.get("draft")
    if draft is None:
        raise AssertionError("there is a draft wherever a critic or the distractor writer is asked")
    return draft


def build_item_graph() -> CompiledStateGraph[ItemState, Committee, ItemState, ItemState]:
    """The graph, compiled without a checkpointer: a chunk is recorded whole or not at all."""
    graph = StateGraph(ItemState, context_schema=Committee)
    graph.add_node("extract", extract)
    graph.add_node("take", take)
    graph.add_node("write", write)
    graph.add_node("answer", answer)
    graph.add_node("criticise", criticise)
    graph.add_node("distract", distract)
    graph.add_node("check", check)
    graph.add_node("accept", accept)
    graph.add_node("reject", reject)

    graph.add_edge(START, "extract")
    graph.add_conditional_edges("extract", after_units)
    graph.add_edge("take", "write")
    graph.add_conditional_edges("write", after_writing)
    graph.add_edge("answer", "criticise")
    graph.add_conditional_edges("criticise", after_critics)
    graph.add_conditional_edges("distract", after_distractors)
    graph.add_conditional_edges("check", after_options)
    graph.add_conditional_edges("accept", after_units)
    graph.add_conditional_edges("reject", after_units)
    return graph.compile(checkpointer=False)


graph = build_item_graph()
