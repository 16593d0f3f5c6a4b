"""`viva diagnose`: why a system answered wrong. Also: the announcement of questions beyond the exam."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from viva.cli.options import Json, RunFolder, StorageOptions, Timeout, takes

if TYPE_CHECKING:
    from rich.console import Console

    from viva.core.scores_diagnosis import Diagnosis
    from viva.graphs.context import RunContext

EPILOG = "Example: viva diagnose run1 --examinee my_rag.py:answer"
_SHOWN = 5
"""The most wrong answers that are shown one by one."""


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
    from viva.api.terminal import print_json, wide_console
    from viva.cli.settings import settings_given
    from viva.cli.terminal.process import long_command
    from viva.core.errors import UsageError
    from viva.graphs.context import RunContext
    from viva.graphs.diagnosis.diagnose import diagnose_run

    if not given.examinee:
        raise UsageError(
            "No system is named.",
            allowed="A system that took the exam of this run.",
            next_step=f"Name it: viva diagnose {given.run} --examinee my_rag.py:answer",
        )
    # not remembered for later stages: the next plain sitting must not be this examinee's
    context = RunContext(given.run, settings_given(given, given.run))
    with long_command() as watch:
        context.watch = watch
        context.candidates.check()
        found = diagnose_run(context)
    if given.json:
        print_json({"folder": str(given.run), "diagnoses": [each.model_dump(mode="json") for each in found]})
        return
    console = wide_console()
    for each in found:
        print_diagnosis(console, each, answers=_SHOWN)


def print_budget(context: RunContext, *, diagnosis: bool) -> None:
    """Print on standard error, before any system is asked, which questions go beyond the exam."""
    from rich.console import Console

    from viva.api.terminal import plain
    from viva.graphs.sitting.reference_examinees import budget

    console = Console(stderr=True, soft_wrap=True, highlight=False)
    for sentence in budget(context, diagnosis=diagnosis):
        console.print(plain(sentence))


def print_diagnoses(console: Console, context: RunContext) -> None:
    """Print the diagnoses of the present exam."""
    from viva.graphs.diagnosis.peer_responses import diagnoses_of

    exam = context.store.latest_exam()
    for each in diagnoses_of(context.store, exam) if exam else ():
        print_diagnosis(console, each)


def print_diagnosis(console: Console, found: Diagnosis, *, answers: int = 0) -> None:
    """Print a table of the causes of the wrong answers, and the notes on it."""
    from rich.table import Table

    from viva.api.terminal import plain
    from viva.cli.terminal.tables import percent_told
    from viva.reports.sections.diagnosis_words import headline

    if not found.diagnosed:
        console.print(plain(f"{found.examinee.name}: {_nothing(found)}"))
        return
    table = Table(
        title=plain(f"Why {found.diagnosed} of {found.wrong} wrong answers of {found.examinee.name} were wrong"),
        title_justify="left",
        title_style="bold",
    )
    table.add_column("cause")
    for name in ("answers", "share (95%)"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in found.rows:
        if row.answers:
            table.add_row(row.blame.value, str(row.answers), percent_told(row.share))
    console.print(table)
    console.print(plain(f"  {headline(found)}"))
    for reason, count in found.undecided.items():
        console.print(plain(f"  Undecided, {count}: {reason}."))
    right = "; ".join(f"{r.condition.value} {r.right} of {r.asked - r.failed}" for r in found.conditions)
    failed = sum(row.failed for row in found.conditions)
    luck = f" ({found.by_luck:.0%} by luck)" if found.by_luck is not None else ""
    lost = f"; failed {failed}" if failed else ""
    console.print(plain(f"  Read by {found.reader}. Right answers{luck} by passages: {right}{lost}."))
    if found.agreement:
        agreement = percent_told(found.agreement)
        console.print(plain(f"  The stand-in gives the same answer as the system in {agreement}."))
    if found.asked_again:
        console.print(
            plain(f"  Asked again as they were, {found.changed} of {found.asked_again} questions got another answer.")
        )
    modes = ", ".join(f"{mode} {count}" for mode, count in found.modes.items())
    console.print(plain(f"  Failure modes: {modes}."))
    for note in found.notes:
        console.print(plain(f"  Note: {note}"))
    for answer in found.answers[:answers]:
        console.print(plain(f"    {answer.item_id[:8]}  {answer.blame.value}: {answer.why}"))
    if answers and len(found.answers) > answers:
        console.print(plain(f"    and {len(found.answers) - answers} more (--json shows all)"))


def _nothing(found: Diagnosis) -> str:
    if not found.wrong:
        return f"none of its {found.graded} answers is wrong."
    return f"{found.wrong} of {found.graded} answers are wrong. None was diagnosed: --ablation-questions is 0."
