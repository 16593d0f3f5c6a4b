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

from viva.core.scores_articles import Mean, SystemDifference
from viva.exams.articles.bank import read_bank
from viva.exams.articles.gradings import Gradings, read_gradings
from viva.metrics.articles.cover import cover, pooled
from viva.metrics.articles.exam import (
    FEW,
    Gradebook,
    PerQuery,
    compare_systems,
    exam,
    least_p,
    normalised_exam,
)
from viva.metrics.articles.leaderboards import agreement
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
    assert found.mean(0) == Mean(value=1.0, queries=1)


def test_n_exam_counts_only_what_can_be_answered_and_leaves_out_queries_of_which_nothing_can() -> None:
    found = normalised_exam(book([1, 1, 0], [1, 0, 0]), np.array([True, False, False]))
    assert found.values[:, 0].tolist() == [1.0, 1.0]
    assert np.isnan(found.values[:, 1]).all()


def test_an_interval_stays_within_0_and_1() -> None:
    found = exam(book([1, 0, 1])).mean(0)
    assert found is not None
    # two queries: the t distribution with one degree of freedom knows next to nothing
    assert (found.low, found.high) == (0.0, 1.0)


def test_an_interval_over_queries_is_that_of_the_t_test() -> None:
    values = np.array([[0.5, 0.4, 0.7, 0.6, 0.3]])
    found = PerQuery(("s",), values).mean(0)
    known = ttest_1samp(values[0], 0.0).confidence_interval(0.95)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((known.low, known.high))


def test_scores_without_spread_have_no_interval() -> None:
    alike = PerQuery(("a", "b"), np.array([[0.7] * 20, [0.6] * 20]))
    assert alike.mean(0) == Mean(value=0.7, queries=20)
    (pair,) = compare_systems(alike)
    assert (pair.difference, pair.low, pair.p_value) == (pytest.approx(0.1), None, least_p(20))


def test_the_difference_over_many_queries_is_that_of_the_paired_t_test() -> None:
    values = np.array([[0.9, 0.4, 0.8, 0.5, NAN, 1.0] * 3, [0.2, 0.5, 0.6, 0.3, 0.1, 0.4] * 3])
    (pair,) = compare_systems(PerQuery(("a", "b"), values))
    kept = ~np.isnan(values[0])
    known = ttest_rel(values[0, kept], values[1, kept])
    interval = known.confidence_interval(0.95)
    assert pair.queries == 15
    assert pair.p_value == pytest.approx(known.pvalue)
    assert (pair.low, pair.high) == pytest.approx((interval.low, interval.high))


def compared(differences: NDArray[np.float64]) -> SystemDifference:
    """A pair with these differences (n,)."""
    (found,) = compare_systems(PerQuery(("a", "b"), np.stack([differences, np.zeros(len(differences))])))
    return found


@pytest.mark.parametrize("queries", [2, 3, 7, FEW])
def test_up_to_twelve_queries_the_p_value_is_the_exact_one(queries: int) -> None:
    differences = np.random.default_rng(queries).uniform(-0.3, 1, queries)
    known = permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert compared(differences).p_value == pytest.approx(known)


def test_three_queries_that_all_speak_for_one_system_give_p_a_quarter_and_no_interval() -> None:
    found = compared(np.array([0.5, 0.4, 0.7]))
    assert (found.p_value, found.low) == (0.25, None)
    assert least_p(3) == 0.25


def test_a_query_without_a_score_changes_no_exact_p_value() -> None:
    own = np.array([0.5, 0.4, 0.7, -0.1])
    assert compared(np.append(own, [NAN] * 20)).p_value == compared(own).p_value


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
    found = {(each.first, each.second): each for each in compare_systems(scores)}
    assert found["good", "same"].p_value == 1.0
    assert found["good", "poor"].adjusted < 0.01
    assert found["good", "poor"].difference == pytest.approx(0.9)
    assert found["good", "poor"].low == pytest.approx(0.756, abs=0.001)


def test_the_order_of_queries_moves_no_p_value() -> None:
    values = np.random.default_rng(0).random((2, FEW))
    one, other = (compare_systems(PerQuery(("a", "b"), each)) for each in (values, values[:, ::-1]))
    assert one == other


def test_one_query_in_common_compares_nothing() -> None:
    assert compare_systems(exam(book([1, 1, NAN], [0, 1, NAN]))) == []


# --- as published -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dl19() -> Gradings:
    if not TREC.exists():
        pytest.skip("the calibration data (shared/calibration) are not beside this checkout")
    return read_gradings(TREC / "dl19_grades_no_text.jsonl.gz", read_bank(TREC / "dl19_questions.jsonl")[0])


def published(name: str, skip: int) -> dict[str, list[str]]:
    with (TREC / "published" / name).open(encoding="utf-8") as lines:
        return {row[0]: row for row in list(csv.reader(lines, delimiter="\t"))[skip:] if len(row) > 4}


def official() -> dict[str, float]:
    ranks = json.loads((TREC / "dl19_official_ranks.json").read_text(encoding="utf-8"))
    return {system: -float(rank) for system, rank in ranks.items()}


def test_scores_on_dl19_are_the_published_ones(dl19: Gradings) -> None:
    found = cover(dl19.runs, dl19.grades, at_least=3)
    told = published("EXAM-Cover-leaderboard-dl19-subqueries-self-rating-3.tsv", 2)
    normalised = normalised_exam(found, pooled(dl19.grades, at_least=3))
    for scores, column in ((exam(found), 1), (normalised, 4)):
        for n, system in enumerate(scores.systems):
            assert scores.means[n] == pytest.approx(float(told[system][column]), abs=0.012)
            assert scores.errors[n] == pytest.approx(float(told[system][column + 2]), abs=0.003)


def test_agreement_on_dl19_is_the_published_one(dl19: Gradings) -> None:
    book, ranks = cover(dl19.runs, dl19.grades, at_least=3), official()
    answerable = pooled(dl19.grades, at_least=3)
    normalised = agreement("n-EXAM", board_of(normalised_exam(book, answerable)), "official", ranks)
    # published: 0.67 and 0.48
    assert normalised.spearman == pytest.approx(0.675, abs=0.0005)
    assert normalised.kendall == pytest.approx(0.486, abs=0.0005)
    plain = agreement("EXAM", board_of(exam(book)), "official", ranks)
    # 23 pairs of systems answer equally many of the 430 questions: tied, they give this (published: 0.72 and 0.54)
    assert plain.spearman == pytest.approx(0.719, abs=0.0005)
    assert plain.kendall == pytest.approx(0.535, abs=0.0005)


def test_the_reference_figure_of_dl19_parts_ties_by_rounding(dl19: Gradings) -> None:
    """0.724 and 0.536 come out where shares are added as they are, in the order of the grades' queries.

    Equal sums then differ in their last digit: another order of queries gives Spearman from 0.704 to 0.730.
    """
    found = exam(cover(dl19.runs, dl19.grades, at_least=3))
    ids = [dl19.grades.queries[q] for q in dict.fromkeys(dl19.grades.query_of.tolist())]
    place = [dl19.grades.queries.index(query) for query in ids]
    ranks = official()
    rows = [
        (sum(found.values[n, place].tolist()) / len(place), ranks[s])
        for n, s in enumerate(found.systems)
        if s in ranks
    ]
    assert len(rows) == 36
    rho, tau = spearman_of(np.array(rows)), kendall_of(np.array(rows))
    assert not isinstance(rho, Undefined)
    assert not isinstance(tau, Undefined)
    assert (round(rho, 3), round(tau, 3)) == (0.724, 0.536)
