"""`viva ledger`: the use and the cost of language models. Also the line on it in other summaries."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from viva.api.terminal import plain
from viva.core.accounts import ModelUse
from viva.core.wording import counted, seconds
from viva.graphs.authoring.account import funnel_of, model_use_of
from viva.graphs.context import RunContext
from viva.reports.sections.spending import (
    each,
    in_one_line,
    kinds,
    mean_seconds,
    money,
    per_accepted_item,
    tokens,
    total,
)

_WIDE = 160
_FIGURES = (
    "calls",
    "requests",
    "hits",
    "failed",
    "unreadable",
    "tokens in",
    "cached",
    "tokens out",
    "cost",
    "latency",
)


def spent(context: RunContext) -> dict[str, object]:
    """For --json: models by role, and averages of writing per accepted item (null without items)."""
    uses = model_use_of(context.models)
    per_item = per_accepted_item(uses, funnel_of(context.store).accepted)
    return {
        "model_use": [use.model_dump(mode="json") for use in uses],
        "per_accepted_item": per_item.model_dump(mode="json") if per_item else None,
    }


def print_spent(console: Console, context: RunContext) -> None:
    """Print one line, if there is a ledger."""
    uses = model_use_of(context.models)
    if uses:
        line = in_one_line(uses, funnel_of(context.store).accepted)
        console.print(plain(f"Spent: {line}. By role: viva ledger {context.folder}"))


def print_ledger(console: Console, context: RunContext) -> None:
    """Print a table by role and model, then failures, then averages."""
    accepted, uses = funnel_of(context.store).accepted, model_use_of(context.models)
    if not uses:
        console.print(plain(f"No language model was used in {context.folder}, so nothing was spent."))
        return
    if not console.is_terminal:
        console.width = max(console.width, _WIDE)
    table = Table()
    table.add_column("role", no_wrap=True)
    table.add_column("model", overflow="fold")
    for name in _FIGURES:
        table.add_column(name, justify="right", no_wrap=True)
    for use in uses:
        table.add_row(plain(use.role), plain(f"{use.provider}:{use.model}"), *_figures(use))
    whole = total(uses)
    table.add_section()
    table.add_row(whole.role, "", *_figures(whole))
    console.print(table)
    for use in uses:
        _print_failures(console, use)
    if whole.uncounted_tokens:
        console.print(
            plain(f"There were about {whole.uncounted_tokens:,} more tokens, which the provider did not count.")
        )
        told = "came without a token count: their tokens are estimated from their texts."
        console.print(plain(f"{counted(whole.uncounted, 'reply', 'replies')} {told}"))
    if whole.unpriced:
        console.print(
            plain(f"{whole.unpriced:,} replies have no known price. Give it: --price PROVIDER:MODEL=INPUT,OUTPUT")
        )
    per_item = per_accepted_item(uses, accepted)
    averages = each(per_item) if per_item else "no model was asked" if accepted else "no item was accepted yet"
    console.print(plain(f"Writing, per accepted item ({accepted}): {averages}."))


def _figures(use: ModelUse) -> tuple[str, ...]:
    counts = (use.calls, use.requests, use.hits, sum(use.failures.values()), sum(use.unreadable.values()))
    latency = mean_seconds(use)
    return (
        *(f"{count:,}" for count in counts),
        *(tokens(count, use) for count in (use.input_tokens, use.cached_tokens, use.output_tokens)),
        money(use),
        "-" if latency is None else seconds(latency),
    )


def _print_failures(console: Console, use: ModelUse) -> None:
    name = f"{use.role}, {use.provider}:{use.model}"
    if use.failures:
        console.print(plain(f"Failed requests: {name}: {kinds(use.failures)}."))
    if use.unreadable:
        console.print(plain(f"Unreadable replies: {name}: {kinds(use.unreadable)}."))
