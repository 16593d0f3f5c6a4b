"""Prediction-powered inference: its formula, and that its interval holds where the judge's own does not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from viva.core.errors import UsageError
from viva.metrics.irt.model.responses import Bools
from viva.metrics.judges.calibration_to_people import CrossFit, cross_fitted
from viva.metrics.judges.pairs import Floats, Undefined
from viva.metrics.judges.prediction_powered import PredictionPowered, prediction_powered_mean

REPLICATES = 1000
# of 1000 replicates at 95%: 93-97% is 2.9 standard errors to either side
HOLDS = range(930, 971)


def powered(found: PredictionPowered | Undefined) -> PredictionPowered:
    assert isinstance(found, PredictionPowered), found
    return found


def drawn(draw: np.random.Generator, rows: int) -> tuple[Floats, Floats]:
    """A judge's scores and what people say (right with probability 2/3): the judge leans to yes."""
    quality = draw.beta(4, 2, rows)
    people = (draw.random(rows) < quality).astype(float)
    return np.clip(0.6 * people + 0.4 * quality + 0.1 + draw.normal(0, 0.15, rows), 0, 1), people


def hidden(people: Floats, labelled: Bools) -> Floats:
    return np.where(labelled, people, np.nan)


def labelled_rows(draw: np.random.Generator, rows: int, labels: int) -> Bools:
    return np.isin(np.arange(rows), draw.permutation(rows)[:labels])


def naive_holds(judge: Floats, truth: float) -> bool:
    half = norm.ppf(0.975) * judge.std(ddof=1) / math.sqrt(len(judge))
    return bool(abs(judge.mean() - truth) <= half)


@pytest.mark.slow
@pytest.mark.parametrize(("labels", "rows"), [(25, 250), (100, 1000), (100, 200)])
def test_the_interval_holds_where_the_judges_own_fails(labels: int, rows: int) -> None:
    draw, held, naive, effective = np.random.default_rng(labels), 0, 0, []
    for _ in range(REPLICATES):
        judge, people = drawn(draw, rows)
        found = powered(prediction_powered_mean(judge, hidden(people, labelled_rows(draw, rows, labels))))
        held += found.mean.low <= 2 / 3 <= found.mean.high
        naive += naive_holds(judge, 2 / 3)
        effective.append(found.effective_labels)
    assert held in HOLDS
    assert naive < 0.8 * REPLICATES
    # the judge is worth labels
    assert np.median(effective) > 1.5 * labels


@pytest.mark.slow
def test_the_interval_holds_after_a_cross_fitted_map() -> None:
    draw, held = np.random.default_rng(1), 0
    for _ in range(REPLICATES):
        judge, people = drawn(draw, 400)
        labels = hidden(people, labelled_rows(draw, 400, 60))
        mapped = cross_fitted(judge, labels, seed=0)
        assert isinstance(mapped, CrossFit)
        found = powered(prediction_powered_mean(mapped.predicted, labels))
        held += found.mean.low <= 2 / 3 <= found.mean.high
    assert held in HOLDS


def test_rows_of_one_item_need_clusters_for_the_interval_to_hold() -> None:
    draw, held, ignoring = np.random.default_rng(2), 0, 0
    items, each = 200, 4
    item_of = np.repeat(np.arange(items), each)
    for _ in range(REPLICATES):
        difficulty = draw.normal(0, 1, items)[item_of]
        people = 0.5 + difficulty + draw.normal(0, 0.3, items * each)
        judge = 0.3 * people + draw.normal(0, 0.5, items * each)
        labels = hidden(people, np.isin(item_of, draw.permutation(items)[:40]))
        found = powered(prediction_powered_mean(judge, labels, clusters=item_of.tolist()))
        held += found.mean.low <= 0.5 <= found.mean.high
        single = powered(prediction_powered_mean(judge, labels))
        ignoring += single.mean.low <= 0.5 <= single.mean.high
    assert held in HOLDS
    assert ignoring < 0.8 * REPLICATES


def test_strata_labelled_at_different_rates_are_weighted_by_their_size() -> None:
    draw, held, estimates, pooled = np.random.default_rng(3), 0, [], []
    hard = np.arange(500) < 100
    for _ in range(REPLICATES):
        people = np.where(hard, 0.2, 0.8) + draw.normal(0, 0.2, 500)
        judge = people + draw.normal(0.1, 0.2, 500)
        # half of the hard ones are labelled, a tenth of the others
        labels = hidden(people, draw.random(500) < np.where(hard, 0.5, 0.1))
        found = powered(prediction_powered_mean(judge, labels, strata=hard.tolist()))
        held += found.mean.low <= 0.68 <= found.mean.high
        estimates.append(found.mean.value)
        pooled.append(float(np.nanmean(labels)))
    assert held in HOLDS
    assert np.mean(estimates) == pytest.approx(0.68, abs=0.002)
    assert abs(np.mean(pooled) - 0.68) > 0.1


def example() -> tuple[Floats, Floats]:
    draw = np.random.default_rng(0)
    known, judge = draw.random(100), []
    judge.append(np.clip(known + 0.1 + draw.normal(0, 0.2, 100), 0, 1))
    unknown = draw.random(1000)
    judge.append(np.clip(unknown + 0.1 + draw.normal(0, 0.2, 1000), 0, 1))
    return np.concatenate(judge), np.concatenate([known, np.full(1000, np.nan)])


