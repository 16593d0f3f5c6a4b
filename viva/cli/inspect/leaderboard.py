"""The leaderboard on the terminal, and why systems failed."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from viva.cli.inspect.formats import print_detectable, print_open
from viva.cli.terminal.escape import plain
from viva.cli.terminal.tables import ELSEWHERE, Board, Figures, percent_told
from viva.core.note_words import note_sentence, scores_notes
from viva.core.notes import Note
from viva.core.records import FailureKind
from viva.core.scores import ExamineeScore, Scores, places
from viva.graphs.context import RunContext
from viva.reports.sections.pairs import told_pairs
from viva.reports.sections.systems import FAILING, MANUFACTURED, known_sentence, reference_kind

REFERENCE = "r"
MARKS = {MANUFACTURED: "m", FAILING: "f"}
OF_ANSWERED = "of answered"
WITHOUT_KNOWN = "without known (95%)"


def print_leaderboard(console: Console, scores: Scores) -> None:
    """Print the systems, best first, and the baselines that need no reading."""
    ranked = [row for row in scores.examinees if not reference_kind(row)]
    place_of = dict(zip((row.examinee.id for row in ranked), places(ranked), strict=True))
    rows = sorted(scores.examinees, key=lambda row: bool(row.examinee.manufactured))
    marks = [str(place_of.get(row.examinee.id) or _unranked(row)) for row in rows]
    idle = {OF_ANSWERED: not any(row.failures_tell for row in rows), WITHOUT_KNOWN: not scores.known}
    board = Board(
        "Leaderboard",
        tuple(mark if row.graded else "-" for mark, row in zip(marks, rows, strict=True)),
        tuple(row.examinee.name for row in rows),
        tuple(
            Figures(name, tuple(figure(row) for row in rows), spare)
            for name, (spare, figure) in _COLUMNS.items()
            if not idle.get(name)
        ),
    )
    board.show(console, ELSEWHERE)
    if REFERENCE in marks:
        console.print(
            plain(f"{REFERENCE}: a reference for the range (all evidence, or no documents); it is not ranked.")
        )
    if MARKS[MANUFACTURED] in marks:
        console.print(plain("m: manufactured, a system that viva added for comparison; it is not ranked."))
    if MARKS[FAILING] in marks:
        console.print(plain("f: failed on more than a fifth of the questions; it is not ranked."))
    if scores.baselines:
        baselines = ", ".join(f"{name} {share:.0%}" for name, share in scores.baselines.items())
        console.print(plain(f"Right without reading: {baselines}."))
    if scores.known:
        console.print(
            plain(f"{known_sentence(scores.known, len(scores.items))} {WITHOUT_KNOWN}: accuracy on the others.")
        )
    print_detectable(console, scores)
    for told in told_pairs(scores):
        console.print(plain(told))
    print_open(console, scores)
    for note in scores_notes(scores):
        console.print(plain(f"Note: {note}"))


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


def _unranked(row: ExamineeScore) -> str:
    return MARKS[MANUFACTURED] if row.examinee.manufactured else MARKS.get(reference_kind(row), REFERENCE)


def _ability(row: ExamineeScore) -> str:
    return f"{row.ability.theta:+.2f} ± {row.ability.se:.2f}" if row.ability else "-"


def _of_answered(row: ExamineeScore) -> str:
    """Shown if it differs by a point from the accuracy, in which failures are wrong."""
    return f"{row.accuracy_answered.value:.0%}" if row.accuracy_answered and row.failures_tell else "-"


def _recall(row: ExamineeScore) -> str:
    recall = row.retrieval.recall_at.get(1) if row.retrieval else None
    return f"{recall.value:.0%}" if recall else "-"


_COLUMNS: dict[str, tuple[int, Callable[[ExamineeScore], str]]] = {
    "right": (3, lambda row: f"{row.correct}/{row.graded}"),
    "accuracy (95%)": (0, lambda row: percent_told(row.accuracy)),
    WITHOUT_KNOWN: (0, lambda row: percent_told(row.accuracy_not_known)),
    OF_ANSWERED: (1, _of_answered),
    "ability ± SE": (2, _ability),
    "person fit": (4, lambda row: "-" if row.person_fit is None else f"{row.person_fit:+.1f}"),
    "recall@1": (5, _recall),
    "no choice": (6, lambda row: str(row.no_choice)),
    "failed": (3, lambda row: str(sum(row.failures.values()))),
}
"""The figures by name: the `spare` of the column, and the text of a cell."""
