"""`viva gate`: whether a changed system is worse than a baseline, for CI."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from viva.cli.options import Json, StorageOptions, Timeout, takes
from viva.cli.terminal.process import prepared_process
from viva.cli.terminal.show import show

EPILOG = (
    "Example: viva gate run1 -e my_rag.py:answer --baseline old. Exit codes: 0 pass, 4 regress, 5 undecided; others "
    "as of all commands."
)


@dataclass(frozen=True, kw_only=True)
class GateOptions(StorageOptions):
    """Options of `viva gate`."""

    run: Annotated[Path | None, typer.Argument(help="The run folder; or --exam FILE.", metavar="[RUN]")] = None
    exam: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file of questions: no run folder is needed.")
    ] = None
    out: Annotated[
        Path | None, typer.Option(metavar="RUN", help="The run folder of --exam (default: viva-runs/ and its name).")
    ] = None
    system: Annotated[
        str, typer.Option("--examinee", "-e", metavar="SPEC", help="The changed system, as for viva sit.")
    ]
    baseline: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="A system that has sat the exam, or a file that --save wrote."),
    ] = None
    max_drop: Annotated[float, typer.Option(help="The drop in points of accuracy that must not pass.")] = 3
    alpha: Annotated[float, typer.Option(help="At most so often a system that is no worse is called worse.")] = 0.05
    power: Annotated[float, typer.Option(help="At least so often a drop of --max-drop does not pass.")] = 0.8
    undecided: Annotated[
        Literal["pass", "fail"] | None, typer.Option(help="What an undecided gate counts as (default: exit code 5).")
    ] = None
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ask all of the exam and write the answers, as a baseline of later gates."),
    ] = None
    again: Annotated[bool, typer.Option("--again", help="Ask anew what the system answered before.")] = False
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the verdict as JUnit XML.")] = None
    github: Annotated[bool, typer.Option("--github", help="Print annotations and write the job's summary.")] = False
    timeout: Timeout = None
    json: Json = False


@takes(GateOptions)
def gate(given: GateOptions) -> None:
    """Tell whether a changed system is worse than a baseline on the same questions, asking as few as will do.

    Questions are asked until it can be said: pass, regress, or undecided after all of them (docs/gate.md).
    """
    from viva.api.failures import UsageError
    from viva.api.gate import check_place
    from viva.api.runs import Exam, Run
    from viva.cli.settings import chosen_settings, option_of

    names = ("baseline", "max_drop", "alpha", "power", "save", "again")
    asked = {**{name: given.by_name[name] for name in names}, **chosen_settings(given)}
    if given.junit and given.junit.parent != given.out:
        # before anything is asked; a gate makes its run folder itself
        check_place(given.junit)
    with prepared_process():
        if given.run is not None and given.exam is None:
            found = Run(given.run, given.database_url, option_of).gate(given.system, **asked)
        elif given.exam is not None and given.run is None:
            found = Exam.read(given.exam).gate(given.system, out=given.out, **asked)
        else:
            raise UsageError("A gate needs one exam.", allowed="A run folder, or --exam FILE.")
    show(found, as_json=given.json)
    told = found.publish(junit=given.junit, github=given.github, undecided=given.undecided)
    # GitHub reads annotations from either stream, and a JSON document is to stand alone
    typer.echo(told, nl=False, err=given.json)
    raise typer.Exit(found.exit_code(given.undecided))
