"""The paper's estimation: its objective, its boxes, and a search that reaches its end."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import approx_fprime, minimize

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks/irt"))

from guinet2024 import BOXES, GuinetObjective, fit_guinet, refine_guinet

from viva.core.errors import UsageError
from viva.metrics.irt import probability_3pl

Floats = NDArray[np.float64]
Components = dict[str, list[str]]


def simulated(items: int, seed: int = 0) -> tuple[Floats, Components, Floats]:
    rng = np.random.default_rng(seed)
    examinees = list(product(range(3), range(4), range(2)))
    effects = [rng.normal(0, 0.7, size) for size in (3, 4, 2)]
    theta = np.array([sum(effects[k][level] for k, level in enumerate(levels)) for levels in examinees])
    a, b = np.exp(rng.normal(0, 0.3, items)), rng.normal(size=items)
    responses = (rng.random((len(theta), items)) < probability_3pl(theta, a, b, 0.25)).astype(np.float64)
    names = ("reader", "retriever", "examples")
    return responses, {name: [f"{name}{e[k]}" for e in examinees] for k, name in enumerate(names)}, theta


def written_out(responses: Floats, theta: Floats, a: Floats, b: Floats, c: Floats) -> float:
    p = c + (1 - c) / (1 + np.exp(-a * (theta[:, None] - b)))
    return -float(np.nansum(responses * np.log(p) + (1 - responses) * np.log(1 - p)))


def test_the_objective_is_minus_the_joint_log_likelihood_written_out() -> None:
    responses, components, _ = simulated(7)
    responses[0, 0] = responses[3, 2] = np.nan
    rng = np.random.default_rng(1)
    a, b, c = rng.uniform(0.5, 1.5, 7), rng.uniform(0.01, 1, 7), rng.uniform(0.2, 0.4, 7)
    objective = GuinetObjective(responses, components)
    x = np.concatenate([a, b, c, rng.normal(size=9)])
    levels = objective.levels @ x[21:]
    assert objective.value_and_gradient(x)[0] == pytest.approx(written_out(responses, levels, a, b, c), rel=1e-12)


@pytest.mark.parametrize("hierarchical", [True, False])
def test_the_gradient_agrees_with_finite_differences(hierarchical: bool) -> None:
    responses, components, _ = simulated(5)
    responses[2, 1] = np.nan
    objective = GuinetObjective(responses, components if hierarchical else None)
    at = np.random.default_rng(2).uniform(*objective.boxes.T)
    numeric = approx_fprime(at, lambda x: objective.value_and_gradient(x)[0], 1e-7)
    np.testing.assert_allclose(objective.value_and_gradient(at)[1], numeric, atol=1e-4)


def test_the_search_passes_one_with_numerical_gradients_from_the_same_start() -> None:
    responses, components, _ = simulated(6)
    objective = GuinetObjective(responses, components)

    def naive(x: Floats) -> float:
        a, b, c, theta = objective.parts(x)
        return written_out(responses, theta, a, b, c)

    yardstick = minimize(naive, objective.start, method="L-BFGS-B", bounds=objective.boxes)
    found = fit_guinet(responses, components=components)
    assert found.converged, found.message
    assert -found.loglik <= yardstick.fun + 1e-6
    assert -found.loglik == pytest.approx(yardstick.fun, rel=1e-3)
    reached = written_out(responses, found.theta, found.a, found.b, found.c)
    assert reached == pytest.approx(-found.loglik, rel=1e-10)


def test_estimates_stay_in_the_boxes_of_the_paper_and_the_message_counts_those_on_a_bound() -> None:
    responses, components, theta = simulated(60)
    found = fit_guinet(responses, components=components)
    for name, values in (("a", found.a), ("b", found.b), ("c", found.c)):
        low, high = BOXES[name]
        assert ((values >= low) & (values <= high)).all()
        assert f"{int(((values == low) | (values == high)).sum())} of 60 {name}" in found.message
    assert np.abs(found.theta).max() <= 9
    assert np.corrcoef(found.theta, theta)[0, 1] > 0.95


def test_abilities_add_up_over_components_and_are_free_without() -> None:
    responses, components, _ = simulated(20)
    additive, flat = fit_guinet(responses, components=components), fit_guinet(responses)
    levels = GuinetObjective(responses, components).levels
    fitted = levels @ np.linalg.lstsq(levels, additive.theta, rcond=None)[0]
    np.testing.assert_allclose(fitted, additive.theta, atol=1e-9)
    for place in (0, 7, 23):
        own = sum(additive.levels[name][of[place]] for name, of in components.items())
        assert additive.theta[place] == pytest.approx(own)
    assert flat.loglik > additive.loglik
    assert np.abs(flat.theta).max() <= 3


def test_a_search_that_is_cut_short_does_not_call_itself_converged() -> None:
    responses, components, _ = simulated(20)
    found = fit_guinet(responses, components=components, tolerance=1e-2)
    assert not found.converged
    assert found.message.startswith("not converged")


def test_one_examinee_and_constant_items_are_held_by_the_boxes() -> None:
    found = fit_guinet([[1, 1, 0]])
    for values in (found.theta, found.a, found.b, found.c):
        assert np.isfinite(values).all()
    assert np.isfinite(fit_guinet(np.ones((4, 3))).theta).all()


def test_shapes_that_do_not_fit_are_refused() -> None:
    responses, components, _ = simulated(4)
    with pytest.raises(UsageError, match="'reader' has 3 levels"):
        fit_guinet(responses, components=components | {"reader": ["x"] * 3})
    with pytest.raises(UsageError, match="no matrix"):
        fit_guinet(np.zeros((3, 0)))
    with pytest.raises(UsageError, match="no matrix"):
        fit_guinet([[0.5, 1.0]])


def test_refinement_drops_the_quantile_of_least_discrimination_and_fits_the_rest_anew() -> None:
    responses, components, _ = simulated(40)
    first, second = refine_guinet(responses, components=components, quantile=0.1)
    assert len(first.items) == 40
    assert set(second.items) == set(first.items) - set(second.dropped)
    assert len(second.dropped) >= 4
    a = dict(zip(first.items, first.fit.a, strict=True))
    assert max(a[item] for item in second.dropped) < min(a[item] for item in second.items)
    assert second.fit.loglik == fit_guinet(responses[:, second.items], components=components).loglik


def test_refinement_ends_before_the_exam_is_empty() -> None:
    # all discriminations are the same
    assert len(refine_guinet(np.ones((6, 5)), rounds=5)) == 1
    with pytest.raises(UsageError, match="quantile"):
        refine_guinet(np.ones((6, 5)), quantile=10)
