"""The leaderboard on the terminal, and why systems failed."""

from __future__ import annotations

from rich.console import Console

from viva.api.leaderboard import leaderboard
from viva.api.terminal import plain
from viva.core.note_words import note_sentence
from viva.core.notes import Note
from viva.core.records import FailureKind
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


def print_failures(console: Console, context: RunContext) -> None:
    """Print how often each system failed, with the first reason of each kind."""
    exam = context.store.latest_exam()
    names = {examinee.id: examinee.name for examinee in context.store.examinees()}
    found: dict[tuple[str, FailureKind], list[str]] = {}
    for response in context.store.responses_to(exam.items if exam else ()):
        if response.failure:
            found.setdefault((response.examinee_id, response.failure.kind), []).append(response.failure.detail)
    for (examinee_id, kind), details in sorted(found.items(), key=lambda f: (names[f[0][0]], f[0][1])):
        questions = "1 question" if len(details) == 1 else f"{len(details)} questions"
        console.print(plain(f"Failed: {names[examinee_id]}, {questions}, {kind.value}: {details[0]}"))
