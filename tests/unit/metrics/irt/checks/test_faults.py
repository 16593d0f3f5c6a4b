"""Faulty items are found and sound ones left alone: wrong keys, leaks, lack of additivity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt.checks.competing_keys import rival_evidence
from viva.metrics.irt.checks.fault_evidence import OPEN, STRONG, SUFFICIENT, fault_evidence, leak_evidence
from viva.metrics.irt.checks.flags import surely_wrong_key
from viva.metrics.irt.checks.item_bias import ComponentFit, Leaks, component_fit, leaks, standardised_difference
from viva.metrics.irt.checks.wrong_keys import expected_information, share_abilities, slope_scores
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.responses import NotJudged

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEVELS = (3, 7, 3)


@dataclass(frozen=True, eq=False)
class Panel:
    """63 examinees of a 3 x 7 x 3 design with known abilities, and their responses to sound items."""

    responses: Floats
    theta: Floats
    a: Floats
    b: Floats
    c: Floats
    components: dict[str, list[str]]

    @property
    def p(self) -> Floats:
        return probability_3pl(self.theta, self.a, self.b, self.c)


def panel(seed: int, items: int = 150, spread: float = 0.6) -> Panel:
    draw = np.random.default_rng(seed)
    rows = np.array([(i, j, k) for i in range(3) for j in range(7) for k in range(3)])
    theta = sum((draw.normal(0, spread, n)[rows[:, f]] for f, n in enumerate(LEVELS)), np.zeros(63))
    a, b, c = np.exp(draw.normal(0, 0.4, items)), draw.normal(0, 1, items), draw.beta(5, 15, items)
    y = (draw.random((63, items)) < probability_3pl(theta, a, b, c)).astype(np.float64)
    names = {name: [f"{name}{row[f]}" for row in rows] for f, name in enumerate(("reader", "retriever", "prompt"))}
    return Panel(y, theta, a, b, c, names)


def drawn(p: Floats, seed: int = 0) -> Floats:
    return (np.random.default_rng(seed).random(p.shape) < p).astype(np.float64)


def auc(score: Floats, planted: list[int]) -> float:
    sound = np.delete(score, planted)
    return float((score[planted][:, None] > sound).mean())


def chosen(panel: Panel, keys: Ints, seed: int = 0) -> Ints:
    """Options chosen: the key where right, else one of the other three, unevenly."""
    draw = np.random.default_rng(seed)
    choices = np.empty(panel.responses.shape, dtype=np.int64)
    for j, key in enumerate(keys):
        others = np.delete(np.arange(4), key)
        wrong = draw.choice(others, 63, p=draw.dirichlet([2.0, 2.0, 2.0]))
        choices[:, j] = np.where(panel.responses[:, j] == 1, key, wrong)
    return choices


def test_wrong_keys_unanswerable_and_leaked_items_stand_out() -> None:
    panel_ = panel(1)
    y, p = panel_.responses.copy(), panel_.p
    wrong, unanswerable, leaked = list(range(5)), list(range(5, 10)), list(range(10, 15))
    y[:, wrong] = drawn((1 - p[:, wrong]) / 3)
    y[:, unanswerable] = drawn(np.full((63, 5), 0.25))
    y[:, leaked] = drawn(np.full((63, 5), 0.98))
    found = fault_evidence(y, panel_.theta)
    assert auc(found.wrong_key[[*wrong, *range(15, 150)]], wrong) > 0.98
    assert auc(found.unanswerable[[*unanswerable, *range(15, 150)]], list(range(5))) > 0.95
    assert auc(found.leaked[[*leaked, *range(15, 150)]], list(range(5))) > 0.95


@pytest.mark.parametrize("options", [2, 4, OPEN])
def test_planted_wrong_keys_are_among_the_first_to_read(options: int) -> None:
    panel_ = panel(2)
    y, wrong = panel_.responses.copy(), np.arange(5)
    hit = 0.05 if options == OPEN else 1 / (options - 1)
    y[:, wrong] = drawn((1 - panel_.p[:, wrong]) * hit)
    found = fault_evidence(y, panel_.theta, options=options)
    assert np.isin(wrong, found.reading_order[:10]).sum() >= 4
    assert sorted(found.reading_order.tolist()) == list(range(150))


def test_reversed_grades_of_answers_in_words_are_among_the_first_to_read() -> None:
    panel_ = panel(2, items=80)
    y, turned = panel_.responses.copy(), np.arange(5)
    y[:, turned] = 1 - y[:, turned]
    found = fault_evidence(y, share_abilities(y, panel_.p), options=OPEN)
    assert np.isin(turned, found.reading_order[:10]).sum() >= 4


def test_an_ability_by_shares_takes_what_is_not_graded_as_predicted() -> None:
    y = np.array([[1.0, 1, 0], [1, np.nan, np.nan], [0, 0, 0]])
    found = share_abilities(y, np.full((3, 3), 0.5))
    np.testing.assert_allclose(found, np.log([3 / 2, 3 / 2, 1 / 4]))


def test_a_wrong_key_is_flagged_where_evidence_suffices_or_the_able_do_worse_too() -> None:
    evidence = np.array([STRONG - 0.1, STRONG + 0.1, STRONG + 0.1, SUFFICIENT + 0.1])
    slope_z = np.array([-3.0, -1.0, -2.0, 0.0])
    assert surely_wrong_key(evidence, slope_z, 40).tolist() == [False, False, True, True]


def test_of_more_items_or_examinees_a_wrong_key_needs_more_evidence_but_for_one_item_in_fifty() -> None:
    evidence, slope_z = np.full(200, -5.0), np.zeros(200)
    evidence[:6] = SUFFICIENT + 0.1 + 0.01 * np.arange(6)
    assert np.flatnonzero(surely_wrong_key(evidence, slope_z, 12)).tolist() == [2, 3, 4, 5]
    assert surely_wrong_key(evidence + np.log(4), slope_z, 12).sum() == 6
    assert surely_wrong_key(evidence + np.log(4), slope_z, 50).sum() == 4
    assert surely_wrong_key(evidence + np.log(4) + 0.25 * SUFFICIENT, slope_z, 50).sum() == 6


def test_items_of_an_exam_on_which_nobody_is_abler_are_not_all_suspected() -> None:
    # everybody guesses everywhere: a prior that expects items to tell the able apart would suspect them all
    y = drawn(np.full((20, 80), 0.28), seed=4)
    found = fault_evidence(y, y.mean(axis=1))
    assert (found.wrong_key >= STRONG).sum() <= 2
    assert (found.unanswerable >= STRONG).sum() <= 2


def test_hardly_a_sound_item_shows_strong_evidence_of_a_fault() -> None:
    for seed in range(3, 6):
        panel_ = panel(seed)
        found = fault_evidence(panel_.responses, panel_.theta)
        for evidence in (found.wrong_key, found.unanswerable, found.leaked):
            assert (evidence >= STRONG).sum() <= 3


def test_the_slope_score_is_the_trend_statistic_and_keeps_its_sign() -> None:
    theta = np.array([-1.0, -1.0, 0.0, 0.0, 1.0, 1.0])
    rising = np.array([0.0, 0, 0, 1, 1, 1])
    z = slope_scores(np.column_stack([rising, 1 - rising, np.ones(6)]), theta)
    # covariance 2, p q = 1/4, sum of squares 4
    np.testing.assert_allclose(z, [2.0, -2.0, 0.0])


def test_information_and_slope_score_are_least_where_the_key_is_wrong() -> None:
    panel_ = panel(7)
    y = panel_.responses.copy()
    y[:, 0] = drawn((1 - panel_.p[:, 0]) / 3)
    assert slope_scores(y, panel_.theta)[0] < np.quantile(slope_scores(y, panel_.theta), 0.1)
    hard = np.where(np.arange(150) == 0, 6.0, panel_.b)
    assert expected_information(panel_.theta, panel_.a, hard, panel_.c).argmin() == 0


def test_the_option_the_able_agree_on_has_most_evidence_as_key() -> None:
    panel_ = panel(12, items=80)
    true = np.random.default_rng(0).integers(0, 4, 80)
    choices, key = chosen(panel_, true), true.copy()
    key[:4] = (true[:4] + 1) % 4
    evidence = rival_evidence(choices, key, panel_.theta)
    np.testing.assert_array_equal(evidence[:4].argmax(axis=1), true[:4])
    assert (evidence[:4].max(axis=1) > STRONG).all()
    assert (evidence[4:].max(axis=1) > STRONG).sum() <= 2


def test_a_popular_distractor_alone_is_no_rival() -> None:
    panel_ = panel(9, items=60)
    key = np.zeros(60, dtype=np.int64)
    # whoever misses takes option 1
    choices = np.where(panel_.responses == 1, 0, 1).astype(np.int64)
    evidence = rival_evidence(choices, key, panel_.theta)
    assert (evidence.max(axis=1) > STRONG).sum() <= 1
    np.testing.assert_array_equal(evidence[:, 0], 0.0)


@pytest.mark.parametrize("bad", [np.full((63, 5), 0.5), np.full((63, 5), -2), np.full((63, 5), 9)])
def test_choices_that_are_no_options_are_refused(bad: NDArray[np.generic]) -> None:
    with pytest.raises(UsageError):
        rival_evidence(bad, np.zeros(5, dtype=np.int64), np.linspace(-1, 1, 63))


def test_an_answer_known_to_one_level_is_found_and_the_level_named() -> None:
    panel_ = panel(10)
    y = panel_.responses.copy()
    carriers = np.array(panel_.components["reader"]) == "reader1"
    hard = np.argsort(panel_.p[carriers].mean(axis=0))[:5]
    y[np.ix_(carriers, hard)] = 1.0
    found = leaks(y, panel_.theta, panel_.components)
    assert isinstance(found, Leaks)
    assert {each.item for each in found.suspected} == set(hard.tolist())
    assert {(each.component, each.level) for each in found.suspected} == {("reader", "reader1")}
    contrasts = component_fit(y, panel_.p, panel_.components)
    assert isinstance(contrasts, ComponentFit)
    surest = contrasts.differences[0]
    assert (surest.component, surest.level) == ("reader", "reader1")
    assert surest.item in hard
    assert surest.z > 0
    # all carriers are right, where their abilities let expect so many
    expected = panel_.p[np.ix_(carriers, [surest.item])].mean()
    assert surest.effect.value == pytest.approx(1 - expected, abs=0.1)
    assert surest.effect.low <= 1 - expected <= surest.effect.high
    assert surest.effect.low > 0


def test_a_difference_in_points_is_the_share_beyond_what_others_show_at_the_same_abilities() -> None:
    p = np.full(40, 0.5)
    carriers = np.arange(40) < 20
    answers = np.where(carriers, np.arange(40) % 4 != 0, np.arange(40) % 4 == 0).astype(np.float64)
    found = standardised_difference(answers, p, carriers)
    # 15 of 20 right, 5 of 20 of the others at the same ability
    assert found.value == pytest.approx(0.5, abs=0.03)
    assert found.low == pytest.approx(0.2, abs=0.05)
    assert found.high == pytest.approx(0.7, abs=0.05)
    turned = standardised_difference(answers, p, ~carriers)
    assert turned.value == pytest.approx(-found.value, abs=0.03)


def test_a_difference_in_points_stays_within_bounds_where_nobody_differs() -> None:
    found = standardised_difference(np.ones(12), np.full(12, 0.9), np.arange(12) < 4)
    assert -1 <= found.low <= 0 <= found.high <= 1


def test_contrasts_of_the_true_model_are_standard_normal_and_none_is_found() -> None:
    z, differences = list[Floats](), 0
    for seed in range(20, 26):
        panel_ = panel(seed)
        found = component_fit(panel_.responses, panel_.p, panel_.components)
        assert isinstance(found, ComponentFit)
        z.append(found.z[found.judged])
        differences += len(found.differences)
    assert np.concatenate(z).std() == pytest.approx(1, abs=0.03)
    assert differences <= 2


def test_contrasts_do_not_mind_an_item_fitted_too_easy() -> None:
    panel_ = panel(11, items=60)
    logit = np.log(panel_.p / (1 - panel_.p))
    shifted = component_fit(panel_.responses, 1 / (1 + np.exp(-logit - 0.15)), panel_.components)
    true = component_fit(panel_.responses, panel_.p, panel_.components)
    assert isinstance(shifted, ComponentFit)
    assert isinstance(true, ComponentFit)
    both = shifted.judged & true.judged
    assert np.abs(shifted.z - true.z)[both].mean() < 0.1


def test_checks_by_component_are_refused_where_nothing_tells_examinees_apart() -> None:
    panel_ = panel(12, items=10)
    same = {"reader": ["r"] * 63}
    assert isinstance(leaks(panel_.responses, panel_.theta, same), NotJudged)
    assert isinstance(component_fit(panel_.responses, panel_.p, same), NotJudged)
    assert isinstance(component_fit(panel_.responses, panel_.p, {}), NotJudged)
    with pytest.raises(UsageError):
        leaks(panel_.responses, panel_.theta, {"reader": ["r"] * 5})


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 8), st.integers(1, 6), st.floats(0, 1), st.integers(0, 500))
def test_degenerate_matrices_never_yield_nan(examinees: int, items: int, missing: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    y = np.where(draw.random((examinees, items)) < missing, np.nan, draw.integers(0, 2, (examinees, items)))
    theta = draw.normal(0, 3, examinees)
    found = fault_evidence(y, theta)
    answered = ~np.isnan(y).all(axis=0)
    for figures in (found.wrong_key, found.unanswerable, found.leaked):
        np.testing.assert_array_equal(np.isfinite(figures), answered)
        assert np.isneginf(figures[~answered]).all()
    assert np.isfinite(slope_scores(y, theta)).all()
    open_ones = fault_evidence(y, theta, options=OPEN)
    np.testing.assert_array_equal(np.isfinite(open_ones.wrong_key), answered)
    assert np.isneginf([open_ones.unanswerable, open_ones.leaked]).all()
    groups = draw.random((2, examinees)) < 0.5
    assert np.isfinite(leak_evidence(y, theta, groups)).all()


def test_evidence_does_not_depend_on_the_order_of_examinees_or_items() -> None:
    panel_ = panel(13, items=20)
    rows, columns = np.random.default_rng(1).permutation(63), np.random.default_rng(2).permutation(20)
    straight = fault_evidence(panel_.responses, panel_.theta).wrong_key
    mixed = fault_evidence(panel_.responses[np.ix_(rows, columns)], panel_.theta[rows]).wrong_key
    np.testing.assert_allclose(mixed, straight[columns], atol=1e-9)


def test_an_item_that_nobody_answered_is_read_last() -> None:
    panel_ = panel(13, items=20)
    y = panel_.responses.copy()
    y[:, 4] = np.nan
    assert fault_evidence(y, panel_.theta).reading_order[-1] == 4


@pytest.mark.parametrize("options", [1, [4, 4, 4], 4.5])
def test_numbers_of_options_that_cannot_be_are_refused(options: object) -> None:
    with pytest.raises(UsageError, match="options"):
        fault_evidence(np.ones((3, 2)), np.arange(3), options=options)  # type: ignore[arg-type]


def test_more_examinees_than_the_nodes_are_made_for_are_refused() -> None:
    with pytest.raises(UsageError, match="at most 2,000 examinees"):
        fault_evidence(np.ones((2001, 2)), np.arange(2001))


def test_evidence_does_not_depend_on_the_scale_of_abilities() -> None:
    panel_ = panel(13, items=20)
    found = [fault_evidence(panel_.responses, scale(panel_.theta)).wrong_key for scale in (np.copy, _restated)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)


def _restated(theta: Floats) -> Floats:
    return 10 + 3 * theta
