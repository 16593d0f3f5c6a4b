"""`viva view`: runs in a web browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import RunDatabase

EPILOG = "Example: viva view run1; viva view viva-runs --read-only"


def view(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN ...]", help="Run folders, or a folder that contains run folders (default: viva-runs)."
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="The port to serve on; 0: any free port.", min=0, max=65535)] = 8321,
    host: Annotated[
        str,
        typer.Option(
            help="The address to serve on. For other machines than this one, a token is needed: viva prints it once."
        ),
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Whether to open a web browser.")] = True,
    read_only: Annotated[bool, typer.Option("--read-only", help="Allow no reviews and no labels.")] = False,
    by: Annotated[
        str | None,
        typer.Option(
            help="Your name, stored with reviews and labels (default: the name of your account).", metavar="NAME"
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            help="Open the page of the question, knowledge unit or system with this id (or its first characters)."
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write all pages to this folder, for a web server, and serve nothing."),
    ] = None,
    database_url: RunDatabase = None,
) -> None:
    """Browse runs in a web browser: units, traces, questions and answers. You can review and label there."""
    from viva.api.runs import view_runs
    from viva.api.settings import named_person

    view_runs(
        *(runs or [Path("viva-runs")]),
        host=host,
        port=port,
        read_only=read_only,
        by=named_person(by, "--by"),
        database_url=database_url,
        browser=browser,
        at=at,
        export=export,
    )
