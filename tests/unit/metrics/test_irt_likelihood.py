"""The likelihood's derivatives are its derivatives, and the grid is fine enough."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import approx_fprime

from viva.metrics.irt import probability_3pl
from viva.metrics.irt.grid import item_grid
from viva.metrics.irt.likelihood import ItemMarginal

DRAW = np.random.default_rng(0)
THETA = DRAW.normal(0, 1, 6)


def responses() -> NDArray[np.float64]:
    values = (np.random.default_rng(1).random((6, 15)) < 0.6).astype(np.float64)
    values[0, :5], values[2, 7], values[5] = np.nan, np.nan, 1.0
    return values


def test_the_value_is_the_sum_over_nodes_written_out() -> None:
    grid, values = item_grid(4), responses()
    p = probability_3pl(THETA, grid.a, grid.b, grid.c)
    total = 0.0
    for column in values.T:
        each = np.where(column[:, None] == 1, p, np.where(column[:, None] == 0, 1 - p, 1.0)).prod(axis=0)
        total += np.log((each * np.exp(grid.log_weight)).sum())
    np.testing.assert_allclose(ItemMarginal(values, grid).value_and_gradient(THETA)[0], total, rtol=1e-10)


def test_the_gradient_agrees_with_finite_differences() -> None:
    marginal = ItemMarginal(responses(), item_grid(4))
    numeric = approx_fprime(THETA, lambda t: marginal.value_and_gradient(t)[0], 1e-6)
    np.testing.assert_allclose(marginal.value_and_gradient(THETA)[1], numeric, atol=1e-4)


def test_the_hessian_agrees_with_finite_differences_of_the_gradient() -> None:
    marginal = ItemMarginal(responses(), item_grid(4))
    numeric = approx_fprime(THETA, lambda t: marginal.value_and_gradient(t)[1], 1e-6)
    np.testing.assert_allclose(marginal.hessian(THETA), numeric, atol=1e-4)


def test_extreme_abilities_give_finite_numbers() -> None:
    marginal = ItemMarginal(responses(), item_grid(4))
    for theta in (np.full(6, 60.0), np.full(6, -60.0)):
        value, gradient = marginal.value_and_gradient(theta)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()
        assert np.isfinite(marginal.hessian(theta)).all()


def test_weights_of_the_grid_have_the_moments_of_the_prior() -> None:
    for options in (3, 4, 6):
        grid = item_grid(options)
        weight = np.exp(grid.log_weight)
        assert len(weight) == 540
        np.testing.assert_allclose(weight.sum(), 1)
        np.testing.assert_allclose(weight @ grid.b, 0, atol=1e-12)
        np.testing.assert_allclose(weight @ grid.b**2, 1, atol=0.02)
        np.testing.assert_allclose(weight @ np.log(grid.a) ** 2, 0.25, atol=0.015)
        np.testing.assert_allclose(weight @ grid.c, 1 / options)


def test_the_usual_grid_agrees_with_one_nine_times_as_fine() -> None:
    draw = np.random.default_rng(2)
    theta = draw.normal(0, 1, 40)
    p = probability_3pl(theta, np.exp(draw.normal(0, 0.4, 60)), draw.normal(0, 1, 60), np.full(60, 0.25))
    values = (draw.random(p.shape) < p).astype(np.float64)
    usual, fine = (ItemMarginal(values, item_grid(4, fineness=k)) for k in (1, 3))
    errors = [np.sqrt(np.diag(np.linalg.inv(np.eye(40) - m.hessian(theta)))) for m in (usual, fine)]
    np.testing.assert_allclose(errors[0], errors[1], rtol=0.1)
    np.testing.assert_allclose(np.median(errors[0]), np.median(errors[1]), rtol=0.02)
