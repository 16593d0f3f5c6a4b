"""Accuracy on the whole exam, from a sitting of a part of it."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from item_banks import answers_of, bank, sat

from viva.metrics.irt.adaptive.bank import AdaptivePlan, Bank, chosen_items
from viva.metrics.irt.adaptive.sitting import Stop, begin, next_item, result
from viva.metrics.irt.fit.estimation import fit

RTE = Path(__file__).parents[6] / "shared/calibration/irt_matrices/nlu_rte.csv"


def test_a_small_bank_is_exhausted_and_its_score_is_then_what_was_answered() -> None:
    of = bank(12)
    answers = answers_of(0.0, of, 4)
    for chosen in (40, 8, 0):
        state = sat(begin(of, AdaptivePlan(target_se=0.0, budget=40, chosen=chosen)), answers)
        found = result(state).score
        assert next_item(state) == Stop("bank exhausted")
        assert found.estimate == pytest.approx(answers.mean())
        assert (found.low, found.high) == pytest.approx((answers.mean(), answers.mean()))


def test_the_score_of_the_whole_exam_is_near_the_truth_and_its_interval_holds_it() -> None:
    errors, raw, held = [], [], []
    for seed in range(25):
        of = bank(300, seed)
        theta = float(np.random.default_rng(seed).normal())
        answers = answers_of(theta, of, seed + 1000)
        state = sat(begin(of, AdaptivePlan(target_se=0.0, budget=20, seed=seed)), answers)
        score = result(state).score
        errors.append(score.estimate - answers.mean())
        raw.append(answers[state.asked("adaptive")].mean() - answers.mean())
        held.append(score.low <= answers.mean() <= score.high)
    assert np.abs(errors).mean() < 0.05
    assert np.abs(raw).mean() > 1.5 * np.abs(errors).mean()
    assert np.mean(held) >= 0.9


@pytest.mark.slow
def test_random_items_correct_a_model_that_is_wrong() -> None:
    """Half the bank is far harder than calibrated, and the adaptive items do not show it."""
    of = bank(400)
    hidden = of.a < np.median(of.a)
    truth = replace(of, b=np.where(hidden, of.b + 2.5, of.b))
    errors: dict[int, list[float]] = {0: [], 20: [], 100: []}
    for seed in range(4):
        answers = answers_of(0.5, truth, seed)
        for drawn, found in errors.items():
            plan = AdaptivePlan(target_se=0.0, budget=20 + drawn, chosen=20, seed=seed)
            found.append(result(sat(begin(of, plan), answers)).score.estimate - float(answers.mean()))
    bias = {drawn: float(np.mean(found)) for drawn, found in errors.items()}
    assert bias[0] > 0.1
    assert bias[20] < 0.8 * bias[0]
    assert abs(bias[100]) < 0.3 * bias[0]


@pytest.mark.parametrize("examinees", [5, 40])
def test_on_real_answers_a_sitting_beats_the_share_of_drawn_items_and_its_interval_holds(examinees: int) -> None:
    if not RTE.exists():
        pytest.skip("the calibration data (shared/calibration) are not beside this checkout")
    with RTE.open(encoding="utf-8", newline="") as file:
        responses = np.array([[float(cell) for cell in row[1:]] for row in list(csv.reader(file))[1:]])
    order = np.random.default_rng(0).permutation(len(responses))
    own = fit(responses[order[:examinees]], options=2)
    plan = AdaptivePlan(
        target_se=0.0,
        budget=20,
        chosen=chosen_items(20, examinees),
        prior_mean=float(own.theta.mean()),
        prior_sd=float(own.theta.std(ddof=1)),
    )
    errors, shares, held = [], [], []
    for model in order[40::2]:
        row = responses[model]
        state = sat(begin(Bank(own.a, own.b, own.c), replace(plan, seed=int(model))), row)
        at_random = sat(begin(state.bank, replace(plan, seed=int(model), chosen=0)), row).asked("random")
        score = result(state).score
        errors.append(abs(score.estimate - row.mean()))
        shares.append(abs(row[at_random].mean() - row.mean()))
        held.append(score.low <= row.mean() <= score.high)
    assert np.mean(errors) < np.mean(shares)
    assert np.mean(held) >= 0.9
