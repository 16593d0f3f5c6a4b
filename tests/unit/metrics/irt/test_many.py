"""Many examinees: fitted by the joint mode up to 5,000, refused beyond before a square of them is laid out."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.notes import Note, NoteCode
from viva.metrics.irt import Fit, analyse, probability_3pl
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.model.responses import NotJudged

Floats = NDArray[np.float64]
MANY = 6_000


def answered(theta: Floats, items: int, seed: int, c: float = 0.0) -> Floats:
    draw = np.random.default_rng(seed)
    a, b = np.exp(draw.normal(0, 0.4, items)), draw.normal(0, 1, items)
    p = probability_3pl(theta - theta.mean(), a, b - b.mean(), c)
    return (draw.random(p.shape) < p).astype(np.float64)


FEW = np.tile([[1.0, 0.0], [0.0, 1.0]], (MANY // 2, 1))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: fit(FEW), "6000 examinees are too many: .* 6000 x 6000 numbers, 0.268 GiB.* Draw a sample"),
        (lambda: fit(FEW, method="map"), "6000 examinees are too many"),
        (
            lambda: fit(
                FEW[:5000],
                components={"a": np.arange(5000) % 72, "b": np.arange(5000) % 73},
                interactions=[("a", "b")],
            ),
            "interaction of 'a' and 'b' has 5112 effects",
        ),
    ],
)
def test_what_would_take_too_much_is_refused_before_it_is_laid_out(call: Callable[[], Fit], says: str) -> None:
    tracemalloc.start()
    with pytest.raises(UsageError, match=says):
        call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / 2**20 < 40


def test_checks_of_many_examinees_are_made_on_some_or_say_why_not() -> None:
    found = analyse(answered(np.random.default_rng(3).normal(size=1200), 12, 4), model="2pl")
    assert Note(code=NoteCode.FAULTS_DRAWN, count=500, of=1200) in found.checks.notes
    assert isinstance(found.checks.additivity, NotJudged)
    assert not isinstance(found.checks.score_fit, NotJudged)
    assert len(found.expected_scores) == 1200
    with pytest.raises(UsageError, match="1200 examinees have"):
        found.fit.probability_better()


@pytest.mark.parametrize("shape", [(400, 12), (900, 30)])
def test_intervals_of_abilities_hold_where_examinees_are_more_than_the_items(shape: tuple[int, int]) -> None:
    held = []
    for seed in range(3):
        ability = np.random.default_rng(seed).normal(size=shape[0])
        found = fit(answered(ability, shape[1], seed), model="2pl")
        assert found.converged
        assert found.method == "map"
        held.append(np.mean(np.abs(found.theta - (ability - ability.mean())) < 1.96 * found.theta_se))
    assert np.mean(held) > 0.93


def test_what_a_mask_covers_is_not_graded() -> None:
    responses = answered(np.random.default_rng(7).normal(size=40), 12, 8)
    covered = np.random.default_rng(9).random(responses.shape) < 0.2
    masked = np.ma.masked_array(responses.astype(np.int64), mask=covered)
    expected = fit(np.where(covered, np.nan, responses), model="2pl")
    found = analyse(masked, model="2pl")
    np.testing.assert_array_equal(found.fit.theta, expected.theta)
    assert found.graded.sum() == (~covered).sum()
