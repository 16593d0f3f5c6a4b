"""`viva exam`: commands for an exam by itself, from a run, from another tool or written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from viva.cli.options import Json, RunDatabase, RunFolder
from viva.cli.terminal.show import show

SOMETHING_TO_MEND = 2

exam = typer.Typer(
    help="Work on an exam by itself: show statistics, compare, check, review, import, export, publish, retire.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Place = Annotated[Path, typer.Argument(help="A run folder, or a file that contains an exam.", metavar="RUN|FILE")]
Format = Annotated[
    str | None, typer.Option("--format", "-f", help="Format of FILE (default: found by its name and content).")
]


@exam.command(epilog="Example: viva exam stats run1")
def stats(place: Place, file_format: Format = None, database_url: RunDatabase = None, json: Json = False) -> None:
    """Show the statistics of an exam.

    These are candidates, baselines without reading, wording, classes, and how often readers solve the questions.
    """
    from viva.api.runs import open_exam

    show(open_exam(place, file_format, database_url=database_url).statistics(), as_json=json)


@exam.command(epilog="Example: viva exam diff run1 exam.reviewed.jsonl. The exit code is 0, also if they differ.")
def diff(
    first: Annotated[Path, typer.Argument(help="The first exam: a run folder or a file.", metavar="A")],
    second: Annotated[Path, typer.Argument(help="The second exam: a run folder or a file.", metavar="B")],
    json: Json = False,
) -> None:
    """Compare two exams.

    It shows questions added, removed and reworded, and changes of options, keys, order and classes.
    """
    from viva.api.runs import open_exam

    show(open_exam(first).diff(open_exam(second)), as_json=json)


@exam.command(
    epilog="Example: viva exam lint quiz.csv. The exit code is 2 if there are errors, 0 if there are only warnings."
)
def lint(
    place: Place,
    file_format: Format = None,
    embeddings: Annotated[bool, typer.Option(help="Also find near-duplicate questions by their meaning.")] = False,
    database_url: RunDatabase = None,
    json: Json = False,
) -> None:
    """Check an exam by the rules of item writing.

    Faults of a question are errors; most faults of the exam as a whole are warnings.
    """
    from viva.api.runs import open_exam

    found = open_exam(place, file_format, database_url=database_url).lint(embeddings=embeddings)
    show(found, as_json=json)
    if found.record["errors"]:
        raise typer.Exit(SOMETHING_TO_MEND)


@exam.command(
    epilog="Example: viva exam review run1 --export run1.csv; fill in the column decision; viva exam review run1 "
    "--import run1.csv. Or review in the browser: viva view run1"
)
def review(
    place: Place,
    file_format: Format = None,
    export: Annotated[
        Path | None,
        typer.Option(help="Write the questions to a .csv or .jsonl file, to be decided there.", metavar="FILE"),
    ] = None,
    import_: Annotated[
        Path | None, typer.Option("--import", help="Read the decisions of such a file.", metavar="FILE")
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option(help="Your name, kept with each decision (default: your account's name).")
    ] = None,
    database_url: RunDatabase = None,
    json: Json = False,
) -> None:
    """Accept, edit or reject questions in a file, and write the exam as the decisions leave it.

    Decisions made in viva view count too. Undecided questions stay in the exam.
    """
    from viva.api.failures import UsageError
    from viva.api.runs import open_exam
    from viva.api.settings import named_person

    if export is not None and import_ is not None:
        raise UsageError(
            "--export and --import are both given.", next_step="First export, then import the reviewed file."
        )
    found = open_exam(place, file_format, database_url=database_url)
    by = named_person(reviewer, "--reviewer") if import_ is not None else None
    show(found.review(import_, by) if export is None else found.write_decisions(export), as_json=json)


@exam.command("import", epilog="Example: viva exam import quiz.csv --out exam.jsonl")
def import_(
    file: Annotated[Path, typer.Argument(help="A file with an exam in another format.", metavar="FILE")],
    out: Annotated[Path, typer.Option(help="The exam file to write (exam.jsonl).", metavar="FILE")],
    file_format: Format = None,
    json: Json = False,
) -> None:
    """Convert another tool's questions into an exam file.

    Questions that cannot be imported are listed with line and reason.
    """
    from viva.api.runs import Exam

    show(Exam.read(file, file_format).convert(out), as_json=json)


@exam.command(epilog="Example: viva exam export run1 --format csv --out quiz.csv")
def export(
    place: Place,
    file_format: Annotated[
        str, typer.Option("--format", "-f", help="The format to write, such as ragas, lm-eval or csv.")
    ],
    out: Annotated[Path, typer.Option(help="The file to write.", metavar="FILE")],
    database_url: RunDatabase = None,
    json: Json = False,
) -> None:
    """Convert an exam into another tool's format. It lists what that format cannot hold."""
    from viva.api.runs import open_exam

    show(open_exam(place, database_url=database_url).export(out, file_format), as_json=json)


@exam.command(epilog="Example: viva exam publish run1 exam.jsonl --licence CC-BY-4.0 --secret 0.2")
def publish(
    run: RunFolder,
    file: Annotated[Path, typer.Argument(help="The file to write.", metavar="FILE")],
    licence: Annotated[str, typer.Option(metavar="NAME", help="The licence of the file, such as CC-BY-4.0.")] = "",
    secret: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Share of the questions, 0 to 0.5, that stays in the run folder from now on (default: those held "
            "back before).",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="A system that has sat the exam: its scores go into the file, for viva gate."
        ),
    ] = None,
    database_url: RunDatabase = None,
    json: Json = False,
) -> None:
    """Write the exam to one file with parameters, scale, licence, canary and hash, for viva gate --exam FILE."""
    from viva.api.runs import open_run

    found = open_run(run, database_url=database_url).exam
    show(found.publish(file, licence=licence, secret=secret, baseline=baseline), as_json=json)


@exam.command(epilog="Example: viva exam exposure run1")
def exposure(run: RunFolder, database_url: RunDatabase = None, json: Json = False) -> None:
    """Show how often systems were put the questions, and whether published questions are answered better."""
    from viva.api.runs import open_run

    show(open_run(run, database_url=database_url).exposure(), as_json=json)


@exam.command(epilog="Example: viva exam retire run1 --after 20")
def retire(
    run: RunFolder,
    after: Annotated[int, typer.Option(metavar="N", help="Retire questions put more than so often.")],
    by: Annotated[
        str | None, typer.Option(help="Your name, kept with each decision (default: your account's name).")
    ] = None,
    database_url: RunDatabase = None,
    json: Json = False,
) -> None:
    """Reject questions that were put too often to systems that may learn from them.

    They are decisions of a review, kept in reviews.jsonl of the run folder.
    """
    from viva.api.runs import open_run

    show(open_run(run, database_url=database_url).exam.retire(after, by), as_json=json)
