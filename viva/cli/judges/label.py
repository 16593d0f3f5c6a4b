"""`viva label`: people say whether open answers are right; a few labels put the judge's scores right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

EPILOG = "Example: viva label run1 --number 50 --by Ada; then viva score run1"


def label(
    run: Annotated[Path, typer.Argument(help="Run folder, as printed by viva run.", metavar="RUN")],
    number: Annotated[int, typer.Option("--number", "-n", help="Answers that you label in all (50).", min=1)] = 50,
    by: Annotated[str | None, typer.Option(help="Your name (that of your account).", metavar="NAME")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random draw (the run's).", min=0)] = None,
    per_system: Annotated[
        bool, typer.Option("--per-system", help="As many answers of each system, instead of a draw from all.")
    ] = False,
    system: Annotated[
        list[str] | None, typer.Option(help="Only answers of this system, repeatable.", metavar="NAME")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write the drawn answers to a .csv or .jsonl, to be labelled elsewhere.")
    ] = None,
    import_: Annotated[
        Path | None, typer.Option("--import", help="Read labels from such a file, instead of asking for them.")
    ] = None,
    database_url: Annotated[
        str | None, typer.Option("--database-url", help="Where the run is kept, if not in its folder.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print how far the labels are as JSON, and ask nothing.")
    ] = False,
) -> None:
    """Label a random draw of open answers, each kept at once; viva score then shows what people would say of all.

    A figure takes three labels of a system's answers.
    """
    from viva.cli.judges.label_session import Order, Session, imported, opened_labels, written
    from viva.cli.terminal.console import print_json, wide_console
    from viva.core.errors import UsageError

    if export is not None and import_ is not None:
        raise UsageError("--export and --import at once.", next_step="First export, then import what was labelled.")
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
