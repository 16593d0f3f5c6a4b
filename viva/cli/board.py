"""The leaderboard in the terminal, and why systems failed."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from viva.cli.safe import plain
from viva.core.records import FailureKind, Response
from viva.core.scores import Estimate, ExamineeScore, Scores, places
from viva.graphs.desk import Desk

MANUFACTURED = "m"


def print_leaderboard(console: Console, scores: Scores) -> None:
    """Systems, best first, with the share that needs no reading beside them."""
    table = Table(title="Leaderboard", title_justify="left", title_style="bold")
    table.add_column("", justify="right", no_wrap=True, min_width=2)
    table.add_column("system", no_wrap=True, overflow="fold")
    for name in ("right", "accuracy (95%)", "ability", "recall@1", "no choice", "failed"):
        table.add_column(name, justify="right", no_wrap=True)
    asked_for = [row for row in scores.examinees if not row.examinee.manufactured]
    place_of = dict(zip((row.examinee.id for row in asked_for), places(asked_for), strict=True))
    for row in sorted(scores.examinees, key=lambda row: bool(row.examinee.manufactured)):
        rank = str(place_of.get(row.examinee.id, MANUFACTURED)) if row.graded else "-"
        table.add_row(rank, plain(row.examinee.name), f"{row.correct}/{row.graded}", *_figures(row))
    console.print(table)
    if len(asked_for) < len(scores.examinees):
        console.print(plain(f"{MANUFACTURED}: manufactured, set beside those asked for and not ranked."))
    baselines = ", ".join(f"{name} {share:.0%}" for name, share in scores.baselines.items())
    console.print(plain(f"Without reading: {baselines}."))
    for note in scores.notes:
        console.print(plain(f"Note: {note}"))


def print_failures(console: Console, desk: Desk) -> None:
    """Of each system that failed, how often and the first reason of each kind."""
    exam = desk.store.latest_exam()
    names = {examinee.id: examinee.name for examinee in desk.store.examinees()}
    found: dict[tuple[str, FailureKind], list[str]] = {}
    asked = {Response.id_of(i, shown) for i in names for shown in exam.items} if exam else set()
    for response in desk.store.responses([shown.item.id for shown in exam.items] if exam else []):
        if response.failure and response.id in asked:
            found.setdefault((response.examinee_id, response.failure.kind), []).append(response.failure.detail)
    for (examinee_id, kind), details in sorted(found.items(), key=lambda f: (names[f[0][0]], f[0][1])):
        questions = "1 question" if len(details) == 1 else f"{len(details)} questions"
        console.print(plain(f"Failed: {names[examinee_id]}, {questions}, {kind.value}: {details[0]}"))


def _figures(row: ExamineeScore) -> tuple[str, ...]:
    ability = f"{row.ability.theta:+.2f} ± {row.ability.se:.2f}" if row.ability else "-"
    recall = row.retrieval.recall_at.get(1) if row.retrieval else None
    shown = f"{recall.value:.0%}" if recall else "-"
    return _percent(row.accuracy), ability, shown, str(row.no_choice), str(sum(row.failures.values()))


def _percent(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    return f"{estimate.value:.0%} ({100 * estimate.low:.0f} to {100 * estimate.high:.0f})"
