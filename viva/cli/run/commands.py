"""The stages of a run: documents to report, whole or one by one."""

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

commands = typer.Typer()


@commands.command(epilog="Example: viva run handbook/ --items 80 --examinee panel --examinee my_rag.py:answer")
@takes(RunOptions)
def run(given: RunOptions) -> None:
    """The whole walk: read DOCS, write an exam, let systems sit it, score, report. Run again to go on."""
    from viva.cli.run.stages import walk_documents

    walk_documents(given, last="report")


@commands.command(epilog="Example: viva plan handbook/ --items 80 --model openai:gpt-4o-mini")
@takes(PlanOptions)
def plan(given: PlanOptions) -> None:
    """Predict calls, tokens, money and minutes of writing an exam with language models, before anything is paid."""
    from viva.cli.run.plan import show_plan

    show_plan(given)


@commands.command(epilog="Example: viva ingest handbook/ --out run1")
@takes(IngestOptions)
def ingest(given: IngestOptions) -> None:
    """Only read DOCS: documents, chunks, duplicates, and what could not be read and why."""
    from viva.cli.run.stages import walk_documents

    walk_documents(given, last="ingest")


@commands.command(epilog="Example: viva write run1 --items 80")
@takes(WriteOptions)
def write(given: WriteOptions) -> None:
    """Write the exam of a run that was ingested. A --model may be named until the first chunk was read."""
    from viva.cli.run.stages import walk_stage

    walk_stage(given, "write")


@commands.command(epilog="Example: viva sit run1 --examinee hybrid+embedding,k=3 --examinee mine=my_rag.py:answer")
@takes(SitOptions)
def sit(given: SitOptions) -> None:
    """Let systems sit the exam of a run. More can sit later: nobody is asked twice. For open questions: viva oral."""
    from viva.cli.sit.commands import sit_run

    sit_run(given)


@commands.command(epilog="Example: viva oral run1 --examinee my_rag.py:answer --questions 200")
@takes(OralOptions)
def oral(given: OralOptions) -> None:
    """Quiz systems until every unit of knowledge was asked about. Interrupted, it goes on where it was."""
    from viva.cli.sit.oral import oral_run

    oral_run(given)


@commands.command(epilog="Example: viva score run1")
@takes(ScoreOptions)
def score(given: ScoreOptions) -> None:
    """Grade all responses, open ones by a judge or a jury, and estimate abilities and item parameters."""
    from viva.cli.run.stages import walk_stage

    walk_stage(given, "score")


@commands.command(epilog="Example: viva report run1")
@takes(StageOptions)
def report(given: StageOptions) -> None:
    """Write RUN/report.html: one file, no network."""
    from viva.cli.run.stages import walk_stage

    walk_stage(given, "report")
