"""What a caller says and gets: arguments refused in words, effects and contrasts, the choice of method."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt import Continuous, Fit, binarised, probability_3pl
from viva.metrics.irt.fit.estimation import fit

Floats = NDArray[np.float64]
ONES = np.ones((2, 2))
READERS = {"weak": -0.8, "strong": 0.8}
RETRIEVERS = {"none": -0.5, "bm25": 0.1, "dense": 0.4}
PAIRS = [(r, s) for r in READERS for s in RETRIEVERS for _ in range(2)]
COMPONENTS = {"reader": [r for r, _ in PAIRS], "retriever": [s for _, s in PAIRS]}


def answered(theta: Floats, items: int, seed: int, c: float = 0.25) -> Floats:
    draw = np.random.default_rng(seed)
    p = probability_3pl(theta, np.ones(items), draw.normal(0, 1, items), np.full(items, c))
    return (draw.random(p.shape) < p).astype(np.float64)


RESPONSES = answered(np.array([READERS[r] + RETRIEVERS[s] for r, s in PAIRS]), 200, 5)
FOUND = fit(RESPONSES, components=COMPONENTS)


def test_component_effects_sum_to_zero_and_contrast_as_in_the_truth() -> None:
    for levels in FOUND.effects.values():
        assert sum(effect.estimate for effect in levels.values()) == pytest.approx(0, abs=1e-9)
    contrast = FOUND.contrast("reader", "strong", "weak")
    assert abs(contrast.estimate - 1.6) < 2.5 * contrast.se < 1.6
    assert contrast.low < contrast.estimate < contrast.high
    assert contrast.p_value < 1e-4
    back = FOUND.contrast("reader", "weak", "strong")
    assert (back.estimate, back.low) == pytest.approx((-contrast.estimate, -contrast.high))
    assert FOUND.contrast("reader", "weak", "weak").estimate == 0
    with pytest.raises(UsageError, match="reader=absent"):
        FOUND.contrast("reader", "absent", "weak")
    with pytest.raises(UsageError, match="There is no effect of moon"):
        FOUND.contrasts("moon")


def test_adjusted_contrasts_are_wider_and_less_sure_than_single_ones() -> None:
    alone, joint, holm = (FOUND.contrasts("retriever", adjust=how) for how in ("none", "max-t", "holm"))
    assert [(c.level, c.reference) for c in joint] == [("dense", "bm25"), ("none", "bm25"), ("none", "dense")]
    for single, together, bonferroni in zip(alone, joint, holm, strict=True):
        assert single.high - single.low < together.high - together.low < bonferroni.high - bonferroni.low
        assert single.p_value < together.p_value + 1e-3
        assert single.p_value <= bonferroni.p_value
    assert joint == FOUND.contrasts("retriever")
    assert len(FOUND.contrasts()) == 4
    with pytest.raises(UsageError, match="adjustment"):
        FOUND.contrasts(adjust="tukey")  # type: ignore[arg-type]


def test_a_contrast_in_score_has_the_sign_of_the_effect_and_is_a_share() -> None:
    score = FOUND.score_contrast("reader", "strong", "weak")
    assert 0.1 < score.low < score.estimate < score.high < 0.75
    middle = FOUND.theta.mean()
    expected = FOUND.expected_score([middle + 0.8])[0] - FOUND.expected_score([middle - 0.8])[0]
    assert score.estimate == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize("reference", ["bm25", "dense", "none"])
def test_a_contrast_in_score_hangs_on_no_reference_level(reference: str) -> None:
    referred = fit(RESPONSES, components=COMPONENTS, references={"retriever": reference})
    one, other = (each.score_contrast("retriever", "dense", "none") for each in (FOUND, referred))
    assert (one.estimate, one.se) == pytest.approx((other.estimate, other.se), abs=1e-6)


def test_a_reference_level_stands_at_zero_and_contrasts_stay() -> None:
    referred = fit(RESPONSES, components=COMPONENTS, references={"retriever": "none"})
    assert referred.effects["retriever"]["none"].estimate == 0
    assert referred.effects["retriever"]["none"].se == 0
    one, other = (each.contrast("retriever", "dense", "none") for each in (FOUND, referred))
    assert (one.estimate, one.se) == pytest.approx((other.estimate, other.se))
    with pytest.raises(UsageError, match="is no level of 'retriever'"):
        fit(RESPONSES, components=COMPONENTS, references={"retriever": "moon"})


def test_an_interaction_is_found_where_there_is_one() -> None:
    helped = [READERS[r] + RETRIEVERS[s] + (1.0 if (r, s) == ("strong", "dense") else 0.0) for r, s in PAIRS]
    responses = answered(np.array(helped), 300, 6)
    found = fit(responses, components=COMPONENTS, interactions=[("reader", "retriever")])
    effect = found.effects["reader:retriever"]["strong:dense"]
    assert effect.estimate == pytest.approx(1 / 3, abs=3 * effect.se)
    assert effect.estimate > 2 * effect.se
    assert sum(each.estimate for each in found.effects["reader:retriever"].values()) == pytest.approx(0, abs=1e-9)


def test_a_continuous_component_comes_back_as_line_and_parabola() -> None:
    k = np.tile([1.0, 2.0, 4.0, 6.0, 8.0], 6)
    responses = answered(0.25 * (k - 4.2) - 0.1 * (k - 4.2) ** 2, 300, 7)
    effects = fit(responses, components={"k": Continuous(list(k), degree=2)}).effects["k"]
    assert effects["linear"].estimate == pytest.approx(0.25, abs=3 * effects["linear"].se)
    assert effects["quadratic"].estimate == pytest.approx(-0.1, abs=3 * effects["quadratic"].se)
    assert effects["quadratic"].estimate < -2 * effects["quadratic"].se


def test_expected_scores_lie_near_the_observed_ones_and_rise_with_ability() -> None:
    for interval, row in zip(FOUND.expected_scores(), RESPONSES, strict=True):
        assert interval.low < interval.value < interval.high
        assert interval.value == pytest.approx(row.mean(), abs=0.12)
    curve = FOUND.expected_score(np.linspace(-4, 4, 9))
    assert (np.diff(curve) > 0).all()
    assert FOUND.standard_error([-4.0, 0.0])[0] > FOUND.standard_error([0.0])[0]


def test_predictions_are_probabilities_of_every_cell() -> None:
    predicted = FOUND.predict()
    assert predicted.shape == RESPONSES.shape
    assert ((predicted > 0) & (predicted < 1)).all()
    assert FOUND.predict([0.0, 1.0]).shape == (2, 200)
    assert predicted.mean() == pytest.approx(RESPONSES.mean(), abs=0.02)


@pytest.mark.parametrize(
    ("shape", "method"),
    [((20, 30), "mml-items"), ((400, 12), "map"), ((160, 200), "map")],
)
def test_the_method_is_chosen_by_size_with_the_reason(shape: tuple[int, int], method: str) -> None:
    draw = np.random.default_rng(8)
    found = fit(answered(draw.normal(0, 1, shape[0]), shape[1], 9), model="2pl")
    assert found.method == method
    assert f"{shape[0]} examinees" in found.message
    assert np.isfinite(found.theta_se).all()


def test_components_are_read_from_the_joint_mode_too() -> None:
    draw = np.random.default_rng(10)
    group = draw.integers(0, 2, 600)
    responses = answered(np.where(group == 1, 0.5, -0.5) + draw.normal(0, 0.8, 600), 25, 11, c=0.0)
    contrast = fit(responses, components={"group": group}, model="2pl").contrast("group", "1", "0")
    assert contrast.estimate == pytest.approx(1, abs=4 * contrast.se)


REFUSED: list[tuple[str, Callable[[], Fit]]] = [
    ("dimension", lambda: fit([1.0, 0.0])),
    ("neither right nor wrong", lambda: fit(ONES / 2)),
    ("Component 'r' is given for 1 of 2", lambda: fit(ONES, components={"r": ["a"]})),
    ("Names are given for 1", lambda: fit(ONES, examinees=["a"])),
    ("named twice", lambda: fit(ONES, examinees=["a", "a"])),
    ("1 options", lambda: fit(ONES, options=1)),
    ("no model '4pl'", lambda: fit(ONES, model="4pl")),
    ("'model' is given for 1 of 2", lambda: fit(ONES, model=["2pl"])),
    ("no method 'magic'", lambda: fit(ONES, method="magic")),
    ("guessing", lambda: fit(ONES, guessing=1.0)),
    ("'guessing' is given for 3 of 2", lambda: fit(ONES, guessing=[0.1, 0.1, 0.1])),
    ("no component", lambda: fit(ONES, references={"r": "a"})),
    ("no component", lambda: fit(ONES, components={"r": ["a", "b"]}, interactions=[("r", "s")])),
    ("degree 3", lambda: fit(ONES, components={"k": Continuous([1.0, 2.0], degree=3)})),
    ("too large", lambda: fit(ONES, components={"k": Continuous([1.0, np.inf])})),
    ("'mml-persons' is gone: map serves", lambda: fit(ONES, method="mml-persons")),
    ("benchmarks/irt/guinet2024.py", lambda: fit(ONES, method="guinet2024")),
]


@pytest.mark.parametrize(("words", "call"), REFUSED)
def test_arguments_that_do_not_fit_together_are_refused(words: str, call: Callable[[], Fit]) -> None:
    with pytest.raises(UsageError, match=words):
        call()


def test_graded_scores_are_cut_or_refused() -> None:
    cut = binarised([[0.5, 0.49, np.nan, 1.0]])
    np.testing.assert_array_equal(cut, [[1.0, 0.0, np.nan, 1.0]])
    assert binarised([0.5], at=0.6)[0] == 0
    with pytest.raises(UsageError, match="outside 0 to 1"):
        binarised([1.2])
    with pytest.raises(UsageError, match="cut at 0"):
        binarised([0.2], at=0.0)
