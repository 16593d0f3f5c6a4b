"""Curves of items at a few nodes of ability stand for curves at every examinee."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.fit.joint_mode import cells
from viva.metrics.irt.fit.joint_mode.blocks import (
    ItemBlocks,
    item_blocks,
    item_information,
    item_variance,
    profile_information,
)
from viva.metrics.irt.fit.joint_mode.cells import Cells, Nodes, Sums, nodes_of
from viva.metrics.irt.model.curves import information_3pl, probability_3pl

Floats = NDArray[np.float64]

N, M = 400, 60


def drawn(sd: float = 1.0) -> tuple[Floats, Floats, tuple[Floats, Floats, Floats]]:
    """Responses, abilities, and a, b, c; the second half of the items cannot be guessed."""
    draw = np.random.default_rng(0)
    theta, a, b = sd * draw.normal(0, 1, N), np.exp(draw.normal(0, 0.5, M)), draw.normal(0, 1, M)
    c = np.where(np.arange(M) < M // 2, 0.25, 0.0)
    p = probability_3pl(theta, a, b, c)
    return (draw.random(p.shape) < p).astype(np.float64), theta, (a, b, c)


def blocks_of(sums: Sums, a: Floats, b: Floats, c: Floats) -> ItemBlocks:
    return item_blocks(item_information(sums, a, b, c, np.ones((M, 3))), np.array([6.0, 1.0, 6.0]))


def test_a_curve_at_the_nodes_is_the_curve_at_the_examinees() -> None:
    _, theta, (a, b, c) = drawn()
    found = nodes_of(theta, float(a.max()))
    assert found.basis is not None
    assert len(found.at) < N / 4
    curves = information_3pl(found.at, a, b, c)
    np.testing.assert_allclose(found.to_examinees(curves), information_3pl(theta, a, b, c), atol=1e-8)
    weights = np.random.default_rng(1).normal(size=N)
    np.testing.assert_allclose(found.summed(weights) @ curves, weights @ information_3pl(theta, a, b, c), atol=1e-6)


def test_few_examinees_and_steep_items_are_looked_at_one_by_one() -> None:
    _, theta, (a, _, _) = drawn()
    assert nodes_of(theta[:20], float(a.max())).basis is None
    assert nodes_of(theta, 500.0).basis is None


def test_steeper_items_and_abilities_further_apart_take_more_nodes() -> None:
    theta = drawn()[1]
    few, steep, far = (len(nodes_of(spread * theta, slope).at) for spread, slope in ((1, 1.0), (1, 2.0), (2, 1.0)))
    assert few < steep
    assert few < far


@pytest.mark.parametrize("sd", [0.5, 2.0])
def test_a_pass_over_nodes_is_a_pass_over_examinees(sd: float, monkeypatch: pytest.MonkeyPatch) -> None:
    responses, theta, (a, b, c) = drawn(sd)
    by_nodes = Cells(responses).sums(theta, a, -a * b, c)
    monkeypatch.setattr(cells, "_WORTH", np.inf)
    each = Cells(responses).sums(theta, a, -a * b, c)
    assert by_nodes.weights.nodes.basis is not None
    assert each.weights.nodes.basis is None
    for name in ("loglik", "theta", "z", "z_theta", "c", "zz", "zc", "cc"):
        expected = getattr(each, name)
        scale = float(np.abs(expected).max())
        np.testing.assert_allclose(getattr(by_nodes, name), expected, atol=1e-8 * scale, err_msg=name)


def test_information_and_variances_are_those_over_examinees(monkeypatch: pytest.MonkeyPatch) -> None:
    responses, theta, (a, b, c) = drawn()
    half_cov = np.tril(np.random.default_rng(2).normal(size=(N, N))) / N
    found = []
    for worth in (2, np.inf):
        monkeypatch.setattr(cells, "_WORTH", worth)
        sums = Cells(responses).sums(theta, a, -a * b, c)
        blocks = blocks_of(sums, a, b, c)
        information = np.tril(profile_information(sums.weights, a, blocks))
        found.append((information, item_variance(sums.weights, blocks, np.asfortranarray(half_cov))))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-7)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-7)


def test_a_fit_does_not_hang_on_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    responses = drawn()[0]
    one = fit(responses, method="map")
    monkeypatch.setattr(cells, "_WORTH", np.inf)
    other = fit(responses, method="map")
    for name in ("theta", "theta_se", "a", "b", "c", "a_se", "b_se", "c_se", "loglik"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6, atol=1e-7, err_msg=name)


def test_a_missing_cell_adds_nothing_among_many_examinees() -> None:
    responses, theta, (a, b, c) = drawn()
    some = responses.copy()
    some[:100] = np.nan
    whole, part = Cells(some).sums(theta, a, -a * b, c), Cells(responses[100:]).sums(theta[100:], a, -a * b, c)
    assert (whole.theta[:100] == 0).all()
    np.testing.assert_allclose(whole.theta[100:], part.theta, atol=1e-7)
    np.testing.assert_allclose(whole.loglik, part.loglik, rtol=1e-9)


def test_nodes_that_are_the_examinees_carry_nothing() -> None:
    curves = np.arange(3.0)
    assert Nodes(np.zeros(3)).to_examinees(curves) is curves
    assert Nodes(np.zeros(3)).summed(curves) is curves
