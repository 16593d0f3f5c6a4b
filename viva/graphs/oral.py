"""The graph of the oral examination: one examinee is quizzed until every unit of knowledge was examined.

extract -> cluster -> choose -> word -> ask -> judge -> choose -> ... -> END

What an answer leaves uncovered goes back: it is asked for again, among fewer units each time, and in the end alone.
Every turn is logged when it is answered and again when it is judged, so the graph has no checkpointer: led over the
turns that are there, it goes on where it was (docs/decisions/0015).
"""

from __future__ import annotations

import asyncio
from typing import Literal, TypedDict, cast

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from viva.core.records import OralTurn, OralUnit
from viva.graphs.oral_exam import nodes
from viva.graphs.oral_exam.plan import make_plan
from viva.graphs.oral_exam.session import OralSession
from viva.graphs.oral_exam.state import OralProgress, OralQuestion, ended, next_probe

_STEPS = 10_000_000


class OralState(TypedDict, total=False):
    """Where one examination stands."""

    turns: list[OralTurn]
    """that were taken before; the graph's only input"""
    units: list[OralUnit]
    """of all chunks, as they were found; gone once they are in the plan"""
    standing: OralProgress
    """after all turns so far"""
    probe: OralQuestion | None
    """what is asked next"""
    turn: OralTurn | None
    """that is being taken"""
    reason: str | None
    """why nothing is asked any more"""


Context = Runtime[OralSession]


async def examine(session: OralSession, turns: list[OralTurn]) -> tuple[OralProgress, str]:
    """Lead the examination from these turns to its end: where it stands then, and why it ended.

    Raises what stops a run (BudgetReached, UsageError, TransientError): every turn so far was handed on.
    """
    state = OralState(turns=turns)
    out = cast(OralState, await graph.ainvoke(state, {"recursion_limit": _STEPS}, context=session))
    return out["standing"].concluded(), out["reason"] or ""


async def extract(state: OralState, runtime: Context) -> OralState:  # noqa: ARG001
    """Name what can be known from each chunk."""
    return {"units": await nodes.extracted(runtime.context)}


async def cluster(state: OralState, runtime: Context) -> OralState:
    """Part the units into clusters, each unit once; keep the plan."""
    session = runtime.context
    plan = await asyncio.to_thread(make_plan, state["units"], session.embed, session.seed)
    told = f"{plan.how_clustered} {session.drawn_from}".rstrip()
    session.plan = plan.model_copy(update={"how_clustered": told})
    session.keep_plan(session.plan)
    return {"units": []}


async def choose(state: OralState, runtime: Context) -> OralState:
    """Fold the turn that was taken into the standing; choose what is asked next, if anything is."""
    session, turn, standing = runtime.context, state.get("turn"), state.get("standing")
    if standing is None:
        standing = OralProgress.of(session.planned, session.limits, state["turns"])
    elif turn is not None:
        standing = standing.after(turn)
    _tell(session, standing)
    if standing.pending is not None:
        return {"standing": standing, "turn": standing.pending, "probe": None, "reason": None}
    reason = ended(standing)
    probe = None if reason else next_probe(session.planned, standing)
    return {"standing": standing, "turn": None, "probe": probe, "reason": reason}


async def word(state: OralState, runtime: Context) -> OralState:
    """The examiner words one question that reaches these units, and gives none away."""
    session, probe = runtime.context, state.get("probe")
    if probe is None:
        raise AssertionError("a question is worded where there is something to ask")
    turn = await nodes.worded(session, probe, state["standing"])
    if not turn.question:
        session.keep_turn(turn)
    return {"turn": turn}


async def ask(state: OralState, runtime: Context) -> OralState:
    """The tool node: the target answers. The answer is logged before anybody judges it."""
    turn = await nodes.answered(runtime.context, _turn(state))
    runtime.context.keep_turn(turn)
    return {"turn": turn}


async def judge(state: OralState, runtime: Context) -> OralState:
    """The judge says of each unit whether the answer covers it, and whether it is right."""
    turn = await nodes.judged(runtime.context, _turn(state), state["standing"])
    runtime.context.keep_turn(turn)
    return {"turn": turn}


def first(state: OralState, runtime: Context) -> Literal["extract", "choose"]:  # noqa: ARG001
    """A run has one plan, made for whoever is examined first."""
    return "extract" if runtime.context.plan is None else "choose"


def after_choosing(state: OralState) -> Literal["word", "judge", "__end__"]:
    """An answer that waits for its judgement comes before the next question."""
    if state.get("turn") is not None:
        return "judge"
    return "__end__" if state.get("probe") is None else "word"


def after_wording(state: OralState) -> Literal["ask", "choose"]:
    """Is there a question?"""
    return "ask" if _turn(state).question else "choose"


def after_asking(state: OralState) -> Literal["judge", "choose"]:
    """A failure is no answer, and no try: the units are asked for again."""
    return "choose" if _turn(state).failure else "judge"


def _turn(state: OralState) -> OralTurn:
    turn = state.get("turn")
    if turn is None:
        raise AssertionError("there is a turn wherever somebody is asked or judged")
    return turn


def _tell(session: OralSession, standing: OralProgress) -> None:
    note = f"{standing.turns} questions"
    session.watch(f"Oral: {session.examinee.name}", standing.examined, len(standing.units), note)


def build_oral_graph() -> CompiledStateGraph[OralState, OralSession, OralState, OralState]:
    """The graph, compiled without a checkpointer: the log of turns is what it is resumed from."""
    graph = StateGraph(OralState, context_schema=OralSession)
    graph.add_node("extract", extract)
    graph.add_node("cluster", cluster)
    graph.add_node("choose", choose)
    graph.add_node("word", word)
    graph.add_node("ask", ask)
    graph.add_node("judge", judge)

    graph.add_conditional_edges(START, first)
    graph.add_edge("extract", "cluster")
    graph.add_edge("cluster", "choose")
    graph.add_conditional_edges("choose", after_choosing)
    graph.add_conditional_edges("word", after_wording)
    graph.add_conditional_edges("ask", after_asking)
    graph.add_edge("judge", "choose")
    return graph.compile(checkpointer=False)


graph = build_oral_graph()
