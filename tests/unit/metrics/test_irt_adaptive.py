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
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt.adaptive import Ask, Sitting, Stop, answered, begin, next_item, result
from viva.metrics.irt.adaptive_ability import grid_posterior
from viva.metrics.irt.adaptive_bank import Bank, Criterion, Plan
from viva.metrics.irt.curves import information_3pl, probability_3pl

Floats = NDArray[np.float64]
CRITERIA: tuple[Criterion, ...] = ("posterior", "information", "variance")
# catR 3.17: six items, and what it makes of the pattern 1 1 0 1 0 1
CATR = np.array([[1.2, -1, 0.25], [0.8, 0, 0.2], [1.5, 0.5, 0.25], [2, 1, 0.3], [0.6, -0.5, 0.15], [1, 1.5, 0.25]])


def bank(items: int = 200, seed: int = 0, topics: tuple[str, ...] = ()) -> Bank:
    rng = np.random.default_rng(seed)
    return Bank(np.exp(rng.normal(0, 0.5, items)), rng.normal(0, 1, items), np.full(items, 0.25), topics)


def answers_of(theta: float, of: Bank, seed: int) -> Floats:
    p = probability_3pl(theta, of.a, of.b, of.c)[0]
    return np.asarray(np.random.default_rng(seed).random(len(of)) < p, dtype=np.float64)


def sat(state: Sitting, answers: Floats) -> Sitting:
    while isinstance(step := next_item(state), Ask):
        state = answered(state, step, float(answers[step.item]))
    return state


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
    assert next_item(begin(Bank(*CATR.T), Plan(criterion="information"))) == Ask(2, "adaptive")


def test_the_next_item_tells_most_at_the_ability_so_far() -> None:
    of = bank()
    state = begin(of, Plan(criterion="information"))
    for _ in range(5):
        step = next_item(state)
        assert isinstance(step, Ask)
        free = np.setdiff1d(np.arange(200), state.asked("adaptive"))
        theta = result(state).ability.estimate
        assert step.item == free[information_3pl(theta, of.a, of.b, of.c)[0][free].argmax()]
        state = answered(state, step, 1.0)


def test_the_variance_criterion_picks_what_leaves_the_least_variance_expected() -> None:
    of = bank(30)
    state = answered(begin(of, Plan(criterion="variance")), Ask(3, "adaptive"), 1)
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
    plan = Plan(criterion=criterion, target_se=0.3, budget=200, random_items=0)
    asked = []
    for n, theta in enumerate(np.linspace(-1.5, 1.5, 9)):
        state = sat(begin(of, plan), answers_of(theta, of, n))
        assert stop_of(state).reason == "precise"
        assert result(state).ability_se < 0.3
        assert result(replace(state, answers=state.answers[:-1])).ability_se >= 0.3
        asked.append(len(state.answers))
    assert np.median(asked) <= 27


def test_after_the_adaptive_phase_random_items_of_every_stratum_are_asked_within_the_budget() -> None:
    of = bank()
    state = sat(begin(of, Plan(target_se=0.0, budget=20, random_items=10)), answers_of(0.3, of, 1))
    assert [x.phase for x in state.answers] == ["adaptive"] * 10 + ["random"] * 10
    assert stop_of(state).reason == "budget"
    left = np.setdiff1d(np.arange(200), state.asked("adaptive"))
    strata = np.array_split(left[np.argsort(of.b[left])], 5)
    assert [len(set(part.tolist()) & set(state.asked("random"))) for part in strata] == [2] * 5


def test_a_small_bank_is_exhausted_and_its_score_is_then_what_was_answered() -> None:
    of = bank(12)
    answers = answers_of(0.0, of, 4)
    for random_items in (0, 5, 40):
        state = sat(begin(of, Plan(target_se=0.0, budget=40, random_items=random_items)), answers)
        found = result(state).score
        assert found.estimate == pytest.approx(answers.mean())
        assert (found.low, found.high) == pytest.approx((answers.mean(), answers.mean()))
    assert stop_of(sat(begin(of, Plan(target_se=0.0, budget=40, random_items=0)), answers)).reason == "bank exhausted"


@given(seed=st.integers(0, 50), cut=st.integers(0, 14), criterion=st.sampled_from(CRITERIA), top_k=st.integers(1, 4))
@settings(max_examples=15, deadline=None)
def test_a_sitting_resumed_from_its_answers_goes_on_as_if_undisturbed(
    seed: int, cut: int, criterion: Criterion, top_k: int
) -> None:
    of = bank(40, seed)
    plan = Plan(criterion=criterion, target_se=0.35, budget=15, random_items=5, top_k=top_k, seed=seed)
    answers = answers_of(0.5, of, seed)
    whole = sat(begin(of, plan), answers)
    items = [x.item for x in whole.answers]
    assert len(set(items)) == len(items) <= 15
    resumed = sat(Sitting(of, plan, whole.answers[:cut]), answers)
    assert resumed.answers == whole.answers


def test_topics_are_asked_in_the_shares_aimed_at() -> None:
    topics = tuple("north" if n % 10 else "south" for n in range(200))
    of = bank(topics=topics)
    plan = Plan(target_se=0.0, budget=20, random_items=0, topic_shares={"north": 1, "south": 3})
    asked = [topics[item] for item in sat(begin(of, plan), answers_of(0.0, of, 2)).asked("adaptive")]
    assert (asked.count("south"), asked.count("north")) == (15, 5)
    # and never far from them on the way
    assert all(abs(asked[:n].count("south") - 0.75 * n) <= 1 for n in range(1, 21))


