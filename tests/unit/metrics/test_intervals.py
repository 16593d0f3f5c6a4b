"""Intervals and paired tests against published values and their defining properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from viva.core.errors import UsageError
from viva.metrics.intervals import clustered_mean, compare_paired, holm, wilson


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys_and_contains_the_share(counts: tuple[int, int]) -> None:
    successes, trials = counts
    found = wilson(successes, trials)
    assert found is not None
    reference = binomtest(successes, trials).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high), abs=1e-9)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_a_proportion_of_nothing_is_absent() -> None:
    assert wilson(0, 0) is None


def test_more_successes_than_trials_are_refused() -> None:
    with pytest.raises(UsageError, match="5 successes in 4"):
        wilson(5, 4)


def test_a_clustered_mean_is_the_same_for_the_same_seed_and_any_order_of_rows() -> None:
    draw = np.random.default_rng(0)
    values, groups = draw.random(60).round(3).tolist(), [f"d{i % 7}" for i in range(60)]
    order = draw.permutation(60)
    first = clustered_mean(values, groups, seed=3)
    assert first is not None
    assert clustered_mean([values[i] for i in order], [groups[i] for i in order], seed=3) == first
    assert clustered_mean(values, groups, seed=4) != first
    assert first.value == pytest.approx(np.mean(values))
    assert first.low < first.value < first.high


def test_values_that_agree_within_documents_give_a_wider_interval() -> None:
    values = [1.0] * 50 + [0.0] * 50
    clustered = clustered_mean(values, [i // 10 for i in range(100)], seed=0)
    single = clustered_mean(values, list(range(100)), seed=0)
    assert clustered is not None
    assert single is not None
    assert clustered.high - clustered.low > 2 * (single.high - single.low)


def test_one_document_has_no_interval() -> None:
    assert clustered_mean([1.0, 0.0], ["d", "d"], seed=0) is None
    assert clustered_mean([], [], seed=0) is None


def test_paired_comparison_counts_the_discordant_items() -> None:
    first = [1.0] * 10 + [0.0] * 2 + [1.0] * 30 + [None]
    second = [0.0] * 10 + [1.0] * 2 + [1.0] * 30 + [1.0]
    found = compare_paired(first, second)
    assert found is not None
    assert (found.items, found.only_first, found.only_second) == (42, 10, 2)
    # 2 (C(12,0) + C(12,1) + C(12,2)) / 2^12
    assert found.p_value == pytest.approx(2 * 79 / 4096)
    assert found.difference.value == pytest.approx(8 / 42)
    assert 0 < found.difference.low < 8 / 42 < found.difference.high


def test_paired_comparison_is_symmetric() -> None:
    one, other = [1.0, 1, 1, 0, 0, 1], [0.0, 1, 0, 1, 0, 0]
    there, back = compare_paired(one, other), compare_paired(other, one)
    assert there is not None
    assert back is not None
    assert there.p_value == back.p_value
    assert there.difference.low == pytest.approx(-back.difference.high)


def test_examinees_that_agree_everywhere_are_not_told_apart() -> None:
    found = compare_paired([1.0, 0.0], [1.0, 0.0])
    assert found is not None
    assert found.p_value == 1.0
    assert found.difference.low < 0 < found.difference.high


def test_nothing_in_common_gives_no_comparison_and_part_grades_are_refused() -> None:
    assert compare_paired([1.0, None], [None, 0.0]) is None
    with pytest.raises(UsageError, match="neither right nor wrong"):
        compare_paired([0.5], [1.0])
    with pytest.raises(UsageError, match="same items"):
        compare_paired([1.0], [])


def test_holm_is_the_published_step_down() -> None:
    # R: p.adjust(c(.01, .04, .03, .005), "holm")
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_never_lowers(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(raw <= new <= 1 for raw, new in zip(p_values, adjusted, strict=True))
    ranked = [new for _, new in sorted(zip(p_values, adjusted, strict=True))]
    assert ranked == sorted(ranked)
