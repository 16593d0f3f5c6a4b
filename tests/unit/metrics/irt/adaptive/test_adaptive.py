"""A new examinee against a calibrated bank: which item comes next, when it ends, what is known then."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from item_banks import answers_of, bank, sat
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt.adaptive.ability import grid_posterior
from viva.metrics.irt.adaptive.bank import AdaptivePlan, Bank, Criterion, chosen_items
from viva.metrics.irt.adaptive.sitting import Ask, Sitting, Stop, answered, begin, next_item, result
from viva.metrics.irt.model.curves import information_3pl, probability_3pl

Floats = NDArray[np.float64]
CRITERIA: tuple[Criterion, ...] = ("posterior", "information", "variance")
# catR 3.17: six items, and what it makes of the pattern 1 1 0 1 0 1
CATR = np.array([[1.2, -1, 0.25], [0.8, 0, 0.2], [1.5, 0.5, 0.25], [2, 1, 0.3], [0.6, -0.5, 0.15], [1, 1.5, 0.25]])


def stop_of(state: Sitting) -> Stop:
    step = next_item(state)
    assert isinstance(step, Stop)
    return step


def test_the_ability_is_that_of_catr() -> None:
    found = grid_posterior([1, 1, 0, 1, 0, 1], *CATR.T)
    # catR's own grid has 33 nodes from -4 to 4
    assert (found.mean, found.sd) == pytest.approx((0.12042365, 0.83186811), abs=1e-4)


def test_abilities_are_those_of_mirt() -> None:
    folder = os.environ.get("VIVA_IRT_REFERENCE", "")
    if not folder or not (Path(folder) / "golden_mirt.json").is_file():
        pytest.skip("VIVA_IRT_REFERENCE names no folder with golden_mirt.json (mirt's output for a 3PL)")
    golden = json.loads((Path(folder) / "golden_mirt.json").read_text(encoding="utf-8"))["threepl"]
    items = [np.array([item[name] for item in golden["items"]]) for name in ("a", "b", "g")]
    rows = np.loadtxt(Path(folder) / "G_3PL.csv", delimiter=",")
    for row, expected in zip(rows, golden["EAP"], strict=False):
        found = grid_posterior(row, *items)
        assert (found.mean, found.sd) == pytest.approx(expected, abs=1e-6)


def test_the_first_item_by_maximum_information_is_that_of_catr() -> None:
    # catR counts from one: its third
    assert next_item(begin(Bank(*CATR.T), AdaptivePlan(criterion="information"))) == Ask(2, "adaptive")


def test_the_next_item_tells_most_at_the_ability_so_far() -> None:
    of = bank()
    state = begin(of, AdaptivePlan(criterion="information"))
    for _ in range(5):
        step = next_item(state)
        assert isinstance(step, Ask)
        free = np.setdiff1d(np.arange(200), state.asked("adaptive"))
        theta = result(state).ability.estimate
        assert step.item == free[information_3pl(theta, of.a, of.b, of.c)[0][free].argmax()]
        state = answered(state, step, 1.0)


def test_the_variance_criterion_picks_what_leaves_the_least_variance_expected() -> None:
    of = bank(30)
    state = answered(begin(of, AdaptivePlan(criterion="variance")), Ask(3, "adaptive"), 1)
    posterior = grid_posterior([1], of.a[[3]], of.b[[3]], of.c[[3]])
    expected = {}
    for item in set(range(30)) - {3}:
        chance = float(posterior.weights @ probability_3pl(posterior.nodes, of.a, of.b, of.c)[:, item])
        after = [grid_posterior([1, y], *(x[[3, item]] for x in (of.a, of.b, of.c))).sd ** 2 for y in (0, 1)]
        expected[item] = (1 - chance) * after[0] + chance * after[1]
    assert next_item(state) == Ask(min(expected, key=lambda item: expected[item]), "adaptive")


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_sitting_stops_when_precise_and_needs_far_fewer_items_than_at_random(criterion: Criterion) -> None:
    of = bank(500)
    plan = AdaptivePlan(criterion=criterion, target_se=0.3, budget=200, chosen=200, drawn_least=0)
    asked = []
    for n, theta in enumerate(np.linspace(-1.5, 1.5, 9)):
        state = sat(begin(of, plan), answers_of(theta, of, n))
        assert stop_of(state).reason == "precise"
        assert result(state).ability_se < 0.3
        assert result(replace(state, answers=state.answers[:-1])).ability_se >= 0.3
        asked.append(len(state.answers))
    assert np.median(asked) <= 27


@pytest.mark.parametrize(
    ("budget", "examinees", "chosen"),
    [(20, 40, 8), (100, 40, 8), (20, 16, 8), (20, 15, 0), (20, 5, 0), (10, 40, 5), (1, 40, 0)],
)
def test_eight_are_chosen_at_most_half_of_a_small_budget_and_none_where_few_calibrated(
    budget: int, examinees: int, chosen: int
) -> None:
    assert chosen_items(budget, examinees) == chosen


def test_after_the_chosen_items_others_are_drawn_over_all_difficulties_within_the_budget() -> None:
    of = bank()
    state = sat(begin(of, AdaptivePlan(target_se=0.0, budget=20, chosen=4)), answers_of(0.3, of, 1))
    assert [x.phase for x in state.answers] == ["adaptive"] * 4 + ["random"] * 16
    assert stop_of(state).reason == "budget"
    left = np.setdiff1d(np.arange(200), state.asked("adaptive"))
    fifths = np.array_split(left[np.argsort(of.b[left])], 5)
    assert all(3 <= len(set(part.tolist()) & set(state.asked("random"))) <= 4 for part in fifths)


def test_drawn_items_fall_on_topics_in_their_shares_at_any_length() -> None:
    topics = tuple("north" if n % 4 else "south" for n in range(200))
    of = bank(topics=topics)
    asked = sat(begin(of, AdaptivePlan(target_se=0.0, budget=40, chosen=0)), answers_of(0.0, of, 2)).asked("random")
    assert all(abs([topics[i] for i in asked[:n]].count("south") - n / 4) <= 1.5 for n in range(1, 41))


def test_every_item_is_as_likely_as_any_other_to_be_drawn() -> None:
    of = bank(12)
    answers = np.ones(12)
    drawn = [
        sat(begin(of, AdaptivePlan(target_se=0.0, budget=3, chosen=0, seed=seed)), answers) for seed in range(240)
    ]
    counts = np.bincount([item for state in drawn for item in state.asked("random")], minlength=12)
    # 60 expected of each, with a standard deviation of 7
    assert counts.min() > 35
    assert counts.max() < 85


def test_a_larger_budget_goes_on_where_a_smaller_one_ended() -> None:
    of = bank()
    answers = answers_of(0.3, of, 1)
    short, long = (sat(begin(of, AdaptivePlan(target_se=0.0, budget=budget)), answers).answers for budget in (20, 50))
    assert long[:20] == short


def test_drawing_too_ends_when_the_ability_is_known_but_not_before_a_few_are_drawn() -> None:
    of = bank(500)
    answers = answers_of(0.3, of, 1)
    by_drawing = sat(begin(of, AdaptivePlan(target_se=0.4, budget=300, chosen=0)), answers)
    assert stop_of(by_drawing).reason == "precise"
    assert 5 < len(by_drawing.answers) < 100
    by_choosing = sat(begin(of, AdaptivePlan(target_se=0.4, budget=300, chosen=200)), answers)
    assert len(by_choosing.asked("random")) == 5
    assert stop_of(by_choosing).reason == "precise"


@given(seed=st.integers(0, 50), cut=st.integers(0, 14), criterion=st.sampled_from(CRITERIA), top_k=st.integers(1, 4))
@settings(max_examples=15, deadline=None)
def test_a_sitting_resumed_from_its_answers_goes_on_as_if_undisturbed(
    seed: int, cut: int, criterion: Criterion, top_k: int
) -> None:
    of = bank(40, seed)
    plan = AdaptivePlan(criterion=criterion, target_se=0.35, budget=15, chosen=10, top_k=top_k, seed=seed)
    answers = answers_of(0.5, of, seed)
    whole = sat(begin(of, plan), answers)
    items = [x.item for x in whole.answers]
    assert len(set(items)) == len(items) <= 15
    resumed = sat(Sitting(of, plan, whole.answers[:cut]), answers)
    assert resumed.answers == whole.answers


def test_topics_are_asked_in_the_shares_aimed_at() -> None:
    topics = tuple("north" if n % 10 else "south" for n in range(200))
    of = bank(topics=topics)
    plan = AdaptivePlan(target_se=0.0, budget=20, chosen=20, topic_shares={"north": 1, "south": 3})
    asked = [topics[item] for item in sat(begin(of, plan), answers_of(0.0, of, 2)).asked("adaptive")]
    assert (asked.count("south"), asked.count("north")) == (15, 5)
    # and never far from them on the way
    assert all(abs(asked[:n].count("south") - 0.75 * n) <= 1 for n in range(1, 21))


def test_a_topic_that_is_used_up_leaves_its_turn_to_the_others() -> None:
    of = bank(20, topics=("few",) * 2 + ("many",) * 18)
    plan = AdaptivePlan(target_se=0.0, budget=10, chosen=10, topic_shares={"few": 1, "many": 1})
    asked = sat(begin(of, plan), answers_of(0.0, of, 2)).asked("adaptive")
    assert len(asked) == 10
    assert {0, 1} <= set(asked)


def test_exposure_control_spreads_items_over_sittings_at_little_cost() -> None:
    of = bank()
    first = {next_item(begin(of, AdaptivePlan(top_k=5, seed=seed))) for seed in range(40)}
    assert len(first) == 5
    assert {next_item(begin(of, AdaptivePlan(seed=seed))) for seed in range(40)} < first
    state = sat(begin(of, AdaptivePlan(top_k=5, target_se=0.3, budget=200, chosen=200)), answers_of(0.0, of, 1))
    assert stop_of(state).reason == "precise"


def test_an_ungraded_answer_costs_budget_and_tells_nothing() -> None:
    of = bank()
    state = begin(of, AdaptivePlan(target_se=0.0, budget=6, chosen=4))
    while isinstance(step := next_item(state), Ask):
        state = answered(state, step, None)
    found = result(state)
    assert (found.asked, found.ungraded) == (6, 6)
    assert (found.ability.estimate, found.ability_se) == pytest.approx((0, 1), abs=1e-6)
    assert found.score.low < probability_3pl(0.0, of.a, of.b, of.c).mean() < found.score.high


def test_the_path_ends_at_the_ability_and_narrows() -> None:
    of = bank()
    found = result(sat(begin(of, AdaptivePlan(target_se=0.0, budget=25)), answers_of(1.0, of, 3)))
    assert found.path[-1] == pytest.approx((found.ability.estimate, found.ability_se))
    assert len(found.path) == 25
    assert found.path[-1][1] < found.path[0][1]
    assert found.ability.low < found.ability.estimate < found.ability.high
    assert sum(after[1] < before[1] for before, after in pairwise(found.path)) >= 18


def test_a_result_on_the_way_has_no_reason_yet() -> None:
    found = result(begin(bank(), AdaptivePlan()))
    assert found.reason is None
    assert found.asked == 0


def test_a_prior_elsewhere_is_where_an_unasked_examinee_stands() -> None:
    found = result(begin(bank(), AdaptivePlan(prior_mean=-2.0, prior_sd=0.5)))
    assert (found.ability.estimate, found.ability_se) == pytest.approx((-2, 0.5), abs=1e-6)


def test_perfect_and_zero_answers_stay_finite() -> None:
    of = bank()
    for value in (0.0, 1.0):
        found = result(sat(begin(of, AdaptivePlan(target_se=0.0)), np.full(200, value)))
        assert np.isfinite([found.ability.estimate, found.ability_se, found.score.low, found.score.high]).all()


def test_what_does_not_fit_is_refused_in_words() -> None:
    of = bank(20)
    state = answered(begin(of, AdaptivePlan()), Ask(3, "adaptive"), 1)
    with pytest.raises(UsageError, match="asked already"):
        answered(state, Ask(3, "random"), 1)
    with pytest.raises(UsageError, match="neither right nor wrong"):
        answered(state, Ask(4, "adaptive"), 0.5)
    with pytest.raises(UsageError, match="no item 20"):
        answered(state, Ask(20, "adaptive"), 1)
    with pytest.raises(UsageError, match="no item of 'west'"):
        begin(of, AdaptivePlan(topic_shares={"west": 1.0}))
    with pytest.raises(UsageError, match="topics"):
        Bank(of.a, of.b, of.c, ("only one",))
    with pytest.raises(UsageError, match="not usable"):
        Bank(of.a, of.b, np.full(20, 1.0))
    with pytest.raises(UsageError, match="shapes"):
        Bank(of.a, of.b, of.c[:5])


@pytest.mark.parametrize(
    "wrong",
    [
        {"criterion": "best"},
        {"budget": 0, "chosen": 0},
        {"budget": 5, "chosen": 6},
        {"top_k": 0},
        {"drawn_least": -1},
        {"prior_sd": 0.0},
        {"score_misfit": -1.0},
        {"topic_shares": {"x": -1.0}},
    ],
)
def test_a_plan_that_cannot_be_followed_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        AdaptivePlan(**wrong)  # type: ignore[arg-type]
