"""The chunk graph: one chunk's knowledge units are found, and walk the item graph until it has its share of items.

extract -> walk -> END

As many units walk at once as items are wanted; one that ends without an item makes room for the next. Each of them
would have been asked about anyway, in whatever order they end: walking them at once costs nothing but time saved.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from operator import add
from typing import Annotated, TypedDict, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from viva.agents.roles import Source
from viva.core.calls import binding
from viva.core.errors import RoleFailed
from viva.core.records import Item, KnowledgeUnit, Rejection, Step, Verdict
from viva.graphs.item import graph as item_graph
from viva.graphs.item_state import Committee, ItemState, ItemWalk

_STEPS = 10_000


class ChunkState(TypedDict, total=False):
    """One chunk's walk. The lists are in the order of the units, however long each of them took."""

    source: Source
    """the chunk and its document; the graph's only input"""
    units: list[KnowledgeUnit]
    """what the chunk holds, the most askable first"""
    failure: Verdict | None
    """why no units could be found"""
    items: list[Item]
    rejections: list[Rejection]
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
        found=len(out["units"]),
        items=tuple(out.get("items", [])),
        rejections=tuple(out.get("rejections", [])),
        steps=tuple(step.model_copy(update={"number": n}) for n, step in enumerate(out["steps"])),
        failure=out.get("failure"),
    )


async def extract(state: ChunkState, runtime: Runtime[Committee]) -> ChunkState:
    """Name the chunk's checkable facts; a role that cannot do it ends the chunk, with the reason."""
    started = time.perf_counter()
    source = state["source"]
    calls: list[str] = []
    units: list[KnowledgeUnit] = []
    failure: Verdict | None = None
    with binding(chunk_id=source.id, unit_id=None, calls=calls):
        try:
            units = await runtime.context.cast.units.extract(source)
        except RoleFailed as failed:
            failure = Verdict(
                critic="unit extractor", passed=False, reason=failed.reason, code=failed.code, failed=True
            )
    step = Step(
        chunk_id=source.id,
        number=0,
        role="unit extractor",
        input=source.text,
        output=f"FAILED. {failure.reason}" if failure else f"{len(units)} knowledge units",
        verdict=failure.code if failure else "",
        duration_s=round(time.perf_counter() - started, 6),
        calls=tuple(calls),
    )
    return {"units": units, "failure": failure, "steps": [step]}


async def walk(state: ChunkState, runtime: Runtime[Committee]) -> ChunkState:
    """Send units through the item graph. What one of them raises is raised when all at work have ended."""
    pending = iter(enumerate(state["units"]))
    walks: dict[int, ItemWalk] = {}

    async def place() -> None:
        # one item is wanted here: the next unit is taken until there is one
        for refused, (number, unit) in enumerate(pending):
            start = ItemState(source=state["source"], unit=unit, refused=refused)
            out = await item_graph.ainvoke(start, {"recursion_limit": _STEPS}, context=runtime.context)
            walks[number] = cast(ItemWalk, out)
            if walks[number].get("items"):
                return

    places = range(runtime.context.most(state["source"].kind))
    ended = await asyncio.gather(*(place() for _ in places), return_exceptions=True)
    for end in ended:
        if end is not None:
            raise end
    made = [walks[number] for number in sorted(walks)]
    return {
        "items": [item for each in made for item in each.get("items", [])],
        "rejections": [rejection for each in made for rejection in each.get("rejections", [])],
        "steps": [step for each in made for step in each["steps"]],
    }


def build_chunk_graph() -> CompiledStateGraph[ChunkState, Committee, ChunkState, ChunkState]:
    """The graph, compiled without a checkpointer: a chunk is recorded whole or not at all."""
    graph = StateGraph(ChunkState, context_schema=Committee)
    graph.add_node("extract", extract)
    graph.add_node("walk", walk)

    graph.add_edge(START, "extract")
    graph.add_edge("extract", "walk")
    graph.add_edge("walk", END)
    return graph.compile(checkpointer=False)


graph = build_chunk_graph()
