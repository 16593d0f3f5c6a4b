"""The leaderboard on the terminal, and why systems failed."""

from __future__ import annotations

from collections.abc import Collection

from rich.console import Console

from viva.api.failures import failure_sentences
from viva.api.leaderboard import leaderboard
from viva.api.terminal import plain
from viva.core.note_words import note_sentence
from viva.core.notes import Note
from viva.core.scores import Scores
from viva.graphs.context import RunContext

ELSEWHERE = "scores.json and the report have all columns"


def print_leaderboard(console: Console, scores: Scores) -> None:
    """Print the systems, best first, and what must be known of the figures."""
    leaderboard(scores).print(console, ELSEWHERE)


def print_unread_choices(console: Console, context: RunContext) -> None:
    """Print which systems' answers often mean no option, with examples."""
    examinees = context.store.examinees()
    names = {examinee.id: examinee.name for examinee in examinees}
    for note in unread_choices(context):
        console.print(plain(f"Note: {note_sentence(note, names)}"))


def unread_choices(context: RunContext) -> list[Note]:
    """The notes on answers of the latest exam that mean no option."""
    from viva.metrics.unread_choices import unread_choice_notes

    exam = context.store.latest_exam()
    if exam is None:
        return []
    return list(unread_choice_notes(exam, context.store.examinees(), context.store.responses_to(exam.items)))


def print_failures(console: Console, context: RunContext, asked: Collection[str] | None = None) -> None:
    """Print how often each system failed, or each of those `asked`, with the first reason of each kind."""
    for sentence in failure_sentences(context, asked):
        console.print(plain(sentence))
