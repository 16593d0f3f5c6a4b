"""Stored gradings: which questions each passage answers, and which systems returned it at which rank.

A line per passage: {"query_id", "paragraph_id", "grades": {question id: 0 to 5, true, false or null}, "rankings":
[[system, rank], ...], "text"}. A field that ends in `self_rating` stands for "grades" too. What viva writes begins
with a line {"graded_by": ...} that says how it was graded, and has "confidences" and "gold": scores are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
from pydantic import Field, ValidationError

from viva.core.errors import UsageError
from viva.core.records.articles import QuestionBank, Verification
from viva.core.records.base import Record
from viva.core.records.judging import JudgeCard
from viva.core.tables import BadRow, json_lines, parse_python_json
from viva.exams.articles.bank import with_keys
from viva.exams.articles.rows import HELP, text_of
from viva.exams.articles.sources import check_ranking
from viva.metrics.articles.cover import NOT_GRADED, PassageGrades, Runs
from viva.metrics.articles.exam import Bools
from viva.metrics.judges.pairs import Floats

BEST_GRADE = 5
_HOW = "graded_by"
_NONE: Mapping[str, object] = {}


class GradedBy(Record):
    """How passages were graded, as far as scores depend on it."""

    bank: str = Field(description="id of the questions that were asked")
    reader: str
    verification: Verification
    at_least: int = Field(ge=1, le=BEST_GRADE)
    surest: bool = Field(description="whether an article's answer is that of its surest paragraph, or any of theirs")
    gold: bool = Field(default=False, description="whether gold articles were read")
    systems: tuple[str, ...] = Field(default=(), description="all who stand in the table, articles or not")
    judge: JudgeCard | None = Field(default=None, description="who verified, where a judge did")
    empty: dict[str, int] = Field(default_factory=dict, description="articles without a text, by system")
    failed: dict[str, int] = Field(default_factory=dict, description="queries a system failed to write for")
    failures: dict[str, int] = Field(default_factory=dict, description="why questions could not be graded: how often")


@dataclass(frozen=True, eq=False)
class Gradings:
    """Graded passages (p,) of a bank's queries and who returned them. `texts` are '' where the file has none."""

    bank: QuestionBank
    passages: tuple[str, ...]
    texts: tuple[str, ...]
    grades: PassageGrades
    runs: Runs
    confidences: Floats
    """of the answers graded, in the shape of the grades; 0 where nothing is known of it"""
    gold: Bools
    """passages (p,) of gold articles"""
    unknown: tuple[str, ...] = ()
    """what is for no query of the bank"""
    graded_by: GradedBy | None = None
    """None: the file does not say"""


