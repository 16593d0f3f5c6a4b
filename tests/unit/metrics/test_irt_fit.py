"""Abilities, effects and items come back from responses simulated with known ones."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult
from scipy.stats import spearmanr

from viva.core.errors import UsageError
from viva.metrics.irt import IRTFit, NotScored, fit_irt, posterior, probability_3pl
from viva.metrics.irt.grid import item_grid
from viva.metrics.irt.likelihood import ItemMarginal

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Truth:
    responses: Floats
    theta: Floats
    difficulty: Floats
    components: list[dict[str, str]]

    @property
    def examinees(self) -> list[str]:
        return [f"e{i:03}" for i in range(len(self.theta))]

    @property
    def items(self) -> list[str]:
        return [f"i{j:03}" for j in range(len(self.difficulty))]

    def fit(self) -> IRTFit:
        return fitted(self.responses, self.components)


def fitted(responses: Floats, components: list[dict[str, str]] | None = None) -> IRTFit:
    found = outcome(responses, components)
    assert isinstance(found, IRTFit), found
    return found


def outcome(responses: Floats, components: list[dict[str, str]] | None = None) -> IRTFit | NotScored:
    n, m = responses.shape
    return fit_irt(
        responses,
        [f"e{i:03}" for i in range(n)],
        [f"i{j:03}" for j in range(m)],
        components or [{} for _ in range(n)],
    )


def simulate(seed: int, *, readers: int = 4, retrievers: int = 4, items: int = 100, residual: float = 0.25) -> Truth:
    draw = np.random.default_rng(seed)
    reader, retriever = draw.normal(0, 0.7, readers), draw.normal(0, 0.7, retrievers)
    reader, retriever = reader - reader.mean(), retriever - retriever.mean()
    theta = (reader[:, None] + retriever[None, :]).ravel() + 0.3 + draw.normal(0, residual, readers * retrievers)
    a, b, c = np.exp(draw.normal(0, 0.4, items)), draw.normal(0, 1, items), draw.beta(5, 15, items)
    right = draw.random((len(theta), items)) < probability_3pl(theta, a, b, c)
    names = [{"reader": f"r{i}", "retriever": f"s{k}"} for i in range(readers) for k in range(retrievers)]
    return Truth(right.astype(np.float64), theta, b, names)


def test_abilities_are_recovered_in_order() -> None:
    truth = simulate(1, items=200)
    fit = truth.fit()
    assert fit.converged
    assert spearmanr(fit.theta, truth.theta).statistic > 0.9


def test_difficulties_are_recovered_nearly_as_well_as_with_known_abilities() -> None:
    truth = simulate(1, items=200)
    grid = item_grid(4)
    known = ItemMarginal(truth.responses, grid).posterior(truth.theta) @ grid.b
    found = [item.difficulty for item in truth.fit().items]
    ceiling = spearmanr(known, truth.difficulty).statistic
    assert spearmanr(found, truth.difficulty).statistic > ceiling - 0.02 > 0.6


@pytest.mark.parametrize("spread", [0.3, 1.5])
def test_without_components_abilities_are_not_shrunk_away(spread: float) -> None:
    theta = np.array([-1.0, -0.5, 0.0, 0.5, 1.0]) * spread
    draw = np.random.default_rng(3)
    b = draw.normal(0, 1, 400)
    p = probability_3pl(theta, np.ones(400), b, np.full(400, 0.25))
    fit = fitted((draw.random(p.shape) < p).astype(np.float64))
    assert fit.converged
    assert np.ptp(fit.theta) == pytest.approx(np.ptp(theta), abs=3 * fit.theta_se.max())
    assert (np.abs(fit.theta - theta) < 3 * fit.theta_se).all()


def test_intervals_cover_about_as_often_as_they_say() -> None:
    covered = []
    for seed in range(10):
        truth = simulate(seed, items=80)
        fit = truth.fit()
        covered.append(np.abs(fit.theta - truth.theta) < 1.96 * fit.theta_se)
    assert 0.88 < np.mean(covered) < 0.99


def test_pairwise_probabilities_are_calibrated() -> None:
    stated, happened = [], []
    for seed in range(10):
        truth = simulate(seed, items=60)
        better = truth.fit().probability_better()
        rows, columns = np.triu_indices(len(truth.theta), 1)
        stated.append(better[rows, columns])
        happened.append(truth.theta[rows] > truth.theta[columns])
    said, was = np.concatenate(stated), np.concatenate(happened)
    sure = np.maximum(said, 1 - said)
    hit = np.where(said > 0.5, was, ~was)
    assert abs(sure.mean() - hit.mean()) < 0.04


def test_component_effects_sum_to_zero_and_contrast_as_in_the_truth() -> None:
    draw = np.random.default_rng(5)
    components = [{"reader": r, "retriever": s} for r in ("weak", "strong") for s in ("none", "bm25", "dense")]
    effect = {"weak": -0.8, "strong": 0.8, "none": -0.5, "bm25": 0.1, "dense": 0.4}
    theta = np.array([effect[c["reader"]] + effect[c["retriever"]] for c in components])
    items = 300
    probability = probability_3pl(theta, np.ones(items), draw.normal(0, 1, items), np.full(items, 0.25))
    fit = fitted((draw.random(probability.shape) < probability).astype(np.float64), components)
    for component in ("reader", "retriever"):
        assert sum(e.effect for e in fit.effects if e.component == component) == pytest.approx(0, abs=1e-9)
    difference, error = fit.contrast("reader", "strong", "weak")
    assert abs(difference - 1.6) < 2.5 * error < 1.6
    assert fit.contrast("reader", "weak", "strong")[0] == pytest.approx(-difference)
    assert fit.contrast("reader", "weak", "weak") == (0.0, 0.0)
    with pytest.raises(UsageError, match="reader=absent"):
        fit.contrast("reader", "absent", "weak")


def test_a_residual_is_found_where_there_is_one_and_not_where_there_is_none() -> None:
    with_residual = simulate(3, readers=6, retrievers=6, items=200, residual=0.6).fit()
    without = simulate(3, readers=6, retrievers=6, items=200, residual=0.0).fit()
    assert with_residual.residual_sd > 0.35
    assert without.residual_sd < 0.2


def test_a_perfect_examinee_gets_a_finite_ability_with_a_larger_error() -> None:
    truth = simulate(2)
    responses = truth.responses.copy()
    responses[0] = 1.0
    fit = fitted(responses)
    assert fit.converged
    assert np.isfinite(fit.theta).all()
    assert fit.theta.argmax() == 0
    assert fit.theta_se[0] > 1.5 * np.median(fit.theta_se[1:])
    assert any("e000" in note and "perfect" in note for note in fit.notes)


def test_an_examinee_with_no_right_answer_gets_a_finite_ability() -> None:
    responses = simulate(2).responses.copy()
    responses[3] = 0.0
    fit = fitted(responses)
    assert np.isfinite(fit.theta).all()
    assert fit.theta.argmin() == 3
    assert any("e003" in note and "no right answer" in note for note in fit.notes)


def test_an_examinee_right_wherever_another_is_and_more_is_abler() -> None:
    responses = simulate(4).responses.copy()
    responses[1] = responses[0]
    wrong = np.flatnonzero(responses[0] == 0)
    responses[1, wrong[: len(wrong) // 2]] = 1.0
    fit = fitted(responses)
    assert fit.theta[1] > fit.theta[0]
    assert fit.probability_better()[1, 0] > 0.5


def test_examinees_with_the_same_responses_and_components_have_the_same_ability() -> None:
    responses = simulate(4).responses.copy()
    responses[1] = responses[0]
    fit = fitted(responses)
    assert fit.theta[0] == pytest.approx(fit.theta[1], abs=1e-3)
    assert fit.probability_better()[0, 1] == pytest.approx(0.5, abs=0.01)


@settings(max_examples=4, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1))
def test_the_order_of_examinees_and_items_does_not_matter(seed: int) -> None:
    truth = simulate(6, readers=3, retrievers=3, items=40)
    draw = np.random.default_rng(seed)
    rows, columns = draw.permutation(len(truth.theta)), draw.permutation(len(truth.difficulty))
    straight = truth.fit()
    shuffled = fit_irt(
        truth.responses[rows][:, columns],
        [truth.examinees[i] for i in rows],
        [truth.items[j] for j in columns],
        [truth.components[i] for i in rows],
    )
    assert isinstance(shuffled, IRTFit)
    np.testing.assert_allclose(shuffled.theta, straight.theta[rows], atol=2e-3)
    np.testing.assert_allclose(shuffled.theta_se, straight.theta_se[rows], atol=2e-3)
    difficulty = np.array([item.difficulty for item in straight.items])
    np.testing.assert_allclose([item.difficulty for item in shuffled.items], difficulty[columns], atol=2e-3)


def test_missing_responses_widen_the_error_and_leave_the_rest_in_place() -> None:
    truth = simulate(7)
    responses = truth.responses.copy()
    responses[0, 20:] = np.nan
    whole, partial = truth.fit(), fitted(responses, truth.components)
    assert partial.theta_se[0] > whole.theta_se[0]
    np.testing.assert_allclose(partial.theta[1:], whole.theta[1:], atol=0.3)


def test_an_examinee_without_grades_stands_where_its_components_put_it() -> None:
    truth = simulate(8)
    responses = truth.responses.copy()
    responses[5] = np.nan
    fit = fitted(responses, truth.components)
    effect = {(e.component, e.level): e.effect for e in fit.effects}
    own = [fit.theta[i] - effect["reader", c["reader"]] - effect["retriever", c["retriever"]]
           for i, c in enumerate(truth.components)]  # fmt: skip
    assert own[5] == pytest.approx(np.mean(own), abs=0.2)
    assert fit.theta_se[5] > np.delete(fit.theta_se, 5).max()
    assert any("e005" in note for note in fit.notes)


def test_items_right_or_wrong_for_all_and_items_without_grades_are_fitted_and_noted() -> None:
    responses = simulate(9).responses.copy()
    responses[:, 0], responses[:, 1], responses[:, 2] = 1.0, 0.0, np.nan
    fit = fitted(responses)
    easy, hard, unknown = fit.items[0], fit.items[1], fit.items[2]
    assert easy.difficulty < unknown.difficulty < hard.difficulty
    assert unknown.difficulty == pytest.approx(0, abs=0.01)
    assert unknown.difficulty_se == pytest.approx(1, abs=0.05)
    assert unknown.guessing == pytest.approx(0.25, abs=1e-6)
    assert sum("items" in note for note in fit.notes) == 3


def test_examinees_with_no_difference_at_all_are_all_alike() -> None:
    fit = fitted(np.ones((3, 12)))
    assert fit.converged
    assert np.ptp(fit.theta) < 1e-3
    assert np.isfinite(fit.theta_se).all()


def test_two_items_are_fitted_with_a_warning_in_words() -> None:
    fit = fitted(np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]))
    assert fit.theta[0] > fit.theta[2] > fit.theta[1]
    assert any(note.startswith("2 items") for note in fit.notes)


@pytest.mark.parametrize(
    ("responses", "reason"),
    [
        (np.ones((1, 20)), "1 examinee"),
        (np.zeros((0, 20)), "0 examinee"),
        (np.ones((5, 1)), "1 item"),
        (np.ones((5, 0)), "0 examinee"),
        (np.full((5, 20), np.nan), "0 examinee"),
    ],
)
def test_too_little_to_compare_is_not_scored_with_a_reason(responses: Floats, reason: str) -> None:
    found = outcome(responses)
    assert isinstance(found, NotScored)
    assert found.reason.startswith(reason)


def test_arguments_that_do_not_fit_together_are_refused() -> None:
    ones = np.ones((2, 2))
    with pytest.raises(UsageError, match="shape"):
        fit_irt(ones, ["a"], ["x", "y"], [{}])
    with pytest.raises(UsageError, match="Components"):
        fit_irt(ones, ["a", "b"], ["x", "y"], [{}])
    with pytest.raises(UsageError, match="examinee id occurs twice"):
        fit_irt(ones, ["a", "a"], ["x", "y"], [{}, {}])
    with pytest.raises(UsageError, match="neither right nor wrong"):
        fit_irt(ones / 2, ["a", "b"], ["x", "y"], [{}, {}])
    with pytest.raises(UsageError, match="options"):
        fit_irt(ones, ["a", "b"], ["x", "y"], [{}, {}], options=1)


def test_a_component_with_one_level_is_left_out_and_named() -> None:
    truth = simulate(10)
    fit = fitted(truth.responses, [{**c, "corpus": "only"} for c in truth.components])
    assert {e.component for e in fit.effects} == {"reader", "retriever"}
    assert any("corpus" in note and "one level" in note for note in fit.notes)


def test_an_aliased_component_is_left_out_and_the_coarser_one_kept() -> None:
    truth = simulate(10)
    doubled = [{**c, "a copy": c["reader"].upper(), "a name": f"n{i}"} for i, c in enumerate(truth.components)]
    fit = fitted(truth.responses, doubled)
    assert {e.component for e in fit.effects} == {"a copy", "retriever", "a name"}
    aliased = [note for note in fit.notes if "aliased" in note]
    assert len(aliased) == 1
    assert "'reader'" in aliased[0]
    assert (np.abs(fit.theta - truth.fit().theta) < 1.96 * fit.theta_se).all()


def test_confounding_in_part_is_said_and_costs_precision() -> None:
    truth = simulate(11)
    # the only examinee with no retriever is the only one with its reader
    components = [{"reader": "blind", "retriever": "none"}, *truth.components[1:]]
    fit = fitted(truth.responses, components)
    assert any("confounded in part" in note for note in fit.notes)
    assert {e.level for e in fit.effects if e.component == "retriever"} >= {"none", "s0"}
    blind = next(e for e in fit.effects if e.level == "blind")
    assert blind.se > 2 * truth.fit().effects[0].se


def test_a_weak_fit_never_claims_a_negative_variance() -> None:
    fit = simulate(12, readers=2, retrievers=2, items=12).fit()
    assert np.linalg.eigvalsh(fit.theta_cov).min() > 0
    assert fit.residual_sd_se > 0


def test_expected_score_rises_with_ability_and_records_match_the_arrays() -> None:
    fit = simulate(13).fit()
    curve = fit.expected_score(np.linspace(-4, 4, 9))
    assert (np.diff(curve) > 0).all()
    assert 0.2 < curve[0] < curve[-1] < 1
    assert [a.theta for a in fit.abilities()] == fit.theta.tolist()
    assert (fit.standard_error([-4.0, 0.0])[0]) > fit.standard_error([0.0])[0]


def test_an_optimiser_that_stops_short_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    def stops_at_once(_: object, start: Floats, **__: object) -> OptimizeResult:
        return OptimizeResult(x=start, success=True, nit=0)

    truth = simulate(15)
    assert truth.fit().converged
    monkeypatch.setattr(posterior, "minimize", stops_at_once)
    fit = truth.fit()
    assert not fit.converged
    assert any("did not converge" in note for note in fit.notes)


TIMED = """
import time
import numpy as np
from viva.metrics.irt import fit_irt
draw = np.random.default_rng(0)
responses = (draw.random((16, 100)) < draw.random(100)).astype(float)
people = [{"reader": str(i % 4), "retriever": str(i // 4)} for i in range(16)]
started = time.process_time()
fit_irt(responses, [str(i) for i in range(16)], [str(j) for j in range(100)], people)
print(time.process_time() - started)
"""


def test_a_usual_exam_is_fitted_in_well_under_a_second() -> None:
    # in a process of its own: one thread, or waiting threads would be counted as work
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, "-c", TIMED]
    done = subprocess.run(command, env={**os.environ, **one_thread}, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.0


def test_a_system_of_its_own_beside_a_panel_does_not_blur_the_panels_effects() -> None:
    truth = simulate(11)
    alone = fitted(truth.responses, truth.components)
    with_own = fitted(np.vstack([truth.responses, truth.responses[0]]), [*truth.components, {"system": "mine"}])
    widths = {(e.component, e.level): e.se for e in alone.effects}
    assert {(e.component, e.level) for e in with_own.effects} == set(widths)
    for effect in with_own.effects:
        assert effect.se < 1.25 * widths[effect.component, effect.level]
    assert abs(with_own.theta[-1] - with_own.theta[0]) < 2 * with_own.theta_se[-1]
