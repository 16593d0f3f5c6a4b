"""Offline readers, raters and verifiers of EXAM mode: by words that a text shares with question and options.

None of them understands a text. They tell texts that hold the words of question and answer together from texts that
do not, which is what an offline comparison of retrievers needs (measured: docs/decisions/0017).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from viva.agents.article_roles import TextAnswer, TextRating
from viva.agents.offline.text.grammar import tag
from viva.agents.readers.open_reading import DOES_NOT_KNOW, LexicalOpenReader, told
from viva.agents.readers.option_reading import LexicalReader, Weight
from viva.core.errors import RoleFailed
from viva.core.ids import content_hash
from viva.core.records.articles import BankQuestion
from viva.core.text.overlap import holds, normalised_tokens, token_f1
from viva.core.text.prose import plain_sentence, plain_sentences
from viva.core.text.words import content_words

LEAST = 0.2
"""Of a multiple-choice answer: share of the stem's words beside the option's, below which a text does not answer."""
SAME_WORDS = 0.6
"""Token F1 from which on an open answer, or its best sentence, is taken for the key; short keys must stand in it."""
SHORT_KEY = 6
"""Tokens up to which a key must stand in the answer as it is."""


class Telling:
    """How telling a word is among some texts, in (0, 1]: a rare one tells more."""

    def __init__(self, texts: Iterable[str]) -> None:
        distinct = sorted(set(texts))
        self._held = Counter(word for text in distinct for word in set(content_words(text)))
        self._total = len(distinct)
        self.fingerprint = content_hash("telling words", *distinct)

    def __call__(self, word: str) -> float:
        return math.log((2 + self._total) / (1 + self._held[word])) / math.log(2 + self._total)


class LexicalArticleReader:
    """The option, or the sentences, whose words stand with the question's; else the text does not answer."""

    def __init__(self, telling: Telling) -> None:
        weight: Weight = lru_cache(maxsize=None)(telling)
        self._choosing = LexicalReader(weight)
        self._open = LexicalOpenReader(weight)
        self.name = f"lexical {telling.fingerprint} {LEAST}"

    async def answer(self, question: BankQuestion, text: str) -> TextAnswer:
        """Of equally supported options none is taken: a reader that guesses would find answers everywhere."""
        if not question.options:
            said = told(self._open, question.stem, [text])
            sure = self._open.relevance([question.stem], [said]).max() if said != DOES_NOT_KNOW else 0.0
            return TextAnswer("" if said == DOES_NOT_KNOW else said, float(sure), said)
        read = self._choosing.read(question.stem, question.options, [text])
        best = max(read.scores)
        if best < LEAST or sum(score >= best for score in read.scores) > 1:
            return TextAnswer("", 0.0)
        return TextAnswer(question.options[read.choice], round(best, 6), read.because)


class OracleReader:
    """Knows the key, and answers with it wherever the text holds it beside the question's words.

    An upper bound: what a reader that misses nothing could find. It cannot read a bank without keys.
    """

    def __init__(self, telling: Telling) -> None:
        self._lexical = LexicalReader(lru_cache(maxsize=None)(telling))
        self.name = f"oracle {telling.fingerprint} {LEAST}"

    async def answer(self, question: BankQuestion, text: str) -> TextAnswer:
        """RoleFailed where the bank has no key."""
        if not question.key:
            raise RoleFailed("no_key", "The oracle answers with the key, and the bank has none.")
        read = self._lexical.read(question.stem, [question.key], [text])
        if read.scores[0] < LEAST:
            return TextAnswer("", 0.0)
        return TextAnswer(question.key, round(read.scores[0], 6), read.because)


class LexicalRater:
    """Rates by the share of the question's words that the best two neighbouring sentences hold, in fifths."""

    def __init__(self, telling: Telling) -> None:
        self._weight: Weight = lru_cache(maxsize=None)(telling)
        self.name = f"lexical rating {telling.fingerprint}"

    async def rate(self, question: BankQuestion, text: str) -> TextRating:
        """0 where no word is shared; 5 where the two sentences hold all telling words."""
        asked = sorted(set(content_words(question.stem)))
        total = sum(self._weight(word) for word in asked)
        sentences = plain_sentences(text)
        best, quote = 0.0, ""
        for first, second in zip(sentences, [*sentences[1:], ""], strict=False):
            held = {*_words(first), *_words(second)}
            share = sum(self._weight(word) for word in asked if word in held) / total if total else 0.0
            if share > best:
                best, quote = share, f"{first} {second}".strip()
        return TextRating(math.floor(5 * best + 1e-9), quote)


class KeyMatch:
    """The reader's answer is the key: of options the same one, of words those of the key."""

    name = f"key {SAME_WORDS} {SHORT_KEY}, with signs"

    async def verify(self, question: BankQuestion, answer: TextAnswer) -> bool:
        """RoleFailed where the bank has no key."""
        if not question.key:
            raise RoleFailed("no_key", "The bank has no key for this question.")
        if question.options:
            return answer.text == question.key
        if len(normalised_tokens(question.key)) <= SHORT_KEY:
            return holds(answer.text, question.key)
        parts = [answer.text, *plain_sentences(answer.text)]
        return max(token_f1(part, question.key) for part in parts) >= SAME_WORDS


@lru_cache(maxsize=200_000)
def _words(sentence: str) -> frozenset[str]:
    return frozenset(content_words(sentence))


def lemmas(text: str) -> list[str]:
    """Lower-case lemmas of the prose in a text, in order, without function words and punctuation.

    Lemmas are HanTa's (English); a word it does not know stands as it is.
    """
    return [lemma for sentence in plain_sentences(text) for lemma in _lemmas_of(sentence)]


@lru_cache(maxsize=100_000)
def _lemmas_of(sentence: str) -> tuple[str, ...]:
    # what has no content word is punctuation or a function word
    return tuple(token.lemma.lower() for token in tag(plain_sentence(sentence)) if content_words(token.text))
