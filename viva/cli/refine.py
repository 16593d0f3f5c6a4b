"""`viva refine`, `viva refresh`: replace items that do not separate systems, or whose evidence is gone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import Database, Json, MaxCalls, MaxCost, MaxTokens, Options, Timeout, takes
from viva.cli.terminal.process import prepared_process
from viva.cli.terminal.show import show

EPILOG = "Example: viva refine run1 --replenish, then viva report run1"
REFRESH_EPILOG = "Example: viva refresh run1 docs/ --check"


@dataclass(frozen=True, kw_only=True)
class RefineOptions(Options):
    """Options of `viva refine`."""

    run: Annotated[Path, typer.Argument(help="The folder of a scored run.", metavar="RUN")]
    rounds: Annotated[int, typer.Option(help="The most rounds; each drops at most a tenth of the exam.", min=1)] = 3
    replenish: Annotated[
        bool,
        typer.Option("--replenish", help="Also write as many items as are dropped, and ask systems these items."),
    ] = False
    examinee: Annotated[
        list[str] | None,
        typer.Option(
            "--examinee",
            "-e",
            metavar="SPEC",
            help="With --replenish: a system of yours that may be asked again; repeatable (default: the systems that "
            "viva sit asked last).",
        ),
    ] = None
    max_cost: MaxCost = None
    max_tokens: MaxTokens = None
    max_calls: MaxCalls = None
    timeout: Timeout = None
    database_url: Database = None
    json: Json = False


@takes(RefineOptions)
def refine(given: RefineOptions) -> None:
    """Improve a scored exam: drop questions that tell little about systems. The old exam is kept.

    With --replenish, viva also writes questions in their place.
    """
    from viva.api.runs import Run
    from viva.cli.settings import chosen_settings, option_of

    run = Run(given.run, given.database_url, option_of)
    with prepared_process():
        made = run.refine(given.rounds, replenish=given.replenish, **chosen_settings(given))
    show(made, as_json=given.json)


@dataclass(frozen=True, kw_only=True)
class RefreshOptions(Options):
    """Options of `viva refresh`."""

    run: Annotated[Path, typer.Argument(help="The folder of a run with an exam.", metavar="RUN")]
    docs: Annotated[str, typer.Argument(help="The newer documents: a folder, a file or an address.", metavar="DOCS")]
    check: Annotated[
        bool, typer.Option("--check", help="Only report what is valid, changed or gone; change nothing.")
    ] = False
    max_cost: MaxCost = None
    max_tokens: MaxTokens = None
    max_calls: MaxCalls = None
    database_url: Database = None
    json: Json = False


@takes(RefreshOptions)
def refresh(given: RefreshOptions) -> None:
    """Check an exam against newer documents. Valid questions and their answers stay; the old exam is kept.

    Questions whose evidence has changed or is gone are set aside, and others are written for new documents.
    """
    from viva.api.runs import Run
    from viva.cli.settings import chosen_settings, option_of

    run = Run(given.run, given.database_url, option_of)
    with prepared_process():
        made = run.refresh(given.docs, check=given.check, **chosen_settings(given))
    show(made, as_json=given.json)
