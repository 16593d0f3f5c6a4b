"""`viva label`: people say whether open answers are right. A few labels correct the judge's scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from viva.cli.options import RunDatabase, RunFolder

if TYPE_CHECKING:
    from rich.console import Console

EPILOG = "Example: viva label run1 --number 50 --by Ada; then viva score run1"


def label(
    run: RunFolder,
    number: Annotated[int, typer.Option("--number", "-n", help="Answers that you label in all.", min=1)] = 50,
    by: Annotated[
        str | None, typer.Option(help="Your name (default: the name of your account).", metavar="NAME")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the random draw (default: the seed of the run).", min=0)
    ] = None,
    per_system: Annotated[
        bool,
        typer.Option(
            "--per-system", help="Draw equally many answers of each system, instead of a draw from all answers."
        ),
    ] = False,
    system: Annotated[
        list[str] | None, typer.Option(help="Draw only answers of this system; repeatable.", metavar="NAME")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write the drawn answers to a .csv or .jsonl file, to label them elsewhere.")
    ] = None,
    import_: Annotated[
        Path | None, typer.Option("--import", help="Read labels from such a file instead of asking for them.")
    ] = None,
    database_url: RunDatabase = None,
    json: Annotated[bool, typer.Option("--json", help="Print the number of labels as JSON and ask nothing.")] = False,
) -> None:
    """Label a random draw of open answers as right, wrong or partly right. Each label is stored at once.

    With at least three labels for a system, viva score estimates how people would grade all its answers.
    """
    from viva.cli.judges.label_session import Order, Session, imported, opened_labels, written
    from viva.cli.terminal.console import print_json, wide_console
    from viva.core.errors import UsageError

    if export is not None and import_ is not None:
        raise UsageError(
            "--export and --import are both given.", next_step="First export, then import the labelled file."
        )
    with opened_labels(run, database_url, Order(number, by, seed, per_system, tuple(system or ()))) as work:
        console: Console = wide_console()
        if import_ is not None:
            imported(work, import_)
        elif export is not None:
            written(work, export)
        elif not json:
            Session(console, work).hold()
        if json:
            print_json(work.standing())
            return
        for line in work.told():
            console.print(line)
