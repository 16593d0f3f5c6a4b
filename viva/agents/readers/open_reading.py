"""Answers in words, extractively: the sentences of the passages that speak to what is asked, copied as they stand.

The best sentence for each point of the question comes first, then whatever else is near to it; they are told in the
order in which they stand. What no sentence speaks to is not answered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from viva.agents.readers.option_reading import Weight
from viva.core.text.prose import plain_sentences
from viva.core.text.words import content_words
from viva.llm.embeddings import Embedder
from viva.metrics.text.cosines import cosines

DOES_NOT_KNOW = "I do not know."
MOST_SENTENCES = 8
MOST_CHARACTERS = 1200
MOST_POINTS = 16

_POINTS = re.compile(r"[?!.;:,\n](?:\s|$)|\s(?:and|or|und|oder|et|ou|y|o)\s|[“”\"]")
_QUOTED = re.compile(r"“([^”]+)”|\"([^\"]+)\"")

_ASKING = frozenset(
    content_words(
        "accord according anything ask asked connection cover date describe detail document documents else "
        "every exact exactly fact facts far following give given gives go hear know known knows let list "
        "mention much name named number numbers one open particular passage passages piece please point "
        "points question regarding return role say said says several speak spoken state stated states still "
        "subject tell text think time told want whatever word words yet"
    )
)


class OpenReader(Protocol):
    """Finds what passages say to a question."""

    def relevance(self, points: Sequence[str], sentences: Sequence[str]) -> NDArray[np.float64]:
        """How far each sentence speaks to each point: shape (points, sentences); what speaks to it is above 0."""


class LexicalOpenReader:
    """By the share of a point's words that a sentence holds, the telling ones counting more.

    Words by which people ask (“please”, “documents”, “tell”) tell nothing about which sentence is meant.
    """

    _LEAST = 0.5

    def __init__(self, weight: Weight) -> None:
        self._weight = weight

    def relevance(self, points: Sequence[str], sentences: Sequence[str]) -> NDArray[np.float64]:
        """The share, where at least half of a point is held; else 0."""
        held = [frozenset(content_words(sentence)) for sentence in sentences]
        found = np.zeros((len(points), len(sentences)))
        for row, point in zip(found, points, strict=True):
            asked = sorted(set(content_words(point)) - _ASKING)
            total = sum(self._weight(word) for word in asked)
            if total:
                row[:] = [sum(self._weight(word) for word in asked if word in words) / total for words in held]
        return np.where(found >= self._LEAST, np.round(found, 6), 0.0)


class EmbeddingOpenReader:
    """By the cosine of point and sentence."""

    _LEAST = 0.35

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def relevance(self, points: Sequence[str], sentences: Sequence[str]) -> NDArray[np.float64]:
        """The cosine, where it is at least 0.35; else 0."""
        vectors = self._embedder.embed([*points, *sentences])
        found = cosines(vectors[: len(points)], vectors[len(points) :])
        return np.where(found >= self._LEAST, found, 0.0)


def told(reader: OpenReader, question: str, passages: Sequence[str]) -> str:
    """The answer: at most MOST_SENTENCES and MOST_CHARACTERS; DOES_NOT_KNOW where no sentence speaks to it."""
    sentences = list(dict.fromkeys(s for passage in passages for s in plain_sentences(passage)))
    points = points_of(question)
    if not sentences or not points:
        return DOES_NOT_KNOW
    chosen: list[int] = []
    length = 0
    for n in _in_order(reader.relevance(points, sentences)):
        fits = length + len(sentences[n]) + 1 <= MOST_CHARACTERS
        if fits and len(chosen) < MOST_SENTENCES:
            chosen.append(n)
            length += len(sentences[n]) + 1
        elif not chosen:
            # one that is too long alone, such as a table without an end
            return sentences[n][:MOST_CHARACTERS].rpartition(" ")[0] or sentences[n][:MOST_CHARACTERS]
    return " ".join(sentences[n] for n in sorted(chosen)) or DOES_NOT_KNOW


def points_of(question: str) -> list[str]:
    """What is asked for, one by one, the whole question first; what is quoted is a point as it stands."""
    quoted = [first or second for first, second in _QUOTED.findall(question)]
    parts = [part.strip() for part in _POINTS.split(question)]
    return list(dict.fromkeys(p for p in (question, *quoted, *parts) if content_words(p)))[: MOST_POINTS + 1]


def _in_order(relevance: NDArray[np.float64]) -> list[int]:
    """Sentences by what they add: each point's best, then the others by their nearness to any point."""
    best = [int(np.argmax(row)) for row in relevance if row.max() > 0]
    nearness = relevance.max(axis=0)
    others = [int(n) for n in np.lexsort((np.arange(len(nearness)), -nearness)) if nearness[n] > 0]
    return list(dict.fromkeys([*best, *others]))
