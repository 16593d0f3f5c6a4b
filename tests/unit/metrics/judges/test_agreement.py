"""Agreement with people: correlations and confusions against libraries, intervals against their formulas."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, matthews_corrcoef

from viva.core.errors import UsageError
from viva.metrics.judges.agreement import (
    Correlation,
    absolute_error_of,
    graded_agreement,
    kendall,
    pearson,
    spearman,
    spearman_of,
)
from viva.metrics.judges.calibration_curve import calibration_curve, calibration_error_of
from viva.metrics.judges.confusion import at_least, balanced_accuracy_of, confusion, matthews_of
from viva.metrics.judges.pairs import Undefined

CAR_Y3 = Path(__file__).parents[5] / "shared/calibration/exam_trec/published/leaderboard-car-tqa-cc-verified.tsv"
SCORES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=40)


def defined(found: Correlation | Undefined) -> Correlation:
    assert isinstance(found, Correlation), found
    return found


def tied(seed: int, n: int = 60) -> tuple[list[float], list[float]]:
    draw = np.random.default_rng(seed)
    people = draw.integers(0, 6, n)
    return (people + draw.normal(0, 2, n)).round().tolist(), people.astype(float).tolist()


def test_correlations_are_scipys_with_ties() -> None:
    judge, people = tied(0)
    assert defined(spearman(judge, people)).estimate == pytest.approx(spearmanr(judge, people).statistic)
    assert defined(pearson(judge, people)).estimate == pytest.approx(pearsonr(judge, people).statistic)


def test_kendalls_tau_b_is_that_of_counting_pairs() -> None:
    judge, people = tied(1, 25)
    signs = [(np.sign(judge[i] - judge[j]), np.sign(people[i] - people[j])) for i in range(25) for j in range(i)]
    both = sum(a * b for a, b in signs)
    by_hand = both / math.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs))
    assert defined(kendall(judge, people)).estimate == pytest.approx(by_hand)


def test_spearmans_standard_error_is_bonett_and_wrights() -> None:
    judge, people = tied(2)
    found = defined(spearman(judge, people))
    r = found.estimate
    se = math.sqrt((1 + r**2 / 2) / (60 - 3))
    assert found.se_z == pytest.approx(se)
    assert found.se == pytest.approx((1 - r**2) * se)
    assert not isinstance(found.interval, Undefined)
    assert found.interval.low == pytest.approx(math.tanh(math.atanh(r) - 1.959964 * se), abs=1e-6)
    assert found.interval.high == pytest.approx(math.tanh(math.atanh(r) + 1.959964 * se), abs=1e-6)


def test_pearsons_interval_is_scipys() -> None:
    judge, people = tied(3)
    found = defined(pearson(judge, people))
    reference = pearsonr(judge, people).confidence_interval()
    assert not isinstance(found.interval, Undefined)
    assert (found.interval.low, found.interval.high) == pytest.approx((reference.low, reference.high))


def test_kendalls_standard_error_is_the_larger_of_fieller_and_the_jackknife() -> None:
    judge, people = tied(3, 30)
    tau = defined(kendall(judge, people))
    without = [
        defined(kendall(np.delete(judge, n).tolist(), np.delete(people, n).tolist())).estimate for n in range(30)
    ]
    jackknife = math.sqrt(29 / 30 * np.square(np.subtract(without, np.mean(without))).sum())
    assert tau.se == pytest.approx(jackknife)
    fieller = math.sqrt(0.437 / 26)
    assert tau.se_z == pytest.approx(jackknife / (1 - tau.estimate**2))
    assert jackknife / (1 - tau.estimate**2) > fieller
    # without any one of its rows this tau is nearly what it was
    steady = defined(kendall(range(30), [n // 10 for n in range(30)]))
    assert steady.se_z == pytest.approx(fieller)


@pytest.mark.parametrize("grades", [2, 5, None])
@pytest.mark.parametrize("pairs", [10, 20, 50])
def test_the_interval_of_kendall_holds_its_level_with_ties(pairs: int, grades: int | None) -> None:
    draw, inside, given = np.random.default_rng(1), 0, 0

    def columns(rows: int) -> tuple[list[float], list[float]]:
        x, noise = draw.normal(size=(2, rows))
        both = x, 0.5 * x + math.sqrt(0.75) * noise
        cuts = None if grades is None else np.linspace(-1, 1, grades + 1)[1:-1]
        first, second = (each if cuts is None else np.digitize(each, cuts) for each in both)
        return first.tolist(), second.tolist()

    truth = np.mean([kendalltau(*columns(20_000)).statistic for _ in range(5)])
    for _ in range(400):
        found = kendall(*columns(pairs))
        if not isinstance(found, Undefined) and not isinstance(found.interval, Undefined):
            given += 1
            inside += found.interval.low <= truth <= found.interval.high
    assert given > 0.95 * 400 or (pairs, grades) == (10, 2)
    assert inside / given > 0.93


def test_kendall_has_no_interval_where_one_row_alone_varies() -> None:
    found = defined(kendall([0, 0, 0, 0, 0, 1], [1, 2, 3, 4, 5, 6]))
    assert "one row alone" in str(found.interval)


def test_the_interval_of_spearman_holds_its_level() -> None:
    draw, truth, inside = np.random.default_rng(0), 6 / math.pi * math.asin(0.6 / 2), 0
    for _ in range(1000):
        x, noise = draw.normal(size=(2, 50))
        interval = defined(spearman(x, 0.6 * x + 0.8 * noise)).interval
        assert not isinstance(interval, Undefined)
        inside += interval.low <= truth <= interval.high
    assert 930 <= inside <= 970


def test_missing_scores_are_left_out_and_counted() -> None:
    found = defined(spearman([1, 2, 3, 4, None, 5], [2, 1, 4, 3, 9, float("nan")]))
    assert (found.pairs, found.missing) == (4, 2)
    assert found.estimate == pytest.approx(0.6)


def test_what_is_not_defined_says_why() -> None:
    for correlation in (spearman, kendall, pearson):
        assert "Every score of the judge is 0.5" in str(correlation([0.5] * 9, range(9)))
        assert "2 pairs" in str(correlation([1, 2, None], [1, 2, 3]))
        assert "0 pairs" in str(correlation([None] * 5, [1, 2, 3, 4, 5]))
    three = defined(spearman([1, 2, 3], [1, 3, 2]))
    assert isinstance(three.interval, Undefined)
    whole = defined(spearman([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]))
    assert whole.estimate == 1
    assert "order is the same" in str(whole.interval)


def test_bad_columns_are_refused_in_words() -> None:
    with pytest.raises(UsageError, match="2 of judge, 3 of people"):
        spearman([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match="infinite"):
        spearman([1, 2, math.inf], [1, 2, 3])
    with pytest.raises(UsageError, match="no number"):
        spearman(["good", "bad", "fair"], [1, 2, 3])  # type: ignore[list-item]


@settings(max_examples=40)
@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_rows_moves_no_correlation(rows: list[tuple[int, int]], chance: object) -> None:
    shuffled = rows.copy()
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    for correlation in (spearman, kendall, pearson):
        one, other = (correlation(*zip(*each, strict=True)) for each in (rows, shuffled))
        assert isinstance(one, Undefined) == isinstance(other, Undefined)
        if isinstance(one, Correlation) and isinstance(other, Correlation):
            assert one.estimate == pytest.approx(other.estimate)
            assert -1 <= one.estimate <= 1


def test_between_two_binary_columns_spearman_is_matthews() -> None:
    draw = np.random.default_rng(4)
    rows = draw.integers(0, 2, (50, 2)).astype(float)
    assert spearman_of(rows) == pytest.approx(matthews_of(rows))


def test_graded_agreement_reports_everything_and_clusters_by_group() -> None:
    judge, people = tied(5, 120)
    groups = [f"g{n // 6}" for n in range(120)]
    found = graded_agreement([None, *judge], [3.0, *people], ["g0", *groups], seed=1, resamples=300)
    again = graded_agreement([*judge[::-1], None], [*people[::-1], 3.0], [*groups[::-1], "g0"], seed=1, resamples=300)
    assert found == again
    assert (found.pairs, found.missing) == (120, 1)
    assert not isinstance(found.spearman_bootstrap, Undefined)
    assert found.spearman_bootstrap.groups == 20
    assert not isinstance(found.mean_absolute_error, Undefined)
    assert found.mean_absolute_error.interval.value == pytest.approx(np.abs(np.subtract(judge, people)).mean())


def test_nothing_graded_has_no_error() -> None:
    assert isinstance(absolute_error_of(np.empty((0, 2))), Undefined)


def test_published_leaderboard_correlations_come_out() -> None:
    if not CAR_Y3.exists():
        pytest.skip("the calibration data (shared/calibration) are not beside this checkout")
    with CAR_Y3.open(encoding="utf-8") as lines:
        rows = [
            row for row in csv.DictReader(lines, delimiter="\t") if (row["orig_TREC_leaderboard_rank"] or "").strip()
        ]
    official = [float(row["orig_TREC_leaderboard_rank"]) for row in rows]
    exam = [float(row["orig_EXAM_leaderboard_rank"]) for row in rows]
    # published: 0.74 and 0.56
    assert defined(spearman(exam, official)).estimate == pytest.approx(0.739, abs=5e-4)
    assert defined(kendall(exam, official)).estimate == pytest.approx(0.559, abs=5e-4)


@settings(max_examples=40)
@given(SCORES)
def test_confusion_matthews_and_balanced_accuracy_are_sklearns(rows: list[tuple[int, int]]) -> None:
    table = np.array(rows, dtype=float)
    judge, people = table.T
    found = confusion(judge, people)
    assert (found.counts == confusion_matrix(people, judge, labels=found.labels)).all()
    matthews, balanced = matthews_of(table), balanced_accuracy_of(table)
    if isinstance(matthews, Undefined):
        assert len(set(judge)) == 1 or len(set(people)) == 1
    else:
        assert matthews == pytest.approx(matthews_corrcoef(people, judge))
    if isinstance(balanced, Undefined):
        assert len(set(people)) == 1
    else:
        given_by_people = np.isin(judge, people)
        # sklearn warns of labels that people never gave, and counts them out
        assert balanced == pytest.approx(np.mean([(judge[people == c] == c).mean() for c in np.unique(people)]))
        if given_by_people.all():
            assert balanced == pytest.approx(balanced_accuracy_score(people, judge))


def test_a_confusion_reads_off_shares_with_intervals() -> None:
    found = confusion([1, 1, 0, 0, 1, None], [1, 0, 0, 0, 1, 1])
    assert list(found.labels) == [0, 1]
    assert found.counts.tolist() == [[2, 1], [0, 2]]
    assert found.missing == 1
    accuracy, recall, precision = found.accuracy(), found.recall(1), found.precision(1)
    assert accuracy is not None
    assert recall is not None
    assert precision is not None
    assert (accuracy.value, recall.value, precision.value) == pytest.approx((0.8, 1.0, 2 / 3))
    with pytest.raises(UsageError, match="label 7"):
        found.recall(7)
    assert confusion([None], [1]).accuracy() is None


def test_a_judge_that_always_says_yes_has_no_correlation_but_a_balanced_accuracy_of_chance() -> None:
    rows = np.array([[1, 0], [1, 1], [1, 1]], dtype=float)
    assert "judge" in str(matthews_of(rows))
    assert balanced_accuracy_of(rows) == 0.5
    assert isinstance(balanced_accuracy_of(rows[1:]), Undefined)


def test_a_threshold_keeps_the_ungraded_ungraded() -> None:
    assert at_least([0.2, None, 0.5], 0.5).tolist() == pytest.approx([0, float("nan"), 1], nan_ok=True)


def test_the_calibration_curve_bins_and_its_error_is_their_weighted_gap() -> None:
    judge, people = [0.05, 0.05, 0.95, 0.95, 1.0, None], [0, 1, 1, 1, 1, 1]
    curve = calibration_curve(judge, people)
    assert [(each.low, each.high, each.cases) for each in curve] == [(0, 0.1, 2), (0.9, 1, 3)]
    assert curve[0].people == 0.5
    rows = np.array([(a, b) for a, b in zip(judge, people, strict=True) if a is not None])
    assert calibration_error_of(rows) == pytest.approx((2 * 0.45 + 3 * (1 - 2.9 / 3)) / 5)
    assert isinstance(calibration_error_of(np.empty((0, 2))), Undefined)


def test_a_calibrated_judge_has_little_error() -> None:
    draw = np.random.default_rng(6)
    judge = draw.random(20_000) ** 2
    people = (draw.random(20_000) < judge).astype(float)
    error = calibration_error_of(np.column_stack([judge, people]))
    assert isinstance(error, float)
    assert error < 0.02


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=60))
def test_every_row_is_in_one_bin_that_holds_its_score(rows: list[tuple[float, int]]) -> None:
    curve = calibration_curve(*zip(*rows, strict=True))
    assert sum(each.cases for each in curve) == len(rows)
    assert all(each.low - 1e-12 <= each.judge <= each.high + 1e-12 for each in curve)


def test_a_score_on_the_edge_of_two_bins_is_in_the_upper_one() -> None:
    for tenth in range(1, 10):
        (only,) = calibration_curve([tenth / 10], [1.0])
        assert only.low == tenth / 10


def test_calibration_off_the_scale_is_refused() -> None:
    with pytest.raises(UsageError, match="outside 0 to 1"):
        calibration_curve([1, 5], [0, 1])
