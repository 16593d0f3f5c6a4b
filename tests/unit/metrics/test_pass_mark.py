"""A pass mark: decisions follow the interval, probabilities hold in simulations."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import exam, sat
from scipy.stats import betabinom

from viva.core.estimates import PassDecision, PassResult
from viva.core.records import Examinee, Grade
from viva.core.scores import ExamineeScore, Scores
from viva.metrics.clusters import QuestionClusters
from viva.metrics.pass_mark import consistency, decisions
from viva.metrics.score import score_exam
from viva.reports.sections.sampling import pass_cells, pass_columns, pass_sentence

OF = exam(60)


def scored(*right: int, mark: float = 0.8) -> Scores:
    systems = [Examinee(id=f"s{n}", name=f"s{n}", spec="") for n in range(len(right))]
    given = [
        each
        for system, count in zip(systems, right, strict=True)
        for each in sat(system.id, OF, [n < count for n in range(60)])
    ]
    return score_exam(OF, systems, given, seed=0, pass_mark=mark)


def decided(right: range, mark: float = 0.8) -> list[PassResult]:
    rows = [
        ExamineeScore.model_construct(examinee=Examinee(id=str(n), name=str(n), spec=""), stability=None)
        for n in right
    ]
    grades = [
        Grade(response_id="", examinee_id=str(n), item_id=shown.item.id, score=float(place < n))
        for n in right
        for place, shown in enumerate(OF.items)
    ]
    return list(decisions(mark, rows, OF, grades, QuestionClusters()).systems)


def test_a_system_passes_or_fails_where_its_interval_lies_on_one_side_of_the_mark() -> None:
    scores = scored(58, 50, 30)
    assert scores.pass_mark
    assert [each.decision.value for each in scores.pass_mark.systems] == ["pass", "not sure", "fail"]
    assert scores.pass_mark.se == pytest.approx((0.8 * 0.2 / 60) ** 0.5)
    assert pass_cells(scores)["s1"][0] == "not sure"
    assert pass_cells(scores)["s2"][1:] == ("<1%", ">99%")
    assert pass_columns(scores) == ("pass", "P(above 80%)", "same result again")
    assert "mark: 5.2 points" in pass_sentence(scores)
    assert scored(30, mark=0.0).pass_mark is None
    assert pass_cells(scored(30, mark=0.0)) == {}


def test_the_probability_does_not_contradict_the_interval() -> None:
    for each in decided(range(61), 0.75):
        assert (each.above > 0.975) == (each.decision is PassDecision.PASS)
        assert (each.above < 0.025) == (each.decision is PassDecision.FAIL)


def test_consistency_is_that_of_the_beta_binomial_distribution() -> None:
    # 48 of 60 reach .8
    assert consistency(50 / 60, 60, 0.8, 60) == pytest.approx(betabinom(60, 50.5, 10.5).sf(47))
    assert consistency(40 / 60, 60, 0.8, 60) == pytest.approx(betabinom(60, 40.5, 20.5).cdf(47))
    assert consistency(48 / 60, 60, 0.8, 60) > 0.5
    # with half as many independent questions, and with many occasions
    assert 0.5 < consistency(50 / 60, 30, 0.8, 60) < consistency(50 / 60, 60, 0.8, 60)
    assert consistency(50 / 60, 160, 0.8, 60, 5) > consistency(50 / 60, 60, 0.8, 60)


def test_probability_and_consistency_hold_for_simulated_systems() -> None:
    draw = np.random.default_rng(0)
    truth = draw.uniform(0.5, 1, 20_000)
    right, again = draw.binomial(60, truth), draw.binomial(60, truth)
    found = decided(range(61))
    above, same = (
        np.array([each.above for each in found])[right],
        np.array([each.consistency for each in found])[right],
    )
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.01)):
        own = (above >= low) & (above < high)
        assert (truth[own] > 0.8).mean() == pytest.approx(above[own].mean(), abs=0.06)
    agreed = (right >= 48) == (again >= 48)
    for low, high in ((0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
        own = (same >= low) & (same < high)
        assert agreed[own].mean() == pytest.approx(same[own].mean(), abs=0.03)
