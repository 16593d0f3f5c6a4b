"""EXAM-Cover and EXAM-Qrels: on gradings written for this project, and against trec_eval."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from viva.core.errors import UsageError
from viva.exams.articles.bank import read_bank
from viva.exams.articles.gradings import Gradings, read_gradings
from viva.metrics.articles.cover import NOT_GRADED, PassageGrades, Runs, cover, exam_qrels, pooled, returned
from viva.metrics.articles.exam import exam, normalised_exam

DATA = Path(__file__).parents[3] / "data" / "articles"
ADA, BELL, COIL = 0, 1, 2
LOCK, PIER = 0, 1


@pytest.fixture(scope="module")
def graded() -> Gradings:
    return read_gradings(DATA / "gradings.jsonl", read_bank(DATA / "bank.csv"))


def test_passages_answer_together_and_runs_may_count_from_0_or_from_1(graded: Gradings) -> None:
    found = exam(cover(graded.runs, graded.grades, at_least=4))
    assert graded.runs.systems == ("ada", "bell", "coil")
    assert found.values.tolist() == [[0.5, 0.5], [0.5, 0.0], [0.0, 0.0]]
    assert found.means.tolist() == [0.5, 0.25, 0.0]
    assert found.errors == pytest.approx([0.0, 0.25, 0.0])


def test_a_lower_grade_may_be_enough(graded: Gradings) -> None:
    assert exam(cover(graded.runs, graded.grades, at_least=3)).values[COIL, LOCK] == 0.25


def test_only_the_first_passages_count_where_a_depth_is_given(graded: Gradings) -> None:
    found = exam(cover(graded.runs, graded.grades, at_least=4, depth=1))
    assert found.values[:, LOCK].tolist() == [0.5, 0.0, 0.0]
    with pytest.raises(UsageError, match="depth of 0"):
        cover(graded.runs, graded.grades, at_least=4, depth=0)


def test_n_exam_is_by_whatever_was_graded_or_by_what_systems_found(graded: Gradings) -> None:
    book = cover(graded.runs, graded.grades, at_least=4)
    by_pool = normalised_exam(book, pooled(graded.grades, at_least=4))
    assert by_pool.values[ADA] == pytest.approx([2 / 3, 1])
    assert by_pool.errors[ADA] == pytest.approx(1 / 6)
    found = returned(graded.runs, graded.grades)
    by_systems = normalised_exam(book, pooled(graded.grades, at_least=4, only=found))
    assert by_systems.values[ADA].tolist() == [1.0, 1.0]
    assert by_systems.values[BELL].tolist() == [1.0, 0.0]


def test_a_passage_is_relevant_where_it_answers_and_its_best_grade_is_its_gain(graded: Gradings) -> None:
    found = exam_qrels(graded.runs, graded.grades, at_least=4, k=2)
    # two relevant passages about the lock, p1 and p3 (which nobody returned)
    assert found["map"].values[:, LOCK].tolist() == [0.5, 0.25, 0.0]
    assert found["r_precision"].values[:, LOCK].tolist() == [0.5, 0.5, 0.0]
    assert found["precision"].values[:, LOCK].tolist() == [0.5, 0.5, 0.0]
    best = 5 + 5 / np.log2(3)
    assert found["ndcg"].values[:, LOCK] == pytest.approx([5 / best, (5 / np.log2(3)) / best, 0])
    assert found["map"].values[:, PIER].tolist() == [1.0, 0.0, 0.0]


def test_a_query_with_nothing_relevant_is_left_out(graded: Gradings) -> None:
    found = exam_qrels(graded.runs, graded.grades, at_least=5, k=2)
    assert np.isnan(found["map"].values[:, PIER]).all()
    with pytest.raises(UsageError, match="no measure"):
        exam_qrels(graded.runs, graded.grades, at_least=5, k=2, measures=["err"])


def runs(*entries: tuple[int, int, int]) -> Runs:
    """Of one system: query, rank, passage."""
    rows = np.array(entries, dtype=np.int64).reshape(-1, 3)
    return Runs(("s",), np.zeros(len(rows), dtype=np.int64), rows[:, 0], rows[:, 1], rows[:, 2])


def grades(*rows: list[int]) -> PassageGrades:
    """One query of two questions."""
    table = np.array(rows, dtype=np.int8)
    return PassageGrades(("q",), np.array([2]), np.zeros(len(table), dtype=np.int64), table)


def test_what_failed_to_be_graded_is_not_graded_and_a_passage_nobody_graded_answers_nothing() -> None:
    book = cover(runs((0, 1, 0)), grades([1, NOT_GRADED]), at_least=1)
    assert book.right[0, 0] == 1
    assert np.isnan(book.right[0, 1])
    unknown = cover(runs((0, 1, -1)), grades([1, 1]), at_least=1)
    assert unknown.right.tolist() == [[0.0, 0.0]]
    assert runs((0, 1, -1)).ungraded().tolist() == [1]


def test_grades_beyond_a_querys_questions_are_refused() -> None:
    with pytest.raises(UsageError, match="does not have"):
        PassageGrades(("q",), np.array([1]), np.array([0]), np.array([[1, 1]], dtype=np.int8))


def test_the_measures_are_trec_evals() -> None:
    trec_eval = pytest.importorskip("pytrec_eval")
    draw = np.random.default_rng(3)
    table = draw.integers(0, 6, (40, 2)).astype(np.int8)
    order = draw.permutation(40)[:30]
    found = exam_qrels(
        runs(*((0, n, p) for n, p in enumerate(order, start=1))), grades(*table.tolist()), at_least=4, k=10
    )
    best = np.where((table >= 4).any(axis=1), table.max(axis=1), 0)
    judged = {"q": {f"p{n}": int(gain) for n, gain in enumerate(best)}}
    run = {"q": {f"p{p}": float(100 - n) for n, p in enumerate(order)}}
    measures = {"map": "map", "r_precision": "Rprec", "precision": "P_10", "ndcg": "ndcg_cut_10"}
    told = trec_eval.RelevanceEvaluator(judged, {"map", "Rprec", "P.10", "ndcg_cut.10"}).evaluate(run)["q"]
    for ours, theirs in measures.items():
        assert found[ours].values[0, 0] == pytest.approx(told[theirs], abs=1e-9), ours
