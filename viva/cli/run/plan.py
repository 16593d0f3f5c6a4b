"""`viva plan`: what writing the exam will cost, before anything is paid."""

from __future__ import annotations

import json
from contextlib import closing
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
    """Predict and print. No real model is asked, and the temporary folder is removed at the end."""
    settings = settings_given(given)
    if not settings.model:
        raise UsageError(
            "No --model is given. Without a model, rules write the exam (the offline cast), which costs nothing.",
            next_step="Name a model: viva plan DOCS --model openai:gpt-4o-mini",
        )
    documents = documents_of(given)
    found = _of_run(run_folder(documents, given.out), settings)
    if found is None:
        with TemporaryDirectory(prefix="viva-plan-") as folder, output_kept_clean(), shown_progress() as watch:
            # limits are for paid calls; the rehearsal is free
            free = {"model": FAKE, "max_cost": None, "max_tokens": None, "max_calls": None}
            unpaced = {"requests_per_minute": None, "tokens_per_minute": None}
            rehearsal = settings.model_copy(update={**free, **unpaced, "database_url": None})
            with closing(RunContext(Path(folder), rehearsal, documents_folder=documents, watch=watch)) as context:
                stages.ingest(context)
                if not context.chunks:
                    raise UsageError(f"{documents} contains no document that can be read.")
                with langsmith_bounded():
                    rehearsed = interrupts.run(rehearse(context, settings, given.sample))
                found = plan(rehearsed, settings, len(context.chunks))
    if given.json:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)


def _of_run(folder: Path, settings: Any) -> Plan | None:
    """A plan from the chunks that the run has used for questions already; None where there are none."""
    if not (folder / SQLITE_FILE).exists():
        return None
    with closing(RunContext(folder, settings)) as context:
        if context.store.run.settings.get("model") != json.dumps(context.models.roster.canonical):
            # the calls of another model say nothing about this one
            return None
        sample = measured(context)
        return plan(sample, settings, len(context.chunks)) if sample else None


def _print(found: Plan) -> None:
    console = wide_console()
    basis = (
        f"measured on {found.sampled} chunks that this run has used already"
        if found.basis == "measured"
        else f"rehearsed on {found.sampled} chunks with a fake model (nothing was paid)"
    )
    console.print(plain(f"Plan for {found.items} accepted items (those of the exam and spare ones), {basis}."))
    if found.accepted.value < found.items:
        given = _range(found.accepted)
        console.print(plain(f"These documents are expected to give {given} accepted items, not {found.items}."))
    console.print(
        plain(
            "The figures are for writing the whole exam. Replies that are in the run's ledger are not paid for again."
        )
    )
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
            f"Chunks used {_range(found.walked)}; calls {_range(found.calls)}; tokens {_range(found.tokens)}; "
            f"US dollars {_money(found.cost)}; minutes {_range(found.minutes, 1)} "
            f"at {found.latency_s:g} s per call ({latency})."
        )
    )
    if found.cost is None:
        console.print(
            plain(
                "The price of a model is not known. Give it in US dollars per million tokens: "
                "--price PROVIDER:MODEL=INPUT,OUTPUT"
            )
        )
    if found.basis == "rehearsed":
        console.print(
            plain(
                f"The lower end of a range is {FEWEST:g} times the calls: no draft is revised. The upper end is "
                f"{STRETCH:g} times the calls and those of one more passage: writing stops there. For narrower "
                "ranges, write a few items first (--items 5 --out RUN), then plan again with the same --out."
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
