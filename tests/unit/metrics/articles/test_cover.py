"""EXAM-Cover: on gradings written for this project."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from viva.exams.articles.bank import read_bank
from viva.exams.articles.gradings import Gradings, read_gradings
from viva.metrics.articles.cover import NOT_GRADED, PassageGrades, Runs, cover, pooled, returned
from viva.metrics.articles.exam import exam, normalised_exam

DATA = Path(__file__).parents[3] / "data" / "articles"
ADA, BELL, COIL = 0, 1, 2
LOCK, PIER = 0, 1


@pytest.fixture(scope="module")
def graded() -> Gradings:
    return read_gradings(DATA / "gradings.jsonl", read_bank(DATA / "bank.csv")[0])


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


def test_n_exam_is_by_whatever_was_graded_or_by_what_systems_found(graded: Gradings) -> None:
    book = cover(graded.runs, graded.grades, at_least=4)
    by_pool = normalised_exam(book, pooled(graded.grades, at_least=4))
    assert by_pool.values[ADA] == pytest.approx([2 / 3, 1])
    assert by_pool.errors[ADA] == pytest.approx(1 / 6)
    found = returned(graded.runs, graded.grades)
    by_systems = normalised_exam(book, pooled(graded.grades, at_least=4, only=found))
    assert by_systems.values[ADA].tolist() == [1.0, 1.0]
    assert by_systems.values[BELL].tolist() == [1.0, 0.0]


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
