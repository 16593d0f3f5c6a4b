"""The joint mode: it is a mode, in any format of items, and says so truly."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.metrics.irt import Fit, probability_3pl
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.fit.joint_mode import search as by_mode
from viva.metrics.irt.fit.joint_mode.spreads import USUAL, Spreads, spreads_step
from viva.metrics.irt.fit.population import ability_prior

Floats = NDArray[np.float64]


def simulated(seed: int, examinees: int, items: int, *, c: float = 0.25) -> tuple[Floats, Floats, Floats]:
    """Responses, abilities, difficulties."""
    draw = np.random.default_rng(seed)
    theta, b, a = draw.normal(0, 1, examinees), draw.normal(0, 1, items), np.exp(draw.normal(0, 0.4, items))
    p = probability_3pl(theta, a, b, np.full(items, c))
    return (draw.random(p.shape) < p).astype(np.float64), theta, b


def log_posterior(found: Fit, responses: Floats, spreads: Spreads) -> float:
    """Up to a constant; abilities flat around a mean of sd 3, guessing free around 1/4."""
    p = probability_3pl(found.theta, found.a, found.b, found.c)
    loglik = np.where(responses == 1, np.log(p), np.log1p(-p)).sum()
    n = len(found.theta)
    cov = spreads.abilities**2 * np.eye(n) + 9 * np.ones((n, n))
    logit = np.log(found.c / (1 - found.c)) - np.log(1 / 3)
    items = (found.b / spreads.b) ** 2 + (np.log(found.a) / spreads.log_a) ** 2 + (logit / spreads.logit_c) ** 2
    return float(loglik - 0.5 * found.theta @ np.linalg.solve(cov, found.theta) - 0.5 * items.sum())


def test_no_parameter_moved_on_its_own_gains() -> None:
    responses, _, _ = simulated(0, 60, 40)
    found = fit(responses, method="map")
    assert found.converged
    spreads = spreads_of(responses)
    best = log_posterior(found, responses, spreads)
    for name, place, step in (("theta", 3, 0.05), ("b", 7, 0.05), ("c", 11, 0.01)):
        for sign in (-1, 1):
            moved = {field: getattr(found, field).copy() for field in ("theta", "a", "b", "c")}
            moved[name][place] += sign * step
            assert log_posterior(Moved(**moved), responses, spreads) < best  # type: ignore[arg-type]
    assert np.log(found.a).mean() == pytest.approx(0, abs=1e-9)


class Moved:
    def __init__(self, theta: Floats, a: Floats, b: Floats, c: Floats) -> None:
        self.theta, self.a, self.b, self.c = theta, a, b, c


def spreads_of(responses: Floats, guessing: float | None = None) -> Spreads:
    """The spreads the fit learned, read from the module that learns them."""
    from viva.metrics.irt.model.formats import item_formats

    m = responses.shape[1]
    share = (responses.sum(axis=1) + 1) / (m + 2)
    known = np.clip((share - 0.25) / 0.75, 0.05, 0.95)
    formats = item_formats(m, "3pl", guessing, 4)
    return by_mode.fit_map(responses, formats, np.log(known / (1 - known))).spreads


def test_abilities_and_items_come_back_where_there_are_many() -> None:
    responses, theta, b = simulated(1, 300, 120, c=0.0)
    found = fit(responses, model="2pl", method="map")
    assert np.corrcoef(found.theta, theta)[0, 1] > 0.95
    assert np.corrcoef(found.b, b)[0, 1] > 0.97
    assert np.polyfit(theta, found.theta, 1)[0] == pytest.approx(1, abs=0.12)
    assert np.mean(np.abs(found.b - b) < 2 * found.b_se) > 0.85


def test_it_agrees_with_integrating_over_items_within_a_standard_error() -> None:
    responses, _, _ = simulated(2, 50, 150)
    one, other = (fit(responses, method=method) for method in ("map", "mml-items"))
    assert np.abs((one.theta - other.theta) / other.theta_se).max() < 1.2
    np.testing.assert_allclose(one.predict(), other.predict(), atol=0.2)


@pytest.mark.parametrize("method", ["map", "mml-items"])
def test_formats_stand_on_one_scale(method: str) -> None:
    responses, _, _ = simulated(3, 60, 60)
    models = ["1pl"] * 20 + ["2pl"] * 20 + ["3pl"] * 20
    guessing = [np.nan] * 50 + [0.2] * 10
    found = fit(responses, model=models, guessing=guessing, options=[4] * 45 + [2] * 15, method=method)
    assert found.converged
    assert (found.a[:20] == 1).all()
    assert np.ptp(found.a[20:]) > 0.1
    assert (found.c[:40] == 0).all()
    np.testing.assert_allclose(found.c[50:], 0.2)
    assert found.c[45:50].mean() > found.c[40:45].mean() + 0.05
    assert (found.a_se[:20] == 0).all()
    assert (found.c_se[:40] == 0).all()
    assert (found.b_se > 0).all()


@pytest.mark.parametrize("method", ["map", "mml-items"])
def test_a_column_without_responses_changes_nothing(method: str) -> None:
    responses, _, _ = simulated(4, 40, 60)
    wider = np.hstack([responses, np.full((40, 1), np.nan)])
    one, other = fit(responses, method=method), fit(wider, method=method)
    np.testing.assert_allclose(other.theta, one.theta, atol=0.02)
    np.testing.assert_allclose(other.theta_se, one.theta_se, rtol=0.05)


def test_how_far_guessing_varies_is_learned_within_bounds() -> None:
    draw = np.random.default_rng(7)
    theta, b, apart = draw.normal(0, 1, 300), draw.normal(0, 1, 200), draw.normal(0, 1, 200)
    alike, unlike, extreme = (
        spreads_of((draw.random(p.shape) < p).astype(np.float64)).logit_c
        for p in (probability_3pl(theta, np.ones(200), b, 1 / (1 + 3 * np.exp(sd * apart))) for sd in (0.0, 1.0, 4.0))
    )
    assert 0.2 <= alike < 0.4
    assert 0.45 < unlike < 0.8
    assert extreme == pytest.approx(0.8)


def test_spreads_come_to_rest_where_their_marginal_likelihood_is_highest() -> None:
    draw = np.random.default_rng(9)
    error, items = np.array([0.3, 0.4, 0.5]), 120
    seen = draw.normal(0, np.sqrt(np.array([0.5, 0.9, 0.6]) ** 2 + error**2), (items, 3))
    usual = spreads = USUAL
    for _ in range(30):
        variance = 1 / (1 / error**2 + spreads.precision)
        step = spreads_step(spreads, variance * seen / error**2, np.tile(variance, (items, 1)), np.ones((items, 3)))
        spreads = spreads.moved(step)
    assert np.abs(step).max() < 1e-8

    def height(log_sd: Floats) -> Floats:
        """Ten items of the usual spread are believed in beside those that were seen."""
        whole, sd = np.exp(2 * log_sd) + error**2, np.exp(log_sd)
        believed = 10 * (2 * log_sd + np.exp(2 * usual.log_items) / sd**2)
        return np.asarray(-0.5 * ((seen**2 / whole + np.log(whole)).sum(axis=0) + believed), dtype=np.float64)

    best = height(spreads.log_items)
    assert (height(spreads.log_items + 0.02) < best).all()
    assert (height(spreads.log_items - 0.02) < best).all()


@pytest.mark.parametrize(("shape", "c", "model"), [((400, 60), 0.25, "3pl"), ((200, 40), 0.0, "2pl")])
def test_few_items_to_an_examinee_do_not_pull_abilities_together(
    shape: tuple[int, int], c: float, model: str
) -> None:
    for seed in range(3):
        responses, theta, _ = simulated(seed, *shape, c=c)
        found = fit(responses, model=model, method="map")
        assert found.converged
        # those of a test this short are drawn towards their mean by a fifth to a half, not to it
        assert 0.5 < np.polyfit(theta, found.theta, 1)[0] < 1.1
        assert np.corrcoef(theta, found.theta)[0, 1] > 0.85
        assert np.log(found.a).std() < 0.5


def test_auto_takes_the_joint_mode_where_examinees_are_many() -> None:
    draw = np.random.default_rng(11)
    group = np.arange(400) % 4
    for items, effects in ((500, 0.0), (60, 0.0), (30, 0.8)):
        theta = effects * (group - 1.5) + draw.normal(0, 0.2 if effects else 1.0, 400)
        p = probability_3pl(theta, np.exp(draw.normal(0, 0.3, items)), draw.normal(0, 1, items), np.zeros(items))
        responses = (draw.random(p.shape) < p).astype(np.float64)
        components = {"group": group.tolist()} if effects else None
        found = fit(responses, components=components, model="2pl")
        assert found.method == "map"
        assert found.converged
        # shares of right answers miss them by .16 and more, of the item as of the examinee
        assert np.sqrt(np.mean((found.predict() - p) ** 2)) < 0.09


def test_the_error_of_an_ability_counts_what_the_mean_of_all_tells() -> None:
    draw = np.random.default_rng(12)
    prior, information = ability_prior(30, 0.3), draw.uniform(1, 9, 30)
    whole = np.linalg.inv(prior.precision() + np.diag(information))
    np.testing.assert_allclose(prior.variance_given(information), np.diag(whole))
    np.testing.assert_allclose(np.linalg.inv(prior.precision()), 0.09 * np.eye(30) + 9)
    np.testing.assert_allclose(prior.times(information), prior.precision() @ information)
    assert prior.log_det_cov == pytest.approx(-np.linalg.slogdet(prior.precision())[1])


def test_items_that_are_answered_alike_by_pairs_do_not_run_off() -> None:
    responses, _, _ = simulated(10, 60, 40, c=0.0)
    responses[:, :20] = responses[:, 20:]
    found = fit(responses, method="map")
    assert found.converged
    assert spreads_of(responses).log_a < 0.6


def test_an_exam_whose_spreads_run_off_is_fitted_within_bounds() -> None:
    draw = np.random.default_rng(13)
    p = probability_3pl(draw.normal(0, 1, 100), np.exp(draw.normal(0, 2, 80)), draw.normal(0, 1, 80), np.zeros(80))
    responses = (draw.random(p.shape) < p).astype(np.float64)
    found = fit(responses, method="map")
    assert found.converged
    assert spreads_of(responses).log_a == pytest.approx(1.0)
    assert np.log(found.a).mean() == pytest.approx(0, abs=1e-9)


def test_items_without_free_guessing_leave_its_spread_as_it_was() -> None:
    responses, _, _ = simulated(8, 60, 40)
    assert spreads_of(responses, guessing=0.25).logit_c == pytest.approx(0.4)


def test_a_search_that_runs_out_of_passes_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_mode, "MAX_PASSES", 2)
    responses, _, _ = simulated(5, 160, 60)
    found = fit(responses, method="map")
    assert not found.converged
    assert "not converged" in found.message


def test_curvature_from_a_part_of_the_items_leads_to_the_same_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    responses, _, _ = simulated(6, 80, 200)
    # a missing cell makes every examinee a node
    responses[0, 0] = np.nan
    whole = fit(responses, method="map")
    monkeypatch.setattr(by_mode, "_CHEAP", 80**2 * 200 / 4)
    part = fit(responses, method="map")
    assert part.converged
    np.testing.assert_allclose(part.theta, whole.theta, atol=0.02)
    np.testing.assert_allclose(part.theta_se, whole.theta_se, rtol=0.02)
