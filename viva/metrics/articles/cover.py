"""EXAM-Cover: which questions the first passages of a ranking answer together (Farzi & Dietz, ICTIR 2024).

Passages are graded once, whoever returned them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.metrics.articles.exam import Bools, Gradebook, Ints

NOT_GRADED = -1


@dataclass(frozen=True, eq=False)
class PassageGrades:
    """Grades of p passages: `grades` (p, most questions of a query) as int8, NOT_GRADED where there is none.

    Column j of a passage is question j of its query; `query_of` (p,) is its query's place, `sizes` (q,) how many
    questions each query has.
    """

    queries: tuple[str, ...]
    sizes: Ints
    query_of: Ints
    grades: NDArray[np.int8]

    def flat(self, table: NDArray[np.generic]) -> NDArray[np.generic]:
        """Columns of a table (r, q, most) as one row of questions each (r, m)."""
        there = np.arange(table.shape[2])[None, :] < self.sizes[:, None]
        return table[:, there]


@dataclass(frozen=True, eq=False)
class Runs:
    """Who returned which passages: entries in the order of system, query, rank. All arrays (r,).

    `passage` is a row of the grades, -1 for a passage that was never graded; `rank` counts from 1 within its query.
    """

    systems: tuple[str, ...]
    system: Ints
    query: Ints
    rank: Ints
    passage: Ints

    def skipped(self, queries: int) -> Bools:
        """Queries (n, q) for which a system returned nothing."""
        found = np.ones((len(self.systems), queries), dtype=np.bool_)
        found[self.system, self.query] = False
        return found

    def ungraded(self) -> Ints:
        """Entries of each system (n,) whose passage was never graded."""
        return np.bincount(self.system[self.passage < 0], minlength=len(self.systems)).astype(np.int64)


def cover(runs: Runs, grades: PassageGrades, *, at_least: int, depth: int | None = None) -> Gradebook:
    """Which questions the first `depth` passages of each system answer together (None: all it returned).

    A question is answered where one of them answers it, and not graded where none does and grading failed. A passage
    that was never graded answers nothing.
    """
    n, q = len(runs.systems), len(grades.queries)
    within = runs.rank <= (depth or len(runs.rank))
    best = np.full((n * q, grades.grades.shape[1]), NOT_GRADED, dtype=np.int8)
    # the last row, which -1 names, is of passages that were never graded: they answer nothing
    rows = np.vstack([grades.grades, np.zeros((1, grades.grades.shape[1]), dtype=np.int8)])
    np.maximum.at(best, (runs.system * q + runs.query)[within], rows[runs.passage[within]])
    flat: NDArray[np.int8] = grades.flat(best.reshape(n, q, -1)).astype(np.int8)
    skipped = runs.skipped(q)
    query_of = np.repeat(np.arange(q), grades.sizes)
    right = np.where(flat == NOT_GRADED, np.nan, (flat >= at_least).astype(np.float64))
    right[skipped[:, query_of]] = np.nan
    return Gradebook(runs.systems, grades.queries, query_of, right, skipped)


def first_answers(runs: Runs, grades: PassageGrades, *, at_least: int) -> Ints:
    """By system and question (n, m): the first passage that answers, -1 for none."""
    n, q = len(runs.systems), len(grades.queries)
    table = np.full((n * q, grades.grades.shape[1]), -1, dtype=np.int64)
    answers = grades.grades >= at_least
    for rank in np.unique(runs.rank)[::-1]:
        at = (runs.rank == rank) & (runs.passage >= 0)
        slots, passages = (runs.system * q + runs.query)[at], runs.passage[at]
        table[slots] = np.where(answers[passages], passages[:, None], table[slots])
    flat: Ints = grades.flat(table.reshape(n, q, -1)).astype(np.int64)
    return flat


def pooled(grades: PassageGrades, *, at_least: int, only: Bools | None = None) -> Bools:
    """Questions (m,) that any graded passage answers; of the passages marked in `only` (p,), if it is given."""
    rows = np.ones(len(grades.query_of), dtype=np.bool_) if only is None else only
    best = np.full((len(grades.queries), grades.grades.shape[1]), NOT_GRADED, dtype=np.int8)
    np.maximum.at(best, grades.query_of[rows], grades.grades[rows])
    found: Bools = grades.flat(best[None])[0].astype(np.int8) >= at_least
    return found


def returned(runs: Runs, grades: PassageGrades) -> Bools:
    """Passages (p,) that some system returned."""
    found = np.zeros(len(grades.query_of), dtype=np.bool_)
    found[runs.passage[runs.passage >= 0]] = True
    return found
