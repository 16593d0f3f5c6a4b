"""Additive abilities pass, a residual is measured, an interaction is named, and what cannot be tested is refused."""

from __future__ import annotations

import numpy as np
import pytest

from viva.core.errors import UsageError
from viva.metrics.irt.checks.additivity import Additivity, additivity, level_columns
from viva.metrics.irt.model.responses import NotJudged

LEVELS = (3, 7, 3)


def measured(interaction: float, residual: float, seed: int) -> Additivity:
    """Additivity of abilities known to .2, with an interaction of reader and prompt and a residual of given sds."""
    draw = np.random.default_rng(seed)
    rows = np.array([(i, j, k) for i in range(3) for j in range(7) for k in range(3)])
    theta = sum((draw.normal(0, 0.6, n)[rows[:, f]] for f, n in enumerate(LEVELS)), np.zeros(63))
    theta += draw.normal(0, interaction, (3, 3))[rows[:, 0], rows[:, 2]] + draw.normal(0, residual, 63)
    covariance = 0.03 * np.eye(63) + 0.01
    observed = draw.multivariate_normal(theta, covariance)
    columns = {name: level_columns(rows[:, f]) for f, name in enumerate(("reader", "retriever", "prompt"))}
    found = additivity(observed, covariance, columns)
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
    columns = {"a": level_columns([0, 0, 1, 1]), "b": level_columns([0, 1, 0, 1])}
    found = additivity(np.array([1.0, -1.0, -1.0, 1.0]), 0.1 * np.eye(4), columns)
    assert isinstance(found, Additivity)
    assert found.residual_sd == pytest.approx(np.sqrt(4 / 1 - 0.1))


def test_additivity_is_refused_where_nothing_is_left_to_test_it() -> None:
    assert isinstance(additivity(np.zeros(3), np.eye(3), {"reader": level_columns(["x", "y", "z"])}), NotJudged)
    assert isinstance(additivity(np.zeros(3), np.eye(3), {}), NotJudged)
    with pytest.raises(UsageError):
        additivity(np.zeros(3), np.zeros((3, 3)), {"k": np.arange(3.0)})
