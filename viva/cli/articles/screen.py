"""The scores of articles on the terminal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from viva.cli.terminal.escape import plain
from viva.cli.terminal.tables import ELSEWHERE, Board, Figures
from viva.core.note_words import note_sentence
from viva.core.scores_articles import ArticleScores, Mean, RankAgreement
from viva.reports.sections.article_words import agreed, headline, told_pairs, told_unanswered

_SHOWN = 8


def print_scores(console: Console, scores: ArticleScores, report: Path) -> None:
    """Print leaderboard, pairs that differ, agreement, unanswered questions, leaks, and the path of the report."""
    console.print(plain(headline(scores)))
    _leaderboard(scores).show(console, ELSEWHERE)
    for note in scores.notes:
        console.print(plain(f"Note: {note_sentence(note)}"))
    _print_list(console, "Left out:", scores.unknown)
    _print_list(console, "Could not be graded:", [f"{n} times: {why}" for why, n in scores.failures.items()])
    if pairs := told_pairs(scores):
        console.print(plain(pairs))
    for each in scores.agreements:
        print_agreement(console, each)
    console.print(plain(told_unanswered(scores)))
    _print_list(console, "Leaked:", [f"question {e.question_id} in {e.where}: “{e.quote}”" for e in scores.leaks])
    console.print(plain(f"All questions: {report}"))


def print_agreement(console: Console, found: RankAgreement) -> None:
    """Print one agreement in sentences."""
    for sentence in agreed(found):
        console.print(plain(sentence))


def _leaderboard(scores: ArticleScores) -> Board:
    """The board with ranks by EXAM; tied systems share a rank."""
    rows = scores.systems
    columns = [Figures("EXAM", tuple(_mean(row.exam) for row in rows))]
    if any(row.n_exam for row in rows):
        columns.append(Figures("n-EXAM", tuple(_mean(row.n_exam) for row in rows), 1))
    depths = sorted({depth for row in rows for depth in row.cover})
    columns += [Figures(f"first {d}", tuple(_bare(row.cover.get(d)) for row in rows), 4) for d in depths]
    columns += [
        Figures("skipped", tuple(str(row.skipped) for row in rows), 2),
        Figures("empty", tuple(str(row.empty) for row in rows), 2),
        Figures("not graded", tuple(str(row.not_graded) for row in rows), 2),
        Figures("no text", tuple(str(row.passages_ungraded) for row in rows), 3),
    ]
    values = [row.exam.value if row.exam else None for row in rows]
    marks = tuple("-" if value is None else str(values.index(value) + 1) for value in values)
    return Board("Systems", marks, tuple(row.system for row in rows), tuple(columns))


def _mean(found: Mean | None) -> str:
    if found is None:
        return "-"
    return f"{found.value:.3f} ± {found.se:.3f}" if found.se is not None else f"{found.value:.3f}"


def _bare(found: Mean | None) -> str:
    return f"{found.value:.3f}" if found else "-"


def _print_list(console: Console, head: str, lines: list[str] | tuple[str, ...]) -> None:
    if lines:
        console.print(plain(f"{head} ({len(lines)})"))
    for line in lines[:_SHOWN]:
        console.print(plain(f"  {line}"))
    if len(lines) > _SHOWN:
        console.print(plain(f"  and {len(lines) - _SHOWN} more (--json shows all)"))
