"""What must not change an estimate does not, and no matrix of 0, 1 and nan ends in nan or a traceback."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt import Fit, probability_3pl
from viva.metrics.irt.fit.estimation import fit

Floats = NDArray[np.float64]
SEEDS = st.integers(0, 2**32 - 1)
READER = [f"r{i % 3}" for i in range(9)]
RETRIEVER = [f"s{i // 3}" for i in range(9)]


def matrix(seed: int, examinees: int = 9, items: int = 40) -> Floats:
    draw = np.random.default_rng(seed)
    p = probability_3pl(draw.normal(0, 1, examinees), np.ones(items), draw.normal(0, 1, items), np.full(items, 0.25))
    return (draw.random(p.shape) < p).astype(np.float64)


def same(one: Fit, other: Fit, rows: Floats | slice = slice(None), columns: Floats | slice = slice(None)) -> None:
    """Within what a search leaves, `other` is `one` with rows and columns taken."""
    for name, places in (("theta", rows), ("theta_se", rows), ("b", columns), ("a", columns), ("c", columns)):
        np.testing.assert_allclose(getattr(other, name), getattr(one, name)[places], atol=1e-2, err_msg=name)


@pytest.mark.parametrize("method", ["mml-items", "map"])
@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_the_order_of_examinees_and_items_does_not_matter(method: str, seed: int) -> None:
    responses, draw = matrix(seed), np.random.default_rng(seed)
    rows, columns = draw.permutation(9), draw.permutation(40)
    straight = fit(responses, components={"reader": READER, "retriever": RETRIEVER}, method=method)
    shuffled = fit(
        responses[rows][:, columns],
        components={"retriever": [RETRIEVER[i] for i in rows], "reader": [READER[i] for i in rows]},
        method=method,
    )
    same(straight, shuffled, rows, columns)


@pytest.mark.parametrize("method", ["mml-items", "map"])
@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_levels_by_other_names_have_the_same_effects(method: str, seed: int) -> None:
    responses = matrix(seed)
    one = fit(responses, components={"reader": READER, "retriever": RETRIEVER}, method=method)
    renamed = {"r0": "zebra", "r1": "ape", "r2": "moth"}
    other = fit(responses, components={"a reader": [renamed[r] for r in READER], "s": RETRIEVER}, method=method)
    same(one, other)
    for level, name in renamed.items():
        effect, again = one.effects["reader"][level], other.effects["a reader"][name]
        assert (again.estimate, again.se) == pytest.approx((effect.estimate, effect.se), abs=1e-2)


@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_an_item_nobody_answered_changes_nothing(seed: int) -> None:
    responses = matrix(seed)
    one = fit(responses)
    other = fit(np.insert(responses, 17, np.nan, axis=1))
    np.testing.assert_allclose(other.theta, one.theta, atol=1e-2)
    np.testing.assert_allclose(np.delete(other.b, 17), one.b, atol=1e-2)


@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_examinees_with_the_same_answers_have_the_same_ability(seed: int) -> None:
    responses = matrix(seed)
    found = fit(np.vstack([responses, responses[2]]))
    assert found.abilities[-1] == found.abilities[2]
    assert found.probability_better()[-1, 2] == pytest.approx(0.5, abs=0.01)


CELL = st.sampled_from([0.0, 1.0, np.nan])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "map"])
@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data())
def test_any_matrix_is_fitted_with_finite_numbers_or_refused_in_words(method: str, data: st.DataObject) -> None:
    n, m = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    kind = data.draw(st.sampled_from(["any", "all right", "all wrong", "mostly missing"]))
    cells = {"any": CELL, "all right": st.just(1.0), "all wrong": st.just(0.0), "mostly missing": st.just(np.nan)}
    rows = data.draw(st.lists(st.lists(cells[kind], min_size=m, max_size=m), min_size=n, max_size=n))
    responses = np.array(rows, dtype=np.float64)
    if kind == "mostly missing":
        responses[0, 0], responses[-1, -1] = 1.0, 0.0
    components = {"reader": data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=n, max_size=n))}
    try:
        found = fit(responses, components=components, method=method)
    except UsageError:
        return
    for values in (found.theta, found.a, found.b, found.c, found.predict(), [found.loglik, found.residual_sd or 0.0]):
        assert np.isfinite(values).all()
    for values in (found.theta_se, found.a_se, found.b_se, found.c_se, found.probability_better()):
        assert np.isfinite(values).all()
    assert found.converged
