"""Abilities, effects and items come back from responses simulated with known ones, a few examinees on many items."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import spearmanr

from viva.core.errors import UsageError
from viva.core.estimates import Ability, OutsideAbility
from viva.core.notes import Note, NoteCode
from viva.metrics.irt import Fit, NothingToCompare, probability_3pl
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.fit.items_integrated.grid import HYPER_MEAN
from viva.metrics.irt.fit.items_integrated.likelihood import ItemMarginal
from viva.metrics.irt.fit.joint_mode import expansion
from viva.metrics.irt.level_contrasts import level_contrasts
from viva.metrics.irt.model.formats import item_formats
from viva.metrics.irt.model.responses import NotJudged

Floats = NDArray[np.float64]
Levels = dict[str, list[object]]


@dataclass(frozen=True)
class Truth:
    responses: Floats
    theta: Floats
    difficulty: Floats
    components: Levels

    def fit(self) -> Fit:
        # abilities of another model stand on another scale
        return fit(self.responses, components=self.components, model="3pl")


def simulate(seed: int, *, readers: int = 4, retrievers: int = 4, items: int = 100, residual: float = 0.25) -> Truth:
    draw = np.random.default_rng(seed)
    reader, retriever = draw.normal(0, 0.7, readers), draw.normal(0, 0.7, retrievers)
    reader, retriever = reader - reader.mean(), retriever - retriever.mean()
    theta = (reader[:, None] + retriever[None, :]).ravel() + 0.3 + draw.normal(0, residual, readers * retrievers)
    a, b, c = np.exp(draw.normal(0, 0.4, items)), draw.normal(0, 1, items), draw.beta(5, 15, items)
    right = draw.random((len(theta), items)) < probability_3pl(theta, a, b, c)
    names: Levels = {
        "reader": [f"r{i}" for i in range(readers) for _ in range(retrievers)],
        "retriever": [f"s{k}" for _ in range(readers) for k in range(retrievers)],
    }
    return Truth(right.astype(np.float64), theta, b, names)


def changed(components: Levels, row: int, own: dict[str, object]) -> Levels:
    """One examinee's levels replaced."""
    return {
        name: [own.get(name) if i == row else level for i, level in enumerate(levels)]
        for name, levels in components.items()
    }


def test_abilities_are_recovered_in_order() -> None:
    truth = simulate(1, items=200)
    found = truth.fit()
    assert found.converged
    assert found.method == "mml-items"
    assert spearmanr(found.theta, truth.theta).statistic > 0.9


def test_difficulties_are_recovered_nearly_as_well_as_with_known_abilities() -> None:
    truth = simulate(1, items=200)
    marginal = ItemMarginal(truth.responses, item_formats(200, "3pl", None, 4))
    known = marginal.items(np.concatenate([truth.theta, HYPER_MEAN])).b
    ceiling = spearmanr(known, truth.difficulty).statistic
    assert spearmanr(truth.fit().b, truth.difficulty).statistic > ceiling - 0.02 > 0.6


@pytest.mark.parametrize("spread", [0.3, 1.5])
def test_without_components_abilities_are_not_shrunk_away(spread: float) -> None:
    theta = np.array([-1.0, -0.5, 0.0, 0.5, 1.0]) * spread
    draw = np.random.default_rng(3)
    p = probability_3pl(theta, np.ones(400), draw.normal(0, 1, 400), np.full(400, 0.25))
    found = fit((draw.random(p.shape) < p).astype(np.float64))
    assert found.converged
    assert np.ptp(found.theta) == pytest.approx(np.ptp(theta), abs=3 * found.theta_se.max())
    assert (np.abs(found.theta - theta) < 3 * found.theta_se).all()


def test_intervals_cover_about_as_often_as_they_say() -> None:
    covered = []
    for seed in range(10):
        truth = simulate(seed, items=80)
        told = zip(truth.fit().abilities, truth.theta.tolist(), strict=True)
        covered += [abs(own.theta - true) < 1.96 * own.se for own, true in told if isinstance(own, Ability)]
    assert 0.88 < np.mean(covered) < 0.99


def test_pairwise_probabilities_promise_no_more_than_happens() -> None:
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
    assert 0 < hit.mean() - sure.mean() < 0.1
    # of those said to be nearly sure, as many hold
    assert hit[sure >= 0.95].mean() > 0.98
    assert (sure >= 0.95).mean() > 0.1


def test_a_residual_is_found_where_there_is_one_and_not_where_there_is_none() -> None:
    with_residual = simulate(3, readers=6, retrievers=6, items=200, residual=0.6).fit()
    without = simulate(3, readers=6, retrievers=6, items=200, residual=0.0).fit()
    assert (with_residual.residual_sd or 0) > 0.35
    assert (without.residual_sd or 0) < 0.2


