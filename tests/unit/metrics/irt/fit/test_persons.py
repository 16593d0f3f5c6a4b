"""The classical estimates against mirt's on the LSAT data, and what they must do with any data."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from viva.metrics.irt import probability_3pl
from viva.metrics.irt.fit.persons_integrated import fit, search
from viva.metrics.irt.fit.persons_integrated.fit import PRIORS, fit_persons
from viva.metrics.irt.fit.persons_integrated.marginal import Items, PersonMarginal, Population
from viva.metrics.irt.fit.persons_integrated.model import ItemPriors, person_model
from viva.metrics.irt.model.design import component_design
from viva.metrics.irt.model.estimates import Estimates
from viva.metrics.irt.model.formats import item_formats

Floats = NDArray[np.float64]

# Bock & Lieberman (1970): answers of 1,000 to five items, patterns 00000, 00001, ..., 11111
PATTERNS = np.array(list(product((0.0, 1.0), repeat=5)))
COUNTS = {
    "LSAT6": "3 6 2 11 1 1 3 4 1 8 0 16 0 3 2 15 10 29 14 81 3 28 15 80 16 56 21 173 11 61 28 298",
    "LSAT7": "12 19 1 7 3 19 3 17 10 5 3 7 7 23 8 28 7 39 11 34 14 51 15 90 6 25 7 35 18 136 32 308",
}
# mirt 1.45.1: log-likelihood, a, b, c; the 3PL with logit c ~ N(-1.1, .5)
MIRT = {
    ("LSAT7", "1pl"): (
        -2664.900891,
        [1.011268] * 5,
        [-1.847449, -0.782193, -1.444701, -0.515695, -1.970769],
        [0.0] * 5,
    ),
    ("LSAT6", "1pl"): (
        -2466.937600,
        [0.755135] * 5,
        [-3.615267, -1.322421, -0.317631, -1.730090, -2.780172],
        [0.0] * 5,
    ),
    ("LSAT7", "2pl"): (
        -2658.805114,
        [0.987546, 1.080837, 1.707478, 0.764990, 0.735673],
        [-1.879260, -0.747541, -1.057236, -0.635302, -2.520764],
        [0.0] * 5,
    ),
    ("LSAT6", "2pl"): (
        -2466.653378,
        [0.825660, 0.722744, 0.890875, 0.688368, 0.656856],
        [-3.358811, -1.370058, -0.279666, -1.866381, -3.125907],
        [0.0] * 5,
    ),
    ("LSAT7", "3pl"): (
        -2659.426888,
        [1.116147, 1.647746, 2.215274, 0.912722, 0.830485],
        [-1.360645, -0.139602, -0.676914, -0.009039, -1.828083],
        [0.240550, 0.257734, 0.232422, 0.210854, 0.246313],
    ),
    ("LSAT6", "3pl"): (
        -2466.896750,
        [0.851994, 0.894212, 1.365386, 0.793014, 0.728299],
        [-2.881707, -0.604964, 0.336784, -1.109864, -2.370072],
        [0.249283, 0.247118, 0.235241, 0.248137, 0.248812],
    ),
}
# the same, standard errors of a, of d = -a b, of logit c
MIRT_SE = {
    ("LSAT7", "2pl"): ([0.177195, 0.168764, 0.321077, 0.134120, 0.151134], None),
    ("LSAT7", "3pl"): (
        [0.228217, 0.530469, 0.637175, 0.205506, 0.182836],
        [0.487205, 0.462503, 0.467169, 0.438467, 0.494936],
    ),
    ("LSAT6", "3pl"): (
        [0.293483, 0.274133, 0.594550, 0.241377, 0.246554],
        [0.499329, 0.495102, 0.462043, 0.496923, 0.498600],
    ),
}


def answers(name: str) -> Floats:
    return np.repeat(PATTERNS, np.array(COUNTS[name].split(), dtype=np.int64), axis=0)


NONE = ItemPriors()


def fitted(
    responses: Floats, model: str = "2pl", guessing: ArrayLike | None = None, priors: ItemPriors = NONE
) -> Estimates:
    """Without components, logit c around -1.1 as in the reference results."""
    formats = item_formats(responses.shape[1], model, guessing, 4)
    formats = replace(formats, prior_guessing=np.full(responses.shape[1], expit(-1.1)))
    return fit_persons(responses, formats, component_design(len(responses), {}), priors=priors)[0]


def simulated(n: int, m: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    theta, a, b = rng.normal(size=n), np.exp(rng.normal(0, 0.3, m)), rng.normal(size=m)
    return (rng.random((n, m)) < probability_3pl(theta, a, b, 0.2)).astype(np.float64)


@pytest.mark.parametrize(("name", "model"), MIRT)
def test_lsat_estimates_are_those_of_mirt(name: str, model: str) -> None:
    loglik, a, b, c = MIRT[name, model]
    found = fitted(answers(name), model)
    assert found.converged, found.message
    assert found.loglik == pytest.approx(loglik, abs=1e-4)
    np.testing.assert_allclose(found.a, a, atol=1e-4)
    np.testing.assert_allclose(found.b, b, atol=1e-4)
    np.testing.assert_allclose(found.c, c, atol=1e-4)


@pytest.mark.parametrize(("name", "model"), MIRT_SE)
def test_lsat_standard_errors_are_those_of_mirt(name: str, model: str) -> None:
    a_se, logit_c_se = MIRT_SE[name, model]
    found = fitted(answers(name), model)
    assert found.a_se is not None
    assert found.c_se is not None
    np.testing.assert_allclose(found.a_se, a_se, atol=1e-4)
    if logit_c_se is None:
        np.testing.assert_array_equal(found.c_se, 0.0)
    else:
        np.testing.assert_allclose(found.c_se / (found.c * (1 - found.c)), logit_c_se, atol=1e-4)


def test_the_delta_method_gives_difficulties_the_standard_errors_of_ltm() -> None:
    # ltm 1.2.0, 2PL: its parameters come from 21 Gauss-Hermite nodes, hence the tolerance
    found = fitted(answers("LSAT7"))
    assert found.b_se is not None
    np.testing.assert_allclose(found.b_se, [0.263929, 0.109257, 0.115362, 0.130121, 0.446239], rtol=2e-3)


def test_abilities_are_the_posterior_means_of_mirt() -> None:
    responses = answers("LSAT7")
    found = fitted(responses)
    assert found.theta_cov is not None
    who = [int((responses == PATTERNS[each]).all(axis=1).argmax()) for each in (0, 15, 31)]
    np.testing.assert_allclose(found.theta[who], [-1.869783, 0.141150, 0.727185], atol=1e-4)
    np.testing.assert_allclose(found.theta_cov.variance[who] ** 0.5, [0.692700, 0.741019, 0.800932], atol=1e-4)


def test_the_gradient_and_the_information_are_derivatives_of_the_likelihood() -> None:
    responses = simulated(40, 6, 0)
    responses[0, :3], responses[5] = np.nan, np.nan
    rng = np.random.default_rng(1)
    a, d, c = np.exp(rng.normal(0, 0.4, 6)), rng.normal(size=6), rng.uniform(0.1, 0.3, 6)
    marginal = PersonMarginal(responses, np.linspace(-6, 6, 61), Population(rng.normal(0, 0.5, 40), 0.8))

    def items(x: Floats) -> Items:
        return Items(x[:6], x[6:12], 1 / (1 + np.exp(-x[12:])))

    def value(x: Floats) -> float:
        return marginal.expect(items(x)).loglik

    def gradient(x: Floats) -> Floats:
        return marginal.gradient(marginal.expect(items(x)), items(x)).T.ravel()

    at, step = np.concatenate([a, d, logit(c)]), 1e-5
    moves = step * np.eye(18)
    slopes = np.array([(value(at + move) - value(at - move)) / (2 * step) for move in moves])
    np.testing.assert_allclose(gradient(at), slopes, atol=1e-5)
    bends = np.array([(gradient(at - move) - gradient(at + move)) / (2 * step) for move in moves])
    found = marginal.expect(items(at))
    information = np.zeros((18, 18))
    for j, block in enumerate(marginal.complete_curvature(found, items(at))):
        information[np.ix_([j, j + 6, j + 12], [j, j + 6, j + 12])] = block
    every = np.ones(6, dtype=np.bool_)
    missing = marginal.missing_information(found, items(at), every)
    np.testing.assert_allclose(information - missing, bends, atol=1e-4)
    by_item = marginal.missing_information_by_item(found, items(at))
    for j, block in enumerate(by_item):
        own = [j, j + 6, j + 12]
        np.testing.assert_allclose(block, missing[np.ix_(own, own)], atol=1e-9)
    some = np.arange(6) < 2
    kept = [*range(14)]
    np.testing.assert_allclose(marginal.missing_information(found, items(at), some), missing[np.ix_(kept, kept)])


def test_more_nodes_are_taken_where_many_items_make_posteriors_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    responses = simulated(40, 300, 3)
    few = fitted(responses, "3pl", priors=PRIORS)
    monkeypatch.setattr(fit, "_FEWEST_NODES", 401)
    many = fitted(responses, "3pl", priors=PRIORS)
    assert "61 nodes" not in few.message
    assert few.converged, few.message
    assert few.loglik == pytest.approx(many.loglik, abs=1e-4)
    np.testing.assert_allclose(few.theta, many.theta, atol=1e-4)


def test_items_are_found_again() -> None:
    rng = np.random.default_rng(5)
    theta, a, b = rng.normal(size=3000), np.exp(rng.normal(0, 0.3, 12)), rng.normal(size=12)
    responses = (rng.random((3000, 12)) < probability_3pl(theta, a, b, 0.25)).astype(np.float64)
    responses[rng.random(responses.shape) < 0.2] = np.nan
    found = fitted(responses, guessing=0.25)
    assert found.a_se is not None
    assert found.b_se is not None
    off = np.concatenate([(found.a - a) / found.a_se, (found.b - b) / found.b_se])
    assert np.sqrt((off**2).mean()) < 1.4
    assert np.abs(off).max() < 4


def test_formats_share_a_scale_where_some_items_cannot_be_guessed() -> None:
    found = fitted(simulated(300, 8, 2), "3pl", [np.nan] * 4 + [0.0] * 4)
    assert found.converged, found.message
    assert (found.c[:4] > 0).all()
    np.testing.assert_array_equal(found.c[4:], 0.0)


def test_a_miskeyed_item_has_a_negative_discrimination_unless_a_prior_forbids_it() -> None:
    responses = simulated(500, 8, 4)
    responses[:, 0] = 1 - responses[:, 0]
    assert fitted(responses).a[0] < 0
    assert 0 < fitted(responses, priors=PRIORS).a[0] < 0.5


def test_with_too_many_parameters_standard_errors_say_what_they_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    responses = simulated(400, 20, 5)
    whole = fitted(responses)
    monkeypatch.setattr(search, "WHOLE_INFORMATION", 10)
    by_item = fitted(responses)
    assert by_item.converged
    assert "take the other items as known" in by_item.message
    assert whole.b_se is not None
    assert by_item.b_se is not None
    assert (by_item.b_se <= whole.b_se).all()
    assert fitted(responses, "1pl").a_se is None


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["1pl", "2pl", "3pl"]))
def test_order_does_not_matter(seed: int, model: str) -> None:
    responses, rng = simulated(80, 6, seed % 50), np.random.default_rng(seed)
    responses[rng.random(responses.shape) < 0.1] = np.nan
    rows, columns = rng.permutation(80), rng.permutation(6)
    straight = fitted(responses, model, priors=PRIORS)
    shuffled = fitted(responses[rows][:, columns], model, priors=PRIORS)
    np.testing.assert_allclose(shuffled.theta, straight.theta[rows], atol=1e-4)
    np.testing.assert_allclose(shuffled.b, straight.b[columns], atol=1e-3)


def test_an_examinee_without_responses_stands_where_the_population_does() -> None:
    responses = simulated(100, 8, 6)
    alone = fitted(responses)
    added = fitted(np.vstack([responses, np.full(8, np.nan)]))
    assert added.theta_cov is not None
    assert added.theta[-1] == pytest.approx(0, abs=1e-9)
    assert added.theta_cov.variance[-1] == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(added.b, alone.b, atol=1e-5)


def test_priors_hold_what_has_no_finite_estimate_and_leave_the_scale_to_the_persons() -> None:
    responses = simulated(300, 6, 7)
    responses[:, 2], responses[:, 3] = 1, np.nan
    for model in ("1pl", "2pl", "3pl"):
        found = fitted(responses, model, priors=PRIORS)
        assert found.converged, found.message
        assert found.b[2] < -2
        assert np.isfinite(found.b).all()
    # twice the slopes of the prior's idea: it has none
    rng = np.random.default_rng(0)
    p = probability_3pl(rng.normal(size=400), np.full(150, 2.0), rng.normal(1, 1, 150), 0)
    found = fitted((rng.random(p.shape) < p).astype(np.float64), priors=PRIORS)
    assert np.exp(np.log(found.a).mean()) == pytest.approx(2, rel=0.06)
    assert found.b.mean() == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize(("model", "slopes_"), [("3pl", 4), ("1pl", 1)])
def test_the_priors_slopes_and_curvature_are_derivatives_of_its_height(model: str, slopes_: int) -> None:
    coding = person_model(item_formats(4, model, None, 4), PRIORS)
    rng, step = np.random.default_rng(2), 1e-5
    x = rng.normal(0, 0.5, slopes_ + 4 + int(coding.guessed.sum()))

    def value(x: Floats) -> float:
        return coding.log_prior(coding.items(x))

    def slopes(x: Floats) -> Floats:
        items = coding.items(x)
        return coding.collect(coding.prior_slopes(items)[0] * coding.chain(items))

    moves = step * np.eye(len(x))
    np.testing.assert_allclose(slopes(x), [(value(x + m) - value(x - m)) / (2 * step) for m in moves], atol=1e-6)
    items = coding.items(x)
    information = coding.assemble(np.stack([np.diag(row) for row in coding.prior_slopes(items)[1]]))
    for vector in coding.prior_coupling(items).transpose(2, 0, 1):
        information -= np.outer(coding.collect(vector), coding.collect(vector))
    # by a, not by log a
    by_a = np.diag(1 / coding.pick(coding.chain(items)))
    bends = -np.array([(slopes(x + m) - slopes(x - m)) / (2 * step) for m in moves])
    bends[range(slopes_), range(slopes_)] += slopes(x)[:slopes_]
    np.testing.assert_allclose(information, by_a @ bends @ by_a, atol=1e-4)


def test_a_search_towards_infinity_is_not_called_converged() -> None:
    twins = simulated(200, 6, 8)
    twins[:, 0] = twins[:, 1]
    found = fitted(twins)
    assert not found.converged
    assert "not converged: no finite maximum" in found.message
    assert "item 1, 2, counted from 1" in found.message
    for values in (found.theta, found.a, found.b, found.c):
        assert np.isfinite(values).all()
    noise = (np.random.default_rng(0).random((50, 10)) < 0.5).astype(np.float64)
    assert "no finite maximum" in fitted(noise, "1pl").message
