"""The likelihoods' derivatives are their derivatives, and the grid is fine enough."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import approx_fprime

from viva.metrics.irt import probability_3pl
from viva.metrics.irt.fit.items_integrated.grid import HYPER_MEAN, SPREAD_C, item_grid
from viva.metrics.irt.fit.items_integrated.likelihood import HYPERS, ItemMarginal
from viva.metrics.irt.fit.joint_mode.cells import Cells
from viva.metrics.irt.model.formats import item_formats

DRAW = np.random.default_rng(0)
THETA = DRAW.normal(0, 1, 6)
PSI = np.concatenate([THETA, HYPER_MEAN + np.array([0.2, -0.1, 0.3])])
FORMATS = item_formats(15, ["1pl"] * 4 + ["2pl"] * 3 + ["3pl"] * 8, None, [4] * 10 + [2] * 5)


def responses() -> NDArray[np.float64]:
    values = (np.random.default_rng(1).random((6, 15)) < 0.6).astype(np.float64)
    values[0, :5], values[2, 7], values[5] = np.nan, np.nan, 1.0
    return values


def test_the_value_is_the_sum_over_nodes_written_out() -> None:
    grid = item_grid(0.25, free_slope=True, free_guessing=True)
    nodes, values = grid.nodes(HYPER_MEAN), responses()
    p = probability_3pl(THETA, nodes.a, nodes.b, nodes.c)
    total = 0.0
    for column in values.T:
        each = np.where(column[:, None] == 1, p, np.where(column[:, None] == 0, 1 - p, 1.0)).prod(axis=0)
        total += np.log((each * np.exp(grid.log_weight)).sum())
    marginal = ItemMarginal(values, item_formats(15, "3pl", None, 4))
    np.testing.assert_allclose(marginal.value_and_gradient(np.concatenate([THETA, HYPER_MEAN]))[0], total, rtol=1e-10)


def test_the_gradient_agrees_with_finite_differences_for_every_format() -> None:
    marginal = ItemMarginal(responses(), FORMATS)
    numeric = approx_fprime(PSI, lambda psi: marginal.value_and_gradient(psi)[0], 1e-6)
    np.testing.assert_allclose(marginal.value_and_gradient(PSI)[1], numeric, atol=1e-4)


def test_the_hessian_agrees_with_finite_differences_of_the_gradient() -> None:
    marginal = ItemMarginal(responses(), FORMATS)
    numeric = approx_fprime(PSI, lambda psi: marginal.value_and_gradient(psi)[1], 1e-6)
    np.testing.assert_allclose(marginal.hessian(PSI), numeric, atol=2e-3)


def test_extreme_abilities_give_finite_numbers() -> None:
    marginal = ItemMarginal(responses(), FORMATS)
    for theta in (np.full(6, 60.0), np.full(6, -60.0)):
        psi = np.concatenate([theta, HYPER_MEAN])
        value, gradient = marginal.value_and_gradient(psi)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()
        assert np.isfinite(marginal.hessian(psi)).all()


def test_weights_of_the_grid_have_the_moments_of_the_prior() -> None:
    for options in (3, 4, 6):
        grid = item_grid(1 / options, free_slope=True, free_guessing=True)
        nodes, weight = grid.nodes(HYPER_MEAN), np.exp(grid.log_weight)
        assert len(weight) == 240
        np.testing.assert_allclose(weight.sum(), 1)
        np.testing.assert_allclose(weight @ nodes.b, 0, atol=1e-12)
        np.testing.assert_allclose(weight @ nodes.b**2, 1, atol=0.02)
        np.testing.assert_allclose(weight @ np.log(nodes.a) ** 2, 0.4**2, rtol=0.1)
        logit = np.log(nodes.c / (1 - nodes.c))
        np.testing.assert_allclose(weight @ logit, np.log(1 / (options - 1)))
        np.testing.assert_allclose(weight @ (logit - weight @ logit) ** 2, SPREAD_C**2)


def test_the_grid_laid_for_a_fit_agrees_with_one_three_times_as_fine() -> None:
    draw = np.random.default_rng(2)
    theta = draw.normal(0, 1, 40)
    p = probability_3pl(theta, np.exp(draw.normal(0, 0.4, 60)), draw.normal(0, 1, 60), np.full(60, 0.25))
    values = (draw.random(p.shape) < p).astype(np.float64)
    psi = np.concatenate([theta, HYPER_MEAN])
    grids = [ItemMarginal(values, item_formats(60, "3pl", None, 4)) for _ in range(2)]
    for grid, spacing in zip(grids, (1.5, 0.5), strict=True):
        grid.refine(psi, spacing)
    errors = [np.sqrt(np.diag(np.linalg.inv(np.eye(40) - m.theta_hessian(psi)))) for m in grids]
    np.testing.assert_allclose(errors[0], errors[1], rtol=0.1)
    np.testing.assert_allclose(np.median(errors[0]), np.median(errors[1]), rtol=0.02)


def test_the_sums_over_cells_are_the_log_likelihood_and_its_derivatives() -> None:
    values = responses()
    a, d, c = np.exp(DRAW.normal(0, 0.4, 15)), DRAW.normal(0, 1, 15), np.r_[np.zeros(5), DRAW.uniform(0.1, 0.4, 10)]

    def loglik(theta: NDArray[np.float64], d: NDArray[np.float64], c: NDArray[np.float64]) -> float:
        p = probability_3pl(theta, a, -d / a, c)
        return float(np.where(values == 1, np.log(p), np.where(values == 0, np.log1p(-p), 0.0)).sum())

    sums = Cells(values).sums(THETA, a, d, c)
    np.testing.assert_allclose(sums.loglik, loglik(THETA, d, c), rtol=1e-10)
    np.testing.assert_allclose(sums.theta, approx_fprime(THETA, lambda t: loglik(t, d, c), 1e-6), atol=1e-4)
    np.testing.assert_allclose(sums.z, approx_fprime(d, lambda x: loglik(THETA, x, c), 1e-6), atol=1e-4)
    inner = c > 0
    np.testing.assert_allclose(sums.c[inner], approx_fprime(c, lambda x: loglik(THETA, d, x), 1e-7)[inner], atol=1e-3)


def test_fisher_weights_are_the_expected_squares_of_the_slopes() -> None:
    a, d, c = np.array([1.3, 0.7]), np.array([0.4, -0.8]), np.array([0.25, 0.1])
    p = probability_3pl(THETA, a, -d / a, c)
    expected = np.zeros((2, 3))
    for right in (0.0, 1.0):
        each = Cells(np.full((1, 2), right))
        for ability, chance in zip(THETA, np.where(right == 1, p, 1 - p), strict=True):
            sums = each.sums(np.array([ability]), a, d, c)
            expected += chance[:, None] * np.stack([sums.z**2, sums.z * sums.c, sums.c**2], axis=1)
    whole = Cells(np.ones((6, 2))).sums(THETA, a, d, c)
    np.testing.assert_allclose(np.stack([whole.zz[:, 0], whole.zc[:, 0], whole.cc], axis=1), expected, rtol=1e-8)


def test_psi_holds_as_many_hyper_parameters_as_the_grid() -> None:
    assert len(PSI) - len(THETA) == HYPERS == len(HYPER_MEAN)
