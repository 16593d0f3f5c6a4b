"""The chunk graph: one chunk's knowledge units are found, and walk the item graph until it has its share of items.

extract -> deal -> (item, item, ...) -> deal -> ... -> END

A wave holds as many units as items are wanted still: each of them would have been asked about anyway, so that
walking them at once costs nothing but time saved.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from operator import add
from typing import Annotated, Literal, TypedDict, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from viva.agents.roles import Source
from viva.core.calls import binding
from viva.core.errors import RoleFailed
from viva.core.records import Item, KnowledgeUnit, Rejection, Step, Verdict
from viva.graphs.item import Committee, ItemState
from viva.graphs.item import graph as item_graph

_STEPS = 10_000


class ChunkState(TypedDict, total=False):
    """One chunk's walk. The lists grow in the order of the units, however long each of them takes."""

    source: Source
    """the chunk and its document; the graph's only input"""
    found: int
    """how many knowledge units the chunk holds"""
    pending: list[KnowledgeUnit]
    """units not asked about yet, the most askable first"""
    wave: list[KnowledgeUnit]
    """units that walk now"""
    failure: Verdict | None
    """why no units could be found"""
    items: Annotated[list[Item], add]
    rejections: Annotated[list[Rejection], add]
    steps: Annotated[list[Step], add]


@dataclass(frozen=True)
class ChunkWalk:
    """The whole record of a chunk's walk. found = items + rejections + what was not asked about."""

    found: int
    items: tuple[Item, ...]
    rejections: tuple[Rejection, ...]
    steps: tuple[Step, ...]
    """numbered from 0, unit after unit"""
    failure: Verdict | None


async def walk_chunk(source: Source, committee: Committee) -> ChunkWalk:
    """Send a chunk through the graph. Raises what stops a run (BudgetReached, UsageError, TransientError)."""
    out = cast(ChunkState, await graph.ainvoke({"source": source}, {"recursion_limit": _STEPS}, context=committee))
    return ChunkWalk(
        found=out["found"],
        items=tuple(out.get("items", [])),
        rejections=tuple(out.get("rejections", [])),
        steps=tuple(step.model_copy(update={"number": n}) for n, step in enumerate(out["steps"])),
        failure=out.get("failure"),
    )


async def extract(state: ChunkState, runtime: Runtime[Committee]) -> ChunkState:
    """Name the chunk's checkable facts; a role that cannot do it ends the chunk, with the reason."""
    started = time.perf_counter()
    chunk = state["source"].chunk
    calls: list[str] = []
    units: list[KnowledgeUnit] = []
    failure: Verdict | None = None
    with binding(chunk_id=chunk.id, unit_id=None, calls=calls):
        try:
            units = await runtime.context.cast.units.extract(state["source"])
        except RoleFailed as failed:
            failure = Verdict(
                critic="unit extractor", passed=False, reason=failed.reason, code=failed.code, failed=True
            )
    step = Step(
        chunk_id=chunk.id,
        number=0,
        role="unit extractor",
        input=chunk.text,
        output=f"FAILED. {failure.reason}" if failure else f"{len(units)} knowledge units",
        verdict=failure.code if failure else "",
        duration_s=round(time.perf_counter() - started, 6),
        calls=tuple(calls),
    )
    return {"found": len(units), "pending": units, "failure": failure, "steps": [step]}


async def deal(state: ChunkState, runtime: Runtime[Committee]) -> ChunkState:
    """Choose the units of the next wave: none when the chunk has its share, or no units left."""
    wanted = max(0, runtime.context.items_per_chunk - len(state.get("items", [])))
    return {"wave": state["pending"][:wanted], "pending": state["pending"][wanted:]}


def after_dealing(state: ChunkState) -> list[Send] | Literal["__end__"]:
    """Each unit of the wave walks alone."""
    return [Send("item", ItemState(source=state["source"], unit=unit)) for unit in state["wave"]] or "__end__"


def build_chunk_graph() -> CompiledStateGraph[ChunkState, Committee, ChunkState, ChunkState]:
    """The graph, compiled without a checkpointer: a chunk is recorded whole or not at all."""
    graph = StateGraph(ChunkState, context_schema=Committee)
    graph.add_node("extract", extract)
    graph.add_node("deal", deal)
    graph.add_node("item", item_graph)

    graph.add_edge(START, "extract")
    graph.add_edge("extract", "deal")
    graph.add_conditional_edges("deal", after_dealing, ["item", END])
    graph.add_edge("item", "deal")
    return graph.compile(checkpointer=False)


graph = build_chunk_graph()
