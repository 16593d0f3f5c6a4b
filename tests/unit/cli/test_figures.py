"""A figure is shown whole or not at all, and what is left out is named, however narrow the terminal is."""

from __future__ import annotations

from io import StringIO

import pytest
from report_data import build
from rich.console import Console

from viva.api.leaderboard import leaderboard
from viva.api.result import Column, Kind
from viva.api.text import TextColumn, print_columns
from viva.cli.terminal.show import ELSEWHERE
from viva.core.accounts import SystemUsage
from viva.core.scores import Scores
from viva.core.scores_pairs import Family
from viva.reports.sections.pairs import MOST_TOLD, told_pairs
from viva.reports.sections.systems import reference_kind, system_rows

ACCURACY = ("100% (86 to 100)", "25% (12 to 45)")
NAMES = ("hybrid-rerank+embedding,k=20", "mine")


def board(names: tuple[str, ...] = NAMES, failed: tuple[str, ...] = ("0", "0")) -> list[TextColumn]:
    return [
        TextColumn("place", ("1", "m")),
        TextColumn("system", names, is_figure=False),
        TextColumn("accuracy (95%)", ACCURACY),
        TextColumn("ability", ("+4.34 ± 0.74", "-2.30 ± 0.86"), spare=1),
        TextColumn("recall@1", ("96%", "0%"), spare=3),
        TextColumn("failed", failed, spare=2),
    ]


def shown(made: list[TextColumn], width: int, *, terminal: bool = True) -> tuple[str, list[str]]:
    out = StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system=None, soft_wrap=True)
    left_out = print_columns(console, "Leaderboard", made)
    return out.getvalue(), left_out


@pytest.mark.parametrize("width", range(20, 130, 3))
def test_no_figure_is_cut_and_each_is_there_or_named_as_left_out(width: int) -> None:
    made = board(failed=("81", "93"))
    text, left_out = shown(made, width)
    assert "…" not in text
    for each in made[2:]:
        assert (each.name in left_out) != all(cell in text for cell in each.cells), each.name
    assert all(cell in text for cell in ACCURACY)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_of_a_table_is_longer_than_the_terminal_is_wide(width: int) -> None:
    text, _ = shown(board(), width)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width


def test_a_long_name_is_folded_and_none_of_it_lost() -> None:
    text, _ = shown(board(), 62)
    cells = [line.split("│")[2].strip() for line in text.splitlines() if line.count("│") > 3]
    assert "".join(cells) == "".join(NAMES)


def test_what_tells_nothing_is_left_out_first() -> None:
    assert shown(board(), 75)[1] == ["failed"]
    assert shown(board(failed=("0", "3")), 75)[1] == ["recall@1"]


def test_where_no_table_has_room_every_figure_stands_in_lines() -> None:
    text, left_out = shown(board(), 24)
    assert left_out == []
    assert "place 1; system hybrid-rerank+embedding,k=20; accuracy (95%) 100% (86 to 100)" in text


def test_what_is_no_terminal_gets_every_column_and_every_name_whole() -> None:
    text, left_out = shown(board(("n" * 90, "mine")), 40, terminal=False)
    assert left_out == []
    assert "n" * 90 in text


def test_a_name_cannot_act_on_the_terminal_and_wide_letters_count_double() -> None:
    text, _ = shown(board(("\x1b[2J", "灯塔" * 20)), 60)
    assert "\x1b[2J" not in text
    assert all(cell in text for cell in ACCURACY)


@pytest.fixture(scope="module")
def scores() -> Scores:
    return build().scores


@pytest.mark.parametrize("width", [60, 80])
def test_the_leaderboard_says_what_it_leaves_out_and_where_that_is(scores: Scores, width: int) -> None:
    out = StringIO()
    leaderboard(scores).print(
        Console(file=out, width=width, force_terminal=True, color_system=None, soft_wrap=True), ELSEWHERE
    )
    text = out.getvalue()
    assert "Columns without room on this terminal: " in text
    assert "scores.json and the report have all columns." in text
    assert "…" not in text
    for row in scores.examinees:
        assert Column("", Kind.SHARE).show(row.accuracy) in text
        if row.failures_tell:
            assert row.accuracy_answered is not None
            assert f" {row.accuracy_answered.value:.0%} " in text
    assert any(row.failures_tell for row in scores.examinees)


def test_references_are_marked_and_not_ranked_as_in_the_report(scores: Scores) -> None:
    out = StringIO()
    leaderboard(scores).print(Console(file=out, width=200))
    lines = out.getvalue().splitlines()
    references = [row.examinee.name for row in scores.examinees if reference_kind(row)]
    assert references
    for name in references:
        assert next(line for line in lines if f" {name} " in line).split()[1].startswith("R")
    assert any(line.startswith("R: a reference") for line in lines)
    places = {row.score.examinee.name: row.place for row in system_rows(scores) if not row.reference}
    for name, place in places.items():
        assert next(line for line in lines if f" {name} " in line).split()[1] == place


def test_verdicts_on_pairs_are_told_in_the_words_of_the_report(scores: Scores) -> None:
    out = StringIO()
    leaderboard(scores).print(Console(file=out, width=1000, soft_wrap=True))
    told = told_pairs(scores)
    # of more pairs than can be read, those with the best system
    assert len(told) == MOST_TOLD
    assert all(line.startswith(_best(scores)) for line in told)
    assert all(line in out.getvalue() for line in told)
    named = scores.comparisons[-1].model_copy(update={"family": Family.NAMED})
    assert len(told_pairs(scores.model_copy(update={"comparisons": (*scores.comparisons[:-1], named)}))) > MOST_TOLD


def _best(scores: Scores) -> str:
    return next(row.score.examinee.name for row in system_rows(scores) if not row.reference)


def test_usage_has_columns_only_where_systems_tell_it() -> None:
    scores = build(items=8).scores
    assert "tokens" not in leaderboard_of(scores)
    used = SystemUsage(
        answers=8, counted=8, input_tokens=400, output_tokens=12, cost=None, first_s=3.0, p50_s=0.12, p95_s=1.4
    )
    rows = [row.model_copy(update={"usage": used}) for row in scores.examinees]
    text = leaderboard_of(scores.model_copy(update={"examinees": tuple(rows)}))
    assert "cost" not in text
    assert all(
        figure in text for figure in ("tokens", "412", "p50", "120 ms", "p95", "1.4 s", "first answer", "3.0 s")
    )


def leaderboard_of(scores: Scores) -> str:
    out = StringIO()
    leaderboard(scores).print(Console(file=out, width=300, color_system=None, soft_wrap=True))
    return out.getvalue().split("Right without reading")[0]
