"""The scores of articles in the terminal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from viva.cli.safe import plain
from viva.core.scores_articles import ArticleScores, Mean, RankAgreement
from viva.reports.article_words import agreed, headline, told_unanswered

_SHOWN = 8


def print_scores(console: Console, scores: ArticleScores, report: Path) -> None:
    """Leaderboard, pairs that differ, agreement, questions nobody answers, leaks, and where the rest is."""
    console.print(plain(headline(scores)))
    console.print(_leaderboard(scores))
    console.print(_rankings(scores))
    _print_list(console, "Left out:", scores.unknown)
    _print_list(console, "Could not be graded:", [f"{n} times: {why}" for why, n in scores.failures.items()])
    _print_list(console, "Not worked out:", [f"{what}: {why}" for what, why in scores.not_made.items()])
    clear = [each for each in scores.differences if each.adjusted < 0.05]
    console.print(plain(f"{len(clear)} of {len(scores.differences)} pairs of systems differ (p < .05 after Holm)."))
    for each in scores.agreements:
        print_agreement(console, each)
    console.print(plain(told_unanswered(scores)))
    _print_list(console, "Leaked:", [f"{e.what} {e.question_id} in {e.where}: “{e.quote}”" for e in scores.leaks])
    console.print(plain(f"Question by question: {report}"))


def print_agreement(console: Console, found: RankAgreement) -> None:
    """One agreement, in sentences."""
    for sentence in agreed(found):
        console.print(plain(sentence))


def _leaderboard(scores: ArticleScores) -> Table:
    has_rouge = any(row.rouge for row in scores.systems)
    has_ability = any(row.ability for row in scores.systems)
    names = ["EXAM", "n-EXAM", *(["ROUGE-1"] if has_rouge else []), *(["ability"] if has_ability else [])]
    table = _table("Systems", *names, "skipped", "empty", "not graded", "no text")
    for row in scores.systems:
        shown = [_mean(row.exam), _mean(row.n_exam), *([_bare(row.rouge)] if has_rouge else [])]
        if has_ability:
            shown.append(f"{row.ability.theta:+.2f} ± {row.ability.se:.2f}" if row.ability else "-")
        counts = map(str, (row.skipped, row.empty, row.not_graded, row.passages_ungraded))
        table.add_row(plain(row.system), *shown, *counts)
    return table


def _rankings(scores: ArticleScores) -> Table:
    depths = sorted({depth for row in scores.systems for depth in row.cover})
    measures = [f"P@{scores.k}", "Prec@R", "MAP", f"nDCG@{scores.k}"]
    table = _table("EXAM-Cover of the first N, and EXAM-Qrels", *(f"first {depth}" for depth in depths), *measures)
    for row in scores.systems:
        shown = [_bare(row.cover.get(depth)) for depth in depths]
        shown += [_bare(row.qrels.get(name)) for name in ("precision", "r_precision", "map", "ndcg")]
        table.add_row(plain(row.system), *shown)
    return table


def _table(title: str, *names: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("system", overflow="fold")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    return table


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
