"""The split of variance: published data, closed forms, recovery, and what cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from viva.core.errors import UsageError
from viva.metrics.irt.model.inputs import Ints
from viva.metrics.judges.pairs import Floats, Undefined
from viva.metrics.judges.reml import Reml
from viva.metrics.judges.variance import Component, VarianceSplit, judge_variance, variance_split

# Davies & Goldsmith (1972), table 6.2: the yield of dyestuff from five samples of each of six batches
DYESTUFF = """1545 1440 1440 1520 1580 1540 1555 1490 1560 1495 1595 1550 1605 1510 1560
1445 1440 1595 1465 1545 1595 1630 1515 1635 1625 1520 1455 1450 1480 1445""".split()


def split(found: VarianceSplit | Undefined) -> dict[str, Component]:
    assert isinstance(found, VarianceSplit), found
    return {each.name: each for each in found.components}


def crossed(sizes: Sequence[int], sds: Sequence[float], seed: int) -> tuple[Floats, list[int], list[int], list[int]]:
    """Scores of items x systems x judges x runs; sds of item, system, response, judge, judge x response and run."""
    draw, (i, s, j, r) = np.random.default_rng(seed), sizes
    effects = [(i, 1, 1, 1), (1, s, 1, 1), (i, s, 1, 1), (1, 1, j, 1), (i, s, j, 1), (i, s, j, r)]
    y = sum(
        (sd * draw.normal(size=shape) for sd, shape in zip(sds, effects, strict=True)), start=np.zeros((i, s, j, r))
    )
    cells = list(product(*map(range, sizes)))
    items, systems, judges, _ = (list(each) for each in zip(*cells, strict=True))
    return y.ravel(), items, systems, judges


def test_the_published_components_of_dyestuff_come_out() -> None:
    found = split(variance_split(list(map(float, DYESTUFF)), {"batch": [n // 5 for n in range(30)]}))
    # lme4 (Bates et al. 2015), REML: 1764 and 2451
    assert found["batch"].variance.value == pytest.approx(1764.05, abs=0.05)
    assert found["run"].variance.value == pytest.approx(2451.25, abs=0.05)
    assert found["batch"].share == pytest.approx(1764.05 / 4215.3, abs=1e-4)
    # 5 batches' worth of freedom: wide; 24 of runs: the chi-square interval is (1494, 4744)
    assert found["batch"].variance.low < 400
    assert found["batch"].variance.high > 7000
    assert (found["run"].variance.low, found["run"].variance.high) == pytest.approx((1494, 4744), rel=0.05)


def test_a_balanced_crossed_design_gives_the_mean_squares_estimates() -> None:
    y, items, systems, _ = crossed((12, 5, 1, 3), (1, 0.8, 0.6, 0, 0, 0.5), 0)
    responses = list(zip(items, systems, strict=True))
    found = split(variance_split(y, {"item": items, "system": systems, "response": responses}))
    cube = y.reshape(12, 5, 3)
    cell, by_item, by_system = cube.mean(axis=2), cube.mean(axis=(1, 2)), cube.mean(axis=(0, 2))
    within = ((cube - cell[:, :, None]) ** 2).sum() / (12 * 5 * 2)
    mixed = 3 * ((cell - by_item[:, None] - by_system + cube.mean()) ** 2).sum() / (11 * 4)
    expected = {
        "run": within,
        "response": (mixed - within) / 3,
        "item": (15 * by_item.var(ddof=1) - mixed) / 15,
        "system": (36 * by_system.var(ddof=1) - mixed) / 36,
    }
    assert {name: each.variance.value for name, each in found.items()} == pytest.approx(expected, rel=1e-3)


def test_planted_components_are_recovered_with_a_tenth_of_the_grades_missing() -> None:
    y, items, systems, judges = crossed((40, 6, 4, 2), (1.0, 0.7, 0.8, 0.5, 0.4, 0.3), 1)
    y[np.random.default_rng(2).random(len(y)) < 0.1] = np.nan
    found = judge_variance(y, items, systems, judges)
    assert isinstance(found, VarianceSplit)
    assert found.missing == np.isnan(y).sum() > 0
    assert found.left_out == {}
    planted = {"item": 1, "system": 0.49, "response": 0.64, "judge": 0.25, "judge x response": 0.16, "run": 0.09}
    for name, component in split(found).items():
        assert component.variance.low <= planted[name] <= component.variance.high, name
        assert component.variance.low <= component.variance.value <= component.variance.high
    assert split(found)["run"].variance.value == pytest.approx(0.09, rel=0.1)
    assert sum(component.share for component in found.components) == pytest.approx(1)


def test_the_interval_of_the_few_judges_holds_its_level() -> None:
    held = 0
    for seed in range(100):
        y, items, _, judges = crossed((8, 1, 5, 2), (1, 0, 0, 0.7, 0, 0.5), 10 + seed)
        model = Reml(y, [np.array(items), np.array(judges)])
        best = model.fit()
        # the truth is in the interval where the deviance rises by less than chi-square's .95 quantile
        at_truth = model._minimised(best.variances / y.var(), {1: 0.49 / y.var()})
        held += at_truth.deviance - best.deviance <= 3.841
    # binomial (100, .95) lies below 88 with a chance of 1 in 500
    assert held >= 88


def test_the_gradient_is_that_of_the_deviance() -> None:
    y, items, systems, judges = crossed((6, 3, 2, 2), (1, 1, 1, 1, 1, 1), 3)
    responses = np.array(items) * 3 + np.array(systems)
    groupings: list[list[Ints]] = [
        [np.array(items), np.array(judges)],
        [np.array(items), responses, responses * 2 + np.array(judges)],
    ]
    for groups in groupings:
        model, at = Reml(y, groups), np.linspace(0.3, 0.8, len(groups) + 1)
        _, gradient = model._deviance(at)
        for place in range(len(at)):
            step = np.eye(len(at))[place] * 1e-5
            slope = (model._deviance(at + step)[0] - model._deviance(at - step)[0]) / 2e-5
            assert gradient[place] == pytest.approx(slope, rel=1e-4)


def test_the_deviance_is_that_of_the_dense_covariance() -> None:
    y, items, systems, judges = crossed((5, 2, 3, 2), (1, 1, 1, 1, 1, 1), 4)
    cells = (np.array(items) * 2 + np.array(systems)) * 3 + np.array(judges)
    groups, scaled, n = [np.array(items), np.array(judges), cells], (y - y.mean()) / y.std(), len(y)

    def dense(variances: Floats) -> float:
        v = variances[-1] * np.eye(n)
        for variance, group in zip(variances[:-1], groups, strict=True):
            v += variance * (group[:, None] == group)
        one, inverse = np.ones(n), np.linalg.inv(v)
        left = scaled - one * (one @ inverse @ scaled) / (one @ inverse @ one)
        return float(np.linalg.slogdet(v)[1] + np.log(one @ inverse @ one) + left @ inverse @ left)

    model, one, other = Reml(y, groups), np.array([0.4, 0.2, 0.3, 0.1]), np.array([0.9, 0.02, 0.1, 0.5])
    # they differ by a constant of the design
    assert model._deviance(one)[0] - model._deviance(other)[0] == pytest.approx(dense(one) - dense(other))


def test_the_order_of_rows_moves_no_component() -> None:
    y, items, systems, judges = crossed((6, 3, 2, 2), (1, 0.5, 0.5, 0.5, 0.3, 0.3), 5)
    order = np.random.default_rng(6).permutation(len(y))
    one = split(judge_variance(y, items, systems, judges))
    columns = [[column[n] for n in order] for column in (items, systems, judges)]
    other = split(judge_variance(y[order], *columns))
    for name, component in one.items():
        assert other[name].variance.value == pytest.approx(component.variance.value, abs=1e-3)


def test_a_judge_that_repeats_itself_has_no_run_variance_by_observation() -> None:
    y, items, systems, judges = crossed((15, 2, 2, 2), (1, 0.5, 0.5, 0.3, 0.4, 0), 7)
    found = judge_variance(y, items, systems, judges)
    assert isinstance(found, VarianceSplit)
    assert "all scores are the same" in found.left_out["run"].reason
    assert [each.name for each in found.components] == ["item", "system", "response", "judge", "judge x response"]


def test_what_cannot_be_told_apart_is_left_out_with_its_reason() -> None:
    y, items, systems, judges = crossed((15, 1, 1, 3), (1, 0, 0, 0, 0, 0.5), 8)
    found = judge_variance(y, items, systems, judges)
    assert isinstance(found, VarianceSplit)
    assert [each.name for each in found.components] == ["item", "run"]
    assert found.left_out["system"].reason == "There is one system only."
    assert "as item does" in found.left_out["response"].reason
    y, items, systems, judges = crossed((15, 2, 2, 1), (1, 0.5, 0, 0.5, 0, 0.5), 9)
    unrepeated = judge_variance(y, items, systems, judges)
    assert isinstance(unrepeated, VarianceSplit)
    assert "within that of the run" in unrepeated.left_out["judge x response"].reason


def test_what_is_not_defined_says_why() -> None:
    one = [1, 1, 1, 1]
    assert "2 scores" in str(variance_split([1, 2, None, None], {"item": [1, 2, 3, 4]}))
    assert "Every score is 3" in str(variance_split([3, 3, 3, 3], {"item": [1, 1, 2, 2]}))
    assert "one item only" in str(variance_split([1, 2, 3, 4], {"item": one}))
    assert "No source is left" in str(variance_split([1, 1, 3, 3], {"item": [1, 1, 2, 2]}))


def test_bad_arguments_are_refused_in_words() -> None:
    with pytest.raises(UsageError, match="2 labels of system for 3 scores"):
        judge_variance([1, 2, 3], [1, 2, 3], [1, 2], [1, 1, 1])
    with pytest.raises(UsageError, match="levels of effects"):
        variance_split(np.arange(8000.0) ** 2, {"item": [n // 2 for n in range(8000)]})
