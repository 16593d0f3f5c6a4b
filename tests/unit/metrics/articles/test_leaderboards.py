"""Leaderboards against each other: correlations, and the published ones of CAR Y3."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.scores_articles import RankAgreement
from viva.exams.articles.boards import read_board
from viva.metrics.articles.leaderboards import Leaderboard, agreement

CAR = Path(__file__).parents[5] / "shared/calibration/exam_trec/published/leaderboard-car-tqa-cc-verified.tsv"


def board(*scores: float) -> dict[str, float]:
    return {f"s{n}": score for n, score in enumerate(scores)}


def agreed(one: Leaderboard, other: Leaderboard) -> RankAgreement:
    return agreement("one", one, "other", other)


def test_the_same_order_agrees_wholly_and_the_reverse_not_at_all() -> None:
    assert agreed(board(3, 2, 1, 0), board(30, 20, 10, 5)).spearman == pytest.approx(1)
    assert agreed(board(3, 2, 1, 0), board(0, 1, 2, 3)).kendall == pytest.approx(-1)


def test_systems_of_one_leaderboard_alone_are_named_and_left_out() -> None:
    found = agreed(board(3, 2, 1), {**board(3, 2, 1), "other": 9})
    assert (found.systems, found.only_first, found.only_second) == (3, (), ("other",))


def test_a_correlation_has_its_interval() -> None:
    found = agreed(board(1, 2, 3, 4, 5, 6), board(2, 1, 3, 4, 6, 5))
    assert found.spearman is not None
    assert found.spearman_low is not None
    assert found.spearman_high is not None
    assert found.spearman_low < found.spearman < found.spearman_high
    assert found.reasons == ()


def test_why_there_is_no_correlation_or_no_interval_is_said() -> None:
    flat = agreed(board(1, 1, 1), board(3, 2, 1))
    assert flat.spearman is None
    assert flat.kendall is None
    assert all("no correlation" in reason for reason in flat.reasons)
    assert agreed(board(1, 2, 3), board(1, 2, 3)).reasons == (
        "Spearman: no interval. 3 systems are too few for a standard error.",
        "Kendall: no interval. 3 systems are too few for a standard error.",
    )
    same = agreed(board(*range(6)), board(*range(6))).reasons
    assert [reason.startswith(("Spearman: no interval.", "Kendall: no interval.")) for reason in same] == [True] * 2


def test_nothing_in_common_is_said() -> None:
    with pytest.raises(UsageError, match="1 system"):
        agreed(board(1), board(1))


@pytest.mark.parametrize(
    ("column", "rho", "tau"),
    [("orig_EXAM_leaderboard_rank", 0.739, 0.559), ("exam", 0.937, 0.841), ("n-exam", 0.853, 0.721)],
)
def test_published_leaderboards_of_car_y3_agree_as_published(column: str, rho: float, tau: float) -> None:
    if not CAR.exists():
        pytest.skip("the calibration data (shared/calibration) are not beside this checkout")
    found = agreed(read_board(f"{CAR}#{column}"), read_board(f"{CAR}#orig_TREC_leaderboard_rank"))
    assert found.systems == 16
    assert found.spearman is not None
    assert found.kendall is not None
    assert (round(found.spearman, 3), round(found.kendall, 3)) == (rho, tau)
