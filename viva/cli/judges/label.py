"""`viva label`: people label open answers in a file. A few labels correct the judge's scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import RunDatabase, RunFolder
from viva.cli.settings import named_person
from viva.cli.terminal.show import show

EPILOG = (
    "Example: viva label run1 --export answers.csv; fill in the column label; viva label run1 --import answers.csv; "
    "viva score run1. Or label in the browser: viva view run1"
)


def label(
    run: RunFolder,
    number: Annotated[int, typer.Option("--number", "-n", help="Answers that --export writes.", min=1)] = 50,
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
        Path | None, typer.Option(help="Write the drawn answers to a .csv or .jsonl file, to be labelled there.")
    ] = None,
    import_: Annotated[Path | None, typer.Option("--import", help="Read the labels of such a file.")] = None,
    database_url: RunDatabase = None,
    json: Annotated[bool, typer.Option("--json", help="Print the number of labels as JSON.")] = False,
) -> None:
    """Label a random draw of open answers as right, wrong or partly right, in a file. (In the browser: viva view.)

    With at least three labels for a system, viva score estimates how people would grade all its answers.
    """
    from viva.api.judges.labels import label_answers

    found = label_answers(
        run,
        named_person(by, "--by"),
        export=export,
        labelled=import_,
        number=number,
        seed=seed,
        systems=system or (),
        per_system=per_system,
        count_only=json,
        database_url=database_url,
    )
    show(found, as_json=json)
