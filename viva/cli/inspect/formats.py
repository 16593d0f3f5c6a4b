"""The table of multiple-choice and open questions on the terminal, and the judge of the open ones."""

from __future__ import annotations

from rich.console import Console

from viva.cli.terminal.escape import plain
from viva.cli.terminal.tables import ELSEWHERE, Board, Figures, percent_told
from viva.core.scores import Estimate, Scores
from viva.core.scores_open import FormatScore, PeopleScore
from viva.reports.sections.open_answers import (
    differences_told,
    judge_sentences,
    labelled,
    open_rows,
    people_sentences,
    score_told,
)
from viva.reports.sections.systems import detectable_sentence


def print_open(console: Console, scores: Scores) -> None:
    """Print a row for each system; nothing if no question is open."""
    rows = open_rows(scores)
    if not rows:
        return
    columns = [
        Figures("multiple choice", tuple(_share(row.closed) for row in rows), 2),
        Figures("open: right", tuple(_share(row.open) for row in rows)),
        Figures("open: mean score", tuple(_mean(row.open) for row in rows), 3),
    ]
    if labelled(rows):
        told = [_of_people(row.people) for row in rows]
        columns += [Figures("by people", tuple(t[0] for t in told)), Figures("labels", tuple(t[1] for t in told), 1)]
    marks = tuple("m" if row.score.examinee.manufactured else "" for row in rows)
    names = tuple(row.name for row in rows)
    Board("Multiple choice and open questions", marks, names, tuple(columns)).show(console, ELSEWHERE)
    people = people_sentences(scores.people) if scores.people else ()
    for line in (*judge_sentences(scores), *people):
        console.print(plain(line))
    for row in rows:
        if row.people and row.people.labels and row.people.reason:
            console.print(plain(f"By people, {row.name}: not known. {row.people.reason}"))
    for sentence in differences_told(scores):
        console.print(plain(f"By people, {sentence}"))


def print_detectable(console: Console, scores: Scores) -> None:
    """Print the smallest difference that the exam detects, if abilities were estimated."""
    if told := detectable_sentence(scores):
        console.print(plain(told))


def _share(found: FormatScore | None) -> str:
    return percent_told(found.accuracy if found else None)


def _mean(found: FormatScore | None) -> str:
    return _told(found.mean_score if found else None)


def _of_people(found: PeopleScore | None) -> tuple[str, str]:
    if found is None:
        return _told(None), "0"
    effective = f" ({found.effective_labels:.0f})" if found.effective_labels is not None else ""
    return _told(found.people_mean), f"{found.labels}{effective}"


def _told(estimate: Estimate | None) -> str:
    return score_told(estimate) if estimate else "-"
