"""The stages of a run, from documents to report: all of them, or one by one."""

from __future__ import annotations

import typer

from viva.cli.options import takes
from viva.cli.run.options import (
    IngestOptions,
    OralOptions,
    PlanOptions,
    RunOptions,
    ScoreOptions,
    SitOptions,
    StageOptions,
    WriteOptions,
)
from viva.cli.terminal.process import prepared_process
from viva.cli.terminal.show import show

commands = typer.Typer()


@commands.command(epilog="Example: viva run handbook/ --items 80 --examinee panel --examinee my_rag.py:answer")
@takes(RunOptions)
def run(given: RunOptions) -> None:
    """Do everything: read DOCS, write an exam, let systems take it, score them and write a report.

    With --exam FILE, your own questions are the exam.

    If it is interrupted, run the same command again: it continues where it stopped.
    """
    from viva.cli.run.stages import walk_documents

    walk_documents(given, last="report")


@commands.command(epilog="Example: viva plan handbook/ --items 80 --model openai:gpt-4o-mini")
@takes(PlanOptions)
def plan(given: PlanOptions) -> None:
    """Predict the calls, tokens, money and minutes that language models need to write an exam. It costs nothing."""
    from viva.cli.run.stages import show_plan

    show_plan(given)


@commands.command(epilog="Example: viva ingest handbook/ --out run1")
@takes(IngestOptions)
def ingest(given: IngestOptions) -> None:
    """Read DOCS only: count documents, chunks and duplicates, and list files that could not be read."""
    from viva.cli.run.stages import walk_documents

    walk_documents(given, last="ingest")


@commands.command(epilog="Example: viva write run1 --items 80")
@takes(WriteOptions)
def write(given: WriteOptions) -> None:
    """Write the exam of a run whose documents were read with viva ingest.

    A --model can be named here only before the first chunk is read for questions.
    """
    from viva.cli.run.stages import walk_stage

    walk_stage(given, "write")


@commands.command(epilog="Example: viva sit run1 --examinee hybrid+embedding,k=3 --examinee mine=my_rag.py:answer")
@takes(SitOptions)
def sit(given: SitOptions) -> None:
    """Let systems take the exam of a run. More systems can take it later; no system is asked a question twice.

    With --exam FILE, the exam is your own; viva sit FILE asks it without documents.

    For open questions on all of the documents, use viva oral.
    """
    from viva.cli.run.stages import sit_run

    sit_run(given)


@commands.command(epilog="Example: viva oral run1 --examinee my_rag.py:answer --questions 200")
@takes(OralOptions)
def oral(given: OralOptions) -> None:
    """Examine systems orally: ask open questions until each knowledge unit of the documents has a verdict.

    A language model (--model, or the run's own) finds the units, asks and judges.

    If it is interrupted, run the same command again: it continues where it stopped.
    """
    from viva.api.failures import BudgetReached, UsageError
    from viva.api.result import Result
    from viva.api.runs import Run
    from viva.cli.settings import chosen_settings, option_of

    if not given.examinee:
        raise UsageError(
            "No system is named.", next_step=f"Name one: viva oral {given.run} --examinee my_rag.py:answer"
        )
    run, chosen = Run(given.run, given.database_url, option_of), chosen_settings(given)
    try:
        with prepared_process():
            found = run.oral(questions=given.questions, tries=given.tries, flat=given.flat, **chosen)
    except BudgetReached as reached:
        if isinstance(reached.result, Result):
            show(reached.result, as_json=given.json)
        raise
    show(found, as_json=given.json)


@commands.command(epilog="Example: viva score run1")
@takes(ScoreOptions)
def score(given: ScoreOptions) -> None:
    """Grade all responses, and estimate abilities and item parameters. A judge grades open answers."""
    from viva.cli.run.stages import walk_stage

    walk_stage(given, "score")


@commands.command(epilog="Example: viva report run1")
@takes(StageOptions)
def report(given: StageOptions) -> None:
    """Write the report RUN/report.html: one file that needs no network."""
    from viva.cli.run.stages import walk_stage

    walk_stage(given, "report")
