"""The run graph: the whole walk, folder to report.

ingest -> plan -> (read, read, ...) -> compare -> (walk, walk, ...) -> gather -> plan | judge
judge -> (read, read, ...) | assemble
-> call -> (sit, sit, ...) -> manufacture -> (sit beside, ...) -> oral -> score -> diagnose -> report
"""

from __future__ import annotations

import asyncio
from typing import Literal, NotRequired, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from viva.core.errors import BudgetReached
from viva.graphs import results, stages
from viva.graphs.authoring import unit_batches
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.diagnose import diagnose_own
from viva.graphs.engines.engine import Engine
from viva.graphs.engines.local import LocalEngine
from viva.graphs.grading.grade_open import grade_exam
from viva.graphs.oral_exam.stage import examine_own
from viva.graphs.sitting import reference_examinees
from viva.graphs.stages import Stage


class RunState(TypedDict, total=False):
    """Where the walk is. The facts themselves are in the run store; all here is plain data."""

    first: Stage
    """the stage to begin with"""
    last: Stage
    """the stage to end with"""
    batch: list[str]
    """chunk ids that are read, and walk the item graph, now"""
    above_recall: bool
    """whether they are to give only questions that ask for more than remembering"""
    panel: list[int]
    """places in the list of examinees of those who sit now"""


class ReadTask(TypedDict):
    """One chunk's reading."""

    chunk_id: str
    batch: int
    """chunks that are read beside it, itself among them"""


class AuthoringTask(TypedDict):
    """One chunk's walk."""

    chunk_id: str
    above_recall: NotRequired[bool]
    """lacking in bookmarks of earlier versions"""


class SitTask(TypedDict):
    """One examinee's sitting."""

    place: int


Context = Runtime[RunContext]


def _engine(context: RunContext) -> Engine:
    return context.engine or LocalEngine(context)


