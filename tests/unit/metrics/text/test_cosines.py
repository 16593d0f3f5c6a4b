"""Cosines to four decimals, in which nothing of the machine is left."""

from __future__ import annotations

import numpy as np
import pytest

from viva.metrics.text.cosines import Vectors, cosine, cosines, cosines_of_whole, whole


def rows(count: int, seed: int = 0, dimensions: int = 384) -> Vectors:
    found = np.random.default_rng(seed).normal(size=(count, dimensions))
    return np.round(found / np.linalg.norm(found, axis=1, keepdims=True), 6).astype(np.float32)


def test_they_are_the_cosines() -> None:
    these, those = rows(5), rows(7, seed=1)
    assert cosines(these, those) == pytest.approx(these.astype(float) @ those.T.astype(float), abs=5.1e-5)
    assert cosines(these, these).diagonal() == pytest.approx(1, abs=0)


def test_one_vector_leaves_out_its_side_of_the_shape() -> None:
    these, those = rows(5), rows(7, seed=1)
    both = cosines(these, those)
    assert np.array_equal(cosines(these, those[2]), both[:, 2])
    assert np.array_equal(cosines(these[3], those), both[3])
    assert cosine(these[3], those[2]) == both[3, 2]
    assert cosines(these[:0], those).shape == (0, 7)
    assert np.array_equal(cosines_of_whole(whole(these), whole(those)), both)


def test_no_order_of_summation_and_no_last_digit_of_a_vector_changes_them() -> None:
    these, those = rows(300), rows(300, seed=1)
    found = cosines(these, those)
    draw = np.random.default_rng(2)
    for _ in range(3):
        order = draw.permutation(384)
        nudge = draw.uniform(-2e-7, 2e-7, size=these.shape)
        moved = (these.astype(np.float64) + nudge)[:, order].astype(np.float32)
        assert np.array_equal(cosines(moved, those[:, order]), found)
        # the plain product of the very same numbers is another one
        assert not np.array_equal(np.round(moved @ those[:, order].T, 6), np.round(these @ those.T, 6))
