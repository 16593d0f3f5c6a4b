"""What an exam can tell: by group, along the scale, and as a difference it can detect."""

from __future__ import annotations

import numpy as np
import pytest

from viva.core.errors import UsageError
from viva.metrics.irt.information import detectable_difference, group_information, measured_ranges
from viva.metrics.irt.model.curves import information_3pl, probability_3pl, standard_error_curve, test_information
from viva.metrics.irt.pair_probability import exact_p_values

RNG = np.random.default_rng(5)
A, B, C = np.exp(RNG.normal(0, 0.4, 80)), RNG.normal(0, 1, 80), np.full(80, 0.25)
THETA = np.linspace(-2, 2, 9)


def test_groups_that_split_the_exam_share_its_information() -> None:
    found = group_information(THETA, A, B, C, {"recall": range(30), "apply": range(30, 80), "none": []})
    assert sum(group.share for group in found) == pytest.approx(1)
    np.testing.assert_allclose(sum(group.information for group in found), test_information(THETA, A, B, C))
    assert [group.share for group in found] == sorted((group.share for group in found), reverse=True)
    recall = next(group for group in found if group.name == "recall")
    assert recall.items == 30
    assert recall.per_item == pytest.approx(information_3pl(THETA, A, B, C)[:, :30].mean())
    assert next(group for group in found if group.name == "none").share == 0


def test_an_item_named_twice_counts_once_and_groups_may_overlap() -> None:
    once, twice = (group_information(THETA, A, B, C, {"x": places})[0] for places in ([3, 4], [3, 4, 4]))
    assert once.share == twice.share
    both = group_information(THETA, A, B, C, {"x": range(80), "y": range(80)})
    assert [group.share for group in both] == pytest.approx([1, 1])


@pytest.mark.parametrize("places", [[80], [-1, 2]])
def test_a_group_of_items_that_are_not_there_is_refused(places: list[int]) -> None:
    with pytest.raises(UsageError, match="Places 0 to 79"):
        group_information(THETA, A, B, C, {"x": places})


def test_within_the_measured_range_the_error_is_below_the_bound_and_at_its_ends_equal_to_it() -> None:
    (found,) = measured_ranges(A, B, C, se_below=0.4)
    np.testing.assert_allclose(standard_error_curve([found.low, found.high], A, B, C), 0.4, atol=1e-4)
    inside = standard_error_curve(np.linspace(found.low + 0.01, found.high - 0.01, 50), A, B, C)
    assert (inside < 0.4).all()
    assert found.least_se == pytest.approx(inside.min(), rel=1e-2)


def test_an_exam_of_easy_and_hard_items_measures_well_in_two_places() -> None:
    b = np.repeat([-3.0, 3.0], 20)
    easy, hard = measured_ranges(np.full(40, 2.0), b, np.zeros(40), se_below=0.3)
    assert easy.low < -3 < easy.high < 0 < hard.low < 3 < hard.high
    assert measured_ranges(np.full(40, 2.0), b, np.zeros(40), se_below=0.01) == ()


def test_the_detectable_difference_is_a_difference_of_expected_shares_and_shrinks_with_the_exam() -> None:
    short, long = detectable_difference(0.0, A, B, C), detectable_difference(0.0, *np.tile([A, B, C], 4))
    assert long.theta < short.theta
    ends = np.array([-0.5, 0.5]) * long.theta
    assert long.score == pytest.approx(float(np.diff(probability_3pl(ends, A, B, C).mean(axis=1))[0]))


@pytest.mark.parametrize("pairs", [1, 10, 253])
def test_a_difference_of_that_size_is_found_by_the_exact_test_in_four_of_five_exams(pairs: int) -> None:
    rng = np.random.default_rng(2)
    found = detectable_difference(0.3, A, B, C, pairs=pairs)
    p = probability_3pl(np.array([0.3 + found.theta / 2, 0.3 - found.theta / 2]), A, B, C)
    # exams of as many items like these
    drawn = rng.integers(len(A), size=(4000, len(A)))
    better, worse = (rng.random(drawn.shape) < each[drawn] for each in p)
    only_better, only_worse = ((x & ~y).sum(axis=1).astype(float) for x, y in ((better, worse), (worse, better)))
    significant = (exact_p_values(only_better, only_worse) < 0.05 / pairs) & (only_better > only_worse)
    assert significant.mean() == pytest.approx(0.8, abs=0.02)


def test_an_exam_too_short_for_any_difference_says_so() -> None:
    assert not detectable_difference(0.0, A[:2], B[:2], C[:2]).detectable


def test_what_cannot_be_asked_is_refused_in_words() -> None:
    with pytest.raises(UsageError):
        detectable_difference(0.0, [], [], [])
    with pytest.raises(UsageError):
        measured_ranges(A, B, C, se_below=0)
    with pytest.raises(UsageError):
        group_information([], A, B, C, {"x": [0]})
