"""Stored gradings: which questions each passage answers, and which systems returned it at which rank.

A line per passage: {"query_id", "paragraph_id", "grades": {question id: 0 to 5, true, false or null}, "rankings":
[[system, rank], ...]}. A field that ends in `self_rating` stands for "grades" too. Earlier versions of viva began
their files with a line {"graded_by": ...}; of it the lowest grade of an answered question counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from viva.core.errors import UsageError
from viva.core.records.articles import QuestionBank
from viva.exams.articles.rows import HELP, read_rows
from viva.metrics.articles.cover import NOT_GRADED, PassageGrades, Runs
from viva.metrics.articles.exam import Bools

BEST_GRADE = 5
_HOW = "graded_by"


@dataclass(frozen=True, eq=False)
class Gradings:
    """Graded passages (p,) of a bank's queries and who returned them."""

    passages: tuple[str, ...]
    grades: PassageGrades
    runs: Runs
    gold: Bools
    """passages (p,) of gold articles"""
    unknown: tuple[str, ...] = ()
    """what is for no query of the bank"""
    at_least: int | None = None
    """the grade of an answered question; None: the file does not say"""


@dataclass
class Grader:
    """Gathers graded passages into arrays. UsageError for what contradicts itself or the bank."""

    bank: QuestionBank
    where: str
    at_least: int | None = None
    _rows: list[np.ndarray] = field(default_factory=list)
    _gold: list[bool] = field(default_factory=list)
    _queries: list[int] = field(default_factory=list)
    _passages: list[str] = field(default_factory=list)
    _rankings: dict[tuple[str, int], list[tuple[int, int]]] = field(default_factory=dict)
    _seen: dict[tuple[int, str], int] = field(default_factory=dict)
    _unknown: dict[str, int] = field(default_factory=dict)
    _systems: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._query_at = {query.id: n for n, query in enumerate(self.bank.queries)}
        self._column = [{q.id: n for n, q in enumerate(query.questions)} for query in self.bank.queries]
        self._most = max(len(query.questions) for query in self.bank.queries)

    def add_system(self, system: str) -> None:
        """A system that is in the table whether or not it returned anything."""
        self._systems.setdefault(system)

    def add(
        self,
        query_id: str,
        passage: str,
        grades: Mapping[str, object],
        rankings: Iterable[object] = (),
        *,
        gold: bool = False,
    ) -> None:
        """One passage. A query that the bank does not have is counted and left out.

        A passage without any grade is one that a system returned and that has no text.
        """
        query = self._query_at.get(query_id)
        if query is None:
            self._unknown[query_id] = self._unknown.get(query_id, 0) + 1
            return
        if (query, passage) in self._seen:
            raise UsageError(
                f"{self.where}: the passage “{passage}” of the query “{query_id}” is graded twice.",
                allowed="Each passage once for a query.",
            )
        place = self._seen[query, passage] = len(self._passages) if grades else -1
        if grades:
            self._rows.append(self._graded(query, grades))
            self._gold.append(gold)
            self._queries.append(query)
            self._passages.append(passage)
        for entry in rankings:
            system, rank = _ranked(entry)
            self.add_system(system)
            self._rankings.setdefault((system, query), []).append((rank, place))

    def gathered(self) -> Gradings:
        """All of it. UsageError where nothing was graded."""
        if not self._rows:
            raise UsageError(f"{self.where} holds no grade for any query of the bank.", next_step=HELP)
        queries = self.bank.queries
        sizes = np.array([len(query.questions) for query in queries], dtype=np.int64)
        grades = PassageGrades(
            tuple(query.id for query in queries), sizes, np.array(self._queries, dtype=np.int64), np.stack(self._rows)
        )
        return Gradings(
            tuple(self._passages),
            grades,
            self._runs(),
            np.array(self._gold, dtype=np.bool_),
            tuple(f"{n} of the query “{query}”" for query, n in self._unknown.items()),
            self.at_least,
        )

    def _graded(self, query: int, grades: Mapping[str, object]) -> np.ndarray:
        row = np.full(self._most, NOT_GRADED, dtype=np.int8)
        for question, grade in grades.items():
            column = self._column[query].get(question)
            if column is None:
                raise UsageError(
                    f"{self.where}: the query “{self.bank.queries[query].id}” has no question “{question}”.",
                    next_step="Grade the questions of this bank, or name the bank that was graded.",
                )
            if grade is None:
                continue
            if not isinstance(grade, int) or not 0 <= grade <= BEST_GRADE:
                raise UsageError(
                    f"{self.where}: the question “{question}” has the grade {str(grade)[:20]}.",
                    allowed="Whole numbers from 0 to 5, true, false, or null for what could not be graded.",
                )
            row[column] = int(grade)
        return row

    def _runs(self) -> Runs:
        systems = tuple(sorted(self._systems))
        number = {system: n for n, system in enumerate(systems)}
        rows: list[tuple[int, int, int, int]] = []
        for (system, query), entries in self._rankings.items():
            # a run may count from 0 or from 1
            ordered = sorted(entries)
            twice = next((rank for (rank, _), (after, _) in pairwise(ordered) if rank == after), None)
            if twice is not None:
                raise UsageError(
                    f"{self.where}: {system} gives the rank {twice} twice for the query "
                    f"“{self.bank.queries[query].id}”.",
                    allowed="Each rank once per query.",
                )
            rows += [(number[system], query, n, place) for n, (_, place) in enumerate(ordered, start=1)]
        table = np.array(rows, dtype=np.int64).reshape(-1, 4)
        return Runs(systems, *(np.ascontiguousarray(column) for column in table.T))


def read_gradings(path: Path | str, bank: QuestionBank) -> Gradings:
    """The gradings of a JSONL file (.gz too). UsageError, naming the line, where it cannot be read."""
    grader = Grader(bank, str(path))
    read_rows(Path(path), lambda row: _add(grader, row))
    return grader.gathered()


def _add(grader: Grader, row: Mapping[str, object]) -> None:
    if _HOW in row:
        how = row[_HOW]
        at_least = how.get("at_least") if isinstance(how, dict) else None
        if not isinstance(at_least, int) or not 1 <= at_least <= BEST_GRADE:
            raise TypeError("it does not say from which grade on a question is answered")
        grader.at_least = at_least
        return
    grades = row.get("grades")
    if grades is None:
        grades = next((row[name] for name in row if name.endswith("self_rating")), None)
    query, passage = row.get("query_id"), row.get("paragraph_id", row.get("passage_id"))
    if not isinstance(query, str) or not isinstance(passage, str):
        raise TypeError("it names no query_id or no paragraph_id")
    rankings = row.get("rankings", [])
    if not isinstance(grades, dict) or not isinstance(rankings, list):
        raise TypeError("it has no grades, or its rankings are no list")
    grader.add(query, passage, grades, rankings, gold=row.get("gold") is True)


def _ranked(entry: object) -> tuple[str, int]:
    match entry:
        case [str(system), int(rank)] if not isinstance(rank, bool):
            if rank < 0:
                raise ValueError(f"{system} gives the rank {rank}, and ranks count from 0 or from 1")
            return system, rank
        case _:
            raise TypeError("a ranking is no pair of system and rank")