def test_a_topic_that_is_used_up_leaves_its_turn_to_the_others() -> None:
    of = bank(20, topics=("few",) * 2 + ("many",) * 18)
    plan = Plan(target_se=0.0, budget=10, random_items=0, topic_shares={"few": 1, "many": 1})
    asked = sat(begin(of, plan), answers_of(0.0, of, 2)).asked("adaptive")
    assert len(asked) == 10
    assert {0, 1} <= set(asked)


def test_exposure_control_spreads_items_over_sittings_at_little_cost() -> None:
    of = bank()
    first = {next_item(begin(of, Plan(top_k=5, seed=seed))) for seed in range(40)}
    assert len(first) == 5
    assert {next_item(begin(of, Plan(seed=seed))) for seed in range(40)} < first
    state = sat(begin(of, Plan(top_k=5, target_se=0.3, budget=200, random_items=0)), answers_of(0.0, of, 1))
    assert stop_of(state).reason == "precise"


def test_an_ungraded_answer_costs_budget_and_tells_nothing() -> None:
    of = bank()
    state = begin(of, Plan(target_se=0.0, budget=6, random_items=2))
    while isinstance(step := next_item(state), Ask):
        state = answered(state, step, None)
    found = result(state)
    assert (found.asked, found.ungraded) == (6, 6)
    assert (found.ability.estimate, found.ability_se) == pytest.approx((0, 1), abs=1e-6)
    assert found.score.low < probability_3pl(0.0, of.a, of.b, of.c).mean() < found.score.high


def test_the_score_of_the_whole_exam_is_near_the_truth_and_its_interval_holds_it() -> None:
    errors, raw, held = [], [], []
    for seed in range(25):
        of = bank(300, seed)
        theta = float(np.random.default_rng(seed).normal())
        answers = answers_of(theta, of, seed + 1000)
        state = sat(begin(of, Plan(target_se=0.0, budget=20, seed=seed)), answers)
        score = result(state).score
        errors.append(score.estimate - answers.mean())
        raw.append(answers[state.asked("adaptive")].mean() - answers.mean())
        held.append(score.low <= answers.mean() <= score.high)
    assert np.abs(errors).mean() < 0.04
    assert np.abs(raw).mean() > 1.5 * np.abs(errors).mean()
    assert np.mean(held) >= 0.9


def test_random_items_correct_a_model_that_is_wrong() -> None:
    """Half the bank is far harder than calibrated, and the adaptive items do not show it."""
    of = bank(400)
    hidden = of.a < np.median(of.a)
    truth = replace(of, b=np.where(hidden, of.b + 2.5, of.b))
    errors: dict[int, list[float]] = {0: [], 20: [], 100: []}
    for seed in range(4):
        answers = answers_of(0.5, truth, seed)
        for drawn, found in errors.items():
            plan = Plan(target_se=0.0, budget=20 + drawn, random_items=drawn, seed=seed)
            found.append(result(sat(begin(of, plan), answers)).score.estimate - float(answers.mean()))
    bias = {drawn: float(np.mean(found)) for drawn, found in errors.items()}
    assert bias[0] > 0.1
    assert bias[20] < 0.8 * bias[0]
    assert abs(bias[100]) < 0.3 * bias[0]


def test_the_path_ends_at_the_ability_and_narrows() -> None:
    of = bank()
    found = result(sat(begin(of, Plan(target_se=0.0, budget=25)), answers_of(1.0, of, 3)))
    assert found.path[-1] == pytest.approx((found.ability.estimate, found.ability_se))
    assert len(found.path) == 25
    assert found.path[-1][1] < found.path[0][1]
    assert found.ability.low < found.ability.estimate < found.ability.high
    assert sum(after[1] < before[1] for before, after in pairwise(found.path)) > 20


def test_a_result_on_the_way_has_no_reason_yet() -> None:
    found = result(begin(bank(), Plan()))
    assert found.reason is None
    assert found.asked == 0


def test_a_prior_elsewhere_is_where_an_unasked_examinee_stands() -> None:
    found = result(begin(bank(), Plan(prior_mean=-2.0, prior_sd=0.5)))
    assert (found.ability.estimate, found.ability_se) == pytest.approx((-2, 0.5), abs=1e-6)


def test_perfect_and_zero_answers_stay_finite() -> None:
    of = bank()
    for value in (0.0, 1.0):
        found = result(sat(begin(of, Plan(target_se=0.0)), np.full(200, value)))
        assert np.isfinite([found.ability.estimate, found.ability_se, found.score.low, found.score.high]).all()


def test_what_does_not_fit_is_refused_in_words() -> None:
    of = bank(20)
    state = answered(begin(of, Plan()), Ask(3, "adaptive"), 1)
    with pytest.raises(UsageError, match="asked already"):
        answered(state, Ask(3, "random"), 1)
    with pytest.raises(UsageError, match="neither right nor wrong"):
        answered(state, Ask(4, "adaptive"), 0.5)
    with pytest.raises(UsageError, match="no item 20"):
        answered(state, Ask(20, "adaptive"), 1)
    with pytest.raises(UsageError, match="no item of 'west'"):
        begin(of, Plan(topic_shares={"west": 1.0}))
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
        {"budget": 0, "random_items": 0},
        {"budget": 5, "random_items": 6},
        {"top_k": 0},
        {"strata": 0},
        {"prior_sd": 0.0},
        {"misfit_sd": -1.0},
        {"topic_shares": {"x": -1.0}},
    ],
)
def test_a_plan_that_cannot_be_followed_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Plan(**wrong)  # type: ignore[arg-type]
