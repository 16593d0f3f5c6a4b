"""The results of oral examinations, one line each. Also: the announcement before one starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viva.cli.terminal.escape import plain

if TYPE_CHECKING:
    from rich.console import Console

    from viva.graphs.context import RunContext


def announce_oral(context: RunContext) -> None:
    """Print on standard error, before any system is asked, how much the oral examination will ask."""
    from rich.console import Console

    from viva.graphs.oral_exam.stage import announced

    console = Console(stderr=True, soft_wrap=True, highlight=False)
    for sentence in announced(context.settings, context.candidates.specs):
        console.print(plain(sentence))


def print_examined(console: Console, context: RunContext) -> None:
    """Print one line for each examinee, and the problem if there was one."""
    from viva.graphs.oral_exam.record import kept_problem, kept_scores
    from viva.reports.sections.oral_words import headline

    for score in kept_scores(context.store):
        console.print(plain(f"Oral examination of {score.examinee.name}: {headline(score)} Ended: {score.reason}."))
    problem = kept_problem(context.store)
    if problem:
        console.print(plain(f"Oral examination: {problem}"))
