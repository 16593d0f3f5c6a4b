"""Accuracy on the whole exam, from a random sample of its questions."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from by_hand import exam, response
from numpy.typing import NDArray

from viva.core.records import Examinee, Failure, FailureKind
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.sampled import Bank, drawing_order, drawn_ids, sample_score, whole_exam_accuracy

Floats = NDArray[np.float64]
RTE = Path(__file__).parents[4] / "shared/calibration/irt_matrices/nlu_rte.csv"


def bank(items: int = 200, seed: int = 0) -> Bank:
    rng = np.random.default_rng(seed)
    return Bank(np.exp(rng.normal(0, 0.5, items)), rng.normal(0, 1, items), np.full(items, 0.25))


def answers_of(theta: float, of: Bank, seed: int) -> Floats:
    p = probability_3pl(theta, of.a, of.b, of.c)[0]
    return np.asarray(np.random.default_rng(seed).random(len(of.a)) < p, dtype=np.float64)


def drawn(of: Bank, answers: Floats, sample: int, seed: int = 0) -> dict[int, float]:
    order = drawing_order([""] * len(of.a), of.b, seed)
    return {item: float(answers[item]) for item in order[:sample]}


def test_drawn_items_are_spread_over_all_difficulties() -> None:
    of = bank()
    asked = drawing_order([""] * 200, of.b, 1)[:16]
    fifths = np.array_split(np.argsort(of.b), 5)
    assert all(3 <= len(set(part.tolist()) & set(asked)) <= 4 for part in fifths)


def test_drawn_items_fall_on_topics_in_their_shares_at_any_length() -> None:
    topics = ["north" if n % 4 else "south" for n in range(200)]
    asked = drawing_order(topics, bank().b, 2)
    assert sorted(asked) == list(range(200))
    assert all(abs([topics[i] for i in asked[:n]].count("south") - n / 4) <= 1.5 for n in range(1, 41))


def test_every_item_is_as_likely_as_any_other_to_be_drawn() -> None:
    of = bank(12)
    counts = np.bincount([i for seed in range(240) for i in drawing_order([""] * 12, of.b, seed)[:3]], minlength=12)
    # 60 expected of each, with a standard deviation of 7
    assert counts.min() > 35
    assert counts.max() < 85


def test_topics_too_small_for_a_question_of_their_own_are_drawn_as_one() -> None:
    whole = exam(40)
    items = [
        shown.model_copy(update={"item": shown.item.model_copy(update={"topic": "large" if n < 20 else f"own {n}"})})
        for n, shown in enumerate(whole.items)
    ]
    topics = {shown.item.id: shown.item.topic for shown in items}
    order = drawn_ids(whole.model_copy(update={"items": tuple(items)}), None, 15, 3)
    assert all(abs([topics[i] for i in order[:n]].count("large") - n / 2) <= 1.5 for n in range(1, 16))


def test_where_every_item_was_asked_the_accuracy_is_what_was_answered() -> None:
    of = bank(12)
    answers = answers_of(0.0, of, 4)
    found = whole_exam_accuracy(of, drawn(of, answers, 12))
    assert (found.value, found.low, found.high) == pytest.approx((answers.mean(),) * 3)


def test_the_accuracy_on_the_whole_exam_is_near_the_truth_and_its_interval_holds_it() -> None:
    errors, shares, held = [], [], []
    for seed in range(25):
        of = bank(300, seed)
        answers = answers_of(float(np.random.default_rng(seed).normal()), of, seed + 1000)
        asked = drawn(of, answers, 20, seed)
        found = whole_exam_accuracy(of, asked)
        errors.append(found.value - answers.mean())
        shares.append(np.mean(list(asked.values())) - answers.mean())
        held.append(found.low <= answers.mean() <= found.high)
    assert np.abs(errors).mean() < 0.9 * np.abs(shares).mean()
    assert np.mean(held) >= 0.9


def test_more_drawn_items_correct_a_model_that_is_wrong() -> None:
    """Half the items are far harder than calibrated."""
    of = bank(400)
    truth = replace(of, b=np.where(of.a < np.median(of.a), of.b + 2.5, of.b))
    bias = {
        sample: np.mean([_error(of, answers_of(0.5, truth, seed), sample, seed) for seed in range(6)])
        for sample in (5, 40, 200)
    }
    assert bias[5] > bias[40] > bias[200]
    assert abs(bias[200]) < 0.03


def _error(of: Bank, answers: Floats, sample: int, seed: int) -> float:
    return whole_exam_accuracy(of, drawn(of, answers, sample, seed)).value - float(answers.mean())


def test_an_examinee_of_whom_nothing_was_graded_is_like_those_who_answered_all() -> None:
    of = bank()
    found = whole_exam_accuracy(replace(of, ability_mean=-2.0, ability_sd=0.5), {})
    assert found.low < probability_3pl(-2.0, of.a, of.b, of.c).mean() < found.high


def test_perfect_and_zero_answers_stay_finite() -> None:
    of = bank()
    for value in (0.0, 1.0):
        found = whole_exam_accuracy(of, drawn(of, np.full(200, value), 20))
        assert np.isfinite([found.value, found.low, found.high]).all()


@pytest.mark.parametrize("examinees", [5, 40])
def test_on_real_answers_it_beats_the_share_of_drawn_items_and_its_interval_holds(examinees: int) -> None:
    if not RTE.exists():
        pytest.skip("the calibration data (shared/calibration) are not beside this checkout")
    with RTE.open(encoding="utf-8", newline="") as file:
        responses = np.array([[float(cell) for cell in row[1:]] for row in list(csv.reader(file))[1:]])
    order = np.random.default_rng(0).permutation(len(responses))
    own = fit(responses[order[:examinees]], options=2)
    of = Bank(own.a, own.b, own.c, float(own.theta.mean()), float(own.theta.std(ddof=1)))
    errors, shares, held = [], [], []
    for model in order[40::2]:
        row = responses[model]
        asked = drawn(of, row, 20, int(model))
        found = whole_exam_accuracy(of, asked)
        errors.append(abs(found.value - row.mean()))
        shares.append(abs(np.mean(list(asked.values())) - row.mean()))
        held.append(found.low <= row.mean() <= found.high)
    assert np.mean(errors) < np.mean(shares)
    assert np.mean(held) >= 0.9


def test_without_scores_the_accuracy_is_the_share_of_right_answers_and_failures_are_wrong() -> None:
    whole, who = exam(40), Examinee(id="new", name="new", spec="s")
    own = [response("new", shown, shown.key_position if n < 6 else None) for n, shown in enumerate(whole.items[:8])]
    failure = Failure(kind=FailureKind.RAISED, detail="no index")
    own[7] = own[7].model_copy(update={"failure": failure})
    found = sample_score(who, whole, None, own, {})
    assert (found.asked, found.items, found.ungraded, found.no_choice, found.by_model) == (8, 40, 1, 1, False)
    assert found.failures == {"raised": 1}
    assert found.accuracy is not None
    assert found.accuracy.value == pytest.approx(6 / 8)
    assert found.accuracy.low < 6 / 7 < found.accuracy.high
