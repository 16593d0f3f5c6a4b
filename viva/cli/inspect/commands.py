"""`viva show`, `compare`, `ledger`, `items`, `trace`: show the content of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import Database, Json, RunFolder

commands = typer.Typer()


@commands.command(epilog="Example: viva show run1")
def show(run: RunFolder, database_url: Database = None, json: Json = False) -> None:
    """Show the state of a run: documents, questions written and rejected, leaderboard and baselines."""
    from viva.cli.inspect.look import show_run

    show_run(run, database_url, as_json=json)


@commands.command(epilog="Example: viva compare run1 new old")
def compare(
    run: RunFolder,
    first: Annotated[str, typer.Argument(metavar="A", help="A system that was scored, by its name or id.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The system to compare it with.")],
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Is A better than B? The verdict, where the evidence was in the questions that part them, tokens, cost, latency.

    The verdict is that of `viva score`: exact McNemar test, adjusted over the pairs of your own systems.
    `viva score --pair "A vs B"` tests the pair alone.
    """
    from viva.cli.inspect.compare import compare_run

    compare_run(run, database_url, first, second, as_json=json)


@commands.command(epilog="Example: viva ledger run1")
def ledger(
    run: RunFolder,
    recording: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the replies of the models, without the requests, to this file. --model replay:FILE uses it.",
        ),
    ] = None,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Show the use of language models by role and model: calls, tokens, money and cache hits."""
    from viva.cli.inspect.look import record_ledger, show_ledger

    if recording is not None:
        record_ledger(run, recording, as_json=json)
    else:
        show_ledger(run, database_url, as_json=json)


@commands.command(epilog="Example: viva items run1 --type quantity --limit 20")
def items(
    run: RunFolder,
    question_type: Annotated[
        str | None, typer.Option("--type", help="Show only questions of this type, such as quantity.")
    ] = None,
    contains: Annotated[str | None, typer.Option(help="Show only questions that contain this text.")] = None,
    rejected: Annotated[bool, typer.Option(help="Show the rejected drafts instead.")] = False,
    limit: Annotated[int, typer.Option(help="Show at most this many; 0: all.", min=0)] = 0,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """List the questions of the exam with options, key and evidence, or the rejected drafts with the reasons."""
    from viva.cli.inspect.look import show_items

    show_items(run, database_url, question_type, contains, rejected=rejected, limit=limit, as_json=json)


@commands.command(epilog="Example: viva trace run1 3f2a")
def trace(
    run: RunFolder,
    item: Annotated[
        str,
        typer.Argument(help="The id of an item, draft or unit, or its first characters, or words of the question."),
    ],
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Show every step of the committee for an item or a rejected draft: role, input, output, verdict, duration."""
    from viva.cli.inspect.look import show_trace

    show_trace(run, database_url, item, as_json=json)
