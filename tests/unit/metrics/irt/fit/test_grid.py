"""Integrating over items: the grid is as fine as the items call for; an answer that hangs on it is not believed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.metrics.irt import probability_3pl
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.fit.items_integrated import likelihood, posterior
from viva.metrics.irt.fit.items_integrated.grid import HYPER_MEAN, item_grid, needed_rows
from viva.metrics.irt.fit.items_integrated.likelihood import ItemMarginal
from viva.metrics.irt.fit.items_integrated.posterior import AbilityPosterior, SearchStart, ability_posterior
from viva.metrics.irt.fit.joint_mode import expansion
from viva.metrics.irt.fit.methods import Problem, by_mode
from viva.metrics.irt.model.formats import item_formats

Floats = NDArray[np.float64]


def far_apart(examinees: int, items: int, guessing: float, seed: int) -> Floats:
    """Responses where abilities are far apart, difficulties further, and many items steep."""
    draw = np.random.default_rng(seed)
    theta, a = draw.normal(2, 2.5, examinees), np.exp(draw.normal(0, 0.9, items))
    p = probability_3pl(theta, a, draw.normal(0, 4, items), np.full(items, guessing))
    return (draw.random(p.shape) < p).astype(np.float64)


def found_from(responses: Floats, model: str, shrunk: float) -> AbilityPosterior:
    """From the joint mode's abilities times `shrunk`."""
    formats = item_formats(responses.shape[1], model, None, 4)
    theta = by_mode(Problem(responses, formats)).theta
    start = np.concatenate([shrunk * theta, [np.log(3), np.log(0.6), 0.0]])
    return ability_posterior(ItemMarginal(responses, formats), SearchStart.rough(start, 2.0))


def test_a_grid_for_abilities_far_apart_overflows_nowhere(recwarn: pytest.WarningsRecorder) -> None:
    needed_rows(np.array([-1.0, 0.0, 120.0]), HYPER_MEAN, 0.25, 2.0, free_slope=True)
    assert not recwarn.list


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("shape", "guessing", "model"), [((60, 200), 0.25, "3pl"), ((40, 200), 0.0, "2pl")])
def test_from_wherever_the_search_began_the_answer_is_the_same_within_half_a_standard_error(
    shape: tuple[int, int], guessing: float, model: str, seed: int
) -> None:
    responses = far_apart(*shape, guessing, seed=seed)
    one, other = (found_from(responses, model, shrunk) for shrunk in (1.0, 0.6))
    assert one.converged
    assert other.converged
    # each may be off by the grid (.2) and by the quadratics it was averaged over: at most .44 on 32 such sets
    assert (np.abs(one.theta - other.theta) < 0.5 * np.sqrt(np.diag(one.theta_cov))).all()


def test_the_look_at_the_finer_grid_brings_the_answer_nearer_to_that_of_a_fine_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual, shifted, off = posterior._SPACINGS, posterior._shifted, np.zeros(2)
    for seed in range(1, 5):
        responses = far_apart(24, 100, 0.0, seed)
        found = found_from(responses, "2pl", 1.0)
        monkeypatch.setattr(posterior, "_shifted", lambda found, moved: found)
        coarse = found_from(responses, "2pl", 1.0)
        monkeypatch.setattr(posterior, "_shifted", shifted)
        monkeypatch.setattr(posterior, "_SPACINGS", (0.8, 0.7))
        fine = found_from(responses, "2pl", 1.0)
        monkeypatch.setattr(posterior, "_SPACINGS", usual)
        off += [np.abs(each.theta - fine.theta).mean() for each in (found, coarse)]
    assert off[0] < 0.7 * off[1]


def test_the_answer_stands_on_a_grid_four_times_as_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    responses = far_apart(40, 120, 0.25, seed=3)
    usual = found_from(responses, "3pl", 1.0)
    monkeypatch.setattr(posterior, "_SPACINGS", (0.8, 0.7))
    fine = found_from(responses, "3pl", 1.0)
    assert usual.converged
    assert (np.abs(usual.theta - fine.theta) < 0.3 * np.sqrt(np.diag(fine.theta_cov))).all()


def test_abilities_that_still_move_on_the_finest_grid_are_not_called_converged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(posterior, "_STEADY", 0.0)
    found = found_from(far_apart(20, 40, 0.25, seed=0), "3pl", 1.0)
    assert not found.converged
    assert "finest grid" in found.trouble


def test_too_many_nodes_are_refused_in_words_and_auto_takes_the_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    responses = far_apart(20, 40, 0.25, seed=0)
    monkeypatch.setattr(likelihood, "_MOST_WORK", 1e5)
    found = fit(responses, model="3pl")
    assert found.method == "map"
    assert found.converged
    assert "40 items must be integrated over" in found.message


def test_a_search_without_a_maximum_is_given_up_after_the_finer_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = []
    expand = expansion.expand

    def counted(*arguments: object, **named: object) -> expansion.Expansion:
        searches.append(arguments)
        return expand(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(expansion, "MAX_STEPS", 0)
    monkeypatch.setattr(posterior, "expand", counted)
    found = found_from(far_apart(20, 40, 0.25, seed=0), "3pl", 1.0)
    assert not found.converged
    assert "no maximum" in found.trouble
    assert len(searches) == 2


def test_nodes_stand_closer_where_items_are_steeper_and_examinees_more() -> None:
    theta = np.linspace(-2, 2, 60)
    rows = needed_rows(theta, HYPER_MEAN, 0.25, 1.75, free_slope=True)
    assert rows == sorted(rows)
    assert rows[-1] > 2 * rows[0]
    more = needed_rows(np.repeat(theta, 9), HYPER_MEAN, 0.25, 1.75, free_slope=True)
    assert len(more) > len(rows)
    assert more[-1] > 2 * rows[-1]
    assert len(needed_rows(theta, HYPER_MEAN, 0.25, 1.75, free_slope=False)) == 1


def test_a_grid_of_uneven_rows_has_the_moments_of_the_prior() -> None:
    grid = item_grid(0.25, free_slope=True, free_guessing=True, rows=[9, 12, 15, 22, 31, 40])
    nodes, weight = grid.nodes(HYPER_MEAN), np.exp(grid.log_weight)
    np.testing.assert_allclose(weight.sum(), 1)
    np.testing.assert_allclose(weight @ nodes.b, 0, atol=1e-12)
    np.testing.assert_allclose(weight @ nodes.b**2, 1, atol=0.02)
    np.testing.assert_allclose(weight @ np.log(nodes.a), 0, atol=1e-12)
    np.testing.assert_allclose(weight @ np.log(nodes.a) ** 2, 0.4**2, rtol=0.1)
