"""Set a run going, or going again: one folder, one lock, one graph."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from viva.core.accounts import OwnExam
from viva.core.errors import BudgetReached, RunMismatch, UsageError, how_to_install
from viva.core.ids import content_hash
from viva.core.settings import Settings
from viva.core.text.language_detection import load_detection
from viva.graphs import stages
from viva.graphs.assembly.own_questions import GivenExam, take_exam
from viva.graphs.authoring.sampling import RESULT
from viva.graphs.context import RunContext
from viva.graphs.engines.engine import Engine
from viva.graphs.resources.run_identity import Kept, run_of
from viva.graphs.stages import Stage
from viva.llm import interrupts
from viva.storage.lock import run_lock
from viva.storage.runs import RunStore

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

_SPREAD = {"ingest": True, "write": True, "sit": True, "score": False, "report": False}
"""Whether a run that begins with this stage has work for several processes."""
_NAMED = {"model": "--model", "base_url": "--base-url", "temperature": "--temperature"}
"""The settings that say who writes, and their options."""


def _is_spread(first: Stage, last: Stage) -> bool:
    return _SPREAD[first] and last != "ingest"


def run_stages(context: RunContext, first: Stage, last: Stage) -> None:
    """Walk from the first stage to the last.

    Raises RunLocked while another process works on the folder, BudgetReached where the budget ended the walk:
    everything that was done is kept. Where it ended the writing, what there is makes an exam that is marked
    incomplete; nobody sits it until it is asked for.
    """
    if _is_spread(first, last):
        _check_engine(context.settings, on_server=context.on_server)
    with run_lock(context.folder):
        try:
            if first == "ingest":
                # always: an interrupted walk may only go on over the same documents and settings
                stages.ingest(context)
            with context.store.server_lock():
                if first == "write":
                    _settle_authors(context.store, context.folder, context.exam_settings)
                context.remember()
                if last == "ingest":
                    return
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


def take_own_exam(context: RunContext, given: GivenExam) -> OwnExam:
    """Make an exam that is given the run's exam, so that it can be sat; the context is closed.

    The context's documents folder is read before, if it names one; else the run that is there goes on, or one without
    documents is made. Raises as `run_stages` does.
    """
    if context.documents_folder is not None:
        run_stages(context, "ingest", "ingest")
        context = context.anew()
    with run_lock(context.folder):
        try:
            context.open_or_bind()
            with context.store.server_lock():
                return take_exam(context, given)
        finally:
            context.close()


async def _walk(context: RunContext, first: Stage, last: Stage) -> None:
    # not needed by a gate, and slow to import
    from viva.graphs.run import RunState, build_run_graph
    from viva.storage.checkpoints import open_checkpoints

    settings = context.settings
    systems = [spec.examinee.id for spec in context.systems or ()]
    again = ["again"] if context.again else []
    asked = content_hash(first, last, context.store.run.id, settings.model_dump_json(), *systems, *again)
    config: RunnableConfig = {"configurable": {"thread_id": asked}, "recursion_limit": 1_000_000}
    async with (
        open_checkpoints(context.folder) as checkpointer,
        _opened_engine(context, spread=_is_spread(first, last), writes=first != "sit") as engine,
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


def _check_engine(settings: Settings, *, on_server: bool) -> None:
    """UsageError for an engine that cannot be used, before anything is read or written."""
    if settings.engine == "local":
        return
    if not on_server:
        raise _not_reached()
    # not imported yet: Ray reads then how it is to listen
    if find_spec("ray") is None:
        raise UsageError("--engine ray needs Ray, which is not installed.", next_step=how_to_install("ray"))


def _not_reached() -> UsageError:
    """The run is kept where workers do not reach it."""
    return UsageError(
        "--engine ray needs the run in PostgreSQL, where all workers reach it.",
        next_step="Take another --out, and give --database-url postgresql://USER@HOST/DATABASE",
    )


@asynccontextmanager
async def _opened_engine(context: RunContext, *, spread: bool, writes: bool) -> AsyncIterator[Engine]:
    """The engine that the settings name; where nothing is to be `spread`, the local one.

    `writes`: an exam is to be written, so that all that this takes must be at hand.
    """
    if context.settings.engine == "local" or not spread:
        from viva.graphs.engines.local import LocalEngine

        if spread and writes and context.settings.model and context.has_documents:
            # while it is planned what is read, and while requests are answered
            context.indexes.prepare(context.settings.chunk_tokens)
            asyncio.get_running_loop().run_in_executor(None, load_detection)
        yield LocalEngine(context)
        return
    from viva.graphs.engines.ray_engine import opened_ray

    if context.store.server is None:
        raise _not_reached()
    async with opened_ray(context, context.store.server, writes=writes) as engine:
        yield engine


def _settle_authors(store: RunStore, folder: Path, settings: Mapping[str, Kept]) -> None:
    """Bind the run to the models that its settings name now. RunMismatch where others have begun to write it."""
    run = store.run
    asked = {name: settings[name] for name in _NAMED}
    differs = [name for name in _NAMED if run.settings.get(name) != asked[name]]
    if not differs:
        return
    # units that one model found are not for another to ask about
    read = len({*store.finished_chunks(), *store.extractions()})
    if read:
        told = "; ".join(
            f"{_NAMED[n]} is {_in_words(run.settings.get(n))} there and {_in_words(asked[n])} here" for n in differs
        )
        raise RunMismatch(
            f"The run in {folder} has begun to be written, {read} chunks are read: {told}.",
            allowed=f"It is written on as it began: viva write {folder}",
            next_step=f"Other models need another folder: viva run {run.documents_folder} --out FOLDER --model MODEL",
        )
    store.rebind(run_of(run.documents_folder, run.corpus_fingerprint, {**run.settings, **asked}))
    # it was drawn for whoever was to write before
    store.add_result(RESULT, None)


def _in_words(value: object) -> str:
    if value in (None, "[]"):
        return "none"
    return ", ".join(json.loads(value)) if isinstance(value, str) and value.startswith("[") else f"{value}"
