"""Leaderboards against each other: correlations, ties within a standard error, the published ones of CAR Y3."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.exams.articles.boards import read_board
from viva.metrics.articles.leaderboards import LeaderboardRow, agreement, tied
from viva.metrics.judges.pairs import Undefined

CAR = Path(__file__).parents[5] / "shared/calibration/exam_trec/published/leaderboard-car-tqa-cc-verified.tsv"


def board(*scores: float, se: float = 0.0) -> dict[str, LeaderboardRow]:
    return {f"s{n}": LeaderboardRow(score, se) for n, score in enumerate(scores)}


def test_the_same_order_agrees_wholly_and_the_reverse_not_at_all() -> None:
    found = agreement(board(3, 2, 1, 0), board(30, 20, 10, 5), resamples=50, seed=0)
    assert not isinstance(found.spearman, Undefined)
    assert found.spearman.estimate == pytest.approx(1)
    back = agreement(board(3, 2, 1, 0), board(0, 1, 2, 3), resamples=50, seed=0)
    assert not isinstance(back.kendall, Undefined)
    assert back.kendall.estimate == pytest.approx(-1)


def test_systems_of_one_leaderboard_alone_are_named_and_left_out() -> None:
    found = agreement(board(3, 2, 1), {**board(3, 2, 1), "other": LeaderboardRow(9)}, resamples=50, seed=0)
    assert (found.systems, found.only_first, found.only_second) == (("s0", "s1", "s2"), (), ("other",))


def test_a_tie_is_within_a_standard_error_of_the_best_of_its_group() -> None:
    standings = [LeaderboardRow(score, 0.1) for score in (0.9, 0.82, 0.75, 0.7, 0.2)]
    assert tied(standings) == [[0, 1], [2, 3], [4]]


def test_clear_differences_are_never_broken_and_ties_are_the_same_for_a_seed() -> None:
    clear = agreement(board(4, 3, 2, 1, se=0.1), board(4, 3, 2, 1), resamples=50, seed=0)
    assert not isinstance(clear.broken_spearman, Undefined)
    assert (clear.broken_spearman.least, clear.tied_first) == (pytest.approx(1), 0)
    close = [agreement(board(4, 3, 2, 1, se=9), board(4, 3, 2, 1), resamples=50, seed=seed) for seed in (0, 0, 1)]
    assert close[0] == close[1] != close[2]
    assert close[0].tied_first == 4
    spread = close[0].broken_kendall
    assert not isinstance(spread, Undefined)
    assert spread.least < spread.mean < spread.most


def test_a_constant_leaderboard_has_no_correlation() -> None:
    found = agreement(board(1, 1, 1), board(3, 2, 1), resamples=50, seed=0)
    assert isinstance(found.spearman, Undefined)


def test_nothing_in_common_is_said() -> None:
    with pytest.raises(UsageError, match="1 system"):
        agreement(board(1), board(1), resamples=50, seed=0)
    with pytest.raises(UsageError, match="standard error"):
        LeaderboardRow(float("nan"))


@pytest.mark.parametrize(
    ("column", "rho", "tau"),
    [("orig_EXAM_leaderboard_rank", 0.739, 0.559), ("exam", 0.937, 0.841), ("n-exam", 0.853, 0.721)],
)
def test_published_leaderboards_of_car_y3_agree_as_published(column: str, rho: float, tau: float) -> None:
    if not CAR.exists():
        pytest.skip("the calibration data (shared/calibration) are not beside this checkout")
    found = agreement(
        read_board(f"{CAR}#{column}"), read_board(f"{CAR}#orig_TREC_leaderboard_rank"), resamples=50, seed=0
    )
    assert len(found.systems) == 16
    assert not isinstance(found.spearman, Undefined)
    assert not isinstance(found.kendall, Undefined)
    assert round(found.spearman.estimate, 3) == rho
    assert round(found.kendall.estimate, 3) == tau
