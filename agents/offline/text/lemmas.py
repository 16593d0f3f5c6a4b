"""Lemmas of a text without stop words: what ROUGE-1 of articles compares."""

from __future__ import annotations

from functools import lru_cache

from viva.agents.offline.text.grammar import tag
from viva.agents.offline.text.prose import plain_sentence, plain_sentences
from viva.metrics.text.words import content_words


def lemmas(text: str) -> list[str]:
    """Lower-case lemmas of the prose in a text, in order, without function words and punctuation.

    Lemmas are HanTa's (English); a word it does not know stands as it is.
    """
    return [lemma for sentence in plain_sentences(text) for lemma in _of(sentence)]


@lru_cache(maxsize=100_000)
def _of(sentence: str) -> tuple[str, ...]:
    # what has no content word is punctuation or a function word
    return tuple(token.lemma.lower() for token in tag(plain_sentence(sentence)) if content_words(token.text))
