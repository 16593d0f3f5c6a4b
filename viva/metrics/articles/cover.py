"""EXAM-Cover and EXAM-Qrels: rankings judged by the questions their passages answer (Farzi & Dietz, ICTIR 2024).

Passages are graded once, whoever returned them. EXAM-Cover asks which of the query's questions the first k passages
answer together; EXAM-Qrels takes a passage that answers any question for relevant, and measures the ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.articles.exam import Bools, Gradebook, Ints, PerQuery
from viva.metrics.judges.pairs import Floats, Undefined
from viva.metrics.retrieval.ranking import Ranking, average_precision, ndcg_at, precision_at, r_precision

NOT_GRADED = -1


@dataclass(frozen=True, eq=False)
class PassageGrades:
    """Grades of p passages: `grades` (p, most questions of a query) as int8, NOT_GRADED where there is none.

    Column j of a passage is question j of its query; `query_of` (p,) is its query's place, `sizes` (q,) how many
    questions each query has. Raises UsageError for a grade in a column that the query has not.
    """

    queries: tuple[str, ...]
    sizes: Ints
    query_of: Ints
    grades: NDArray[np.int8]

    def __post_init__(self) -> None:
        beyond = np.arange(self.grades.shape[1])[None, :] >= self.sizes[self.query_of][:, None]
        if (self.grades[beyond] != NOT_GRADED).any():
            raise UsageError("A passage has a grade for a question that its query does not have.")

    def answers(self, at_least: int) -> Bools:
        """Whether a passage answers a question: its grade is `at_least` so high. Shape as `grades`."""
        found: Bools = self.grades >= at_least
        return found

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

    def __post_init__(self) -> None:
        if not len(self.system) == len(self.query) == len(self.rank) == len(self.passage):
            raise UsageError("A run has columns of different lengths.")

    @cached_property
    def _slots(self) -> Ints:
        return np.lexsort((self.rank, self.query, self.system))

    def skipped(self, queries: int) -> Bools:
        """Queries (n, q) for which a system returned nothing."""
        found = np.ones((len(self.systems), queries), dtype=np.bool_)
        found[self.system, self.query] = False
        return found

    def ungraded(self) -> Ints:
        """Entries of each system (n,) whose passage was never graded."""
        return np.bincount(self.system[self.passage < 0], minlength=len(self.systems)).astype(np.int64)

    def rankings(self) -> dict[tuple[int, int], Ints]:
        """By (system, query): passages, best first."""
        order = self._slots
        system, query, passage = self.system[order], self.query[order], self.passage[order]
        cuts = np.flatnonzero((np.diff(system) != 0) | (np.diff(query) != 0)) + 1
        firsts = np.concatenate(([0], cuts)) if len(system) else np.empty(0, dtype=np.int64)
        parts = np.split(passage, cuts) if len(system) else []
        return {(int(system[first]), int(query[first])): part for first, part in zip(firsts, parts, strict=True)}


def cover(runs: Runs, grades: PassageGrades, *, at_least: int, depth: int | None = None) -> Gradebook:
    """Which questions the first `depth` passages of each system answer together (None: all it returned).

    A question is answered where one of them answers it, and not graded where none does and grading failed. A passage
    that was never graded answers nothing.
    Raises UsageError for a depth below 1.
    """
    if depth is not None and depth < 1:
        raise UsageError(f"A depth of {depth} passages was asked for.", allowed="At least 1.")
    n, q = len(runs.systems), len(grades.queries)
    within = runs.rank <= (depth or len(runs.rank))
    best = np.full((n * q, grades.grades.shape[1]), NOT_GRADED, dtype=np.int8)
    # the last row, which -1 names, is of passages that were never graded: they answer nothing
    rows = np.vstack([grades.grades, np.zeros((1, grades.grades.shape[1]), dtype=np.int8)])
    np.maximum.at(best, (runs.system * q + runs.query)[within], rows[runs.passage[within]])
    return _book(runs, grades, best, at_least)


def surest(runs: Runs, grades: PassageGrades, confidences: Floats, *, at_least: int) -> Gradebook:
    """Which questions articles answer that give one answer: that of their surest graded passage, the first of equals.

    `confidences` (p, most questions of a query) are of the answers that were graded. A question that no passage has
    a grade of is not graded; an article without a graded passage answers nothing.
    """
    shape = len(runs.systems) * len(grades.queries), grades.grades.shape[1]
    best, sure = np.full(shape, NOT_GRADED, dtype=np.int8), np.full(shape, -np.inf)
    read = np.zeros(shape[0], dtype=np.bool_)
    # from the last rank to the first, which then stands among equals
    for rank in np.unique(runs.rank)[::-1]:
        at = (runs.rank == rank) & (runs.passage >= 0)
        slots, passages = (runs.system * len(grades.queries) + runs.query)[at], runs.passage[at]
        surer = (grades.grades[passages] != NOT_GRADED) & (confidences[passages] >= sure[slots])
        best[slots] = np.where(surer, grades.grades[passages], best[slots])
        sure[slots] = np.where(surer, confidences[passages], sure[slots])
        read[slots] = True
    best[~read] = 0
    return _book(runs, grades, best, at_least)


def first_answers(runs: Runs, grades: PassageGrades, *, at_least: int) -> Ints:
    """By system and question (n, m): the first passage that answers, -1 for none."""
    n, q = len(runs.systems), len(grades.queries)
    table = np.full((n * q, grades.grades.shape[1]), -1, dtype=np.int64)
    answers = grades.answers(at_least)
    for rank in np.unique(runs.rank)[::-1]:
        at = (runs.rank == rank) & (runs.passage >= 0)
        slots, passages = (runs.system * q + runs.query)[at], runs.passage[at]
        table[slots] = np.where(answers[passages], passages[:, None], table[slots])
    flat: Ints = grades.flat(table.reshape(n, q, -1)).astype(np.int64)
    return flat


def _book(runs: Runs, grades: PassageGrades, best: NDArray[np.int8], at_least: int) -> Gradebook:
    """The gradebook of one grade for each system and query (n * q, most)."""
    n, q = len(runs.systems), len(grades.queries)
    flat: NDArray[np.int8] = grades.flat(best.reshape(n, q, -1)).astype(np.int8)
    skipped = runs.skipped(q)
    query_of = np.repeat(np.arange(q), grades.sizes)
    right = np.where(flat == NOT_GRADED, np.nan, (flat >= at_least).astype(np.float64))
    right[skipped[:, query_of]] = np.nan
    return Gradebook(runs.systems, grades.queries, query_of, right, skipped)


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


QRELS: Mapping[str, Callable[[int], Callable[[Ranking], float | Undefined]]] = {
    "precision": lambda k: lambda ranking: precision_at(k, ranking),
    "r_precision": lambda _: r_precision,
    "map": lambda _: average_precision,
    "ndcg": lambda k: lambda ranking: ndcg_at(k, ranking),
}
"""Measures of EXAM-Qrels by name: from a rank to a measure of one ranking."""


def exam_qrels(
    runs: Runs, grades: PassageGrades, *, at_least: int, k: int, measures: Sequence[str] = tuple(QRELS)
) -> dict[str, PerQuery]:
    """EXAM-Qrels: each measure per query. A passage is relevant where it answers a question; its gain is its best
    grade for nDCG.

    A query for which a system returned nothing is 0; one with nothing relevant is nan, and left out. Raises
    UsageError for an unknown measure.
    """
    unknown = [name for name in measures if name not in QRELS]
    if unknown:
        raise UsageError(f"There is no measure “{unknown[0]}”.", allowed=f"Known: {', '.join(QRELS)}.")
    best = np.where(grades.answers(at_least).any(axis=1), grades.grades.max(axis=1, initial=0), 0)
    relevant = [tuple(map(float, _of_query(best, grades.query_of, q))) for q in range(len(grades.queries))]
    shape = (len(runs.systems), len(grades.queries))
    values = {name: np.zeros(shape) for name in measures}
    for name in measures:
        values[name][:, [q for q, gains in enumerate(relevant) if not gains]] = np.nan
    how = {name: QRELS[name](k) for name in measures}
    for (system, query), passages in runs.rankings().items():
        if not relevant[query]:
            continue
        ranking = Ranking(_gains(passages, best), relevant[query])
        for name in measures:
            found = how[name](ranking)
            values[name][system, query] = np.nan if isinstance(found, Undefined) else found
    return {name: PerQuery(runs.systems, table) for name, table in values.items()}


def _of_query(best: NDArray[np.int8], query_of: Ints, query: int) -> NDArray[np.int8]:
    own = best[query_of == query]
    found: NDArray[np.int8] = own[own > 0]
    return found


def _gains(passages: Ints, best: NDArray[np.int8]) -> tuple[float, ...]:
    gains, seen = list[float](), set[int]()
    for place in passages.tolist():
        # a passage that comes again gains nothing
        gains.append(float(best[place]) if place >= 0 and place not in seen else 0.0)
        seen.add(place)
    return tuple(gains)
