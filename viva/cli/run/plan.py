"""`viva plan`: what writing the exam will take, before anything is paid."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.table import Table

from viva.cli.run.documents import documents_of
from viva.cli.run.options import PlanOptions
from viva.cli.settings import run_folder, settings_given
from viva.cli.terminal.console import print_json, wide_console
from viva.cli.terminal.escape import output_kept_clean, plain
from viva.cli.terminal.progress import shown_progress
from viva.core.errors import UsageError
from viva.core.scores import Estimate
from viva.graphs import stages
from viva.graphs.authoring.call_allowance import FEWEST, STRETCH
from viva.graphs.authoring.cost_estimate import Plan, measured, plan, rehearse
from viva.graphs.context import RunContext
from viva.llm import interrupts
from viva.llm.tracing.langsmith import langsmith_bounded
from viva.storage.run_place import SQLITE_FILE

FAKE = ("fake:rehearsal",)


def show_plan(given: PlanOptions) -> None:
    """Predict and print. Nothing is asked of a real model, nothing written but a folder that is removed again."""
    settings = settings_given(given)
    if not settings.model:
        raise UsageError(
            "Without --model the offline cast writes the exam, and costs nothing.",
            next_step="Name a model: viva plan DOCS --model openai:gpt-4o-mini",
        )
    documents = documents_of(given)
    found = _of_run(run_folder(documents, given.out), settings)
    if found is None:
        with TemporaryDirectory(prefix="viva-plan-") as folder, output_kept_clean(), shown_progress() as watch:
            # limits are for paid calls; the rehearsal is free, and leaves nothing behind
            free = {"model": FAKE, "max_cost": None, "max_tokens": None, "max_calls": None}
            unpaced = {"requests_per_minute": None, "tokens_per_minute": None}
            rehearsal = settings.model_copy(update={**free, **unpaced, "database_url": None})
            context = RunContext(Path(folder), rehearsal, documents_folder=documents, watch=watch)
            try:
                stages.ingest(context)
                if not context.chunks:
                    raise UsageError(f"{documents} holds no readable document.")
                with langsmith_bounded():
                    rehearsed = interrupts.run(rehearse(context, settings, given.sample))
                found = plan(rehearsed, settings, len(context.chunks))
            finally:
                context.close()
    if given.json:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)


def _of_run(folder: Path, settings: Any) -> Plan | None:
    """From the chunks that were walked already, if the run folder has such."""
    if not (folder / SQLITE_FILE).exists():
        return None
    context = RunContext(folder, settings)
    try:
        if context.store.run.settings.get("model") != json.dumps(context.models.roster.canonical):
            # another model's calls say nothing of this one's
            return None
        sample = measured(context)
        return plan(sample, settings, len(context.chunks)) if sample else None
    finally:
        context.close()


def _print(found: Plan) -> None:
    console = wide_console()
    basis = (
        f"measured on {found.sampled} chunks that were walked already"
        if found.basis == "measured"
        else f"rehearsed on {found.sampled} chunks with a fake model (nothing was paid)"
    )
    console.print(plain(f"Plan: {found.items} accepted items are wanted (the exam's, and spare ones), {basis}."))
    console.print(plain("Figures are of the whole writing; what is in the run's ledger already is not paid again."))
    table = Table()
    for name in ("", "calls", "tokens in", "tokens out", "US dollars"):
        table.add_column(name, justify="right" if name else "left", no_wrap=bool(name), overflow="fold")
    for share in found.models:
        table.add_row(
            plain(share.model),
            _range(share.calls),
            _range(share.input_tokens),
            _range(share.output_tokens),
            _money(share.cost),
        )
    console.print(table)
    latency = "measured" if found.basis == "measured" else "assumed"
    console.print(
        plain(
            f"Chunks walked {_range(found.walked)}; calls {_range(found.calls)}; tokens {_range(found.tokens)}; "
            f"US dollars {_money(found.cost)}; minutes {_range(found.minutes, 1)} "
            f"at {found.latency_s:g} s a call ({latency})."
        )
    )
    if found.cost is None:
        console.print(plain("No price is known for a model: --price PROVIDER:MODEL=INPUT,OUTPUT per million tokens."))
    if found.basis == "rehearsed":
        console.print(
            plain(
                f"Ranges go from {FEWEST:g} times the calls, as of a committee that errs nowhere, to {STRETCH:g} "
                "times and one passage more, where the writing gives up what it could not have. For narrower ones "
                "write a few items first (--items 5 --out RUN), and plan again with the same --out."
            )
        )


def _range(estimate: Estimate, digits: int = 0) -> str:
    by, unit = (1000, "k") if estimate.value >= 20_000 else (1, "")
    value, low, high = (
        f"{number / by:,.{digits}f}{unit}" for number in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value} ({low} to {high})"


def _money(estimate: Estimate | None) -> str:
    return "not known" if estimate is None else _range(estimate, 2 if estimate.high >= 1 else 4)
