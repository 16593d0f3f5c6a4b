"""`viva compare`: is one system better than another, why, and what does each cost?"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from viva.cli.settings import settings_of
from viva.cli.terminal.console import plain, print_json, wide_console
from viva.core.scores_pairs import CAUSES, PairFindings, pair_sentence
from viva.core.wording import percent, signed
from viva.graphs.context import RunContext
from viva.graphs.results import compare_systems
from viva.reports.sections.pairs import reason_sentences, usage_sentences

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = 10
"""Questions of each of the two that are shown one by one."""


def compare_run(run: Path, database_url: str | None, first: str, second: str, *, as_json: bool) -> None:
    """Print the verdict on two systems of a run, and what parts them."""
    settings = settings_of({"database_url": database_url} if database_url else {})
    with closing(RunContext(run, settings)) as context:
        found = compare_systems(context, first, second)
    verdict = pair_sentence(found.comparison, found.first.name, found.second.name)
    if as_json:
        told = {"verdict": verdict, "why": reason_sentences(found), "usage": usage_sentences(found)}
        print_json({"folder": str(run), **told, **found.model_dump(mode="json")})
        return
    console = wide_console()
    for sentence in (verdict, *reason_sentences(found), *usage_sentences(found)):
        console.print(plain(sentence))
    _print_levels(console, found)
    _print_parted(console, found)


def _print_levels(console: Console, found: PairFindings) -> None:
    if not found.levels:
        return
    from rich.table import Table

    table = Table(title="By topic and kind", title_justify="left", title_style="bold")
    table.add_column("")
    for name in ("questions", found.first.name, found.second.name, "difference (95%)"):
        table.add_column(plain(name), justify="right", no_wrap=True)
    for row in found.levels:
        low, high = (signed(100 * bound, 0) for bound in (row.difference.low, row.difference.high))
        interval = f"{signed(100 * row.difference.value, 0)} ({low} to {high})"
        level = plain(f"{row.attribute}: {row.level or '(none)'}")
        table.add_row(level, str(row.items), percent(row.first), percent(row.second), interval)
    console.print(table)


def _print_parted(console: Console, found: PairFindings) -> None:
    for system in (found.first, found.second):
        own = [each for each in found.parted if each.right == system.id]
        if own:
            console.print(plain(f"Only {system.name} is right:", style="bold"))
        for each in own[:_SHOWN]:
            cause = CAUSES.get(each.evidence, f"evidence {each.evidence.value}")
            console.print(plain(f"  {each.item_id[:8]}  {cause}: {each.question}"))
        if len(own) > _SHOWN:
            console.print(plain(f"  and {len(own) - _SHOWN} more (--json shows all)"))
