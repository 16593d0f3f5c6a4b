"""Multiple choice and open questions apart, in the terminal, and who graded the open ones."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from viva.cli.safe import plain
from viva.core.scores import Scores
from viva.core.scores_open import FormatScore, PeopleScore
from viva.reports.open_answers import (
    differences_told,
    judge_sentences,
    labelled,
    open_rows,
    people_sentences,
    score_told,
)
from viva.reports.systems import detectable_sentence
from viva.reports.words import percent, percent_range


def print_open(console: Console, scores: Scores) -> None:
    """A row for each system; nothing where no question is open."""
    rows = open_rows(scores)
    if not rows:
        return
    by_people = labelled(rows)
    table = Table(title="Multiple choice and open questions", title_justify="left", title_style="bold")
    table.add_column("system", no_wrap=True, overflow="fold")
    people = ("by people", "labels") if by_people else ()
    for name in ("multiple choice", "open: right", "open: mean score", *people):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        told = _of_people(row.people) if by_people else ()
        table.add_row(plain(row.name), _share(row.closed), _share(row.open), _mean(row.open), *told)
    console.print(table)
    for sentence in (*judge_sentences(scores), *(people_sentences(scores.people) if scores.people else ())):
        console.print(plain(sentence))
    for row in rows:
        if row.people and row.people.labels and row.people.reason:
            console.print(plain(f"By people, {row.name}: not known. {row.people.reason}"))
    for sentence in differences_told(scores):
        console.print(plain(f"By people, {sentence}"))


def print_detectable(console: Console, scores: Scores) -> None:
    """The smallest difference that the exam shows, where abilities were estimated."""
    if scores.measurement is not None:
        found = scores.measurement.detectable
        console.print(plain(detectable_sentence(len(scores.items), found.score, found=found.detectable)))


def _share(found: FormatScore | None) -> str:
    if found is None or found.accuracy is None:
        return "-"
    return f"{percent(found.accuracy.value)} ({percent_range(found.accuracy.low, found.accuracy.high)})"


def _mean(found: FormatScore | None) -> str:
    return score_told(found.mean_score if found else None)


def _of_people(found: PeopleScore | None) -> tuple[str, str]:
    if found is None:
        return "-", "0"
    effective = f" ({found.effective_labels:.0f})" if found.effective_labels is not None else ""
    return score_told(found.people_mean), f"{found.labels}{effective}"
