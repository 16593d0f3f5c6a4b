"""Looking at what a run holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import Database, Json, RunFolder

commands = typer.Typer()


@commands.command(epilog="Example: viva show run1")
def show(run: RunFolder, database_url: Database = None, json: Json = False) -> None:
    """How a run stands: corpus, funnel, leaderboard, baselines."""
    from viva.cli.inspect.look import show_run

    show_run(run, database_url, as_json=json)


@commands.command(epilog="Example: viva ledger run1")
def ledger(
    run: RunFolder,
    recording: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write there what models answered, not what they were asked: for replays."),
    ] = None,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """What was asked of language models: calls, tokens, money and cache hits, by role and by model."""
    from viva.cli.inspect.look import record_ledger, show_ledger

    if recording is not None:
        record_ledger(run, recording, as_json=json)
    else:
        show_ledger(run, database_url, as_json=json)


@commands.command(epilog="Example: viva items run1 --type quantity --limit 20")
def items(
    run: RunFolder,
    question_type: Annotated[str | None, typer.Option("--type", help="Only this question type.")] = None,
    contains: Annotated[str | None, typer.Option(help="Only items that hold this text.")] = None,
    rejected: Annotated[bool, typer.Option(help="The rejected drafts instead.")] = False,
    limit: Annotated[int, typer.Option(help="At most so many (all: 0).", min=0)] = 0,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """The exam's questions with options, key and evidence; or the rejected drafts with their reasons."""
    from viva.cli.inspect.look import show_items

    show_items(run, database_url, question_type, contains, rejected=rejected, limit=limit, as_json=json)


@commands.command(epilog="Example: viva trace run1 3f2a")
def trace(
    run: RunFolder,
    item: Annotated[str, typer.Argument(help="Item, draft or unit id (or its beginning), or words of a stem.")],
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Every step of the committee for an item or a rejected draft: role, input, output, verdict, duration."""
    from viva.cli.inspect.look import show_trace

    show_trace(run, database_url, item, as_json=json)
