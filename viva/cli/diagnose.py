"""`viva diagnose`: why a system answered wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from viva.cli.options import Json, RunFolder, StorageOptions, Timeout, takes
from viva.cli.terminal.process import prepared_process
from viva.cli.terminal.show import show

EPILOG = "Example: viva diagnose run1 --examinee my_rag.py:answer"


@dataclass(frozen=True, kw_only=True)
class DiagnoseOptions(StorageOptions):
    """Options of `viva diagnose`."""

    run: RunFolder
    examinee: Annotated[
        list[str] | None,
        typer.Option("--examinee", "-e", metavar="SPEC", help="A system that took the exam; repeatable."),
    ] = None
    ablation_questions: Annotated[
        int | None,
        typer.Option(
            help="The most wrong answers to diagnose, if the system itself can read other passages (default and "
            "upper limit: 60).",
            min=0,
        ),
    ] = None
    timeout: Timeout = None
    json: Json = False


@takes(DiagnoseOptions)
def diagnose(given: DiagnoseOptions) -> None:
    """Find out why a system answered wrong: ask those questions again, with other passages.

    The cause can be retrieval, reading, or the question itself.
    """
    from viva.api.failures import UsageError
    from viva.api.runs import Run
    from viva.cli.settings import chosen_settings, option_of

    if not given.examinee:
        raise UsageError(
            "No system is named.",
            allowed="A system that took the exam of this run.",
            next_step=f"Name it: viva diagnose {given.run} --examinee my_rag.py:answer",
        )
    with prepared_process():
        found = Run(given.run, given.database_url, option_of).diagnose(**chosen_settings(given))
    show(found, as_json=given.json)
