"""Writing an exam in Python."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from viva.api.calling import in_thread, outside_loop
from viva.api.runs import Run
from viva.api.settings import read_arguments
from viva.graphs.context import RunContext
from viva.graphs.resources.run_settings import run_folder

if TYPE_CHECKING:
    from viva.storage.corpus.source import DocumentSource


def write_exam(
    documents: str | Path | DocumentSource,
    *,
    model: str | tuple[str, ...] = (),
    items: int = 100,
    out: str | Path | None = None,
    **settings: Any,
) -> Run:
    """Write an exam from a folder of documents; go on where an earlier call was interrupted.

    `model`: the language model that writes it, such as "openai:gpt-4o-mini"; without one, rules write it. `out`: the
    run folder (viva-runs/ and the name of the documents). `settings`: those of `viva run`, such as max_cost=2.0 or
    open_share=0.3. Raises UsageError for what cannot be done, BudgetReached where the budget ended the writing.
    """
    return outside_loop(partial(_written, documents, model, items, out, settings))


async def write_exam_async(
    documents: str | Path | DocumentSource,
    *,
    model: str | tuple[str, ...] = (),
    items: int = 100,
    out: str | Path | None = None,
    **settings: Any,
) -> Run:
    """Write an exam as write_exam does, while this event loop goes on."""
    return await in_thread(partial(_written, documents, model, items, out, settings))


def _written(
    documents: str | Path | DocumentSource,
    model: str | tuple[str, ...],
    items: int,
    out: str | Path | None,
    settings: Mapping[str, Any],
) -> Run:
    from viva.api.stages import perform
    from viva.storage.corpus.remote import documents_at

    source = documents_at(str(documents)) if isinstance(documents, str | Path) else documents
    chosen = read_arguments({**settings, "items": items, **({"model": model} if model else {})})
    folder = run_folder(source, Path(out) if out is not None else None)
    perform(RunContext(folder, chosen, documents_folder=source), "ingest", "write")
    return Run(folder, chosen.database_url)