async def ingest(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Read the folder; make the run, or see that it is the same; record documents and chunks."""
    await asyncio.to_thread(stages.ingest, runtime.context)
    return {}


async def plan(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Choose the chunks of the next batch: none when there are items enough, no chunks left, or no budget."""
    if runtime.context.stopped is not None:
        return {"batch": []}
    step = await asyncio.to_thread(stages.next_batch, runtime.context)
    return {"batch": step.missing, "above_recall": step.above_recall}


async def read(state: ReadTask, runtime: Context) -> RunState:
    """Find the knowledge units of one chunk; record them all, or nothing."""
    context = runtime.context
    if not context.settings.model:
        return {}
    async with context.chunk_places:
        if context.stopped is not None:
            return {}
        with context.times.timed("write"):
            try:
                await _engine(context).read(state["chunk_id"])
            except BudgetReached as reached:
                context.stopped = reached
                return {}
            context.tally["read"] += 1
            context.watch("units", context.tally["read"], state["batch"])
    return {}


async def compare(state: RunState, runtime: Context) -> RunState:
    """Tell which units repeat others, once all of the batch are found."""
    if runtime.context.stopped is None:
        with runtime.context.times.timed("write"):
            await asyncio.to_thread(unit_batches.tell_apart, runtime.context, state["batch"])
    return {}


async def walk(state: AuthoringTask, runtime: Context) -> RunState:
    """Send one chunk through its graph; record all it made, or nothing."""
    context = runtime.context
    async with context.chunk_places:
        if context.stopped is not None or context.store.has_walked(state["chunk_id"]):
            # a bookmark may be older than the facts
            return {}
        with context.times.timed("write"):
            try:
                made = await _engine(context).write(state["chunk_id"], above_recall=state.get("above_recall", False))
            except BudgetReached as reached:
                # the others at work end in the same way, each when it next asks; what they were told is in the ledger
                context.stopped = reached
                return {}
            stages.count_walk(context, made)
    return {}


async def gather(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Wait for all that was sent out."""
    # a database server that was away has forgotten who works on the run
    runtime.context.store.keep_lock()
    return {"batch": [], "panel": []}


async def judge(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Where models write, have them judge what is chosen; choose chunks for what the exam lacks by that."""
    if not runtime.context.settings.model:
        return {"batch": []}
    return {"batch": await stages.judge_chosen(runtime.context), "above_recall": False}


async def assemble(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Choose the exam from the accepted items, by what was judged of them."""
    stages.assemble(runtime.context)
    return {}


async def call(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Call the examinees in."""
    return {"panel": stages.call(runtime.context)}


async def sit(state: SitTask, runtime: Context) -> RunState:
    """One examinee answers what it has not answered yet."""
    context = runtime.context
    async with context.places:
        with context.times.timed("sit"):
            await _engine(context).sit(state["place"])
    return {}


async def manufacture(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Call in whom viva sets beside a user's own, where too few have sat."""
    return {"panel": reference_examinees.call(runtime.context)}


async def sit_beside(state: SitTask, runtime: Context) -> RunState:
    """One of those answers what it has not answered yet."""
    context = runtime.context
    async with context.places:
        with context.times.timed("sit"):
            await _engine(context).sit_reference(state["place"])
    return {}


async def oral(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Quiz the users' own systems, in a bounded number of questions."""
    await examine_own(runtime.context)
    return {}


async def score(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Grade, fit, compare."""
    with runtime.context.times.timed("score"):
        own = [each.id for each in stages.as_asked_for(runtime.context.store) if not each.manufactured]
        await grade_exam(runtime.context, own)
        await asyncio.to_thread(results.score, runtime.context)
    return {}


async def diagnose(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Find out why the users' own systems answered wrong."""
    if runtime.context.stopped is not None:
        return {}
    with runtime.context.times.timed("diagnose"):
        await diagnose_own(runtime.context)
    return {}


async def report(state: RunState, runtime: Context) -> RunState:  # noqa: ARG001
    """Write the report, with the function that the context has for it."""
    context = runtime.context
    if context.write_report is not None:
        with context.times.timed("report"):
            await asyncio.to_thread(context.write_report, context)
    return {}


def first_stage(state: RunState) -> Literal["ingest", "plan", "call", "score", "report"]:
    """Where this walk begins."""
    match state["first"]:
        case "write":
            return "plan"
        case "sit":
            return "call"
        case stage:
            return stage


def after_plan(state: RunState, runtime: Context) -> list[Send] | Literal["judge", "__end__"]:
    """Each chunk of the batch is read alone; with none left the items are judged. Without budget the walk ends."""
    if runtime.context.stopped is not None:
        return "__end__"
    return _sent_to_read(state) or "judge"


def after_judging(state: RunState) -> list[Send] | Literal["assemble"]:
    """Each chunk of the batch is read alone; with none the exam is assembled."""
    return _sent_to_read(state) or "assemble"


def _sent_to_read(state: RunState) -> list[Send]:
    batch = state["batch"]
    return [Send("read", ReadTask(chunk_id=chunk_id, batch=len(batch))) for chunk_id in batch]


def after_compare(state: RunState) -> list[Send]:
    """Each chunk of the batch walks alone."""
    above_recall = state.get("above_recall", False)
    return [Send("walk", AuthoringTask(chunk_id=chunk_id, above_recall=above_recall)) for chunk_id in state["batch"]]


def after_assembly(state: RunState) -> Literal["call", "__end__"]:
    """Go on to sit?"""
    return "__end__" if state["last"] == "write" else "call"


def after_call(state: RunState) -> list[Send]:
    """Each examinee sits alone."""
    return [Send("sit", SitTask(place=place)) for place in state["panel"]]


def after_manufacture(state: RunState) -> list[Send] | Literal["oral", "__end__"]:
    """Each of those set beside sits alone; with none, on to the oral examination."""
    return [Send("sit_beside", SitTask(place=place)) for place in state["panel"]] or after_sitting(state)


def after_sitting(state: RunState) -> Literal["oral", "__end__"]:
    """Go on to the oral examination and the scores?"""
    return "__end__" if state["last"] == "sit" else "oral"


def after_score(state: RunState) -> Literal["diagnose", "__end__"]:
    """Go on to the diagnosis and the report?"""
    return "__end__" if state["last"] == "score" else "diagnose"


def build_run_graph(
    checkpointer: BaseCheckpointSaver[str] | None = None,
) -> CompiledStateGraph[RunState, RunContext, RunState, RunState]:
    """The graph; with a checkpointer an interrupted walk goes on where it was."""
    graph = StateGraph(RunState, context_schema=RunContext)
    graph.add_node("ingest", ingest)
    graph.add_node("plan", plan)
    graph.add_node("read", read, input_schema=ReadTask)
    graph.add_node("compare", compare)
    graph.add_node("walk", walk, input_schema=AuthoringTask)
    graph.add_node("gather", gather)
    graph.add_node("judge", judge)
    graph.add_node("assemble", assemble)
    graph.add_node("call", call)
    graph.add_node("sit", sit, input_schema=SitTask)
    graph.add_node("closed", gather)
    graph.add_node("manufacture", manufacture)
    graph.add_node("sit_beside", sit_beside, input_schema=SitTask)
    graph.add_node("all_sat", gather)
    graph.add_node("oral", oral)
    graph.add_node("score", score)
    graph.add_node("diagnose", diagnose)
    graph.add_node("report", report)

    graph.add_conditional_edges(START, first_stage)
    graph.add_edge("ingest", "plan")
    graph.add_conditional_edges("plan", after_plan, ["read", "judge", END])
    graph.add_conditional_edges("judge", after_judging, ["read", "assemble"])
    graph.add_edge("read", "compare")
    graph.add_conditional_edges("compare", after_compare, ["walk"])
    graph.add_edge("walk", "gather")
    graph.add_edge("gather", "plan")
    graph.add_conditional_edges("assemble", after_assembly)
    graph.add_conditional_edges("call", after_call, ["sit"])
    graph.add_edge("sit", "closed")
    graph.add_edge("closed", "manufacture")
    graph.add_conditional_edges("manufacture", after_manufacture, ["sit_beside", "oral", END])
    graph.add_edge("sit_beside", "all_sat")
    graph.add_conditional_edges("all_sat", after_sitting)
    graph.add_edge("oral", "score")
    graph.add_conditional_edges("score", after_score)
    graph.add_edge("diagnose", "report")
    graph.add_edge("report", END)
    return graph.compile(checkpointer=checkpointer)


graph = build_run_graph()
