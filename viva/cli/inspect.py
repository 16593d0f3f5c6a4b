"""`viva show`, `compare`, `equate`, `history`, `ledger`, `items`, `trace`: show the content of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import Database, Json, RunFolder
from viva.cli.terminal.show import ELSEWHERE
from viva.cli.terminal.show import show as show_result

commands = typer.Typer()
_EQUATED = 25
_SHOWN = 10
"""Rows of a table that `viva compare` prints."""


@commands.command(epilog="Example: viva show run1")
def show(run: RunFolder, database_url: Database = None, json: Json = False) -> None:
    """Show the state of a run: documents, questions written and rejected, leaderboard and baselines."""
    from viva.api.runs import open_run

    show_result(open_run(run, database_url=database_url).state, as_json=json, elsewhere=ELSEWHERE)


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
    from viva.api.runs import open_run

    found = open_run(run, database_url=database_url).compare(first, second)
    show_result(found, as_json=json, most=_SHOWN, document={"folder": str(run), **found.record})


@commands.command(epilog="Example: viva equate march june")
def equate(
    old: Annotated[
        Path, typer.Argument(metavar="OLD", help="A run folder, or a CSV or TSV table as for viva irt: the scale.")
    ],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The same, of the form that is put on that scale.")],
    options: Annotated[int, typer.Option(help="Options per question of tables; 0: open questions.", min=0)] = 4,
    json: Json = False,
) -> None:
    """Put the abilities of two forms of an exam on one scale, through the questions they share.

    Shared questions that drifted are named and left out. The error of the link is part of every interval.
    """
    from viva.api.irt import equate as equated

    show_result(equated(old, new, options=options), as_json=json, most=_EQUATED)


@commands.command(epilog="Example: viva history march june --plot history.html")
def history(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders; the first gives the scale.")],
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the plot as one HTML file.")] = None,
    json: Json = False,
) -> None:
    """Show the scores of your systems over runs, versions and dates, on one scale where shared questions allow."""
    from viva.api.equating.history import history as scores_over_time

    found = scores_over_time(runs)
    show_result(found, as_json=json)
    if plot is not None:
        typer.echo(f"Written: {found.write_plot(plot)}", err=json)


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
    from viva.api.results.spending import record_replies
    from viva.api.runs import open_run

    if recording is not None:
        show_result(record_replies(run, recording), as_json=json)
    else:
        show_result(open_run(run, database_url=database_url).spent, as_json=json)


@commands.command(epilog="Example: viva items run1 --type quantity --limit 20")
def items(
    run: RunFolder,
    question_type: Annotated[
        str | None, typer.Option("--type", help="Show only questions of this type, such as quantity.")
    ] = None,
    contains: Annotated[str | None, typer.Option(help="Show only questions that contain this text.")] = None,
    rejected: Annotated[bool, typer.Option(help="Show what was rejected instead.")] = False,
    limit: Annotated[int, typer.Option(help="Show at most this many; 0: all.", min=0)] = 0,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """List the questions of the exam with options, key and evidence, or those rejected or not printed, with why."""
    from viva.api.runs import open_run

    opened = open_run(run, database_url=database_url)
    if rejected:
        found = opened.drafts_rejected(question_type, contains, limit)
        show_result(found, as_json=json, document=found.record["rejections"])
    else:
        found = opened.questions(question_type, contains, limit)
        show_result(found, as_json=json, document=found.record["items"])


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
    from viva.api.runs import open_run

    found = open_run(run, database_url=database_url).trace(item)
    show_result(found, as_json=json, document=found.record["steps"])
