"""The chunk graph: one chunk's knowledge units are found, and walk the item graph until it has its share of items.

extract -> walk -> END

In a run the units are found for a whole batch of chunks first (graphs/authoring/unit_batches.py), and the graph is
handed them.

As many units walk at once as items are wanted; one that ends without an item, or with one that can be guessed, makes
room for the next. Each of them would have been asked about anyway, in whatever order they end: walking them at once
costs nothing but time saved.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TypedDict, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from viva.agents.roles import Source
from viva.core.calls import binding
from viva.core.errors import RoleFailed
from viva.core.records import (
    Extraction,
    FactSort,
    Item,
    ItemKind,
    KnowledgeUnit,
    Rejection,
    RepeatedUnits,
    Step,
    Verdict,
)
from viva.graphs.authoring.state import Committee, ItemRecord, ItemState
from viva.graphs.item import graph as item_graph

_STEPS = 10_000


class ChunkState(TypedDict, total=False):
    """One chunk's walk. The lists are in the order of the units, however long each of them took."""

    source: Source
    """the chunk and its document"""
    extraction: Extraction
    """what the chunk holds; found first where the graph is not handed it"""
    repeated: RepeatedUnits
    """which of it states what another unit states, and is not asked about"""
    items: list[Item]
    rejections: list[Rejection]
    steps: list[Step]


@dataclass(frozen=True)
class ChunkRecord:
    """The whole record of a chunk's walk. found = items + rejections + what was not asked about."""

    found: int
    items: tuple[Item, ...]
    rejections: tuple[Rejection, ...]
    steps: tuple[Step, ...]
    """numbered from 0, unit after unit"""
    failure: Verdict | None


async def walk_chunk(
    source: Source,
    committee: Committee,
    extraction: Extraction | None = None,
    repeated: RepeatedUnits | None = None,
) -> ChunkRecord:
    """Send a chunk through the graph. Raises what stops a run (BudgetReached, UsageError, TransientError)."""
    start = ChunkState(source=source, repeated=repeated or RepeatedUnits(chunk_id=source.id))
    if extraction is not None:
        start["extraction"] = extraction
    out = cast(ChunkState, await graph.ainvoke(start, {"recursion_limit": _STEPS}, context=committee))
    found, repeats = out["extraction"], out["repeated"].rejections
    steps = [_extraction(source, found), *map(_repeat, repeats), *out["steps"]]
    return ChunkRecord(
        found=len(found.units),
        items=tuple(out["items"]),
        rejections=(*repeats, *out["rejections"]),
        steps=tuple(step.model_copy(update={"number": n}) for n, step in enumerate(steps)),
        failure=found.failure,
    )


def _extraction(source: Source, found: Extraction) -> Step:
    failure = found.failure
    return Step(
        chunk_id=source.id,
        number=0,
        role="unit extractor",
        input=source.text,
        output=f"FAILED. {failure.reason}" if failure else f"{len(found.units)} knowledge units",
        verdict=failure.code if failure else "",
        duration_s=found.duration_s,
        calls=found.calls,
    )


def _repeat(rejection: Rejection) -> Step:
    return Step(
        chunk_id=rejection.chunk_id,
        number=0,
        unit_id=rejection.unit.id,
        role=rejection.verdict.critic,
        input=rejection.unit.statement,
        output=rejection.verdict.reason,
        verdict=rejection.verdict.code,
        duration_s=0,
    )


async def extracted(source: Source, committee: Committee) -> Extraction:
    """Name the chunk's checkable facts; a role that cannot do it says why. Raises what stops a run."""
    started = time.perf_counter()
    calls: list[str] = []
    units: list[KnowledgeUnit] = []
    failure: Verdict | None = None
    with binding(chunk_id=source.id, unit_id=None, calls=calls):
        try:
            units = await committee.cast.units.extract(source)
        except RoleFailed as failed:
            failure = Verdict(
                critic="unit extractor", passed=False, reason=failed.reason, code=failed.code, failed=True
            )
    return Extraction(
        chunk_id=source.id,
        units=tuple(units),
        failure=failure,
        duration_s=round(time.perf_counter() - started, 6),
        calls=tuple(calls),
    )


async def extract(state: ChunkState, runtime: Runtime[Committee]) -> ChunkState:
    """Find the chunk's units, unless that was done before; a failure ends the chunk, with the reason."""
    if "extraction" in state:
        return {}
    return {"extraction": await extracted(state["source"], runtime.context)}


async def walk(state: ChunkState, runtime: Runtime[Committee]) -> ChunkState:
    """Send units through the item graph. What one of them raises is raised when all at work have ended."""
    repeated = {rejection.unit.id for rejection in state["repeated"].rejections}
    own = [unit for unit in state["extraction"].units if unit.id not in repeated]
    if state["source"].above_recall and state["source"].kind is not ItemKind.MULTI_HOP:
        # pairs of facts are of no sort
        own = [unit for unit in own if unit.sort is not FactSort.DETAIL]
    pending = iter(enumerate(own))
    walks: dict[int, ItemRecord] = {}

    async def place() -> None:
        # one item is wanted here that is none of the reserve: the next unit is taken until there is one
        for refused, (number, unit) in enumerate(pending):
            start = ItemState(source=state["source"], unit=unit, refused=refused)
            out = await item_graph.ainvoke(start, {"recursion_limit": _STEPS}, context=runtime.context)
            walks[number] = cast(ItemRecord, out)
            if any(not item.in_reserve for item in walks[number].get("items", [])):
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
