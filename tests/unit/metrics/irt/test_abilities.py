"""Reported abilities: from an examinee's own answers, with errors that hold, and no number where none is measured."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from viva.core.estimates import Ability, OutsideAbility
from viva.metrics.irt.abilities import error_loadings, reported_abilities, warm_abilities
from viva.metrics.irt.model.curves import probability_3pl

Floats = NDArray[np.float64]
DRAW = np.random.default_rng(0)
A, B, C = np.exp(DRAW.normal(0, 0.3, 80)), DRAW.normal(0, 1, 80), np.full(80, 0.25)


def told_of(rows: ArrayLike, b: Floats = B) -> tuple[Ability | OutsideAbility | None, ...]:
    return reported_abilities(rows, *warm_abilities(rows, A, b, C), (A, b, C))


def answered(theta: list[float], seed: int = 1) -> Floats:
    p = probability_3pl(theta, A, B, C)
    return (np.random.default_rng(seed).random(p.shape) < p).astype(np.float64)


def test_abilities_are_the_weighted_likelihood_estimates_of_catr() -> None:
    # catR 3.17: six items (a, b, c), answers 1 1 0 1 0 1
    items = np.array(
        [[1.2, -1, 0.25], [0.8, 0, 0.2], [1.5, 0.5, 0.25], [2, 1, 0.3], [0.6, -0.5, 0.15], [1, 1.5, 0.25]]
    )
    assert warm_abilities([[1, 1, 0, 1, 0, 1]], *items.T)[0] == pytest.approx(0.692057, abs=1e-4)


def test_intervals_hold_the_true_ability() -> None:
    theta = np.linspace(-0.5, 2, 200)
    told = told_of(answered(theta.tolist()))
    held = [
        abs(own.theta - t) < 1.96 * own.se for own, t in zip(told, theta, strict=True) if isinstance(own, Ability)
    ]
    assert len(held) > 180
    assert 0.9 < np.mean(held) <= 0.99


@pytest.mark.parametrize(
    ("row", "side"),
    [(np.ones(80), "above"), (np.zeros(80), "below"), ((np.arange(80) % 4 == 0).astype(float), "below")],
)
def test_all_right_none_right_and_the_share_of_guessing_are_no_number(row: Floats, side: str) -> None:
    [found] = told_of([row])
    assert isinstance(found, OutsideAbility)
    assert found.side == side
    assert side in found.sentence
    # at the bound so few or so many right answers would be a surprise, or just not be one
    p = probability_3pl(found.bound, A, B, C)
    z = (row.sum() - p.sum()) / np.sqrt((p * (1 - p)).sum())
    assert z * (1 if side == "above" else -1) > 1.95


def test_an_ability_that_the_questions_hardly_tell_is_no_number() -> None:
    easy = B - 6
    row = (np.random.default_rng(2).random(80) < probability_3pl(0.0, A, easy, C)[0]).astype(float)
    [found] = told_of([row], easy)
    assert isinstance(found, OutsideAbility)
    assert found.side == "above"


def test_without_an_answer_there_is_no_ability() -> None:
    assert told_of([np.full(80, np.nan)]) == (None,)


def test_answers_against_the_model_have_the_wider_error_of_resampled_items() -> None:
    fits, strays = answered([0.8])[0], np.zeros(80)
    # as many right answers, but the hard items
    strays[np.argsort(-B)[: int(fits.sum())]] = 1.0
    told = told_of([fits, strays])
    by_information = warm_abilities([fits, strays], A, B, C)[1]
    assert isinstance(told[0], Ability)
    assert told[0].se == pytest.approx(by_information[0])
    assert not isinstance(told[1], Ability) or told[1].se > 1.3 * by_information[1]
    assert told_of([fits, strays]) == told


def test_errors_of_examinees_that_go_wrong_together_correlate() -> None:
    rows = answered([0.5, 0.5, 0.5])
    rows[1] = rows[0]
    theta, se = warm_abilities(rows, A, B, C)
    loadings = error_loadings(rows, theta, se, A, B, C)
    covariance = loadings @ loadings.T
    np.testing.assert_allclose(np.diag(covariance), se**2)
    assert covariance[0, 1] == pytest.approx(se[0] ** 2)
    assert abs(covariance[0, 2]) < 0.4 * se[0] * se[2]
