"""Who grades articles by questions: a model that answers or rates from a text, and counts only with a quote of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.oral.judge import found_in
from viva.agents.language_model.replies import option, says_nothing
from viva.core.errors import RoleFailed
from viva.core.records.articles import BankQuestion
from viva.core.text.overlap import holds, normalised_tokens, token_f1
from viva.core.text.prose import plain_sentences
from viva.prompts import fingerprint

READING = Brief(
    role="solver.article",
    prompt="article_reader",
    reads={
        "text": "the only source there is",
        "question": "of the exam",
        "options": "one a line; empty for a question that is open",
    },
    gives={
        "quote": (str, "the words of the text that settle the question; none if there are none"),
        "answer": (str, "none if the text does not answer"),
    },
)
RATING = Brief(
    role="judge.article",
    prompt="article_rating",
    reads={"question": "of the exam", "text": "that is rated"},
    gives={
        "quote": (str, "the words of the text that the rating rests on; none if there are none"),
        "rating": (int, "from 0 to 5"),
    },
)
BEST, WITHOUT_QUOTE = 5, 1
SAME_WORDS = 0.6
"""Token F1 from which on an open answer, or its best sentence, is taken for the key; short keys must stand in it."""
SHORT_KEY = 6
"""Tokens up to which a key must stand in the answer as it is."""


@dataclass(frozen=True)
class TextGrade:
    """What a text is worth for a question: its grade, the answer ('' for none), and the words it rests on."""

    grade: int
    answer: str = ""
    quote: str = ""


class ArticleGrader(Protocol):
    """Grades a text by one question. RoleFailed where the reply cannot be had or read."""

    @property
    def names(self) -> tuple[str, ...]:
        """Whatever changes its grades: those under the same names are kept and not made again."""
        ...

    async def grade(self, question: BankQuestion, text: str) -> TextGrade: ...


class ModelArticleReader:
    """Answers from the text alone, one call per question and text: 1 where the answer is the bank's, else 0."""

    def __init__(self, asks: Asks, model: str) -> None:
        self._asks = asks
        self.names = (f"{model} {fingerprint('article_reader')}", f"key {SAME_WORDS} {SHORT_KEY}, with signs")

    async def grade(self, question: BankQuestion, text: str) -> TextGrade:
        """RoleFailed also where it names no option. No call for an empty text."""
        if not text.strip():
            return TextGrade(0)
        material = {"text": text, "question": question.stem, "options": "\n".join(question.options)}
        said = await READING.ask(self._asks, material)
        quote = _quoted(text, said.quote)
        if says_nothing(said.answer) or quote is None:
            return TextGrade(0)
        answer = _option(said.answer, question) if question.options else said.answer
        return TextGrade(int(is_key(question, answer)), answer, quote)


class ModelArticleRater:
    """Rates how well the text answers, from 0 to 5, without the key: one call per question and text."""

    def __init__(self, asks: Asks, model: str) -> None:
        self._asks = asks
        self.names = (f"{model} {fingerprint('article_rating')}",)

    async def grade(self, question: BankQuestion, text: str) -> TextGrade:
        """RoleFailed also for a rating off the scale. No call for an empty text."""
        if not text.strip():
            return TextGrade(0)
        said = await RATING.ask(self._asks, {"question": question.stem, "text": text})
        if not 0 <= said.rating <= BEST:
            raise RoleFailed("off_the_scale", f"The rating {said.rating} is not between 0 and {BEST}.")
        quote = _quoted(text, said.quote)
        return TextGrade(said.rating if quote else min(said.rating, WITHOUT_QUOTE), quote=quote or "")


def is_key(question: BankQuestion, answer: str) -> bool:
    """Whether the answer is the key: the same option, or for an open question the words of the key."""
    if question.options:
        return answer == question.key
    if len(normalised_tokens(question.key)) <= SHORT_KEY:
        return holds(answer, question.key)
    return max(token_f1(part, question.key) for part in (answer, *plain_sentences(answer))) >= SAME_WORDS


def _quoted(text: str, quote: str) -> str | None:
    """The quote as it stands in the text; the word for nothing quotes nothing, wherever it stands."""
    return None if says_nothing(quote) else found_in(text, quote)


def _option(answer: str, question: BankQuestion) -> str:
    """The option that the answer is. RoleFailed where it is none."""
    said = normalised_tokens(option(answer))
    for each in question.options:
        if normalised_tokens(each) == said:
            return each
    raise RoleFailed("unknown_option", "The reader's model named what is none of the options.")
