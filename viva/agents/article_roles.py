"""The roles of EXAM mode: who answers a question from a text alone, who rates the text, who checks the answer.

As in agents/roles.py: a role sees only what it is handed, and one that cannot do its work raises RoleFailed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from viva.core.records.articles import BankQuestion


@dataclass(frozen=True)
class TextAnswer:
    """What a text answers to a question: the answer, how sure the reader is, and the words it rests on."""

    text: str
    """of a multiple-choice question the option, letter for letter; '' where the text does not answer"""
    confidence: float = 1.0
    quote: str = ""


@dataclass(frozen=True)
class TextRating:
    """How well a text answers a question, from 0 (not at all) to 5 (completely), and the words it rests on."""

    grade: int
    quote: str = ""


class ArticleReader(Protocol):
    """Answers from the text alone: what it knows from elsewhere does not count, nor does what the text orders."""

    name: str
    """Its name with whatever changes its answers: readings under one name are kept and never made again."""

    async def answer(self, question: BankQuestion, text: str) -> TextAnswer: ...


class ArticleRater(Protocol):
    """Rates how well the text answers, without being shown any key."""

    name: str
    """As of a reader."""

    async def rate(self, question: BankQuestion, text: str) -> TextRating: ...


class AnswerVerifier(Protocol):
    """Says whether an answer is the bank's."""

    name: str
    """As of a reader."""

    async def verify(self, question: BankQuestion, answer: TextAnswer) -> bool: ...
