"""Many examinees: fitted without a square of them, refused before one is laid out; and how sure the figures are."""

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
from viva.metrics.irt.model.inputs import NotJudged

Floats = NDArray[np.float64]
MANY = 6_000


def answered(theta: Floats, items: int, seed: int, c: float = 0.0) -> Floats:
    draw = np.random.default_rng(seed)
    a, b = np.exp(draw.normal(0, 0.4, items)), draw.normal(0, 1, items)
    p = probability_3pl(theta - theta.mean(), a, b - b.mean(), c)
    return (draw.random(p.shape) < p).astype(np.float64)


@pytest.fixture(scope="module")
def theta() -> Floats:
    drawn = np.random.default_rng(3).normal(size=12_000)
    return np.asarray((drawn - drawn.mean()) / drawn.std(), dtype=np.float64)


def test_memory_grows_with_the_responses_not_with_the_square_of_the_examinees(theta: Floats) -> None:
    responses = answered(theta[:MANY], 8, 1)
    tracemalloc.start()
    found = fit(responses, model="2pl")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.converged
    assert found.method == "mml-persons"
    # a square of so many takes 275
    assert peak / 2**20 < 30
    assert np.mean(np.abs(found.theta - theta[:MANY]) < 1.96 * found.theta_se) == pytest.approx(0.95, abs=0.02)
    with pytest.raises(UsageError, match="6000 examinees have"):
        found.probability_better()


def test_who_stands_where_does_not_depend_on_the_start_by_some_of_the_examinees(theta: Floats) -> None:
    responses = answered(theta, 8, 2)
    straight, turned = fit(responses, model="2pl"), fit(responses[::-1], model="2pl")
    np.testing.assert_allclose(turned.theta[::-1], straight.theta, atol=1e-4)
    np.testing.assert_allclose(turned.b_se, straight.b_se, rtol=1e-3)


FEW = np.tile([[1.0, 0.0], [0.0, 1.0]], (MANY // 2, 1))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: fit(FEW, method="map"), "The joint mode .* 6000 x 6000 numbers, 0.268 GiB"),
        (lambda: fit(FEW, method="mml-items"), "Integrating over items .* 6000 x 6000"),
        (lambda: fit(FEW, method="guinet2024"), "without components .* 6000 x 6000"),
        (lambda: fit(FEW, components={"name": range(MANY)}), "'name' has 6000 levels: with 6000 examinees a table"),
        (
            lambda: fit(
                FEW,
                components={"a": np.arange(MANY) % 70, "b": np.arange(MANY) % 71},
                interactions=[("a", "b")],
            ),
            "interaction of 'a' and 'b' has 4830 effects",
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


def test_checks_of_many_examinees_are_made_on_some_or_say_why_not(theta: Floats) -> None:
    found = analyse(answered(theta, 12, 4), model="2pl")
    assert Note(code=NoteCode.DEPENDENCE_DRAWN, count=10000, of=12000) in found.checks.notes
    assert Note(code=NoteCode.FAULTS_DRAWN, count=500, of=12000) in found.checks.notes
    assert isinstance(found.checks.additivity, NotJudged)
    assert not isinstance(found.checks.score_fit, NotJudged)
    assert len(found.expected_scores) == len(theta)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(300, 30), (800, 60)])
def test_intervals_of_abilities_hold_where_examinees_are_more_than_the_items(shape: tuple[int, int]) -> None:
    held = []
    for seed in range(3):
        ability = np.random.default_rng(seed).normal(size=shape[0])
        ability = (ability - ability.mean()) / ability.std()
        found = fit(answered(ability, shape[1], seed, 0.2), model="3pl")
        assert found.converged
        assert found.method == "mml-persons"
        held.append(np.mean(np.abs(found.theta - ability) < 1.96 * found.theta_se))
    assert np.mean(held) > 0.93


def test_components_draw_abilities_and_abilities_share_the_error_of_their_effects() -> None:
    draw = np.random.default_rng(5)
    group = np.arange(900) % 3
    ability = 0.8 * (group - 1.0) + draw.normal(0, 0.6, 900)
    found = fit(answered(ability, 12, 6), components={"group": group.tolist()}, model="2pl")
    spread = ability.std()
    assert found.method == "mml-persons"
    assert found.theta.mean() == pytest.approx(0, abs=0.02)
    for level, reference in (("1", "0"), ("2", "1")):
        contrast = found.contrast("group", level, reference)
        assert contrast.estimate == pytest.approx(0.8 / spread, abs=3 * contrast.se)
    assert found.residual_sd == pytest.approx(0.6 / spread, abs=0.06)
    np.testing.assert_allclose(np.diag(found.theta_cov), found.theta_se**2)
    assert found.theta_cov[0, 3] > 0
    # who answered nothing stands where the group does
    unseen = answered(ability, 12, 6)
    unseen[0] = np.nan
    blank = fit(unseen, components={"group": group.tolist()}, model="2pl")
    assert blank.theta[0] == pytest.approx(-0.8 / spread, abs=0.1)
    assert blank.theta_se[0] == pytest.approx(0.6 / spread, abs=0.06)


def test_what_a_mask_covers_is_not_graded() -> None:
    responses = answered(np.random.default_rng(7).normal(size=40), 12, 8)
    covered = np.random.default_rng(9).random(responses.shape) < 0.2
    masked = np.ma.masked_array(responses.astype(np.int64), mask=covered)
    expected = fit(np.where(covered, np.nan, responses), model="2pl")
    found = analyse(masked, model="2pl")
    np.testing.assert_array_equal(found.fit.theta, expected.theta)
    assert found.graded.sum() == (~covered).sum()
