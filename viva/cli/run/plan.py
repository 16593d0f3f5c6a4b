"""`viva plan`: what writing the exam will cost, before anything is paid."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.table import Table

from viva.api.terminal import plain, print_json, wide_console
from viva.cli.run.documents import documents_of
from viva.cli.run.options import PlanOptions
from viva.cli.settings import settings_given
from viva.cli.terminal.process import long_command
from viva.core.errors import UsageError
from viva.core.scores import Estimate
from viva.core.settings import Settings
from viva.graphs import stages
from viva.graphs.authoring.account import model_use_of
from viva.graphs.authoring.call_allowance import FEWEST, STRETCH
from viva.graphs.authoring.call_rates import measured_rates, recorded_rates
from viva.graphs.authoring.cost_estimate import Plan, plan
from viva.graphs.context import RunContext
from viva.graphs.resources.run_settings import run_folder
from viva.storage.corpus import DocumentSource
from viva.storage.run_place import SQLITE_FILE


def show_plan(given: PlanOptions) -> None:
    """Predict and print. No model is asked, and the temporary folder is removed at the end."""
    settings = settings_given(given)
    if not settings.model:
        raise UsageError(
            "No --model is given. Without a model, rules write the exam (the offline cast), which costs nothing.",
            next_step="Name a model: viva plan DOCS --model openai:gpt-4o-mini",
        )
    documents = documents_of(given)
    found = _of_run(run_folder(documents, given.out), settings) or _of_documents(documents, settings)
    if given.json:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)


def _of_documents(documents: Path | DocumentSource, settings: Settings) -> Plan:
    """By the recorded rates."""
    with TemporaryDirectory(prefix="viva-plan-") as place, long_command() as watch:
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


def _print(found: Plan) -> None:
    console, measured = wide_console(), found.basis == "measured"

    def print_line(line: str) -> None:
        console.print(plain(line))

    basis = "by the calls of this run so far" if measured else "by the rates of the demo's recording"
    print_line(f"Plan for {found.items} accepted items (those of the exam and spare ones), {basis}.")
    if found.accepted < found.items:
        print_line(f"These documents are expected to give {found.accepted} accepted items, not {found.items}.")
    print_line("The figures are for writing the whole exam. What the run's ledger holds is not paid for again.")
    console.print(_table(found))
    print_line(
        f"Items accepted, those held in reserve included: {found.accepted}. Calls {_range(found.calls)}; tokens "
        f"{_range(found.tokens)}; US dollars {_money(found.cost)}; minutes {_range(found.minutes, 1)} at "
        f"{found.latency_s:g} s per call ({'measured' if measured else 'assumed'})."
    )
    if found.cost is None:
        print_line(
            "The price of a model is not known. Give it in US dollars per million tokens: "
            "--price PROVIDER:MODEL=INPUT,OUTPUT"
        )
    print_line(
        f"The lower end of a range is {FEWEST:g} times the planned calls: no draft is revised. The upper end is "
        f"{STRETCH:g} times the planned calls and those of one more passage: writing stops there."
    )
    if not measured:
        print_line(
            "For the rates of your model, write a few items first (--items 5 --out RUN), then plan again with the "
            "same --out."
        )


def _table(found: Plan) -> Table:
    table = Table()
    for name in ("role", "model", "calls", "tokens in", "tokens out", "US dollars"):
        text = name in {"role", "model"}
        table.add_column(name, justify="left" if text else "right", no_wrap=name != "model", overflow="fold")
    for role in found.roles:
        amounts = (f"{amount:,.0f}" for amount in (role.calls, role.input_tokens, role.output_tokens))
        cost = "not known" if role.cost is None else f"{role.cost:,.4f}"
        table.add_row(role.role, plain(role.model), *amounts, cost)
    return table


def _range(estimate: Estimate, digits: int = 0) -> str:
    by, unit = (1000, "k") if estimate.value >= 20_000 else (1, "")
    value, low, high = (
        f"{number / by:,.{digits}f}{unit}" for number in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} ({low} to {high})"


def _money(estimate: Estimate | None) -> str:
    return "not known" if estimate is None else _range(estimate, 2 if estimate.high >= 1 else 4)
