"""A second dimension is found where there is one, and not invented where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt import analyse
from viva.metrics.irt.checks.factors import SecondDimension, fit_factors, second_dimension
from viva.metrics.irt.model.responses import NotJudged

Floats = NDArray[np.float64]


def answers(second: float, seed: int = 0, examinees: int = 24, items: int = 160) -> tuple[Floats, Floats]:
    """Responses of systems that differ in a second ability by so much, and their places on it."""
    draw = np.random.default_rng(seed)
    one, other = draw.normal(0, 1, examinees), np.where(np.arange(examinees) % 2, 1.0, -1.0)
    sign = np.where(np.arange(items) % 2, 1.0, -1.0)
    z = one[:, None] + second * other[:, None] * sign + draw.normal(0, 1, items)
    return (draw.random(z.shape) < 1 / (1 + np.exp(-z))).astype(np.float64), other


def test_a_second_ability_shows_in_answers_kept_from_the_fit() -> None:
    responses, other = answers(1.5)
    found = second_dimension(responses)
    assert isinstance(found, SecondDimension)
    assert found.matters
    assert found.gain.low > 0.02
    assert abs(np.corrcoef(found.places, other)[0, 1]) > 0.9


def test_where_one_ability_is_all_none_is_found() -> None:
    for seed in range(3):
        found = second_dimension(answers(0.0, seed)[0])
        assert isinstance(found, SecondDimension)
        assert not found.matters
        assert found.gain.value < 0.005


def test_the_command_and_the_report_are_told_of_it() -> None:
    found = analyse(answers(1.5)[0]).checks.second_dimension
    assert isinstance(found, SecondDimension)
    assert found.matters


def test_few_examinees_or_items_are_not_judged() -> None:
    responses, _ = answers(1.5)
    for few in (responses[:7], responses[:, :19]):
        found = second_dimension(few)
        assert isinstance(found, NotJudged)
        assert "at least 8 examinees and 20 items" in found.reason


def test_missing_answers_are_predicted_by_what_was_seen() -> None:
    responses, _ = answers(1.5)
    holes = responses.copy()
    hidden = np.random.default_rng(3).random(holes.shape) < 0.2
    holes[hidden] = np.nan
    one, two = (fit_factors(holes, k).probability for k in (1, 2))
    assert ((two - responses)[hidden] ** 2).mean() < ((one - responses)[hidden] ** 2).mean() - 0.01
    assert ((two > 0) & (two < 1)).all()


def test_a_dimension_too_many_costs_next_to_nothing() -> None:
    responses, _ = answers(0.0, seed=4)
    hidden = np.random.default_rng(3).random(responses.shape) < 0.2
    seen = np.where(hidden, np.nan, responses)
    losses = [((fit_factors(seen, k).probability - responses)[hidden] ** 2).mean() for k in (1, 4)]
    assert losses[1] < losses[0] + 0.003


def test_items_in_another_order_have_the_same_places_and_probabilities() -> None:
    responses, _ = answers(1.5)
    order = np.random.default_rng(9).permutation(responses.shape[1])
    one, other = fit_factors(responses, 2), fit_factors(responses[:, order], 2)
    np.testing.assert_allclose(one.probability[:, order], other.probability, atol=1e-6)


@pytest.mark.parametrize("dimensions", [0, 9])
def test_dimensions_that_cannot_be_are_refused(dimensions: int) -> None:
    with pytest.raises(UsageError, match=f"cannot be {dimensions} dimensions"):
        fit_factors(answers(1.0)[0], dimensions)
