"""Set a run going, or going again: one folder, one lock, one graph."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from langchain_core.runnables import RunnableConfig
from threadpoolctl import threadpool_limits

from viva.core.errors import BudgetReached
from viva.core.ids import content_hash
from viva.graphs import stages
from viva.graphs.authoring.authors import settle_authors
from viva.graphs.context import RunContext
from viva.graphs.engines.choice import check_engine, opened_engine
from viva.graphs.run import RunState, Stage, build_run_graph
from viva.llm import interrupts
from viva.storage.checkpoints import open_checkpoints
from viva.storage.lock import run_lock

_SPREAD = {"ingest": True, "write": True, "sit": True, "score": False, "report": False}
"""Whether a run that begins with this stage has work for several processes."""
_OBJECTS_BETWEEN_COLLECTIONS = 10_000


def _is_spread(first: Stage, last: Stage) -> bool:
    return _SPREAD[first] and last != "ingest"


def run_stages(context: RunContext, first: Stage, last: Stage) -> None:
    """Walk from the first stage to the last.

    Raises RunLocked while another process works on the folder, BudgetReached where the budget ended the walk:
    everything that was done is kept. Where it ended the writing, what there is makes an exam that is marked
    incomplete; nobody sits it until it is asked for.
    """
    if _is_spread(first, last):
        check_engine(context.settings, on_server=context.on_server)
    with run_lock(context.folder), threadpool_limits(limits=1, user_api="blas"), _collected_less_often():
        try:
            if first == "ingest":
                # always: an interrupted walk may only go on over the same documents and settings
                stages.ingest(context)
            with context.store.server_lock():
                if first == "write":
                    settle_authors(context.store, context.folder, context.exam_settings)
                context.remember()
                interrupts.run(_walk(context, first, last))
                if context.stopped is not None:
                    said = context.stopped
                    if not said.allowed:
                        # it ended the writing
                        stages.assemble_incomplete(context)
                    allowed = said.allowed or stages.remaining(context)
                    raise BudgetReached(said.problem, allowed=allowed, next_step=said.next_step)
        finally:
            context.close()


@contextmanager
def _collected_less_often() -> Iterator[None]:
    """The collector looks through all that heavy libraries have loaded, again and again: a tenth of a call's CPU.

    What is there already is set aside for the length of the walk, the rest looked through less often.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


async def _walk(context: RunContext, first: Stage, last: Stage) -> None:
    settings = context.settings
    asked = content_hash(first, last, context.store.run.id, settings.model_dump_json())
    config: RunnableConfig = {"configurable": {"thread_id": asked}, "recursion_limit": 1_000_000}
    async with (
        open_checkpoints(context.folder) as checkpointer,
        opened_engine(context, spread=_is_spread(first, last), writes=first != "sit") as engine,
    ):
        context.engine = engine
        graph = build_run_graph(checkpointer)
        state = await graph.aget_state(config)
        begin = None if state.next else RunState(first=first, last=last)
        try:
            await graph.ainvoke(begin, config, context=context, durability="async")
        finally:
            await engine.aclose()
            await context.aclose_models()
