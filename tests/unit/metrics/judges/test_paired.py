"""The bootstrap of any statistic, and whether a rival judge is better than the base one."""

from __future__ import annotations

import numpy as np
import pytest

from viva.core.errors import UsageError
from viva.metrics.intervals import clustered_mean
from viva.metrics.judges.agreement import absolute_error_of, spearman_of
from viva.metrics.judges.confusion import matthews_of
from viva.metrics.judges.paired import Improvement, Resampled, bootstrap, compare_judges
from viva.metrics.judges.pairs import Floats, Undefined


def judged(seed: int, spread: float, n: int = 150) -> tuple[Floats, Floats, Floats]:
    """People, a judge with noise of sd 1, and one with noise of `spread`."""
    draw = np.random.default_rng(seed)
    people, *noise = draw.normal(size=(3, n))
    return people, people + noise[0], people + spread * noise[1]


def improvement(found: Improvement | Undefined) -> Improvement:
    assert isinstance(found, Improvement), found
    return found


def _error(rows: Floats) -> float:
    found = absolute_error_of(rows)
    assert isinstance(found, float)
    return found


def test_a_mean_has_the_interval_of_the_clustered_mean() -> None:
    draw = np.random.default_rng(0)
    values, groups = draw.random(200), (np.arange(200) % 25).tolist()
    found = bootstrap(lambda rows: float(rows.mean()), values[:, None], groups, seed=1)
    other = clustered_mean(values.tolist(), groups, seed=2)
    assert isinstance(found, Resampled)
    assert other is not None
    assert found.groups == 25
    assert (found.interval.low, found.interval.high) == pytest.approx((other.low, other.high), abs=0.005)


def test_neither_the_order_of_rows_nor_the_names_of_groups_move_an_interval() -> None:
    people, judge, _ = judged(1, 1)
    rows, order = np.column_stack([judge, people]), np.random.default_rng(2).permutation(150)
    groups = [n // 5 for n in range(150)]
    one = bootstrap(spearman_of, rows, groups, seed=0, resamples=200)
    other = bootstrap(spearman_of, rows[order], [f"g{-groups[n]}" for n in order], seed=0, resamples=200)
    assert one == other
    assert bootstrap(spearman_of, rows[order], seed=0, resamples=50) == bootstrap(
        spearman_of, rows, seed=0, resamples=50
    )


def test_rows_that_come_again_in_their_group_add_no_certainty() -> None:
    people, judge, _ = judged(3, 1, 60)
    rows = np.column_stack([judge, people])
    once = bootstrap(spearman_of, rows, seed=0, resamples=400)
    thrice = bootstrap(
        spearman_of, np.repeat(rows, 3, axis=0), np.repeat(np.arange(60), 3).tolist(), seed=0, resamples=400
    )
    assert isinstance(once, Resampled)
    assert isinstance(thrice, Resampled)
    assert thrice.interval.value == pytest.approx(once.interval.value)
    width = once.interval.high - once.interval.low
    assert thrice.interval.high - thrice.interval.low == pytest.approx(width, rel=0.15)


def test_a_better_judge_is_found_better_and_a_worse_one_is_not() -> None:
    people, base, better = judged(4, 0.4)
    up = improvement(compare_judges(spearman_of, base, better, people, seed=0, resamples=400))
    down = improvement(compare_judges(spearman_of, better, base, people, seed=0, resamples=400))
    assert up.better
    assert up.p_value == pytest.approx(1 / 401)
    assert not down.better
    assert down.p_value > 0.95
    assert up.difference.value == pytest.approx(up.rival - up.base)


def test_the_same_judge_is_not_better_than_itself() -> None:
    people, base, _ = judged(5, 1)
    found = improvement(compare_judges(spearman_of, base, base, people, seed=0, resamples=100))
    assert (found.difference.low, found.difference.high, found.p_value) == (0, 0, 1)
    assert not found.better


def test_equal_judges_are_called_better_about_as_often_as_the_level_allows() -> None:
    adopted = 0
    for seed in range(150):
        people, base, rival = judged(100 + seed, 1.0, 60)
        found = compare_judges(lambda rows: -_error(rows), base, rival, people, seed=seed, resamples=200)
        adopted += improvement(found).better
    # 2.5% one-sided is 3.75 of 150; 12 or more has a chance below 1 in 1000
    assert adopted < 12


def test_clusters_take_away_certainty_that_copied_rows_would_give() -> None:
    people, base, rival = judged(6, 0.8, 40)
    base, rival, people = (np.repeat(each, 8) for each in (base, rival, people))
    groups = np.repeat(np.arange(40), 8).tolist()
    naive = improvement(compare_judges(spearman_of, base, rival, people, seed=0, resamples=300))
    honest = improvement(compare_judges(spearman_of, base, rival, people, groups, seed=0, resamples=300))
    ratio = (honest.difference.high - honest.difference.low) / (naive.difference.high - naive.difference.low)
    assert 2 < ratio < 4


def test_rows_without_all_three_scores_are_left_out_and_counted() -> None:
    people, base, rival = (each.tolist() for each in judged(7, 0.5, 50))
    full = compare_judges(spearman_of, base, rival, people, list(range(50)), seed=0, resamples=50)
    gaps = compare_judges(
        spearman_of,
        [*base, None, 1.0],
        [*rival, 1.0, None],
        [*people, 1.0, 1.0],
        list(range(52)),
        seed=0,
        resamples=50,
    )
    assert improvement(gaps).missing == 2
    assert improvement(gaps).difference == improvement(full).difference


def test_binary_judges_are_compared_by_matthews() -> None:
    draw = np.random.default_rng(8)
    people = draw.integers(0, 2, 300).astype(float)
    base, rival = (np.where(draw.random(300) < wrong, 1 - people, people) for wrong in (0.3, 0.1))
    assert improvement(compare_judges(matthews_of, base, rival, people, seed=0, resamples=200)).better


def test_what_is_not_defined_says_why() -> None:
    people, base, _ = judged(9, 1, 20)
    assert "The rival judge: Every score" in str(compare_judges(spearman_of, base, np.ones(20), people, seed=0))
    assert "The base judge" in str(compare_judges(spearman_of, [None] * 20, base, people, seed=0))
    assert "one group" in str(compare_judges(spearman_of, base, base, people, ["one"] * 20, seed=0))
    assert "no rows" in str(bootstrap(absolute_error_of, np.empty((0, 2)), seed=0))
    rare = np.array([[1, 1], *[[0, 0]] * 8], dtype=float)
    assert "resamples leave it undefined" in str(bootstrap(matthews_of, rare, seed=0, resamples=100))


def test_bad_arguments_are_refused_in_words() -> None:
    rows = np.random.default_rng(0).random((5, 2))
    with pytest.raises(UsageError, match="4 groups for 5 rows"):
        bootstrap(spearman_of, rows, [1, 2, 3, 4], seed=0)
    with pytest.raises(UsageError, match="2 groups for 5 rows"):
        compare_judges(spearman_of, rows[:, 0], rows[:, 0], rows[:, 1], [1, 2], seed=0)
    with pytest.raises(UsageError, match="0 resamples"):
        bootstrap(spearman_of, rows, seed=0, resamples=0)