def test_the_spread_of_difficulties_is_learned_where_items_are_many() -> None:
    draw = np.random.default_rng(7)
    theta, b = draw.normal(0, 1, 40), draw.normal(0, 2.5, 300)
    p = probability_3pl(theta, np.ones(300), b, np.zeros(300))
    found = fit((draw.random(p.shape) < p).astype(np.float64), model="2pl")
    assert np.polyfit(theta, found.theta, 1)[0] == pytest.approx(1, abs=0.15)
    assert found.b.std() == pytest.approx(2.5, abs=0.5)


def test_a_perfect_examinee_gets_a_finite_ability_with_a_larger_error() -> None:
    responses = simulate(2).responses.copy()
    responses[0] = 1.0
    found = fit(responses, model="3pl")
    assert found.converged
    assert np.isfinite(found.theta).all()
    assert found.theta.argmax() == 0
    assert found.theta_se[0] > 1.5 * np.median(found.theta_se[1:])
    assert Note(code=NoteCode.PERFECT_SCORE, examinees=("1",)) in found.notes


def test_an_examinee_with_no_right_answer_gets_a_finite_ability() -> None:
    responses = simulate(2).responses.copy()
    responses[3] = 0.0
    found = fit(responses, examinees=[f"e{i}" for i in range(16)], model="3pl")
    assert np.isfinite(found.theta).all()
    assert found.theta.argmin() == 3
    assert Note(code=NoteCode.NO_RIGHT_ANSWER, examinees=("e3",)) in found.notes


def test_an_examinee_right_wherever_another_is_and_more_is_abler() -> None:
    responses = simulate(4).responses.copy()
    responses[1] = responses[0]
    wrong = np.flatnonzero(responses[0] == 0)
    responses[1, wrong[: len(wrong) // 2]] = 1.0
    found = fit(responses, model="3pl")
    assert found.theta[1] > found.theta[0]
    assert found.probability_better()[1, 0] > 0.5


def test_missing_responses_widen_the_error_and_leave_the_rest_in_place() -> None:
    truth = simulate(7)
    responses = truth.responses.copy()
    responses[0, 20:] = np.nan
    whole, partial = truth.fit(), fit(responses, components=truth.components, model="3pl")
    assert partial.theta_se[0] > whole.theta_se[0]
    np.testing.assert_allclose(partial.theta[1:], whole.theta[1:], atol=0.3)


def test_an_examinee_without_grades_has_no_ability_and_changes_no_effect() -> None:
    truth = simulate(8)
    responses = truth.responses.copy()
    responses[5] = np.nan
    found = fit(responses, components=truth.components, model="3pl")
    assert found.abilities[5] is None
    kept = np.arange(16) != 5
    components = {
        name: [own for own, k in zip(levels, kept, strict=True) if k] for name, levels in truth.components.items()
    }
    without = fit(responses[kept], components=components, model="3pl")
    for level, effect in without.effects["reader"].items():
        assert found.effects["reader"][level].estimate == pytest.approx(effect.estimate, abs=0.05)
    assert Note(code=NoteCode.NO_GRADED_RESPONSE, examinees=("6",)) in found.notes


def test_items_right_or_wrong_for_all_and_items_without_grades_are_fitted_and_noted() -> None:
    responses = simulate(9).responses.copy()
    responses[:, 0], responses[:, 1], responses[:, 2] = 1.0, 0.0, np.nan
    found = fit(responses, model="3pl")
    assert found.b[0] < found.b[2] < found.b[1]
    assert found.b[2] == pytest.approx(0, abs=0.01)
    assert found.b_se[2] == pytest.approx(1, abs=0.2)
    of_items = [NoteCode.ITEMS_ALL_RIGHT, NoteCode.ITEMS_NONE_RIGHT, NoteCode.ITEMS_UNGRADED]
    assert [note.code for note in found.notes] == of_items


def test_examinees_with_no_difference_at_all_are_all_alike() -> None:
    found = fit(np.ones((3, 12)))
    assert found.converged
    assert np.ptp(found.theta) < 1e-3
    assert np.isfinite(found.theta_se).all()


def test_two_items_are_fitted_with_a_warning() -> None:
    found = fit(np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]))
    assert found.theta[0] > found.theta[2] > found.theta[1]
    assert Note(code=NoteCode.FEW_ITEMS, count=2) in found.notes


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
def test_too_little_to_compare_is_refused_with_a_reason(responses: Floats, reason: str) -> None:
    with pytest.raises(NothingToCompare) as refused:
        fit(responses, model="3pl")
    assert refused.value.problem.startswith(reason)
    assert isinstance(refused.value, UsageError)


def test_a_component_with_one_level_is_left_out_and_named() -> None:
    truth = simulate(10)
    found = fit(truth.responses, components={**truth.components, "corpus": ["only"] * 16}, model="3pl")
    assert set(found.effects) == {"reader", "retriever"}
    assert Note(code=NoteCode.ONE_LEVEL, names=("corpus", "only")) in found.notes


