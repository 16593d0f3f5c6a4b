"""The classical estimates against mirt's on the LSAT data, and what they must do with any data."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import logit

from viva.core.errors import UsageError
from viva.metrics.irt import persons_search, probability_3pl
from viva.metrics.irt.persons import fit_persons
from viva.metrics.irt.persons_abilities import METHODS, abilities
from viva.metrics.irt.persons_marginal import Items, PersonMarginal
from viva.metrics.irt.persons_model import ItemPriors

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


def counts(name: str) -> Floats:
    return np.array(COUNTS[name].split(), dtype=np.float64)


def seen(name: str) -> tuple[Floats, Floats]:
    weights = counts(name)
    return PATTERNS[weights > 0], weights[weights > 0]


def simulated(n: int, m: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    theta, a, b = rng.normal(size=n), np.exp(rng.normal(0, 0.3, m)), rng.normal(size=m)
    return (rng.random((n, m)) < probability_3pl(theta, a, b, 0.2)).astype(np.float64)


@pytest.mark.parametrize(("name", "model"), MIRT)
def test_lsat_estimates_are_those_of_mirt(name: str, model: str) -> None:
    loglik, a, b, c = MIRT[name, model]
    patterns, weights = seen(name)
    found = fit_persons(patterns, model=model, counts=weights)
    assert found.converged, found.message
    assert found.loglik == pytest.approx(loglik, abs=1e-4)
    np.testing.assert_allclose(found.a, a, atol=1e-4)
    np.testing.assert_allclose(found.b, b, atol=1e-4)
    np.testing.assert_allclose(found.c, c, atol=1e-4)


@pytest.mark.parametrize(("name", "model"), MIRT_SE)
def test_lsat_standard_errors_are_those_of_mirt(name: str, model: str) -> None:
    a_se, logit_c_se = MIRT_SE[name, model]
    patterns, weights = seen(name)
    found = fit_persons(patterns, model=model, counts=weights)
    assert found.a_se is not None
    assert found.c_se is not None
    np.testing.assert_allclose(found.a_se, a_se, atol=1e-4)
    if logit_c_se is None:
        np.testing.assert_array_equal(found.c_se, 0.0)
    else:
        np.testing.assert_allclose(found.c_se / (found.c * (1 - found.c)), logit_c_se, atol=1e-4)


def test_the_delta_method_gives_difficulties_the_standard_errors_of_ltm() -> None:
    # ltm 1.2.0, 2PL: its parameters come from 21 Gauss-Hermite nodes, hence the tolerance
    patterns, weights = seen("LSAT7")
    found = fit_persons(patterns, counts=weights)
    assert found.b_se is not None
    np.testing.assert_allclose(found.b_se, [0.263929, 0.109257, 0.115362, 0.130121, 0.446239], rtol=2e-3)


def test_abilities_are_the_posterior_means_of_mirt() -> None:
    patterns, weights = seen("LSAT7")
    found = fit_persons(patterns, counts=weights)
    assert found.theta_cov is not None
    np.testing.assert_allclose(found.theta[[0, 15, 31]], [-1.869783, 0.141150, 0.727185], atol=1e-4)
    np.testing.assert_allclose(
        np.diag(found.theta_cov)[[0, 15, 31]] ** 0.5, [0.692700, 0.741019, 0.800932], atol=1e-4
    )


def test_counted_rows_are_as_good_as_repeated_ones() -> None:
    patterns, weights = seen("LSAT6")
    counted = fit_persons(patterns, counts=weights)
    repeated = fit_persons(np.repeat(patterns, weights.astype(int), axis=0))
    assert counted.loglik == pytest.approx(repeated.loglik, abs=1e-6)
    np.testing.assert_allclose(counted.b, repeated.b, atol=1e-5)


def test_the_gradient_and_the_information_are_derivatives_of_the_likelihood() -> None:
    responses = simulated(40, 6, 0)
    responses[0, :3], responses[5] = np.nan, np.nan
    rng = np.random.default_rng(1)
    a, d, c = np.exp(rng.normal(0, 0.4, 6)), rng.normal(size=6), rng.uniform(0.1, 0.3, 6)
    marginal = PersonMarginal(responses, rng.uniform(1, 3, 40), np.linspace(-6, 6, 61))

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
    for weight, theta, z, g in marginal.scores(found, items(at)):
        rows = np.hstack([z * theta[:, None], z, g])
        rows -= weight @ rows / weight.sum()
        information -= rows.T @ (rows * weight[:, None])
    np.testing.assert_allclose(information, bends, atol=1e-4)


def test_more_nodes_are_taken_where_many_items_make_posteriors_narrow() -> None:
    responses, priors = simulated(40, 300, 3), ItemPriors(log_a=(0, 0.5), d=(0, 2))
    few = fit_persons(responses, model="3pl", priors=priors)
    many = fit_persons(responses, model="3pl", priors=priors, nodes=401)
    assert "61 nodes" not in few.message
    assert few.converged, few.message
    assert few.loglik == pytest.approx(many.loglik, abs=1e-4)
    np.testing.assert_allclose(few.theta, many.theta, atol=1e-4)


def test_items_are_found_again() -> None:
    rng = np.random.default_rng(5)
    theta, a, b = rng.normal(size=3000), np.exp(rng.normal(0, 0.3, 12)), rng.normal(size=12)
    responses = (rng.random((3000, 12)) < probability_3pl(theta, a, b, 0.25)).astype(np.float64)
    responses[rng.random(responses.shape) < 0.2] = np.nan
    found = fit_persons(responses, guessing=0.25)
    assert found.a_se is not None
    assert found.b_se is not None
    off = np.concatenate([(found.a - a) / found.a_se, (found.b - b) / found.b_se])
    assert np.sqrt((off**2).mean()) < 1.4
    assert np.abs(off).max() < 4


def test_formats_share_a_scale_where_some_items_cannot_be_guessed() -> None:
    found = fit_persons(simulated(300, 8, 2), model="3pl", guessing=[np.nan] * 4 + [0.0] * 4)
    assert found.converged, found.message
    assert (found.c[:4] > 0).all()
    np.testing.assert_array_equal(found.c[4:], 0.0)


def test_a_miskeyed_item_has_a_negative_discrimination_unless_a_prior_forbids_it() -> None:
    responses = simulated(500, 8, 4)
    responses[:, 0] = 1 - responses[:, 0]
    assert fit_persons(responses).a[0] < 0
    assert fit_persons(responses, priors=ItemPriors(log_a=(0, 0.5))).a[0] > 0


def test_with_too_many_parameters_standard_errors_say_what_they_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    responses = simulated(400, 20, 5)
    whole = fit_persons(responses)
    monkeypatch.setattr(persons_search, "WHOLE_INFORMATION", 10)
    by_item = fit_persons(responses)
    assert by_item.converged
    assert "take the other items as known" in by_item.message
    assert whole.b_se is not None
    assert by_item.b_se is not None
    assert (by_item.b_se <= whole.b_se).all()
    assert fit_persons(responses, model="1pl").a_se is None


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["1pl", "2pl", "3pl"]))
def test_order_does_not_matter(seed: int, model: str) -> None:
    responses, rng = simulated(80, 6, seed % 50), np.random.default_rng(seed)
    responses[rng.random(responses.shape) < 0.1] = np.nan
    rows, columns = rng.permutation(80), rng.permutation(6)
    priors = ItemPriors(log_a=(0, 0.5), d=(0, 2))
    straight = fit_persons(responses, model=model, priors=priors)
    shuffled = fit_persons(responses[rows][:, columns], model=model, priors=priors)
    np.testing.assert_allclose(shuffled.theta, straight.theta[rows], atol=1e-4)
    np.testing.assert_allclose(shuffled.b, straight.b[columns], atol=1e-3)


def test_an_examinee_without_responses_stands_where_the_population_does() -> None:
    responses = simulated(100, 8, 6)
    alone = fit_persons(responses)
    added = fit_persons(np.vstack([responses, np.full(8, np.nan)]))
    assert added.theta_cov is not None
    assert added.theta[-1] == pytest.approx(0, abs=1e-9)
    assert added.theta_cov[-1, -1] == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(added.b, alone.b, atol=1e-5)


def test_what_has_no_finite_estimate_is_refused_in_words() -> None:
    responses = simulated(60, 6, 7)
    constant = responses.copy()
    constant[:, 2] = 1
    with pytest.raises(UsageError, match=r"answered alike .*item 3, counted from 1.*'map'"):
        fit_persons(constant)
    assert fit_persons(constant, priors=ItemPriors(d=(0, 2))).converged
    with pytest.raises(UsageError, match="At least 3 items"):
        fit_persons(responses[:, :2])
    assert fit_persons(responses[:, :2], model="1pl").converged
    with pytest.raises(UsageError, match="answered alike"):
        fit_persons(responses[:1])


def test_a_search_towards_infinity_is_not_called_converged() -> None:
    twins = simulated(200, 6, 8)
    twins[:, 0] = twins[:, 1]
    found = fit_persons(twins)
    assert not found.converged
    assert "not converged: no finite maximum" in found.message
    assert "item 1, 2, counted from 1" in found.message
    for values in (found.theta, found.a, found.b, found.c):
        assert np.isfinite(values).all()
    noise = (np.random.default_rng(0).random((50, 10)) < 0.5).astype(np.float64)
    assert "no finite maximum" in fit_persons(noise, model="1pl").message


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"model": "4pl"}, "no model '4pl'"),
        ({"guessing": 1.0}, "below 1"),
        ({"guessing": [0.1, 0.2]}, "shape"),
        ({"guessing": np.nan}, "no free guessing"),
        ({"nodes": 2}, "nodes"),
        ({"counts": np.zeros(60)}, "not positive"),
        ({"counts": np.ones(3)}, "One for each of 60"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        fit_persons(simulated(60, 6, 7), **arguments)  # type: ignore[arg-type]


def test_responses_other_than_right_and_wrong_are_refused() -> None:
    with pytest.raises(UsageError, match="neither right nor wrong"):
        fit_persons(np.full((20, 5), 0.5))
    with pytest.raises(UsageError, match="neither right nor wrong"):
        abilities([[0.5, 1]], 1, 0, 0)


# catR 3.17: six items (a, b, c), answers 1 1 0 1 0 1
CATR = np.array([[1.2, -1, 0.25], [0.8, 0, 0.2], [1.5, 0.5, 0.25], [2, 1, 0.3], [0.6, -0.5, 0.15], [1, 1.5, 0.25]])


@pytest.mark.parametrize(
    ("method", "theta"), [("ml", 0.649853), ("map", 0.232161), ("wle", 0.692057), ("eap", 0.120424)]
)
def test_abilities_are_those_of_catr(method: str, theta: float) -> None:
    # catR's EAP sums over 33 points from -4 to 4, which leaves 3e-5
    found, _ = abilities([1, 1, 0, 1, 0, 1], *CATR.T, method=method)
    np.testing.assert_allclose(found, theta, atol=1e-4)


def test_warm_and_jeffreys_are_one_without_guessing_and_two_with_it() -> None:
    a, b, c = CATR.T
    answers = np.array([[1, 1, 0, 1, 0, 1], [0, 1, np.nan, 0, 0, 1]])
    np.testing.assert_allclose(
        abilities(answers, a, b, 0, method="wle"), abilities(answers, a, b, 0, method="jeffreys")
    )
    assert (
        np.abs(abilities(answers, a, b, c, method="wle")[0] - abilities(answers, a, b, c, method="jeffreys")[0]).min()
        > 0.01
    )


def test_perfect_and_zero_scores_are_infinite_by_maximum_likelihood_alone() -> None:
    answers = np.vstack([np.ones(6), np.zeros(6)])
    theta, se = abilities(answers, *CATR.T, method="ml")
    np.testing.assert_array_equal(theta, [np.inf, -np.inf])
    np.testing.assert_array_equal(se, np.inf)
    for method in set(METHODS) - {"ml"}:
        finite, errors = abilities(answers, *CATR.T, method=method)
        assert np.isfinite([finite, errors]).all()
        assert finite[0] > finite[1]


def test_an_examinee_without_responses_has_an_ability_only_under_a_prior() -> None:
    nothing = np.full((1, 6), np.nan)
    for method in ("eap", "map"):
        np.testing.assert_allclose(abilities(nothing, *CATR.T, method=method), [[0], [1]], atol=1e-6)
    with pytest.raises(UsageError, match="row"):
        abilities(nothing, *CATR.T, method="ml")


def test_abilities_on_a_thousand_items_do_not_underflow() -> None:
    rng = np.random.default_rng(0)
    b, truth = rng.normal(size=1500), np.array([-1.5, 0.0, 2.0])
    answers = (rng.random((3, 1500)) < probability_3pl(truth, 1.2, b, 0.2)).astype(np.float64)
    for method in METHODS:
        theta, se = abilities(answers, 1.2, b, 0.2, method=method)
        assert (np.abs(theta - truth) < 4 * se).all()
        assert (se < 0.2).all()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [((1, 0, 0, "mode"), "no method"), (([1, 2], 0, 0, "ml"), "shapes"), ((1, 0, 1, "ml"), "range")],
)
def test_abilities_refuse_what_makes_no_sense(arguments: tuple[float, float, float, str], says: str) -> None:
    a, b, c, method = arguments
    with pytest.raises(UsageError, match=says):
        abilities([[1, 0, 1]], a, b, c, method=method)
