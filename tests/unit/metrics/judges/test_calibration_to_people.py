"""The monotone map from judge to people, and that it never predicts what it has seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from viva.core.errors import UsageError
from viva.metrics.judges.calibration_to_people import CrossFit, MonotoneMap, cross_fitted, monotone_map
from viva.metrics.judges.pairs import Undefined

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 5)), min_size=3, max_size=40)


def mapped(found: MonotoneMap | Undefined) -> MonotoneMap:
    assert isinstance(found, MonotoneMap), found
    return found


def fitted(found: CrossFit | Undefined) -> CrossFit:
    assert isinstance(found, CrossFit), found
    return found


@settings(max_examples=40)
@given(PAIRS)
def test_the_map_is_sklearns_isotonic_regression_between_and_beyond_the_knots(pairs: list[tuple[int, int]]) -> None:
    judge, people = zip(*pairs, strict=True)
    found = monotone_map(judge, people)
    if len(set(judge)) == 1:
        assert isinstance(found, Undefined)
        return
    reference = IsotonicRegression(out_of_bounds="clip").fit(judge, people)
    asked = np.linspace(-1, 10, 45)
    assert mapped(found).apply(asked) == pytest.approx(reference.predict(asked), abs=1e-9)


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_map_rises_keeps_the_mean_and_knows_no_order(pairs: list[tuple[int, int]], chance: object) -> None:
    judge, people = zip(*pairs, strict=True)
    found = monotone_map(judge, people)
    if isinstance(found, MonotoneMap):
        assert list(found.values) == sorted(found.values)
        assert found.apply(judge).mean() == pytest.approx(np.mean(people))
        shuffled = list(pairs)
        chance.shuffle(shuffled)  # type: ignore[attr-defined]
        assert monotone_map(*zip(*shuffled, strict=True)) == found


def test_missing_scores_map_to_missing_and_teach_nothing() -> None:
    found = mapped(monotone_map([0, 1, 2, None, 3], [1, 2, 3, 9, None]))
    assert found == mapped(monotone_map([0, 1, 2], [1, 2, 3]))
    assert found.apply([None, 0.5]).tolist() == pytest.approx([float("nan"), 1.5], nan_ok=True)


def test_a_judge_against_the_people_gets_a_flat_map() -> None:
    found = mapped(monotone_map([0, 1, 2, 3], [3, 2, 1, 0]))
    assert found.flat
    assert found.values[0] == 1.5
    assert not mapped(monotone_map([0, 1, 2], [0, 1, 2])).flat


def test_cross_fitting_never_predicts_a_label_it_has_seen() -> None:
    draw = np.random.default_rng(0)
    judge = draw.random(100)
    people = draw.random(100)  # nothing to learn
    seen = np.corrcoef(mapped(monotone_map(judge, people)).apply(judge), people)[0, 1]
    unseen = np.corrcoef(fitted(cross_fitted(judge, people, seed=0)).predicted, people)[0, 1]
    assert seen > 0.2
    assert unseen < 0.1


def test_rows_of_one_group_share_a_fold() -> None:
    draw = np.random.default_rng(1)
    judge, groups = np.arange(60.0), np.repeat(np.arange(12), 5)
    people = judge + draw.normal(0, 5, 60)
    found = fitted(cross_fitted(judge, people, groups.tolist(), seed=0))
    for group in range(12):
        own = groups == group
        fits = [np.allclose(each.apply(judge[own]), found.predicted[own]) for each in found.maps]
        assert any(fits)


def test_what_is_not_labelled_is_predicted_by_all_maps_and_the_ungraded_by_none() -> None:
    judge, people = [*range(20), 7.5, None], [*range(20), None, None]
    found = fitted(cross_fitted(judge, people, seed=0))
    assert len(found.maps) == 5
    assert found.predicted[20] == pytest.approx(np.mean([each.apply([7.5])[0] for each in found.maps]))
    assert np.isnan(found.predicted[21])
    assert not np.isnan(found.predicted[:20]).any()


def test_the_order_of_rows_moves_no_prediction() -> None:
    draw = np.random.default_rng(2)
    judge = draw.random(40)
    people, order = judge + draw.normal(0, 0.2, 40), draw.permutation(40)
    one = fitted(cross_fitted(judge, people, seed=3)).predicted
    other = fitted(cross_fitted(judge[order], people[order], seed=3)).predicted
    assert other == pytest.approx(one[order])


def test_what_is_not_defined_says_why() -> None:
    assert "2 pairs" in str(monotone_map([1, 2, None], [1, 2, 3]))
    assert "Every score of the judge is 1" in str(monotone_map([1, 1, 1], [1, 2, 3]))
    assert "2 labelled groups for 5 folds" in str(cross_fitted(range(9), range(9), [0] * 4 + [1] * 5, seed=0))
    assert "0 labelled groups" in str(cross_fitted(range(3), [None] * 3, seed=0))
    assert "Every score" in str(cross_fitted([1] * 20, range(20), seed=0))


def test_bad_arguments_are_refused_in_words() -> None:
    with pytest.raises(UsageError, match="2 of judge, 3 of people"):
        monotone_map([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match="8 groups for 9 rows"):
        cross_fitted(range(9), range(9), range(8), seed=0)
