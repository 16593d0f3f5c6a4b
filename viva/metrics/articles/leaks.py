"""Questions of the bank that an article repeats word by word: it should not have known them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viva.core.records.articles import BankQuestion
from viva.core.scores_articles import Leak
from viva.metrics.text.verbatim import words_of

LEAST_WORDS = 5
"""Words of a question that, standing together in a text, can be no coincidence."""


def leaks(questions: Sequence[BankQuestion], where: str, text: str) -> Iterator[Leak]:
    """The questions whose words stand in the text in a row."""
    said = f" {' '.join(words_of(text))} "
    for question in questions:
        stem = words_of(question.stem)
        quote = " ".join(stem)
        if len(stem) >= LEAST_WORDS and f" {quote} " in said:
            yield Leak(question_id=question.id, where=where, quote=quote)