def test_an_aliased_component_is_left_out_and_the_coarser_one_kept() -> None:
    truth = simulate(10)
    copies = {"a copy": [str(r).upper() for r in truth.components["reader"]], "a name": list(range(16))}
    found = fit(truth.responses, components={**truth.components, **copies}, model="3pl")
    assert {component for component, _ in found.components_design.levels} == {"a copy", "retriever", "a name"}
    assert [note.names for note in found.notes if note.code is NoteCode.ALIASED] == [("reader",)]
    assert (np.abs(found.theta - truth.fit().theta) < 1.96 * found.theta_se).all()


def test_levels_that_use_up_the_systems_have_no_effects_and_no_contrasts() -> None:
    truth = simulate(10)
    name = [f"system {n}" for n in range(16)]
    found = fit(truth.responses, components={"name": name}, model="1pl")
    assert (found.effects, found.residual_sd) == ({}, None)
    assert level_contrasts(found, {"name": name}) == NotJudged("each level is one system")


def test_confounding_in_part_is_said_and_costs_precision() -> None:
    truth = simulate(11)
    # the only examinee with no retriever is the only one with its reader
    found = fit(
        truth.responses,
        components=changed(truth.components, 0, {"reader": "blind", "retriever": "none"}),
        model="3pl",
    )
    assert NoteCode.PARTLY_CONFOUNDED in {note.code for note in found.notes}
    assert set(found.effects["retriever"]) >= {"none", "s0"}
    assert found.effects["reader"]["blind"].se > 2 * truth.fit().effects["reader"]["r0"].se


def test_references_and_copies_change_no_item_and_no_ability_of_a_system() -> None:
    truth = simulate(12, items=60)
    rows, items = truth.responses.shape
    oracle, blind = np.ones(items), (np.arange(items) % 4 == 0).astype(float)
    reader = [*truth.components["reader"], "oracle", "closed-book"]
    alone = fit(truth.responses, model="3pl")
    found = fit(
        np.vstack([truth.responses, oracle, blind]),
        components={"reader": reader, "retriever": [*truth.components["retriever"], None, None]},
        model="3pl",
        calibration=[True] * rows + [False, False],
    )
    copied = fit(np.vstack([truth.responses, *([truth.responses[3]] * 4)]), model="3pl")
    for other in (found, copied):
        np.testing.assert_allclose(other.b, alone.b, atol=1e-6)
        assert other.abilities[:rows] == alone.abilities
    assert copied.abilities[-1] == alone.abilities[3]
    assert found.abilities[rows] == OutsideAbility("above", found.abilities[rows].bound)  # type: ignore[union-attr]
    assert "oracle" not in found.effects["reader"]


def test_items_are_fitted_to_all_where_references_alone_are_left_and_a_note_says_so() -> None:
    responses = simulate(12, items=20).responses
    found = fit(responses, calibration=[True] + [False] * 15)
    assert len(found.calibration) == 16
    assert Note(code=NoteCode.CALIBRATED_ON_ALL, of=16) in found.notes


def test_a_search_that_stops_short_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = simulate(15)
    assert truth.fit().converged
    monkeypatch.setattr(expansion, "MAX_STEPS", 0)
    found = fit(truth.responses, components=truth.components, method="mml-items")
    assert not found.converged
    assert "not converged" in found.message
    assert Note(code=NoteCode.NOT_CONVERGED) in found.notes
    # left to choose, another method takes over, and says why
    other = truth.fit()
    assert other.converged
    assert other.method == "map"
    assert "did not converge" in other.message


TIMED = """
import time
import numpy as np
from viva.metrics.irt.fit.estimation import fit
draw = np.random.default_rng(0)
responses = (draw.random((16, 100)) < draw.random(100)).astype(float)
components = {"reader": [i % 4 for i in range(16)], "retriever": [i // 4 for i in range(16)]}
started = time.process_time()
fit(responses, components=components, model="3pl")
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
    alone = truth.fit()
    own: Levels = {name: [*levels, None] for name, levels in truth.components.items()}
    own["system"] = [None] * 16 + ["mine"]
    beside = fit(np.vstack([truth.responses, truth.responses[0]]), components=own)
    assert set(beside.effects) == set(alone.effects)
    for component, levels in beside.effects.items():
        for level, effect in levels.items():
            assert effect.se < 1.25 * alone.effects[component][level].se
    assert abs(beside.theta[-1] - beside.theta[0]) < 2 * beside.theta_se[-1]


@pytest.mark.parametrize("method", ["mml-items", "map"])
def test_the_unit_of_abilities_is_the_geometric_mean_of_these_slopes_whichever_the_method(method: str) -> None:
    draw = np.random.default_rng(0)
    a, b, theta = np.exp(draw.normal(0, 0.3, 40)), draw.normal(0, 1, 40), draw.normal(0, 1, 100)
    answers = (draw.random((100, 40)) < probability_3pl(theta, a, b, np.zeros(40))).astype(np.float64)
    found = fit(answers, model="2pl", method=method)
    # the mean of a posterior of log a is a little below the log of its mean
    assert -1e-9 < np.log(found.a).mean() < 0.06
    truth = theta * np.exp(np.log(a).mean())
    assert 0.93 < np.polyfit(truth, found.places, 1)[0] < 1.1
