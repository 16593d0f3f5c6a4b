"""`viva view`: runs in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EPILOG = "Example: viva view run1; viva view viva-runs --read-only"


def view(
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="[RUN ...]", help="Run folders, or a folder of them (viva-runs).")
    ] = None,
    port: Annotated[int, typer.Option(help="Port (0: any that is free).", min=0, max=65535)] = 8321,
    host: Annotated[
        str, typer.Option(help="Address to serve; beyond this machine a token is needed, which is printed once.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open a browser.")] = True,
    read_only: Annotated[bool, typer.Option("--read-only", help="Nothing can be recorded.")] = False,
    by: Annotated[str | None, typer.Option(help="Your name (that of your account).", metavar="NAME")] = None,
    at: Annotated[
        str | None, typer.Option(help="Open what has this id (of a question, unit or system; or its beginning).")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write all pages into a folder instead, for a web server.")
    ] = None,
    database_url: Annotated[
        str | None, typer.Option("--database-url", help="Where the run is kept, if not in its folder.")
    ] = None,
) -> None:
    """Look into runs in a browser: units, traces, questions, answers; review and label."""
    from viva.cli.exam.review import named_reviewer
    from viva.viewer.serving import View, export_pages, serve

    wanted = View(tuple(runs or [Path("viva-runs")]), host, port, read_only, named_reviewer(by, "--by"), database_url)
    if export is not None:
        export_pages(wanted, export)
    else:
        serve(wanted, browser=browser, at=at)
