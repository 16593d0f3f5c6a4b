"""EXAM mode: queries with their question bank, articles, and what a reader found in them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Self

from pydantic import Field

from viva.core.ids import content_hash
from viva.core.records.base import Record, ignoring


class BankQuestion(Record):
    """One question about a query: multiple choice with options, open without."""

    id: str
    stem: str
    options: tuple[str, ...] = ()
    key: str = Field(default="", description="the right option, or the right answer; '' where the bank has none")
    reference: str = Field(default="", description="the answer in sentences, where the bank has it")


class BankQuery(Record):
    """What a system is asked to write or to collect for; its questions are withheld from the system."""

    id: str
    title: str
    questions: tuple[BankQuestion, ...]


class QuestionBank(Record):
    """Queries with their questions, in order."""

    id: str
    queries: tuple[BankQuery, ...]

    @classmethod
    def of(cls, queries: Sequence[BankQuery]) -> Self:
        """The bank with its content-hash id."""
        parts = (
            part
            for query in queries
            for part in (query.id, query.title, *(f"{q.id}:{q.stem}:{q.key}:{q.options}" for q in query.questions))
        )
        return cls(id=content_hash("question bank", *parts), queries=tuple(queries))

    @property
    def size(self) -> int:
        """Questions in all."""
        return sum(len(query.questions) for query in self.queries)


class Paragraph(Record):
    """A stretch of text that is read by itself. `id` is the content's unless its run gives one."""

    id: str
    text: str

    @classmethod
    def of(cls, text: str) -> Self:
        """The paragraph with its content-hash id."""
        return cls(id=content_hash("paragraph", text), text=text)


class Article(Record):
    """What one system wrote or collected for one query, its paragraphs best or first first."""

    system: str
    query_id: str
    paragraphs: tuple[Paragraph, ...] = Field(description="none: an empty article, which answers nothing")
    missing: tuple[str, ...] = Field(default=(), description="passages that its run names and that have no text")


class Verification(StrEnum):
    """How it is decided whether a text answers a question."""

    KEY = "key"
    """the reader's answer is the bank's"""
    RATING = "rating"
    """how well the text answers, from 0 to 5, without looking at the key (EXAM++)"""


class QuestionFound(Record):
    """What became of one question put to one text."""

    _gone = ignoring("confidence")

    query_id: str
    question_id: str
    text_id: str = Field(description="content hash of the text that was read: equal texts are read once")
    answer: str = Field(default="", description="'' where the text was found not to answer")
    grade: int | None = Field(
        default=None, ge=0, le=5, description="1 right, 0 not, or a rating from 0 to 5; None: could not be graded"
    )
    quote: str = Field(default="", description="the words of the text that the answer rests on")
    reason: str = Field(default="", description="of what could not be graded")
