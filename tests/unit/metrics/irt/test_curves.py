"""Curves of the 3PL against published values and against their own definition."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from viva.metrics.irt.model.curves import information_3pl, probability_3pl, standard_error_curve, test_information

A, B, C = np.array([1.2, 0.8, 1.5]), np.array([-1.0, 0.0, 0.5]), np.array([0.25, 0.2, 0.0])
THETA = np.linspace(-3, 3, 13)


def test_information_is_that_of_catr() -> None:
    # catR 3.17, Ii(): items (1.2, -1, .25) and (.8, 0, .2) at theta = -2, -1, 0
    expected = [[0.10498521, 0.03594837], [0.216, 0.07578793], [0.17867224, 0.10666667]]
    np.testing.assert_allclose(information_3pl([-2, -1, 0], A[:2], B[:2], C[:2]), expected, atol=1e-7)


def test_information_is_the_squared_slope_over_the_variance() -> None:
    step = 1e-5
    p = probability_3pl(THETA, A, B, C)
    slope = (probability_3pl(THETA + step, A, B, C) - probability_3pl(THETA - step, A, B, C)) / (2 * step)
    np.testing.assert_allclose(information_3pl(THETA, A, B, C), slope**2 / (p * (1 - p)), rtol=1e-6)


def test_information_without_guessing_is_that_of_the_2pl_and_with_guessing_less() -> None:
    p = probability_3pl(THETA, A, B, 0.0)
    np.testing.assert_allclose(information_3pl(THETA, A, B, 0.0), A**2 * p * (1 - p))
    guessed = probability_3pl(THETA, A, B, 0.25)
    assert (information_3pl(THETA, A, B, 0.25) < A**2 * guessed * (1 - guessed)).all()


def test_extremes_neither_overflow_nor_turn_into_nan() -> None:
    far = np.array([-1e4, -800, 800, 1e4])
    for c in (0.0, 0.25):
        assert np.isfinite(information_3pl(far, 1.0, 0.0, c)).all()
    np.testing.assert_allclose(probability_3pl(far, 1.0, 0.0, 0.25)[:, 0], [0.25, 0.25, 1, 1])


def test_the_exam_informs_by_the_sum_of_its_items() -> None:
    total = test_information(THETA, A, B, C)
    np.testing.assert_allclose(total, information_3pl(THETA, A, B, C).sum(axis=1))
    np.testing.assert_allclose(standard_error_curve(THETA, A, B, C), total**-0.5)
    assert standard_error_curve(0.0, [], [], [])[0] == np.inf


def test_curves_are_those_of_mirt() -> None:
    folder = os.environ.get("VIVA_IRT_REFERENCE", "")
    path = Path(folder) / "golden_mirt.json"
    if not folder or not path.is_file():
        pytest.skip("VIVA_IRT_REFERENCE names no folder with golden_mirt.json (mirt's output for a 3PL)")
    golden = json.loads(path.read_text(encoding="utf-8"))["threepl"]
    a, b, c = (np.array([item[name] for item in golden["items"]]) for name in ("a", "b", "g"))
    theta = np.array(golden["theta"])
    np.testing.assert_allclose(test_information(theta, a, b, c), golden["testinfo"], rtol=1e-4)
    np.testing.assert_allclose(probability_3pl(theta, a, b, c).sum(axis=1), golden["expected_score"], rtol=1e-4)
