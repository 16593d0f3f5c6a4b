"""`viva exam`: the exam as a thing of its own, be it of a run, written by hand or by another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SOMETHING_TO_MEND = 2

exam = typer.Typer(
    help="Look at an exam by itself: statistics, differences, rules, a person's review, other formats.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Place = Annotated[Path, typer.Argument(help="Run folder, or a file that holds an exam.", metavar="RUN|FILE")]
Format = Annotated[
    str | None, typer.Option("--format", "-f", help="Format of FILE (default: by its name and content).")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]
Database = Annotated[str | None, typer.Option("--database-url", help="Where the run is kept, if not in its folder.")]


@exam.command(epilog="Example: viva exam stats run1")
def stats(place: Place, file_format: Format = None, database_url: Database = None, json: Json = False) -> None:
    """What the exam is made of: where candidates went, baselines without reading, wording, classes, blind solving."""
    from viva.cli.exam.statistics import show_statistics

    show_statistics(place, file_format, database_url, as_json=json)


@exam.command(epilog="Example: viva exam diff run1 exam.reviewed.jsonl. Exit code 0, whether they differ or not.")
def diff(
    first: Annotated[Path, typer.Argument(help="Run folder or file.", metavar="A")],
    second: Annotated[Path, typer.Argument(help="Run folder or file.", metavar="B")],
    json: Json = False,
) -> None:
    """From exam A to exam B: questions added, removed and reworded; options, keys, order, classes changed."""
    from viva.cli.exam.statistics import show_diff

    show_diff(first, second, as_json=json)


@exam.command(epilog="Example: viva exam lint quiz.gift. Exit code 2 where there are errors, 0 with warnings alone.")
def lint(
    place: Place,
    file_format: Format = None,
    embeddings: Annotated[bool, typer.Option(help="Find near-duplicate questions by meaning too.")] = False,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """What the rules of item writing find wrong: in each question (errors), and over the exam (warnings)."""
    from viva.cli.exam.statistics import show_lint

    if show_lint(place, file_format, database_url, embeddings=embeddings, as_json=json):
        raise typer.Exit(SOMETHING_TO_MEND)


@exam.command(
    epilog="Example: viva exam review run1 --reviewer ada. Stop with q or Ctrl-D; the same command goes on."
)
def review(
    place: Place,
    file_format: Format = None,
    reviewer: Annotated[
        str | None, typer.Option(help="Whose decisions these are (default: the user's name).")
    ] = None,
    finish: Annotated[
        bool, typer.Option(help="Ask nothing more: make the exam, with the undecided left in.")
    ] = False,
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Accept, edit or reject the questions one by one. Each decision is kept at once; at the end comes a new exam."""
    from viva.cli.exam.review import review_exam

    review_exam(place, file_format, database_url, reviewer, finish=finish, as_json=json)


@exam.command("import", epilog="Example: viva exam import quiz.gift --out exam.jsonl")
def import_(
    file: Annotated[Path, typer.Argument(help="An exam in another format.", metavar="FILE")],
    out: Annotated[Path, typer.Option(help="The exam file to write.", metavar="FILE")],
    file_format: Format = None,
    json: Json = False,
) -> None:
    """Make an exam file of questions from another tool; what cannot be imported is named with line and reason."""
    from viva.cli.exam.source import import_file

    import_file(file, out, file_format, as_json=json)


@exam.command(epilog="Example: viva exam export run1 --format gift --out quiz.gift")
def export(
    place: Place,
    file_format: Annotated[str, typer.Option("--format", "-f", help="Format to write.")],
    out: Annotated[Path, typer.Option(help="The file to write.", metavar="FILE")],
    database_url: Database = None,
    json: Json = False,
) -> None:
    """Write the exam for another tool, and say what its format cannot hold."""
    from viva.cli.exam.source import export_to

    export_to(place, out, file_format, database_url, as_json=json)
