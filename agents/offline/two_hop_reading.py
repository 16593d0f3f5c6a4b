"""Reading two passages as one: the sentence that describes what is asked about, then the one that answers.

A reader of single sentences finds in neither passage all that the question says. This one lays two sentences of
different passages side by side where they share a name that the question does not hold, and asks what both together
say: the simplest form of composing single-hop questions (Min et al. 2019, on DecompRC).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from viva.agents.offline.prose import plain_sentences
from viva.agents.offline.readers import ReaderAnswer, Weight
from viva.agents.offline.words import content_words, stemmed
from viva.agents.roles import ExpertAnswerer, Source
from viva.core.ids import rng
from viva.core.records import ExpertAnswer, Verdict, WorkedExample

_COVERED = 0.5
"""Share of the stem, by weight, that two sentences must hold to be read as one."""
_LINK = 0.25
"""Weight from which on a shared word is a name, or as good as one."""
_WORD = re.compile(r"[\w.()'’-]+|[^\w\s]")


_FIELD = re.compile(r"^:?[A-Z][\w-]*( [\w-]+)?: ")


@dataclass(frozen=True)
class _Statement:
    """A sentence or line: what it says, and by which words it can be tied to another."""

    text: str
    words: frozenset[str]
    names: frozenset[str]
    """of a line of a header all that the header names, else its own words"""


@lru_cache(maxsize=2_000)
def _statements(passage: str) -> tuple[_Statement, ...]:
    texts = plain_sentences(passage)
    words = [frozenset(content_words(text)) for text in texts]
    fields = [bool(_FIELD.match(text)) for text in texts]
    header = frozenset(word for held, field in zip(words, fields, strict=True) if field for word in held)
    return tuple(
        _Statement(text, held, header if field else held)
        for text, held, field in zip(texts, words, fields, strict=True)
    )


class TwoHopReader:
    """Scores an option by the best pair of sentences: share of stem words in both x share of option words in one."""

    name = "two-hop"

    def __init__(self, weight: Weight, seed: int = 0) -> None:
        self._weight = weight
        self._seed = seed

    def read(
        self, stem: str, options: Sequence[str], passages: Sequence[str], examples: Sequence[WorkedExample] = ()
    ) -> ReaderAnswer:
        """The option that a linked pair bears out best; a seeded guess where none does. Examples change nothing."""
        del examples
        best = [(0.0, "")] * len(options)
        for score, sentence in self._pairs(stem, passages):
            held = set(content_words(sentence))
            for n, option in enumerate(options):
                worth = score * self._option_share(option, sentence, held)
                if worth > best[n][0]:
                    best[n] = (worth, sentence)
        scores = tuple(round(score, 6) for score, _ in best)
        top = [n for n, score in enumerate(scores) if score == max(scores)]
        choice = rng(self._seed, "reader", stem).choice(top)
        return ReaderAnswer(choice, scores, best[choice][1])

    def _pairs(self, stem: str, passages: Sequence[str]) -> Iterator[tuple[float, str]]:
        """(share of the stem that both hold, the sentence that may answer) for each two that are linked."""
        asked = set(content_words(stem))
        total = sum(self._weight(word) for word in sorted(asked))
        read = [_statements(passage) for passage in passages]
        for n, described in enumerate(read):
            for m, answering in enumerate(read):
                for first in described if n != m and total else ():
                    for second in answering:
                        links = (first.names & second.names) - asked
                        if not any(self._weight(word) >= _LINK for word in links):
                            continue
                        if not (asked & first.words) - second.words:
                            continue
                        share = (
                            sum(self._weight(word) for word in sorted(asked & (first.words | second.words))) / total
                        )
                        if share >= _COVERED:
                            yield share, second.text

    def _option_share(self, option: str, sentence: str, held: set[str]) -> float:
        if option.lower() in sentence.lower():
            return 1.0
        words = sorted(set(content_words(option)))
        total = sum(self._weight(word) for word in words)
        return 0.9 * sum(self._weight(word) for word in words if word in held) / total if total else 0.0


class TwoHopExpert:
    """Resolves the description first: what it knows by name it then looks up in the other chunk, as an expert would.

    It has seen no key: of all sentences it takes the one that holds most of the stem's words as a description, and
    what that sentence is about as the name.
    """

    def __init__(self, single: ExpertAnswerer, weight: Weight) -> None:
        self._single = single
        self._weight = weight

    async def answer(
        self, stem: str, answer_form: str, source: Source, dispute: Verdict | None = None
    ) -> ExpertAnswer | None:
        """The answer of the chunk whose sentence answers the resolved question; None where neither does."""
        if source.second is None:
            return await self._single.answer(stem, answer_form, source, dispute)
        best: tuple[float, ExpertAnswer] | None = None
        for described, answering in ((source, source.second), (source.second, source)):
            told, resolved = self._resolved(stem, described)
            alone = Source(answering.chunk, answering.document)
            found = await self._single.answer(resolved, answer_form, alone, dispute) if resolved else None
            if found is not None:
                share = self._share(stem, f"{told} {found.reference}")
                if best is None or share > best[0]:
                    best = (share, found)
        return best[1] if best else None

    def _share(self, stem: str, text: str) -> float:
        """Share of the stem's words, by weight, that the text holds."""
        asked = sorted(set(content_words(stem)))
        held = set(content_words(text))
        total = sum(self._weight(word) for word in asked)
        return sum(self._weight(word) for word in asked if word in held) / total if total else 0.0

    def _resolved(self, stem: str, described: Source) -> tuple[str, str]:
        """The sentence that holds most of the stem, and the stem with what that sentence is about for those words."""
        sentences = plain_sentences(described.chunk.text)
        told = max(sentences, key=lambda sentence: self._share(stem, sentence), default="")
        held, asked = set(content_words(told)), set(content_words(stem))
        if not held & asked:
            return "", ""
        kept = [word for word in _WORD.findall(stem) if stemmed(word.lower()) not in held]
        about = [word for word in told.split()[:5] if not set(content_words(word)) & asked]
        name = described.document.title.split(":")[0] if _FIELD.match(told) else " ".join(about)
        return told, f"{' '.join(kept).rstrip(' ?')} {name}?"
