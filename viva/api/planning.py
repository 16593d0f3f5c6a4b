"""What writing an exam will cost, before anything is paid."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from viva.api.result import Column, Kind, Result, Table
from viva.api.settings import argument
from viva.api.terminal import shown_progress
from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.settings import Settings
from viva.graphs import stages
from viva.graphs.authoring.account import model_use_of
from viva.graphs.authoring.call_allowance import FEWEST, STRETCH
from viva.graphs.authoring.call_rates import measured_rates, recorded_rates
from viva.graphs.authoring.cost_estimate import Plan, plan
from viva.graphs.context import RunContext
from viva.graphs.resources.run_settings import Naming, read_settings, run_folder
from viva.storage.corpus.source import DocumentSource
from viva.storage.run_place import SQLITE_FILE

_COLUMNS = (
    *map(Column, ("role", "model")),
    *(Column(name, Kind.NUMBER, 0) for name in ("calls", "tokens in", "tokens out")),
    Column("US dollars", Kind.NUMBER, 4),
)


def plan_exam(
    documents: Path | DocumentSource, out: Path | None, chosen: Mapping[str, Any], naming: Naming = argument
) -> Result:
    """Predict calls, tokens, money and minutes of writing an exam. No model is asked."""
    settings = read_settings(chosen, naming)
    if not settings.model:
        raise UsageError(
            "No --model is given. Without a model, rules write the exam (the offline cast), which costs nothing.",
            next_step="Name a model: viva plan DOCS --model openai:gpt-4o-mini",
        )
    found = _of_run(run_folder(documents, out), settings) or _of_documents(documents, settings)
    roles = tuple(
        (
            *(each.role, each.model, each.calls, each.input_tokens, each.output_tokens),
            "not known" if each.cost is None else each.cost,
        )
        for each in found.roles
    )
    basis = "by the calls of this run so far" if found.basis == "measured" else "by the rates of the demo's recording"
    head = Result("", (), tuple(_head(found, basis)))
    table = Result("Plan", (Table("Plan", _COLUMNS, roles),), tuple(_sentences(found)))
    return Result.joined("Plan", (head, table), found.model_dump(mode="json"))


def _of_documents(documents: Path | DocumentSource, settings: Settings) -> Plan:
    """By the recorded rates."""
    with TemporaryDirectory(prefix="viva-plan-") as place, shown_progress() as watch:
        own = settings.model_copy(update={"database_url": None})
        with closing(RunContext(Path(place), own, documents_folder=documents, watch=watch)) as context:
            stages.ingest(context)
            chunks = context.chunks.values()
            if not chunks:
                raise UsageError(f"{documents} contains no document that can be read.")
            return plan(recorded_rates(chunks, settings.items_per_chunk), settings, len(chunks))


def _of_run(folder: Path, settings: Settings) -> Plan | None:
    """By the rates of the run so far; None where it has no accepted items of this model."""
    if not (folder / SQLITE_FILE).exists():
        return None
    with closing(RunContext(folder, settings)) as context:
        store, roster = context.store, context.models.roster
        items, use = store.written(), model_use_of(context.models)
        if store.run.settings.get("model") != json.dumps(roster.canonical) or not items or not use:
            return None
        latency_s = sum(each.seconds for each in use) / sum(each.requests for each in use)
        return plan(measured_rates(use, items, len(store.walk_counts())), settings, len(context.chunks), latency_s)


def _head(found: Plan, basis: str) -> Iterator[str]:
    yield f"Plan for {found.items} accepted items (those of the exam and spare ones), {basis}."
    if found.accepted < found.items:
        yield f"These documents are expected to give {found.accepted} accepted items, not {found.items}."
    yield "The figures are for writing the whole exam. What the run's ledger holds is not paid for again."


def _sentences(found: Plan) -> Iterator[str]:
    measured = found.basis == "measured"
    cost = "not known" if found.cost is None else _range(found.cost, 2 if found.cost.high >= 1 else 4)
    yield (
        f"Items accepted, those held in reserve included: {found.accepted}. Calls {_range(found.calls)}; tokens "
        f"{_range(found.tokens)}; US dollars {cost}; minutes {_range(found.minutes, 1)} at "
        f"{found.latency_s:g} s per call ({'measured' if measured else 'assumed'})."
    )
    if found.cost is None:
        yield (
            "The price of a model is not known. Give it in US dollars per million tokens: "
            "--price PROVIDER:MODEL=INPUT,OUTPUT"
        )
    yield (
        f"The lower end of a range is {FEWEST:g} times the planned calls: no draft is revised. The upper end is "
        f"{STRETCH:g} times the planned calls and those of one more passage: writing stops there."
    )
    if not measured:
        yield (
            "For the rates of your model, write a few items first (--items 5 --out RUN), then plan again with the "
            "same --out."
        )


def _range(estimate: Estimate, digits: int = 0) -> str:
    by, unit = (1000, "k") if estimate.value >= 20_000 else (1, "")
    value, low, high = (
        f"{number / by:,.{digits}f}{unit}" for number in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} ({low} to {high})"
