"""Reliability: KR-20 and alpha by hand, Feldt's interval against its formula, and what has none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f

from viva.core.estimates import Estimate
from viva.metrics.irt import analyse
from viva.metrics.irt.model.responses import Floats, NotJudged
from viva.metrics.irt.reliability import alpha, marginal_reliability
from viva.reports.sections.systems import reliability_sentence

# totals 3, 2, 1, 0 of three items: variance 1.25; p q sum to .1875 + .25 + .1875
GUTTMAN = np.array([[1.0, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]])


def known(found: Estimate | NotJudged) -> Estimate:
    assert isinstance(found, Estimate), found
    return found


def test_kr_20_is_the_share_of_variance_that_items_have_in_common() -> None:
    found = known(alpha(GUTTMAN))
    assert found.value == pytest.approx(3 / 2 * (1 - 0.625 / 1.25))
    assert found.low == pytest.approx(1 - 0.25 * f.ppf(0.975, 3, 6))
    assert found.high == pytest.approx(1 - 0.25 * f.ppf(0.025, 3, 6))


def test_parts_of_points_have_coefficient_alpha() -> None:
    covariances = np.cov((scores := GUTTMAN * [1.0, 0.5, 0.3] + 0.1).T)
    expected = 3 / 2 * (1 - np.trace(covariances) / covariances.sum())
    assert known(alpha(scores)).value == pytest.approx(expected)


def test_examinees_with_missing_answers_are_left_out() -> None:
    holes = np.vstack([GUTTMAN, [1.0, np.nan, 1.0]])
    assert known(alpha(holes)) == known(alpha(GUTTMAN))


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (np.ones((5, 4)), "same score"),
        (np.eye(4), "same score"),
        (GUTTMAN[:2], "needs 3 systems that answered all questions"),
        (GUTTMAN[:, :1], "fewer than 2 items"),
    ],
)
def test_without_differences_there_is_none_and_a_reason(scores: Floats, reason: str) -> None:
    found = alpha(scores)
    assert isinstance(found, NotJudged)
    assert reason in found.reason


def test_marginal_reliability_is_the_variance_of_abilities_beside_that_of_their_errors() -> None:
    theta, theta_se = np.array([-1.0, 0.0, 1.0]), np.array([0.5, 0.3, 0.1])
    error = (0.25 + 0.09 + 0.01) / 3
    assert known(marginal_reliability(theta, theta_se)).value == pytest.approx(1 / (1 + error))


def test_an_analysis_says_it_in_words_and_copies_count_once() -> None:
    draw = np.random.default_rng(2)
    responses = (draw.random((12, 60)) < 1 / (1 + np.exp(-draw.normal(0, 1, (12, 1)) - draw.normal(0, 1, 60)))) * 1.0
    found = analyse(responses, model="2pl").reliability
    assert known(alpha(responses)) == found.kr20
    assert found.marginal
    again = analyse(np.vstack([responses, responses[:4]]), model="2pl").reliability
    assert (again.examinees, again.kr20) == (12, found.kr20)
    said = reliability_sentence(found, "examinees")
    assert "Reliability of the scores (KR-20): 0." in said
    assert "of 12 examinees; of the abilities (marginal): 0." in said
    chance = round(100 * (1 - found.kr20.value)) if found.kr20 else 0
    assert f"About {chance}% of the spread of their scores is luck of the questions." in said


def test_groups_without_a_common_item_have_no_reliability() -> None:
    apart = np.full((8, 40), np.nan)
    draw = np.random.default_rng(0)
    apart[:4, :20], apart[4:, 20:] = draw.integers(0, 2, (2, 4, 20))
    found = analyse(apart, model="1pl").reliability
    assert found.kr20 is found.marginal is None
    needed = "Reliability: not computed (needs 3 systems that answered all questions)."
    assert reliability_sentence(found) == needed
    assert "share too few items" in found.not_made["marginal"]