@dataclass
class Grader:
    """Gathers graded passages into arrays. UsageError for what contradicts itself or the bank."""

    bank: QuestionBank
    where: str
    graded_by: GradedBy | None = None
    _rows: list[np.ndarray] = field(default_factory=list)
    _confidences: list[np.ndarray] = field(default_factory=list)
    _gold: list[bool] = field(default_factory=list)
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
        self._unsure = np.zeros(self._most)
        for system in self.graded_by.systems if self.graded_by else ():
            self.stands(system)

    def stands(self, system: str) -> None:
        """A system that is in the table whether or not it returned anything."""
        self._systems.setdefault(system)

    def add(
        self,
        query_id: str,
        passage: str,
        grades: Mapping[str, object],
        rankings: Iterable[object],
        text: str = "",
        *,
        confidences: Mapping[str, object] = _NONE,
        gold: bool = False,
    ) -> None:
        """One passage. A query that the bank does not have is counted and left out.

        A passage without any grade is one that a system returned and nobody has the text of.
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
            self._confidences.append(self._sure(query, confidences))
            self._gold.append(gold)
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
        return Gradings(
            self.bank,
            tuple(self._passages),
            tuple(self._texts),
            grades,
            self._runs(),
            np.stack(self._confidences),
            np.array(self._gold, dtype=np.bool_),
            tuple(f"{n} of the query “{query}”" for query, n in self._unknown.items()),
            self.graded_by,
        )

    def _graded(self, query: int, grades: Mapping[str, object]) -> np.ndarray:
        row = np.full(self._most, NOT_GRADED, dtype=np.int8)
        for question, column, grade in self._columns(query, grades):
            if grade is None:
                continue
            if not isinstance(grade, int) or not 0 <= grade <= BEST_GRADE:
                raise UsageError(
                    f"{self.where}: the question “{question}” has the grade {str(grade)[:20]}.",
                    allowed="Whole numbers from 0 to 5, true, false, or null for what could not be graded.",
                )
            row[column] = int(grade)
        return row

    def _sure(self, query: int, confidences: Mapping[str, object]) -> np.ndarray:
        if not confidences:
            return self._unsure
        row = np.zeros(self._most)
        for question, column, sure in self._columns(query, confidences):
            if isinstance(sure, bool) or not isinstance(sure, int | float) or not math.isfinite(sure):
                raise UsageError(
                    f"{self.where}: the question “{question}” has the confidence {str(sure)[:20]}.",
                    allowed="Numbers.",
                )
            row[column] = sure
        return row

    def _columns(self, query: int, told: Mapping[str, object]) -> Iterator[tuple[str, int, object]]:
        for question, value in told.items():
            column = self._column[query].get(question)
            if column is None:
                raise UsageError(
                    f"{self.where}: the query “{self.bank.queries[query].id}” has no question “{question}”.",
                    next_step="Grade the questions of this bank, or name the bank that was graded.",
                )
            yield question, column, value

    def _runs(self) -> Runs:
        systems = tuple(sorted(self._systems))
        number = {system: n for n, system in enumerate(systems)}
        rows: list[tuple[int, int, int, int]] = []
        for (system, query), entries in self._rankings.items():
            # whether a run counts from 0 or from 1 is nobody's business here
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
    """The gradings of a JSONL file (.gz too). UsageError, naming the line, where it cannot be read.

    Where the file says how it was graded, they are of the questions that could be: `bank` of the result. UsageError
    where it was graded with other questions, or other keys.
    """
    path = Path(path)
    rows = json_lines(text_of(path), parse=parse_python_json)
    first = next(rows, None)
    graded_by = _graded_by(path, first[1]) if first else None
    grader = Grader(bank if graded_by is None else _asked(bank, graded_by, path), str(path), graded_by)
    for number, row in chain([first] if first and not graded_by else [], rows):
        try:
            _add(grader, row)
        except (ValueError, TypeError) as error:
            raise UsageError(f"{path}, line {number}: {error}.", next_step=HELP) from error
    return grader.gathered()


def _graded_by(path: Path, row: object) -> GradedBy | None:
    if not isinstance(row, dict) or _HOW not in row:
        return None
    try:
        return GradedBy.model_validate(row[_HOW])
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        at = ".".join(map(str, (_HOW, *first["loc"])))
        raise UsageError(f"{path}, line 1: {at}: {first['msg']}.", next_step=HELP) from error


def _asked(bank: QuestionBank, graded_by: GradedBy, path: Path) -> QuestionBank:
    """The questions that were graded. UsageError where they are not those of the bank."""
    asked = bank if graded_by.verification is Verification.RATING else with_keys(bank)
    if asked.id != graded_by.bank:
        raise UsageError(
            f"{path} was graded with another question bank, or the bank's questions or keys have changed since.",
            next_step="Name the bank that was graded, or have the articles read again: what still holds is not asked "
            "again.",
        )
    return asked


def _add(grader: Grader, row: object) -> None:
    if isinstance(row, BadRow):
        raise TypeError(f"it {row.reason}")
    if not isinstance(row, dict):
        raise TypeError("it is no object")
    if _HOW in row:
        raise TypeError("other gradings begin here, and one file holds one grading")
    grades = row.get("grades")
    if grades is None:
        grades = next((row[name] for name in row if name.endswith("self_rating")), None)
    query, passage = row.get("query_id"), row.get("paragraph_id", row.get("passage_id"))
    if not isinstance(query, str) or not isinstance(passage, str):
        raise TypeError("it names no query_id or no paragraph_id")
    rankings, text, sure = row.get("rankings", []), row.get("text", ""), row.get("confidences", {})
    if not isinstance(grades, dict) or not isinstance(rankings, list) or not isinstance(text, str):
        raise TypeError("it has no grades, or its rankings or text are not what they are called")
    if not isinstance(sure, dict):
        raise TypeError("its confidences are no object")
    grader.add(query, passage, grades, rankings, text, confidences=sure, gold=row.get("gold") is True)


def _ranked(entry: object) -> tuple[str, int]:
    match entry:
        case [str(system), int(rank)] if not isinstance(rank, bool):
            if rank < 0:
                raise ValueError(f"{system} gives the rank {rank}, and ranks count from 0 or from 1")
            return system, rank
        case _:
            raise TypeError("a ranking is no pair of system and rank")
