"""The expected score is what was seen where it was seen, and its interval holds on further questions."""

from __future__ import annotations

import numpy as np
import pytest

from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.model.result import expected_scores


def test_where_all_was_asked_it_is_the_share_of_right_answers() -> None:
    draw = np.random.default_rng(0)
    b = draw.normal(0, 1, 150)
    responses = (draw.random((12, 150)) < 1 / (1 + np.exp(b - draw.normal(0, 1, (12, 1))))).astype(np.float64)
    responses[0] = 0.0
    responses[0, :7] = 1.0
    responses[1] = 0.0
    responses[1, ::2] = 1.0
    for model in ("auto", "3pl"):
        scores = fit(responses, model=model).expected_scores()
        assert [each.value for each in scores] == pytest.approx(responses.mean(axis=1).tolist())
        assert scores[0].low < 7 / 150 < scores[0].high < 0.12


def test_what_was_not_graded_is_predicted_and_widens_the_interval() -> None:
    draw = np.random.default_rng(1)
    theta, b = np.linspace(-1.5, 1.5, 20), np.linspace(-2, 2, 120)
    responses = (draw.random((20, 120)) < 1 / (1 + np.exp(b - theta[:, None]))).astype(np.float64)
    holes = responses.copy()
    # of the middle one only the easy half is graded
    holes[10, 60:] = np.nan
    whole, partial = fit(responses).expected_scores()[10], fit(holes).expected_scores()[10]
    assert np.nanmean(holes[10]) > whole.value + 0.15
    assert partial.value == pytest.approx(whole.value, abs=0.08)
    assert partial.high - partial.low > whole.high - whole.low


@pytest.mark.slow
def test_intervals_hold_on_the_questions_left_out_whatever_the_curves() -> None:
    held = []
    for seed in range(30):
        draw = np.random.default_rng(seed)
        # no model's curves: two abilities, lapses, and guessing at some items alone
        ability, load = draw.normal(0, 1, (16, 2)), draw.normal(0, 1, (2, 1500))
        floor = np.where(draw.random(1500) < 0.5, 0.0, 0.25)
        p = floor + (0.93 - floor) / (1 + np.exp(-ability @ load - draw.normal(0, 1, 1500)))
        responses = (draw.random(p.shape) < p).astype(np.float64)
        truth = responses[:, 49:].mean(axis=1)
        scores = fit(responses[:, :49]).expected_scores()
        held += [each.low <= share <= each.high for each, share in zip(scores, truth.tolist(), strict=True)]
    assert 0.92 < np.mean(held) < 0.99


def test_of_whom_nothing_was_graded_anything_may_be_expected() -> None:
    responses = np.array([[np.nan] * 4, [1.0, 0.0, 1.0, 1.0]])
    (nothing, some) = expected_scores(responses, np.full((2, 4), 0.6))
    assert (nothing.value, nothing.low, nothing.high) == (pytest.approx(0.6), 0.0, 1.0)
    assert some.value == 0.75
