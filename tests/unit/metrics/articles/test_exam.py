"""EXAM and n-EXAM by hand, and as they were published for TREC DL19."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import permutation_test, ttest_1samp, ttest_rel

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.exams.articles.bank import read_bank
from viva.exams.articles.gradings import Gradings, read_gradings
from viva.metrics.articles.cover import cover, exam_qrels, pooled
from viva.metrics.articles.exam import (
    FEW,
    Gradebook,
    PairedDifference,
    PerQuery,
    compare_systems,
    exam,
    flipped_interval,
    least_p,
    normalised_exam,
    question_rates,
    responses,
)
from viva.metrics.articles.leaderboards import LeaderboardRow, agreement
from viva.metrics.articles.scores import board_of
from viva.metrics.judges.agreement import kendall_of, spearman_of
from viva.metrics.judges.pairs import Undefined

NAN = float("nan")
QUESTIONS = [("lock", "closes"), ("lock", "colour"), ("pier", "length")]
TREC = Path(__file__).parents[5] / "shared/calibration/exam_trec"


def gradebook(
    systems: Sequence[str],
    questions: Sequence[tuple[str, str]],
    right: NDArray[np.float64],
    skipped: NDArray[np.bool_] | None = None,
) -> Gradebook:
    """Of questions given as (query, question id), in the order of the columns of `right` (n, m)."""
    queries = tuple(dict.fromkeys(query for query, _ in questions))
    none = np.zeros((len(systems), len(queries)), dtype=np.bool_)
    query_of = np.array([queries.index(query) for query, _ in questions], dtype=np.int64)
    return Gradebook(tuple(systems), queries, query_of, right, none if skipped is None else skipped)


def book(*rows: list[float], skipped: list[list[bool]] | None = None) -> Gradebook:
    systems = [f"s{n}" for n in range(len(rows))]
    return gradebook(systems, QUESTIONS, np.array(rows), None if skipped is None else np.array(skipped))


def test_exam_is_the_share_answered_per_query_averaged_over_queries() -> None:
    found = exam(book([1, 0, 1], [0, 0, 1]))
    assert found.values.tolist() == [[0.5, 1.0], [0.0, 1.0]]
    assert found.means.tolist() == [0.75, 0.5]
    assert found.errors == pytest.approx([0.25, 0.5])


def test_a_skipped_query_counts_0_whatever_its_grades() -> None:
    found = exam(book([1, 1, NAN], skipped=[[False, True]]))
    assert found.values.tolist() == [[1.0, 0.0]]


def test_what_could_not_be_graded_leaves_the_denominator() -> None:
    found = exam(book([1, NAN, NAN]))
    assert found.values[0, 0] == 1.0
    assert np.isnan(found.values[0, 1])
    assert found.counted.tolist() == [1]
    assert isinstance(found.interval(0), Undefined)


def test_n_exam_counts_only_what_can_be_answered_and_leaves_out_queries_of_which_nothing_can() -> None:
    found = normalised_exam(book([1, 1, 0], [1, 0, 0]), np.array([True, False, False]))
    assert found.values[:, 0].tolist() == [1.0, 1.0]
    assert np.isnan(found.values[:, 1]).all()


def test_an_interval_stays_within_0_and_1() -> None:
    found = exam(book([1, 0, 1])).interval(0)
    assert isinstance(found, Estimate)
    # two queries: the t distribution with one degree of freedom knows next to nothing
    assert (found.low, found.high) == (0.0, 1.0)


def test_an_interval_over_queries_is_that_of_the_t_test() -> None:
    values = np.array([[0.5, 0.4, 0.7, 0.6, 0.3]])
    found = PerQuery(("s",), values).interval(0)
    known = ttest_1samp(values[0], 0.0).confidence_interval(0.95)
    assert isinstance(found, Estimate)
    assert (found.low, found.high) == pytest.approx((known.low, known.high))


def test_scores_without_spread_have_no_interval() -> None:
    alike = PerQuery(("a", "b"), np.array([[0.7] * 9, [0.6] * 9]))
    assert alike.interval(0) == Undefined("All queries have the same score: they show no spread.")
    (pair,) = compare_systems(alike, seed=0)
    assert (pair.difference, pair.interval) == (pytest.approx(0.1), None)


def test_the_interval_of_a_difference_over_many_queries_is_that_of_the_paired_t_test() -> None:
    values = np.array([[0.9, 0.4, 0.8, 0.5, NAN, 1.0] * 3, [0.2, 0.5, 0.6, 0.3, 0.1, 0.4] * 3])
    (pair,) = compare_systems(PerQuery(("a", "b"), values), seed=0)
    kept = ~np.isnan(values[0])
    known = ttest_rel(values[0, kept], values[1, kept]).confidence_interval(0.95)
    assert pair.interval is not None
    assert pair.queries == 15
    assert (pair.interval.low, pair.interval.high) == pytest.approx((known.low, known.high))


def compared(differences: NDArray[np.float64]) -> PairedDifference:
    """A pair with these differences (n,)."""
    (found,) = compare_systems(PerQuery(("a", "b"), np.stack([differences, np.zeros(len(differences))])), seed=0)
    return found


@pytest.mark.parametrize("queries", [2, 3, 7, FEW])
def test_up_to_twelve_queries_the_p_value_is_the_exact_one(queries: int) -> None:
    differences = np.random.default_rng(queries).uniform(-0.3, 1, queries)
    known = permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert compared(differences).p_value == pytest.approx(known)


def test_three_queries_that_all_speak_for_one_system_give_p_a_quarter_and_no_interval() -> None:
    found = compared(np.array([0.5, 0.4, 0.7]))
    assert (found.p_value, found.interval) == (0.25, None)
    assert least_p(3) == 0.25


def test_a_query_without_a_score_changes_no_exact_p_value() -> None:
    own = np.array([0.5, 0.4, 0.7, -0.1])
    assert compared(np.append(own, [NAN] * 20)).p_value == compared(own).p_value


def test_an_exact_interval_excludes_0_just_where_its_p_value_is_at_most_5_percent() -> None:
    draw, seen = np.random.default_rng(0), set[bool]()
    for _ in range(200):
        found = compared(draw.normal(0.25, 0.4, int(draw.integers(6, FEW + 1))).clip(-1, 1))
        assert found.interval is not None
        excluded = found.interval.low > 0 or found.interval.high < 0
        assert excluded == (found.p_value <= 0.05)
        assert found.interval.low <= found.difference <= found.interval.high
        seen.add(excluded)
    assert seen == {True, False}


def test_an_exact_interval_covers_in_at_least_95_percent() -> None:
    draws = np.random.default_rng(1).uniform(-0.5, 0.9, (1000, 7))
    found = [flipped_interval(each) for each in draws]
    covering = np.mean([each is not None and each.low <= 0.2 <= each.high for each in found])
    # 1 - 2k / 2^7 with k = 3
    assert covering == pytest.approx(0.953, abs=0.02)


def test_more_differences_than_can_be_enumerated_are_refused() -> None:
    with pytest.raises(UsageError, match="too many to enumerate"):
        flipped_interval(np.ones(FEW + 1))


def test_an_interval_by_t_covers_in_95_percent_at_five_queries() -> None:
    """Exams of 5 queries with 10 questions each, the first system .05 better on average, by query from -.3 to .4."""
    draw, shape = np.random.default_rng(0), (6000, 5)
    easy = draw.uniform(0.3, 0.6, shape)
    better = easy + 0.05 + draw.triangular(-0.3, 0.0, 0.3, shape)
    found = PerQuery(
        tuple(map(str, range(shape[0]))), (draw.binomial(10, better) - draw.binomial(10, easy)).astype(float) / 10
    )
    assert 0.94 <= float((np.abs(found.means - 0.05) <= found.half_widths()).mean()) <= 0.965
    # what the normal distribution would have done
    assert float((np.abs(found.means - 0.05) <= 1.96 * found.errors).mean()) < 0.9


def test_equal_sums_are_equal_scores_in_whatever_order_they_are_added() -> None:
    shares = np.array([0.1, 0.2, 0.3, 0.7, 0.4])
    questions = [(f"q{n}", str(m)) for n in range(5) for m in range(10)]
    rows = [np.concatenate([np.arange(10) < 10 * each for each in order]) for order in (shares, shares[::-1])]
    found = exam(gradebook(["a", "b"], questions, np.array(rows, dtype=float)))
    assert found.means[0] == found.means[1]


def test_systems_that_differ_on_every_query_differ_and_equal_ones_do_not() -> None:
    questions = [(f"q{n}", "1") for n in range(20)]
    good, poor = [1.0] * 20, [0.0] * 18 + [1.0] * 2
    scores = exam(gradebook(["good", "same", "poor"], questions, np.array([good, good, poor])))
    found = {(each.first, each.second): each for each in compare_systems(scores, seed=0)}
    assert found["good", "same"].p_value == 1.0
    assert found["good", "poor"].adjusted < 0.01
    difference, interval = found["good", "poor"].difference, found["good", "poor"].interval
    assert difference == pytest.approx(0.9)
    assert interval is not None
    assert interval.low > 0.7


def test_the_order_of_queries_moves_no_p_value() -> None:
    draw = np.random.default_rng(0)
    values = (draw.random((2, 30)) < 0.5).astype(float)
    questions = [(f"q{n}", "1") for n in range(30)]
    one = compare_systems(exam(gradebook(["a", "b"], questions, values)), seed=1)
    other = compare_systems(exam(gradebook(["a", "b"], questions, values[:, ::-1])), seed=1)
    assert one == other


def test_one_query_in_common_compares_nothing() -> None:
    assert compare_systems(exam(book([1, 1, NAN], [0, 1, NAN])), seed=0) == []


def test_a_skipped_question_is_wrong_for_rates_and_for_the_response_matrix() -> None:
    found = book([1, 0, NAN], [1, NAN, NAN], skipped=[[False, True], [False, False]])
    assert question_rates(found).tolist() == [1.0, 0.0, 0.0]
    assert responses(found)[0].tolist() == [1.0, 0.0, 0.0]
    assert np.isnan(responses(found)[1, 1])


@pytest.mark.parametrize("right", [[[0.5, 0, 1]], [[1, 0]]])
def test_grades_that_are_none_are_refused(right: list[list[float]]) -> None:
    with pytest.raises(UsageError):
        gradebook(["s"], QUESTIONS, np.array(right))


# --- as published -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dl19() -> Gradings:
    if not TREC.exists():
        pytest.skip("the calibration data (shared/calibration) are not beside this checkout")
    return read_gradings(TREC / "dl19_grades_no_text.jsonl.gz", read_bank(TREC / "dl19_questions.jsonl"))


def published(name: str, skip: int) -> dict[str, list[str]]:
    with (TREC / "published" / name).open(encoding="utf-8") as lines:
        return {row[0]: row for row in list(csv.reader(lines, delimiter="\t"))[skip:] if len(row) > 4}


def official() -> dict[str, LeaderboardRow]:
    ranks = json.loads((TREC / "dl19_official_ranks.json").read_text(encoding="utf-8"))
    return {system: LeaderboardRow(-rank) for system, rank in ranks.items()}


def test_scores_on_dl19_are_the_published_ones(dl19: Gradings) -> None:
    found = cover(dl19.runs, dl19.grades, at_least=3)
    told = published("EXAM-Cover-leaderboard-dl19-subqueries-self-rating-3.tsv", 2)
    normalised = normalised_exam(found, pooled(dl19.grades, at_least=3))
    for scores, column in ((exam(found), 1), (normalised, 4)):
        for n, system in enumerate(scores.systems):
            assert scores.means[n] == pytest.approx(float(told[system][column]), abs=0.012)
            assert scores.errors[n] == pytest.approx(float(told[system][column + 2]), abs=0.003)


def test_agreement_on_dl19_is_the_published_one(dl19: Gradings) -> None:
    found = cover(dl19.runs, dl19.grades, at_least=3)
    normalised = agreement(
        board_of(normalised_exam(found, pooled(dl19.grades, at_least=3))), official(), seed=0, resamples=50
    )
    # published: 0.67 and 0.48
    assert not isinstance(normalised.spearman, Undefined)
    assert not isinstance(normalised.kendall, Undefined)
    assert round(normalised.spearman.estimate, 3) == 0.675
    assert round(normalised.kendall.estimate, 3) == 0.486
    plain = agreement(board_of(exam(found)), official(), seed=0, resamples=50)
    assert not isinstance(plain.spearman, Undefined)
    assert not isinstance(plain.kendall, Undefined)
    # 23 pairs of systems answer equally many of the 430 questions: tied, they give this (published: 0.72 and 0.54)
    assert (round(plain.spearman.estimate, 3), round(plain.kendall.estimate, 3)) == (0.719, 0.535)


def test_the_reference_figure_of_dl19_parts_ties_by_rounding(dl19: Gradings) -> None:
    """0.724 and 0.536 come out where shares are added as they are, in the order of the grades' queries.

    Equal sums then differ in their last digit: another order of queries gives Spearman from 0.704 to 0.730.
    """
    found = exam(cover(dl19.runs, dl19.grades, at_least=3))
    ids = [dl19.grades.queries[q] for q in dict.fromkeys(dl19.grades.query_of.tolist())]
    place = [dl19.grades.queries.index(query) for query in ids]
    ranks = official()
    rows = [
        (sum(found.values[n, place].tolist()) / len(place), ranks[s].score)
        for n, s in enumerate(found.systems)
        if s in ranks
    ]
    assert len(rows) == 36
    rho, tau = spearman_of(np.array(rows)), kendall_of(np.array(rows))
    assert not isinstance(rho, Undefined)
    assert not isinstance(tau, Undefined)
    assert (round(rho, 3), round(tau, 3)) == (0.724, 0.536)


def test_precision_of_exam_qrels_on_dl19_is_the_published_one(dl19: Gradings) -> None:
    found = exam_qrels(dl19.runs, dl19.grades, at_least=3, k=20, measures=["precision"])["precision"]
    told = published("exam-qrels-leaderboard-dl19-qrels-genq-self-rating-3.tsv", 2)
    both = [(found.means[n], float(told[s][1])) for n, s in enumerate(found.systems) if s in told]
    assert len(both) >= 36
    assert all(abs(ours - theirs) < 0.001 for ours, theirs in both)