@pytest.mark.parametrize(
    ("weight", "estimate", "low", "high"),
    [(1, 0.51964505, 0.48129926, 0.55799084), (0.5, 0.53396802, 0.49475556, 0.57318048)],
)
def test_estimate_and_interval_are_those_of_ppi_py(weight: float, estimate: float, low: float, high: float) -> None:
    """The figures are of ppi-python 0.2.3, ppi_mean_ci with lam=weight: variances over n, normal quantiles."""
    found = powered(prediction_powered_mean(*example(), weight=weight))
    assert found.mean.value == pytest.approx(estimate, abs=1e-8)
    assert found.se == pytest.approx((high - low) / 2 / norm.ppf(0.975), rel=0.01)


def test_the_standard_error_is_the_published_formula() -> None:
    judge, people = example()
    known = ~np.isnan(people)
    found = powered(prediction_powered_mean(judge, people, weight=0.7))
    variance = 0.49 * judge[~known].var(ddof=1) / 1000 + (people[known] - 0.7 * judge[known]).var(ddof=1) / 100
    assert found.se == pytest.approx(math.sqrt(variance))
    assert found.mean.value == pytest.approx(0.7 * judge[~known].mean() + (people - 0.7 * judge)[known].mean())


def test_the_tuned_weight_is_that_of_ppi_plus_plus_and_no_other_does_better() -> None:
    judge, people = example()
    known = ~np.isnan(people)
    found = powered(prediction_powered_mean(judge, people))
    # lambda = cov(Y, f) / ((1 + n / N) var f), the variance of each part estimated on its own rows
    covariance = np.cov(people[known], judge[known])[0, 1] / 100
    spread = judge[known].var(ddof=1) / 100 + judge[~known].var(ddof=1) / 1000
    assert found.weight == pytest.approx(covariance / spread)
    # but for the degree of freedom that its choice takes
    least = found.se * math.sqrt(98 / 99)
    assert powered(prediction_powered_mean(judge, people, weight=found.weight)).se == pytest.approx(least)
    assert found.mean.high - found.mean.value == pytest.approx(student.ppf(0.975, 98) * found.se)
    for weight in np.linspace(0, 1.5, 31):
        assert powered(prediction_powered_mean(judge, people, weight=float(weight))).se >= least - 1e-12


def test_a_useless_judge_does_no_harm() -> None:
    draw = np.random.default_rng(4)
    people = hidden(draw.random(2000), np.arange(2000) < 200)
    found = powered(prediction_powered_mean(draw.random(2000), people))
    assert abs(found.weight) < 0.2
    assert found.se == pytest.approx(people[:200].std(ddof=1) / math.sqrt(200), rel=0.02)
    assert found.effective_labels == pytest.approx(200, rel=0.05)


def test_weight_zero_and_no_unlabelled_rows_leave_the_labels_alone() -> None:
    judge, people = example()
    alone = powered(prediction_powered_mean(judge, people, weight=0))
    assert alone.mean == alone.labels_alone
    everything = powered(prediction_powered_mean(judge[:100], people[:100]))
    assert everything.mean == everything.labels_alone == alone.labels_alone
    assert (everything.weight, everything.unlabelled) == (0, 0)


def test_neither_order_nor_scale_nor_names_of_clusters_matter() -> None:
    judge, people = example()
    order, groups = np.random.default_rng(5).permutation(1100), np.arange(1100) // 4
    one = powered(prediction_powered_mean(judge, people, clusters=groups.tolist()))
    names = [f"item {groups[n]}" for n in order]
    other = powered(prediction_powered_mean(7 * judge[order] - 3, people[order], clusters=names))
    assert other.mean.value == pytest.approx(one.mean.value)
    assert other.se == pytest.approx(one.se)
    assert other.weight == pytest.approx(one.weight / 7)


def test_what_the_judge_left_ungraded_is_counted_and_put_right_by_labels() -> None:
    draw, held = np.random.default_rng(6), 0
    for _ in range(REPLICATES):
        judge, people = drawn(draw, 400)
        # it gives up on half of the wrong answers: leaving them out would flatter the system
        judge[(people == 0) & (draw.random(400) < 0.5)] = np.nan
        found = powered(prediction_powered_mean(judge, hidden(people, labelled_rows(draw, 400, 80))))
        held += found.mean.low <= 2 / 3 <= found.mean.high
        assert found.ungraded == np.isnan(judge).sum()
    assert held in HOLDS


def test_what_is_not_defined_says_why() -> None:
    assert "2 labels" in str(prediction_powered_mean([1, 2, 3, 4], [1, 2, None, None]))
    assert "scored nothing" in str(prediction_powered_mean([None] * 4, [1, 2, 3, None]))
    assert "All labels are the same" in str(prediction_powered_mean([1, 2, 3, 4], [1, 1, 1, None]))
    one_cluster = prediction_powered_mean([1, 2, 3, 4], [1, 2, 3, None], clusters=["a", "a", "a", "b"])
    assert "fewer than two clusters" in str(one_cluster)
    unlabelled = prediction_powered_mean([1, 2, 3, 4, 5], [1, 2, 3, None, None], strata=["a", "a", "a", "b", "b"])
    assert "One stratum of 2 rows" in str(unlabelled)


def test_bad_arguments_are_refused_in_words() -> None:
    with pytest.raises(UsageError, match="3 scores of the judge for 4 rows"):
        prediction_powered_mean([1, 2, 3], [1, 2, 3, 4])
    with pytest.raises(UsageError, match="1 clusters for 3 rows"):
        prediction_powered_mean([1, 2, 3], [1, 2, 3], clusters=["a"])
    with pytest.raises(UsageError, match="infinite"):
        prediction_powered_mean([1, 2, math.inf], [1, 2, 3])
