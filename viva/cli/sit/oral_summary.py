"""What the oral examinations of a run came to, in a line each; and what one will ask, said beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viva.cli.terminal.escape import plain

if TYPE_CHECKING:
    from rich.console import Console

    from viva.graphs.context import RunContext


def announce_oral(context: RunContext) -> None:
    """On standard error, before anybody is asked: what the oral examination will ask."""
    from rich.console import Console

    from viva.graphs.oral_exam.stage import announced

    console = Console(stderr=True, soft_wrap=True, highlight=False)
    for sentence in announced(context.settings, context.candidates.specs):
        console.print(plain(sentence))


def print_examined(console: Console, context: RunContext) -> None:
    """One line for each examinee, and what stood in the way."""
    from viva.graphs.oral_exam.record import kept_problem, kept_scores
    from viva.reports.sections.oral_words import headline

    for score in kept_scores(context.store):
        console.print(plain(f"Orally, {score.examinee.name}: {headline(score)} Ended: {score.reason}."))
    problem = kept_problem(context.store)
    if problem:
        console.print(plain(f"Oral examination: {problem}"))
