"""Who answers as the model says stands near 0; who misses what is easy and gets what is hard, far below."""

from __future__ import annotations

import numpy as np
import pytest

from viva.metrics.irt.checks.person_fit import person_fit, strays
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.model.curves import probability_3pl

ITEMS = 120
A, B, C = np.ones(ITEMS), np.linspace(-2.5, 2.5, ITEMS), np.full(ITEMS, 0.2)


def test_answers_that_follow_the_model_are_about_standard_normal() -> None:
    draw = np.random.default_rng(0)
    theta = draw.normal(0, 1, 800)
    responses = (draw.random((800, ITEMS)) < probability_3pl(theta, A, B, C)).astype(np.float64)
    found = person_fit(responses, theta, A, B, C)
    assert found.mean() == pytest.approx(0, abs=0.15)
    assert found.std() == pytest.approx(1, abs=0.15)
    assert not strays(found[:50]).any()


def test_who_misses_the_easy_and_gets_the_hard_strays() -> None:
    draw = np.random.default_rng(1)
    theta = draw.normal(0, 1, 20)
    responses = (draw.random((20, ITEMS)) < probability_3pl(theta, A, B, C)).astype(np.float64)
    responses[4] = responses[4, ::-1]
    found = fit(responses)
    follows = found.person_fit()
    assert int(np.argmin(follows)) == 4
    assert follows[4] < -4
    assert np.flatnonzero(strays(follows)).tolist() == [4]


def test_few_answers_are_not_judged() -> None:
    responses = np.full((2, ITEMS), np.nan)
    responses[0, :9], responses[1, :10] = 1.0, 1.0
    found = person_fit(responses, [0.0, 0.0], A, B, C)
    assert np.isnan(found[0])
    assert np.isfinite(found[1])
    assert not strays(found).any()
