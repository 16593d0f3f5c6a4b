"""Additive abilities pass, a residual is measured, an interaction is named, and what cannot be tested is refused."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.metrics.irt.checks.additivity import Additivity, additivity
from viva.metrics.irt.effects import MeasuredAbilities, regression
from viva.metrics.irt.model.design import Design, component_design
from viva.metrics.irt.model.responses import NotJudged

Floats = NDArray[np.float64]
LEVELS = (3, 7, 3)


def known(theta: Floats, covariance: Floats) -> MeasuredAbilities:
    return MeasuredAbilities(theta, np.linalg.cholesky(covariance), np.arange(len(theta)))


def judged(measured: MeasuredAbilities, design: Design) -> Additivity | NotJudged:
    return additivity(measured, design.x, design.blocks)


def measured(interaction: float, residual: float, seed: int) -> Additivity:
    """Additivity of abilities known to .2, with an interaction of reader and prompt and a residual of given sds."""
    draw = np.random.default_rng(seed)
    rows = np.array([(i, j, k) for i in range(3) for j in range(7) for k in range(3)])
    theta = sum((draw.normal(0, 0.6, n)[rows[:, f]] for f, n in enumerate(LEVELS)), np.zeros(63))
    theta += draw.normal(0, interaction, (3, 3))[rows[:, 0], rows[:, 2]] + draw.normal(0, residual, 63)
    covariance = 0.03 * np.eye(63) + 0.01
    observed = draw.multivariate_normal(theta, covariance)
    levels = {name: rows[:, f].tolist() for f, name in enumerate(("reader", "retriever", "prompt"))}
    found = judged(known(observed, covariance), component_design(63, levels))
    assert isinstance(found, Additivity)
    return found


def test_additive_abilities_are_rejected_about_as_often_as_said() -> None:
    found = [measured(0, 0, seed) for seed in range(60)]
    assert np.mean([each.p_value < 0.05 for each in found]) <= 0.12
    assert np.mean([each.interactions[0].adjusted < 0.05 for each in found]) <= 0.08
    assert found[0].df == 63 - 11
    assert any("No departure" in each.message for each in found)


def test_a_residual_is_measured_and_an_interaction_is_named() -> None:
    spread = [measured(0, 0.25, seed).residual_sd for seed in range(20)]
    assert np.mean(spread) == pytest.approx(0.25, abs=0.04)
    found = measured(0.5, 0.0, 3)
    named = [(each.first, each.second) for each in found.interactions if each.adjusted < 0.05]
    assert named == [("prompt", "reader")]
    assert "prompt and reader" in found.message


def test_a_residual_larger_than_the_spread_of_the_abilities_is_found() -> None:
    # two by two, of which nothing is left but the interaction: one degree of freedom
    design = component_design(4, {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    found = judged(known(np.array([1.0, -1.0, -1.0, 1.0]), 0.1 * np.eye(4)), design)
    assert isinstance(found, Additivity)
    assert found.residual_sd == pytest.approx(np.sqrt(4 / 1 - 0.1))


def test_additivity_is_refused_where_nothing_is_left_to_test_it() -> None:
    measured = known(np.zeros(3), np.eye(3))
    for levels in ({"reader": ["x", "y", "z"]}, {}):
        assert isinstance(judged(measured, component_design(3, levels)), NotJudged)


def test_effects_of_copies_are_no_surer_than_those_of_their_originals() -> None:
    draw = np.random.default_rng(4)
    theta, group = draw.normal(0, 1, 12), [row % 2 for row in range(12)]
    once = regression(known(theta, 0.1 * np.eye(12)), component_design(12, {"group": group}).x)
    copied = MeasuredAbilities(
        np.tile(theta, 3), np.tile(np.linalg.cholesky(0.1 * np.eye(12)), (3, 1)), np.tile(np.arange(12), 3)
    )
    thrice = regression(copied, component_design(36, {"group": group * 3}).x)
    np.testing.assert_allclose(thrice.beta, once.beta, atol=1e-12)
    np.testing.assert_allclose(thrice.beta_cov, once.beta_cov, atol=1e-12)
    assert (thrice.spread, thrice.df) == (pytest.approx(once.spread), once.df)


def test_errors_that_levels_share_are_in_the_effects() -> None:
    group = np.repeat([0, 1], 8)
    shared = 0.2 * np.eye(16) + 0.3 * (group[:, None] == group)
    x = component_design(16, {"group": group.tolist()}).x
    draw = np.random.default_rng(5)
    drawn = draw.multivariate_normal(np.zeros(16), shared, size=200)
    for errors, least, most in ((shared, 0.9, 1.3), (0.5 * np.eye(16), 2.0, 4.0)):
        found = [regression(known(theta, errors), x) for theta in drawn]
        z = [each.beta[1] / np.sqrt(each.beta_cov[1, 1]) for each in found]
        assert least < np.std(z) < most
