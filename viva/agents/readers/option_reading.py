"""Offline readers: given a stem, options and passages, which option do the passages support?

Two of truly different strength. The lexical reader looks for the sentence that shares the stem's words and
the option's; the embedding reader compares meanings as MiniLM sees them. Neither knows anything by itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from viva.core.ids import rng
from viva.core.records import WorkedExample
from viva.core.text.prose import plain_sentences
from viva.core.text.words import content_words, word_set
from viva.llm.embeddings import Embedder
from viva.metrics.item_writing.wording import asks_for_statement
from viva.metrics.text.cosines import cosines

Weight = Callable[[str], float]


@dataclass(frozen=True)
class ReaderAnswer:
    """The option chosen, the score of each, and the sentence that decided it ('' when it guessed)."""

    choice: int
    scores: tuple[float, ...]
    because: str


class Reader(Protocol):
    """Chooses among options with the help of passages (none: it can only go by the wording)."""

    name: str

    def read(
        self, stem: str, options: Sequence[str], passages: Sequence[str], examples: Sequence[WorkedExample] = ()
    ) -> ReaderAnswer: ...


class LexicalReader:
    """Scores an option by the best sentence: (share of stem words)^b x share of option words.

    Worked examples choose b from a small grid: the one that answers most of them.
    """

    name = "lexical"
    _POWERS = (1.0, 0.5, 2.0, 4.0)

    def __init__(self, weight: Weight, seed: int = 0) -> None:
        self._weight = weight
        self._seed = seed

    def read(
        self, stem: str, options: Sequence[str], passages: Sequence[str], examples: Sequence[WorkedExample] = ()
    ) -> ReaderAnswer:
        """The best-supported option; a seeded guess where no passage supports any."""
        return self._read(stem, options, passages, _best(self._POWERS, examples, self._read))

    def _read(self, stem: str, options: Sequence[str], passages: Sequence[str], power: float) -> ReaderAnswer:
        if asks_for_statement(stem):
            scored = _compared(options, passages)
        else:
            scored = self._scored(stem, options, passages, power)
        best = [(0.0, "")] * len(options)
        for sentence, found in scored:
            best = [(new, sentence) if new > old[0] else old for new, old in zip(found, best, strict=True)]
        scores = tuple(score for score, _ in best)
        choice = _choose(scores, self._seed, stem)
        return ReaderAnswer(choice, scores, best[choice][1])

    def _scored(
        self, stem: str, options: Sequence[str], passages: Sequence[str], power: float
    ) -> Iterator[tuple[str, list[float]]]:
        """Each sentence that holds words of the stem, with what it says for each option."""
        asked = sorted(set(content_words(stem)))
        for sentence in _sentences(passages):
            held = word_set(sentence)
            covered = self._share(asked, held) ** power
            if covered > 0:
                yield sentence, [covered * self._option_share(option, sentence, held) for option in options]

    def _share(self, words: Sequence[str], held: frozenset[str]) -> float:
        total = sum(self._weight(word) for word in words)
        return sum(self._weight(word) for word in words if word in held) / total if total else 0.0

    def _option_share(self, option: str, sentence: str, held: frozenset[str]) -> float:
        if option.lower() in sentence.lower():
            return 1.0 + 0.01 * math.log(1 + len(option))
        words = sorted(set(content_words(option)))
        return 0.9 * self._share(words, held) if words else 0.0


def _compared(options: Sequence[str], passages: Sequence[str]) -> Iterator[tuple[str, list[float]]]:
    """Each sentence with how much it makes of each statement, word by word and in order."""
    pairs = [_word_pairs(option) for option in options]
    for sentence in _sentences(passages):
        held = _word_pairs(sentence)
        yield sentence, [len(said & held) / max(1, len(said)) for said in pairs]


class EmbeddingReader:
    """Scores an option by cosines: m x cos(stem + option, sentence) + (1 - m) x cos(option, best sentence).

    Worked examples choose m. Without passages it goes by cos(stem, option).
    """

    name = "embedding"
    _MIXES = (0.75, 1.0, 0.5, 0.25)

    def __init__(self, embedder: Embedder, seed: int = 0) -> None:
        self._embedder = embedder
        self._seed = seed

    def read(
        self, stem: str, options: Sequence[str], passages: Sequence[str], examples: Sequence[WorkedExample] = ()
    ) -> ReaderAnswer:
        """The option nearest in meaning to what the passages say."""
        return self._read(stem, options, passages, _best(self._MIXES, examples, self._read))

    def _read(self, stem: str, options: Sequence[str], passages: Sequence[str], mix: float) -> ReaderAnswer:
        sentences, count = _sentences(passages), len(options)
        joined_texts = [f"{stem} {option}" for option in options] if sentences else []
        vectors = self._embedder.embed([stem, *options, *joined_texts, *sentences])
        asked, alone, joined = vectors[0], vectors[1 : 1 + count], vectors[1 + count : 1 + 2 * count]
        if not sentences:
            return self._answer(cosines(alone, asked), stem, "")
        read = vectors[1 + 2 * count :]
        decisive = int(np.argmax(cosines(read, asked)))
        scores = mix * cosines(read, joined).max(axis=0) + (1 - mix) * cosines(alone, read[decisive])
        return self._answer(scores, stem, sentences[decisive])

    def _answer(self, scores: NDArray[np.float64], stem: str, because: str) -> ReaderAnswer:
        # what is mixed of four-digit cosines ends before the sixth: equals are equal, and nothing else is
        rounded = tuple(round(float(score), 6) for score in scores)
        return ReaderAnswer(_choose(rounded, self._seed, stem), rounded, because)


def _choose(scores: Sequence[float], seed: int, stem: str) -> int:
    """The highest score; among equals a seeded draw, so that no position is favoured."""
    top = max(scores)
    return rng(seed, "reader", stem).choice([n for n, score in enumerate(scores) if score == top])


def _best(
    settings: Sequence[float],
    examples: Sequence[WorkedExample],
    read: Callable[[str, Sequence[str], Sequence[str], float], ReaderAnswer],
) -> float:
    """The setting that answers most worked examples; the first among equals, and when there are none."""
    if not examples:
        return settings[0]

    def right(setting: float) -> int:
        return sum(read(e.stem, e.options, (e.context,), setting).choice == e.key_position for e in examples)

    return max(settings, key=right)


def _sentences(passages: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(sentence for passage in passages for sentence in plain_sentences(passage)))


@lru_cache(maxsize=100_000)
def _word_pairs(text: str) -> frozenset[tuple[str, str]]:
    """Each word with the one after it, function words among them, its ends marked."""
    return frozenset(pairwise(["", *re.findall(r"\w+", text.lower()), ""]))
