"""Reader and rater of EXAM mode by language models: what a model says counts only where its quote is in the text."""

from __future__ import annotations

from viva.agents.article_roles import TextAnswer, TextRating
from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.oral.judge import found_in
from viva.agents.language_model.replies import says_nothing
from viva.core.errors import RoleFailed
from viva.core.records.articles import BankQuestion
from viva.metrics.text.choices.reader import read_choice
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


class ModelArticleReader:
    """One call per question and text."""

    def __init__(self, asks: Asks, model: str) -> None:
        self._asks = asks
        self.name = f"{model} {fingerprint('article_reader')}"

    async def answer(self, question: BankQuestion, text: str) -> TextAnswer:
        """RoleFailed where the reply cannot be had or read, or names no option. No call for an empty text."""
        if not text.strip():
            return TextAnswer("", 0.0)
        material = {"text": text, "question": question.stem, "options": "\n".join(question.options)}
        said = await READING.ask(self._asks, material)
        quote = _quoted(text, said.quote)
        if says_nothing(said.answer) or quote is None:
            return TextAnswer("", 0.0)
        return TextAnswer(_option(said.answer, question) if question.options else said.answer, 1.0, quote)


class ModelArticleRater:
    """One call per question and text."""

    def __init__(self, asks: Asks, model: str) -> None:
        self._asks = asks
        self.name = f"{model} {fingerprint('article_rating')}"

    async def rate(self, question: BankQuestion, text: str) -> TextRating:
        """RoleFailed where the reply cannot be had or read, or is off the scale. No call for an empty text."""
        if not text.strip():
            return TextRating(0)
        said = await RATING.ask(self._asks, {"question": question.stem, "text": text})
        if not 0 <= said.rating <= BEST:
            raise RoleFailed("off_the_scale", f"The rating {said.rating} is not between 0 and {BEST}.")
        quote = _quoted(text, said.quote)
        return TextRating(said.rating if quote else min(said.rating, WITHOUT_QUOTE), quote or "")


def _quoted(text: str, quote: str) -> str | None:
    """The quote as it stands in the text; the word for nothing quotes nothing, wherever it stands."""
    return None if says_nothing(quote) else found_in(text, quote)


def _option(answer: str, question: BankQuestion) -> str:
    """The option that the answer is. RoleFailed where it is none."""
    found = read_choice(answer, question.options, lettered=False)
    if found.option is None:
        raise RoleFailed("unknown_option", f"The reader's model named none of the options ({found.why_none}).")
    return question.options[found.option]
