"""Item fit, local dependence and held-out cells: agreement with mirt, known parameters, and refusals in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt.checks import s_x2
from viva.metrics.irt.checks.discoveries import benjamini_hochberg, expected_false_share
from viva.metrics.irt.checks.held_out import HeldOut, held_out, split_cells
from viva.metrics.irt.checks.item_fit import MeanSquares, mean_squares
from viva.metrics.irt.checks.local_dependence import Dependence, local_dependence
from viva.metrics.irt.checks.s_x2 import ScoreFit, score_fit
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.responses import NotJudged

Floats = NDArray[np.float64]
REFERENCE = Path(__file__).parents[6] / "shared/reference/irt"


@pytest.fixture(scope="module")
def mirt() -> dict[str, Any]:
    if not REFERENCE.is_dir():
        pytest.skip("the reference results (shared/reference/irt) are not beside this checkout")
    found: dict[str, Any] = json.loads((REFERENCE / "golden_mirt.json").read_text("utf-8"))
    found["responses"] = np.loadtxt(REFERENCE / "G_3PL.csv", delimiter=",")
    return found


def items(model: dict[str, Any]) -> tuple[Floats, Floats, Floats]:
    a, b, c = (np.array([item[name] for item in model["items"]], dtype=np.float64) for name in "abg")
    return a, b, c


def column(table: list[dict[str, Any]], name: str) -> Floats:
    return np.array([row[name] for row in table], dtype=np.float64)


def simulated(seed: int, examinees: int, count: int) -> tuple[Floats, Floats, tuple[Floats, Floats, Floats]]:
    """Responses, true probabilities and item parameters."""
    draw = np.random.default_rng(seed)
    parameters = np.exp(draw.normal(0, 0.3, count)), draw.normal(0, 1, count), np.full(count, 0.2)
    p = probability_3pl(draw.normal(0, 1, examinees), *parameters)
    return (draw.random(p.shape) < p).astype(np.float64), p, parameters


@pytest.mark.parametrize(("model", "free"), [("twopl", 2), ("threepl", 3)])
def test_s_x2_is_that_of_mirt(mirt: dict[str, Any], model: str, free: int) -> None:
    found = score_fit(mirt["responses"], *items(mirt[model]), fitted_parameters=free)
    assert isinstance(found, ScoreFit)
    table = mirt[model]["SX2"]
    np.testing.assert_allclose(found.statistic, column(table, "S_X2"), atol=1e-6)
    np.testing.assert_array_equal(found.df, column(table, "df.S_X2"))
    np.testing.assert_allclose(found.p_value, column(table, "p.S_X2"), atol=1e-7)


def test_q3_is_that_of_mirt(mirt: dict[str, Any]) -> None:
    parameters, nodes = items(mirt["threepl"]), np.linspace(-6, 6, 61)
    right = probability_3pl(nodes, *parameters)
    y = mirt["responses"]
    weight = np.exp(y @ np.log(right).T + (1 - y) @ np.log1p(-right).T - nodes**2 / 2)
    theta = weight @ nodes / weight.sum(axis=1)
    found = local_dependence(y, probability_3pl(theta, *parameters))
    assert isinstance(found, Dependence)
    np.testing.assert_allclose(found.q3[:6, :6], mirt["threepl"]["Q3"], atol=1e-7)


def test_infit_and_outfit_are_those_of_mirt(mirt: dict[str, Any]) -> None:
    y, (_, b, _) = mirt["responses"], items(mirt["rasch"])
    scores = y.sum(axis=1)
    theta = np.zeros(len(y))
    for _ in range(50):
        p = 1 / (1 + np.exp(b - theta[:, None]))
        theta = np.clip(theta + (scores - p.sum(axis=1)) / (p * (1 - p)).sum(axis=1), -9, 9)
    # mirt sets a perfect score .1 above the highest of the others
    theta[scores == len(b)] = theta[scores < len(b)].max() + 0.1
    found = mean_squares(y, 1 / (1 + np.exp(b - theta[:, None])))
    assert isinstance(found, MeanSquares)
    table = mirt["rasch"]["infit"]
    np.testing.assert_allclose(found.infit, column(table, "infit"), atol=1e-5)
    np.testing.assert_allclose(found.outfit, column(table, "outfit"), atol=1e-5)
    np.testing.assert_allclose(found.infit_z, column(table, "z.infit"), atol=1e-4)
    np.testing.assert_allclose(found.outfit_z, column(table, "z.outfit"), atol=1e-4)


def test_s_x2_of_a_true_model_rejects_about_as_often_as_it_says() -> None:
    rejected = []
    for seed in range(6):
        y, _, parameters = simulated(seed, 500, 20)
        found = score_fit(y, *parameters, fitted_parameters=0)
        assert isinstance(found, ScoreFit)
        rejected += (found.p_value < 0.05).tolist()
    assert 0.01 <= np.mean(rejected) <= 0.11


def test_s_x2_sees_an_item_whose_slope_is_wrong() -> None:
    y, _, (a, b, c) = simulated(1, 800, 20)
    middling = int(np.abs(b).argmin())
    found = score_fit(y, np.where(np.arange(20) == middling, 3 * a, a), b, c)
    assert isinstance(found, ScoreFit)
    assert found.adjusted[middling] < 1e-3
    assert found.p_value.argmin() == middling


def test_score_groups_are_merged_from_both_ends_until_each_expects_enough() -> None:
    right = np.array([0.2, 0.5, 0.9, 3.0, 4.0, 5.0, 5.0])
    wrong = np.array([4.0, 4.0, 4.0, 3.0, 2.0, 0.7, 0.1])
    groups = np.stack([right, wrong, right, wrong], axis=1)
    found = s_x2._merged(groups)
    np.testing.assert_allclose(found[:, 2], [1.6, 3.0, 14.0])
    np.testing.assert_allclose(found.sum(axis=0), groups.sum(axis=0))


def test_s_x2_is_refused_in_words_with_few_examinees() -> None:
    y, _, parameters = simulated(0, 63, 20)
    refused = score_fit(y, *parameters)
    assert isinstance(refused, NotJudged)
    assert "63 examinees" in refused.reason


def test_mean_squares_of_the_true_model_are_near_one_and_z_near_standard_normal() -> None:
    y, p, _ = simulated(3, 300, 200)
    found = mean_squares(y, p)
    assert isinstance(found, MeanSquares)
    assert found.infit.mean() == pytest.approx(1, abs=0.01)
    assert found.outfit.mean() == pytest.approx(1, abs=0.02)
    assert found.infit_z.std() == pytest.approx(1, abs=0.15)


def test_noise_raises_infit_and_a_missing_cell_changes_nothing_else() -> None:
    y, p, _ = simulated(4, 300, 10)
    y[:, 3] = np.random.default_rng(0).random(300) < 0.5
    found = mean_squares(y, p)
    holed = y.copy()
    holed[7, 0] = np.nan
    other = mean_squares(holed, p)
    assert isinstance(found, MeanSquares)
    assert isinstance(other, MeanSquares)
    assert found.infit_z.argmax() == 3
    np.testing.assert_array_equal(found.infit[1:], other.infit[1:])


def test_a_duplicate_is_flagged_and_sound_pairs_are_not() -> None:
    y, p, _ = simulated(5, 63, 100)
    y[:, 10], p[:, 10] = y[:, 40], p[:, 40]
    found = local_dependence(y, p)
    assert isinstance(found, Dependence)
    assert [(pair.first, pair.second) for pair in found.pairs] == [(10, 40)]
    assert found.q3[10, 40] == pytest.approx(1)
    assert set(np.argsort(-found.strongest)[:2].tolist()) == {10, 40}


def test_true_models_rarely_yield_a_flagged_pair() -> None:
    flagged = 0
    for seed in range(20):
        y, p, _ = simulated(seed, 63, 60)
        found = local_dependence(y, p)
        assert isinstance(found, Dependence)
        flagged += len(found.pairs)
        assert abs(found.mean) < 0.02
    assert flagged <= 2


def test_steep_easy_items_that_share_ability_alone_are_not_flagged() -> None:
    flagged = 0
    for seed in range(3):
        draw = np.random.default_rng(seed)
        p = probability_3pl(
            draw.normal(0, 1.2, 63), np.exp(draw.normal(0.2, 0.4, 500)), draw.normal(-0.8, 1, 500), np.full(500, 0.25)
        )
        found = local_dependence((draw.random(p.shape) < p).astype(np.float64), p)
        assert isinstance(found, Dependence)
        flagged += len(found.pairs)
    assert flagged <= 1


def test_most_pairs_of_items_answered_alike_four_times_in_five_are_found() -> None:
    y, p, _ = simulated(7, 63, 150)
    alike = np.random.default_rng(7).random((63, 12)) < 0.8
    y[:, 100:112] = np.where(alike, y[:, :12], y[:, 100:112])
    p[:, 100:112] = 0.8 * p[:, :12] + 0.2 * p[:, 100:112]
    found = local_dependence(y, p)
    assert isinstance(found, Dependence)
    pairs = {(pair.first, pair.second) for pair in found.pairs}
    assert len(pairs & {(k, 100 + k) for k in range(12)}) >= 6
    assert len(pairs) <= 13


def test_pairs_with_constant_items_are_not_judged_and_hold_no_nan() -> None:
    y, p, _ = simulated(6, 63, 10)
    y[:, 0], y[:, 1] = 1.0, 0.0
    y[:40, 2] = np.nan
    y[40:, 3] = np.nan
    found = local_dependence(y, p)
    assert isinstance(found, Dependence)
    assert not found.judged[:2].any()
    assert not found.judged[2, 3]
    assert np.isfinite(found.q3).all()
    assert np.isfinite(found.strongest).all()
    assert isinstance(local_dependence(y[:5], p[:5]), NotJudged)


def test_the_true_model_beats_both_means_on_held_out_cells() -> None:
    y, p, _ = simulated(7, 60, 150)
    found = held_out(y, lambda _: p, seed=3)
    assert isinstance(found, HeldOut)
    assert found.cells == pytest.approx(0.2 * y.size, abs=1)
    for baseline in (found.item_mean, found.examinee_mean):
        assert baseline.log_loss_gain.low > 0
        assert baseline.brier_gain.low > 0
        assert baseline.log_loss - found.log_loss == pytest.approx(baseline.log_loss_gain.value)


def test_a_predictor_is_not_shown_the_cells_it_is_asked_for() -> None:
    y, p, _ = simulated(8, 30, 40)
    shown: list[Floats] = []

    def predict(seen: Floats) -> Floats:
        shown.append(seen)
        return p

    held_out(y, predict, seed=5)
    hidden = split_cells(y, seed=5)
    assert np.isnan(shown[0][hidden]).all()
    np.testing.assert_array_equal(shown[0][~hidden], y[~hidden])


def test_a_predictor_that_repeats_the_item_mean_gains_nothing_over_it() -> None:
    y, _, _ = simulated(9, 50, 80)

    def item_mean(seen: Floats) -> Floats:
        overall = (np.nansum(seen) + 1) / ((~np.isnan(seen)).sum() + 2)
        mean = (np.nansum(seen, axis=0) + 2 * overall) / ((~np.isnan(seen)).sum(axis=0) + 2)
        return np.broadcast_to(mean, seen.shape)

    found = held_out(y, item_mean)
    assert isinstance(found, HeldOut)
    gain = found.item_mean.log_loss_gain
    assert (gain.low, gain.value, gain.high) == pytest.approx((0, 0, 0), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.floats(0.05, 0.95), st.floats(0, 0.9), st.integers(0, 1000))
def test_a_split_leaves_every_examinee_and_item_a_cell(
    examinees: int, count: int, held: float, missing: float, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    y = np.where(draw.random((examinees, count)) < missing, np.nan, draw.integers(0, 2, (examinees, count)))
    graded, hidden = ~np.isnan(y), split_cells(y, held=held, seed=seed)
    assert not (hidden & ~graded).any()
    np.testing.assert_array_equal((graded & ~hidden).any(axis=0), graded.any(axis=0))
    np.testing.assert_array_equal((graded & ~hidden).any(axis=1), graded.any(axis=1))
    np.testing.assert_array_equal(hidden, split_cells(y, held=held, seed=seed))


@pytest.mark.parametrize("bad", [np.full((20, 8), 1.2), np.full((20, 8), np.nan), np.full((20, 7), 0.5)])
def test_what_is_no_probability_is_refused(bad: Floats) -> None:
    y = (np.random.default_rng(0).random((20, 8)) < 0.5).astype(np.float64)
    with pytest.raises(UsageError):
        held_out(y, lambda _: bad)
    with pytest.raises(UsageError):
        mean_squares(y, bad)
    with pytest.raises(UsageError):
        local_dependence(y, bad)


def test_too_few_items_to_hold_out_are_refused_in_words() -> None:
    refused = held_out(np.ones((4, 3)), lambda seen: np.full(seen.shape, 0.5))
    assert isinstance(refused, NotJudged)


def test_benjamini_hochberg_is_the_published_example() -> None:
    # Benjamini & Hochberg (1995), section 3.2: at q = .05 the first four of these fifteen are rejected
    p = [
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
        *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
    ]
    adjusted = benjamini_hochberg(p[::-1])[::-1]
    assert (adjusted <= 0.05).tolist() == [True] * 4 + [False] * 11
    assert adjusted[3] == pytest.approx(0.0095 * 15 / 4)
    assert benjamini_hochberg([]).shape == (0,)


def test_the_expected_false_share_is_the_mean_of_the_surest() -> None:
    np.testing.assert_allclose(expected_false_share([0.4, 0.01, 0.03]), [0.44 / 3, 0.01, 0.02])
    with pytest.raises(UsageError):
        expected_false_share([0.4, np.nan])
