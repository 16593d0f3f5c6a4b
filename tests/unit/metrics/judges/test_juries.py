"""Verdicts of several judges, and how far they agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viva.core.errors import UsageError
from viva.metrics.judges.juries import jury, majority, mean_vote
from viva.metrics.judges.pairs import Undefined
from viva.metrics.judges.raters import fleiss_kappa, krippendorff_alpha

VOTES = st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=9)


def test_the_majority_rules_and_a_tie_is_no_verdict() -> None:
    assert majority([1, 1, 0, None]) == 1
    tie = majority([1, 0, None])
    assert isinstance(tie, Undefined)
    assert tie.reason == "A tie: 1 vote each for 0, 1."


def test_a_plurality_of_three_labels_rules() -> None:
    assert majority([2, 2, 0, 1, 3]) == 2


def test_below_the_quorum_there_is_no_verdict() -> None:
    assert "1 of 3 judges" in str(mean_vote([0.5, None, None], quorum=2))
    assert isinstance(majority([None, None]), Undefined)
    assert mean_vote([0.5, None, 1.0], quorum=2) == 0.75


@given(VOTES, st.randoms(use_true_random=False))
def test_the_order_of_judges_does_not_matter(votes: list[int | None], chance: object) -> None:
    shuffled = votes.copy()
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert majority(votes) == majority(shuffled)
    assert mean_vote(votes) == mean_vote(shuffled)


@given(VOTES)
def test_a_verdict_lies_among_the_votes(votes: list[int | None]) -> None:
    given_votes = [vote for vote in votes if vote is not None]
    ruled, mean = majority(votes), mean_vote(votes)
    assert isinstance(ruled, Undefined) or ruled in given_votes
    assert isinstance(mean, Undefined) or min(given_votes) <= mean <= max(given_votes)


def test_a_jury_reports_its_verdicts_agreement_and_the_odd_one_out() -> None:
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 200)
    wrong = draw.random((200, 4)) < [0.1, 0.1, 0.1, 0.5]
    votes = np.where(wrong, 1 - truth[:, None], truth[:, None]).astype(float)
    votes[:3, 0] = np.nan
    found = jury(votes, "majority", "nominal", seed=0, resamples=100)
    assert not isinstance(found.alpha, Undefined)
    assert not isinstance(found.fleiss, Undefined)
    assert found.alpha.interval.value == pytest.approx(krippendorff_alpha(votes))
    assert found.fleiss.interval.value == pytest.approx(fleiss_kappa(votes[3:]))
    assert found.missing == 3
    assert found.hung == sum(isinstance(each, Undefined) for each in found.verdicts) > 0
    agreement = [each if isinstance(each, float) else 9.0 for each in found.with_others]
    assert int(np.argmin(agreement)) == 3
    assert min(agreement[:3]) > 0.5 > agreement[3]


def test_the_majority_of_three_fair_judges_is_more_often_right_than_one() -> None:
    draw = np.random.default_rng(1)
    truth = draw.integers(0, 2, 500)
    votes = np.where(draw.random((500, 3)) < 0.2, 1 - truth[:, None], truth[:, None]).astype(float)
    verdicts = np.array(jury(votes, "majority", "nominal", seed=0, resamples=2).verdicts, dtype=float)
    # 1 - (3 x .2^2 x .8 + .2^3) = .896
    assert (verdicts == truth).mean() == pytest.approx(0.896, abs=0.04)


def test_a_jury_of_means_is_clustered_by_group() -> None:
    draw = np.random.default_rng(2)
    quality = np.repeat(draw.random(20), 5)
    votes = quality[:, None] + draw.normal(0, 0.1, (100, 3))
    alone = jury(votes, "mean", "interval", seed=0, resamples=200)
    grouped = jury(votes, "mean", "interval", np.repeat(np.arange(20), 5).tolist(), seed=0, resamples=200)
    assert alone.verdicts == pytest.approx(votes.mean(axis=1))
    assert "averaged" in str(alone.fleiss)
    assert not isinstance(alone.alpha, Undefined)
    assert not isinstance(grouped.alpha, Undefined)
    assert grouped.alpha.groups == 20
    assert grouped.alpha.interval.high - grouped.alpha.interval.low > (
        alone.alpha.interval.high - alone.alpha.interval.low
    )


def test_a_jury_that_graded_nothing_has_reasons_and_no_numbers() -> None:
    found = jury([[None, None]] * 4, "majority", "nominal", seed=0)
    assert found.hung == 4
    assert found.missing == 8
    assert all(
        isinstance(each, Undefined) for each in (found.alpha, found.fleiss, *found.verdicts, *found.with_others)
    )


def test_bad_juries_are_refused_in_words() -> None:
    with pytest.raises(UsageError, match="jury of 1"):
        jury([[1], [0]], "majority", "nominal", seed=0)
    with pytest.raises(UsageError, match="quorum of 3"):
        jury([[1, 0]], "majority", "nominal", seed=0, quorum=3)
    with pytest.raises(UsageError, match="'lot' is no rule"):
        jury([[1, 0]], "lot", "nominal", seed=0)  # type: ignore[arg-type]


def test_what_a_judge_has_in_common_with_the_others_has_an_interval_over_groups() -> None:
    draw = np.random.default_rng(4)
    quality = np.repeat(draw.random(20), 5)
    votes = quality[:, None] + draw.normal(0, 0.2, (100, 3))
    groups = np.repeat(np.arange(20), 5).tolist()
    found = jury(votes, "mean", "interval", groups, seed=0, resamples=200)
    for agreed, resampled in zip(found.with_others, found.with_others_resampled, strict=True):
        assert not isinstance(resampled, Undefined)
        assert resampled.groups == 20
        assert resampled.interval.value == pytest.approx(agreed)
        assert resampled.interval.low < agreed < resampled.interval.high
