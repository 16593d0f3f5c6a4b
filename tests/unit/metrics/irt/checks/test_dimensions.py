"""A second dimension is found where there is one, and not invented where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt import analyse
from viva.metrics.irt.checks.factors import fit_factors
from viva.metrics.irt.checks.second_dimension import SecondDimension, second_dimension
from viva.metrics.irt.model.formats import item_formats
from viva.metrics.irt.model.responses import NotJudged

Floats = NDArray[np.float64]


def answers(second: float, seed: int = 0, examinees: int = 24, items: int = 160) -> tuple[Floats, Floats]:
    """Responses of systems that differ in a second ability by so much, and their places on it."""
    draw = np.random.default_rng(seed)
    one, other = draw.normal(0, 1, examinees), np.where(np.arange(examinees) % 2, 1.0, -1.0)
    sign = np.where(np.arange(items) % 2, 1.0, -1.0)
    z = one[:, None] + second * other[:, None] * sign + draw.normal(0, 1, items)
    return (draw.random(z.shape) < 1 / (1 + np.exp(-z))).astype(np.float64), other


def judged(responses: Floats) -> SecondDimension | NotJudged:
    return second_dimension(responses, item_formats(responses.shape[1], "2pl", None, 4))


def test_a_second_ability_shows_in_answers_kept_from_the_fit() -> None:
    responses, other = answers(1.5)
    found = judged(responses)
    assert isinstance(found, SecondDimension)
    assert found.matters
    assert found.gain.low > 0.02
    assert abs(np.corrcoef(found.places, other)[0, 1]) > 0.9


def test_where_one_ability_is_all_none_is_found() -> None:
    for seed in range(3):
        found = judged(answers(0.0, seed, items=80)[0])
        assert isinstance(found, SecondDimension)
        assert not found.matters
        assert found.gain.value < 0.005


def specialists(advantage: float, seed: int = 1, examinees: int = 10, items: int = 40) -> Floats:
    """The first half of the examinees is better by so many logits on the first half of the items, the others so."""
    draw = np.random.default_rng(seed)
    own = (np.arange(examinees) < examinees // 2)[:, None] == (np.arange(items) < items // 2)
    z = np.where(own, advantage / 2, -advantage / 2) + draw.normal(0, 0.5, items)
    return np.asarray(draw.random(z.shape) < 1 / (1 + np.exp(-z)), dtype=np.float64)


def test_two_kinds_of_specialists_are_found_and_named_with_their_items_and_topics() -> None:
    # one factor with loadings of both signs describes them as well as two dimensions do
    found = judged(specialists(4.0))
    assert isinstance(found, SecondDimension)
    assert found.matters
    assert all(side.topics == () for side in found.sides(["all"] * 40))
    topics = ["early"] * 20 + ["late"] * 20
    sides = sorted(found.sides(topics), key=lambda side: min(side.examinees))
    for side, who, which, topic in zip(sides, ({0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}), (0, 20), topics[::20], strict=True):
        assert set(side.examinees) <= who
        assert all(which <= item < which + 20 for item in side.items)
        assert side.topics == (topic,)
        assert len(side.items) == 4


def test_loadings_kept_positive_cannot_describe_specialists() -> None:
    responses = specialists(4.0)
    signed, positive = fit_factors(responses, 1), fit_factors(responses, 1, positive=True)
    assert (positive.w >= 0).all()
    assert (signed.w < -0.5).sum() > 10
    assert np.abs(signed.probability - responses).mean() < np.abs(positive.probability - responses).mean() - 0.1


def test_where_all_loadings_are_positive_keeping_them_so_changes_little() -> None:
    responses = answers(0.0)[0]
    signed, positive = fit_factors(responses, 1), fit_factors(responses, 1, positive=True)
    assert np.abs(signed.probability - positive.probability).max() < 0.1


def test_missing_answers_of_specialists_are_expected_by_two_dimensions() -> None:
    responses = specialists(4.0, examinees=16)
    holes = responses.copy()
    # the first half of the examinees were hardly asked what they are bad at
    holes[:8, 25:] = np.nan
    found = analyse(holes, model="2pl")
    assert isinstance(found.checks.second_dimension, SecondDimension)
    assert found.checks.second_dimension.matters
    by_one = found.fit.expected_scores()
    truth = responses.mean(axis=1)
    by_two, other = (
        float(np.abs(np.array([each.value for each in expected]) - truth)[:8].mean())
        for expected in (found.expected_scores, by_one)
    )
    assert by_two < min(other - 0.05, 0.08)


def test_few_examinees_or_items_are_not_judged() -> None:
    responses, _ = answers(1.5)
    for few in (responses[:7], responses[:, :19]):
        found = judged(few)
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
