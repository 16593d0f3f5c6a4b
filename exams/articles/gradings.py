"""Stored gradings: which questions each passage answers, and which systems returned it at which rank.

A line per passage: {"query_id", "paragraph_id", "grades": {question id: 0 to 5, true, false or null}, "rankings":
[[system, rank], ...], "text"}. A field that ends in `self_rating` stands for "grades" too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from viva.core.errors import UsageError
from viva.core.records.articles import QuestionBank
from viva.exams.articles.rows import HELP, text_of
from viva.exams.articles.sources import check_ranking
from viva.metrics.exam_cover import NOT_GRADED, PassageGrades, Runs

BEST_GRADE = 5


@dataclass(frozen=True, eq=False)
class Gradings:
    """Graded passages (p,) of a bank's queries and who returned them. `texts` are '' where the file has none."""

    bank: QuestionBank
    passages: tuple[str, ...]
    texts: tuple[str, ...]
    grades: PassageGrades
    runs: Runs
    unknown: tuple[str, ...] = ()
    """what is for no query of the bank"""


@dataclass
class Grader:
    """Gathers graded passages into arrays. UsageError for what contradicts itself or the bank."""

    bank: QuestionBank
    where: str
    _rows: list[np.ndarray] = field(default_factory=list)
    _queries: list[int] = field(default_factory=list)
    _passages: list[str] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)
    _rankings: dict[tuple[str, int], list[tuple[int, int]]] = field(default_factory=dict)
    _seen: dict[tuple[int, str], int] = field(default_factory=dict)
    _unknown: dict[str, int] = field(default_factory=dict)
    _systems: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._query_at = {query.id: n for n, query in enumerate(self.bank.queries)}
        self._column = [{q.id: n for n, q in enumerate(query.questions)} for query in self.bank.queries]
        self._most = max(len(query.questions) for query in self.bank.queries)

    def add(
        self, query_id: str, passage: str, grades: Mapping[str, object], rankings: Iterable[object], text: str = ""
    ) -> None:
        """One passage. A query that the bank does not have is counted and left out."""
        query = self._query_at.get(query_id)
        if query is None:
            self._unknown[query_id] = self._unknown.get(query_id, 0) + 1
            return
        if (query, passage) in self._seen:
            raise UsageError(
                f"{self.where}: the passage “{passage}” of the query “{query_id}” is graded twice.", allowed="Once."
            )
        place = self._seen[query, passage] = len(self._passages)
        self._rows.append(self._graded(query, grades))
        self._queries.append(query)
        self._passages.append(passage)
        self._texts.append(text)
        for entry in rankings:
            system, rank = _ranked(entry)
            self._systems.setdefault(system)
            self._rankings.setdefault((system, query), []).append((rank, place))

    def returned(self, system: str, query_id: str, ranking: Sequence[tuple[int, str]]) -> None:
        """A ranking given apart from the passages; a passage that was never graded is kept as such."""
        check_ranking(self.where, system, query_id, ranking)
        query = self._query_at.get(query_id)
        self._systems.setdefault(system)
        if query is None:
            self._unknown[query_id] = self._unknown.get(query_id, 0) + 1
            return
        entries = [(rank, self._seen.get((query, passage), -1)) for rank, passage in ranking]
        self._rankings.setdefault((system, query), []).extend(entries)

    def gathered(self) -> Gradings:
        """All of it. UsageError where nothing was graded."""
        if not self._rows:
            raise UsageError(f"{self.where} holds no grade for any query of the bank.", next_step=HELP)
        queries = self.bank.queries
        sizes = np.array([len(query.questions) for query in queries], dtype=np.int64)
        grades = PassageGrades(
            tuple(query.id for query in queries), sizes, np.array(self._queries, dtype=np.int64), np.stack(self._rows)
        )
        unknown = tuple(f"{n} of the query “{query}”" for query, n in self._unknown.items())
        return Gradings(self.bank, tuple(self._passages), tuple(self._texts), grades, self._runs(), unknown)

    def _graded(self, query: int, grades: Mapping[str, object]) -> np.ndarray:
        row = np.full(self._most, NOT_GRADED, dtype=np.int8)
        columns = self._column[query]
        for question, grade in grades.items():
            column = columns.get(question)
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
            ranks = [rank for rank, _ in entries]
            if len(set(ranks)) < len(ranks):
                twice = sorted(ranks)[
                    next(n for n in range(1, len(ranks)) if sorted(ranks)[n] == sorted(ranks)[n - 1])
                ]
                raise UsageError(
                    f"{self.where}: {system} gives the rank {twice} twice for the query "
                    f"“{self.bank.queries[query].id}”.",
                    allowed="Each rank once per query.",
                )
            # whether a run counts from 0 or from 1 is nobody's business here
            ordered = sorted(entries)
            rows += [(number[system], query, n, place) for n, (_, place) in enumerate(ordered, start=1)]
        table = np.array(rows, dtype=np.int64).reshape(-1, 4)
        return Runs(systems, *(np.ascontiguousarray(column) for column in table.T))


def read_gradings(path: Path | str, bank: QuestionBank) -> Gradings:
    """The gradings of a JSONL file (.gz too). UsageError, naming the line, where it cannot be read."""
    path = Path(path)
    grader = Grader(bank, str(path))
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            grader.add(*_row(row))
        except (ValueError, TypeError, RecursionError) as error:
            raise UsageError(f"{path}, line {number}: {error}.", next_step=HELP) from error
    return grader.gathered()


def _row(row: object) -> tuple[str, str, Mapping[str, object], Iterable[object], str]:
    if not isinstance(row, dict):
        raise TypeError("it is no object")
    grades = row.get("grades") or next((row[name] for name in row if name.endswith("self_rating")), None)
    query, passage = row.get("query_id"), row.get("paragraph_id", row.get("passage_id"))
    if not isinstance(query, str) or not isinstance(passage, str):
        raise TypeError("it names no query_id or no paragraph_id")
    rankings, text = row.get("rankings", []), row.get("text", "")
    if not isinstance(grades, dict) or not isinstance(rankings, list) or not isinstance(text, str):
        raise TypeError("it has no grades, or its rankings or text are not what they are called")
    return query, passage, grades, rankings, text


def _ranked(entry: object) -> tuple[str, int]:
    if not isinstance(entry, list) or len(entry) != 2:
        raise TypeError("a ranking is no pair of system and rank")
    system, rank = entry
    if not isinstance(system, str) or isinstance(rank, bool) or not isinstance(rank, int):
        raise TypeError("a ranking is no pair of system and rank")
    return system, rank
