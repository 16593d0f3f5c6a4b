"""Which parts of an answer are about which unit: by the telling words they share, and by meaning where these
leave it open."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from viva.agents.offline.corpus_facts import CorpusFacts
from viva.agents.offline.oral.amounts import figures
from viva.agents.offline.oral.reading import AnswerPart, folded
from viva.agents.offline.oral.terms import Weight, names_of, stems_of, weight_of, words_of
from viva.core.records import OralUnit
from viva.core.text.words import content_words
from viva.llm.embeddings import Embedder
from viva.metrics.text.cosines import cosine

FACT, WHOLE = 0.5, 0.5
"""Shares of a unit's telling words, those that the question gave away left out or not, that a part about it holds."""
_ALL_BUT, _WITHOUT_NAME = 0.8, 0.35
"""So much of the fact is about the unit though another name, or none, stands for its subject."""
_NEAR_FACT, _NEAR_WHOLE, NEAR = 0.2, 0.25, 0.72
"""With less than these shares meanings are not compared; from this cosine on a part that holds as much is about
it."""
_DENSE = 0.15
"""A part of whose words a smaller share is the unit's is a list of words."""
_TOGETHER = 0.25
"""Share of the unit's words among those that stand between the first and the last of them in a part."""
_FEW = 2
"""Of fewer words nothing says whether they stand together."""
_SCRAMBLED = re.compile(r"\b(?:[Tt]he|an?)(?: (?:the|an?|of|are|was|were|its|their|each|every)\b(?!-)|[.,;!?])")
"""No sentence has these side by side: words in no order."""
_NAME_WEIGHT = 0.5
"""A name counts half: a wrong answer has another one in its place."""
_EXPLAINED, _BETTER = 0.15, 1.25
"""Another sentence of the corpus is meant where it leaves so little unexplained and explains so much more."""
_PRONOUN = re.compile(
    r"(?:[-*•\d.)] ?)*(?:it|they|he|she|its|their|his|her|this|these|that|those|the (?:former|latter))\b",
    re.IGNORECASE,
)
_RAREST, _READ = 3, 40
"""Words of a part by which sentences of the corpus are looked up, and sentences read for each."""


@dataclass(frozen=True)
class AnswerClaim:
    """A stretch of the answer that is about a unit, and how surely, in [0, 1]."""

    said: str
    start: int
    end: int
    score: float


@dataclass(frozen=True)
class _Wanted:
    """The telling words of a unit, and their weights."""

    unit: OralUnit
    stems: frozenset[str]
    fact: frozenset[str]
    keyword: frozenset[str]
    names: frozenset[str]


class Aligner:
    """Finds the parts of answers that are about units. `bank` tells how telling a word is, and what else is said."""

    def __init__(self, embedder: Embedder, bank: CorpusFacts) -> None:
        self._embedder = embedder
        self._bank = bank
        self._weight: Weight = lru_cache(maxsize=65536)(bank.weight)
        self._read: dict[str, list[frozenset[str]]] = {}

    def claims(
        self, question: str, answer: Sequence[AnswerPart], units: Sequence[OralUnit]
    ) -> list[list[AnswerClaim]]:
        """Per unit the claims about it, in the order of the answer. Time grows with answer + units, not their
        product."""
        self._read.clear()
        asked = stems_of(folded(question))
        wanted = [_wanted(unit, asked) for unit in units]
        said = [self._in_context(answer, n) for n in range(len(answer))]
        holding: dict[str, list[int]] = defaultdict(list)
        for n, stems in enumerate(said):
            for stem in sorted(stems):
                holding[stem].append(n)
        found: list[list[AnswerClaim]] = []
        unsure: list[tuple[int, int]] = []
        nearby: list[list[int]] = []
        for number, unit in enumerate(wanted):
            near = sorted({n for stem in unit.fact for n in holding.get(stem, ())})
            sure = [n for n in near if self._is_about(unit, said[n], answer[n].text)]
            found.append([self._claim(unit, answer, n, n, said[n]) for n in sure])
            nearby.append([] if sure else [n for n in near if self._may_be_about(unit, said[n], answer[n].text)])
            unsure += [(number, n) for n in nearby[-1]]
        for number, n in self._alike(wanted, answer, unsure):
            found[number].append(self._claim(wanted[number], answer, n, n, said[n]))
        for number, near in enumerate(nearby):
            if near and not found[number] and (pair := self._pair(wanted[number], answer, said, near)):
                found[number].append(pair)
        return found

    def _in_context(self, answer: Sequence[AnswerPart], at: int) -> frozenset[str]:
        """The part's words; those of the part before it too, where it opens with a pronoun for them."""
        own = stems_of(answer[at].text)
        if at and _PRONOUN.match(answer[at].text):
            return own | frozenset(s for name in names_of(answer[at - 1].text) for s in name.stems if s)
        return own

    def _is_about(self, unit: _Wanted, said: frozenset[str], text: str) -> bool:
        fact, whole = self._share(unit, unit.fact, said), self._share(unit, unit.stems, said)
        several = len(unit.fact & said) > 1 or fact >= _ALL_BUT
        enough = (fact >= FACT and whole >= WHOLE and several) or (fact >= _ALL_BUT and whole >= _WITHOUT_NAME)
        return enough and self._fits(unit, said, text)

    def _may_be_about(self, unit: _Wanted, said: frozenset[str], text: str) -> bool:
        fact, whole = self._share(unit, unit.fact, said), self._share(unit, unit.stems, said)
        named = not unit.keyword or bool(unit.keyword & said) or bool(_PRONOUN.match(text))
        return named and fact >= _NEAR_FACT and whole >= _NEAR_WHOLE and self._fits(unit, said, text)

    def _share(self, unit: _Wanted, wanted: frozenset[str], said: frozenset[str]) -> float:
        """The share of the telling of some of a unit's words that the said ones hold."""
        total = self._telling(wanted, unit.names)
        return self._telling(wanted & said, unit.names) / total if total else 0.0

    def _telling(self, stems: frozenset[str], names: frozenset[str]) -> float:
        return weight_of(stems - names, self._weight) + _NAME_WEIGHT * weight_of(stems & names, self._weight)

    def _fits(self, unit: _Wanted, said: frozenset[str], text: str) -> bool:
        """Whether the words are a statement about the unit: no list of words, and about no other thing of the
        corpus."""
        if len(unit.stems & said) < _DENSE * len(said) or _numbers_another(unit.unit, text):
            return False
        if _SCRAMBLED.search(text) or not _stands_together(unit.stems, text):
            return False
        return not self._means_another(unit.unit, text)

    def _means_another(self, unit: OralUnit, text: str) -> bool:
        said = frozenset(word for word in content_words(text) if word[:1].isalpha())
        mine = said & frozenset(content_words(folded(unit.evidence.quote)))
        least = _BETTER * weight_of(mine, self._weight)
        for other in self._corpus(text):
            shared = said & other
            unexplained = weight_of(mine - shared, self._weight)
            if unexplained * _BETTER <= _EXPLAINED * least and weight_of(shared, self._weight) > least:
                return True
        return False

    def _corpus(self, text: str) -> list[frozenset[str]]:
        """The words of the sentences of the corpus that share the part's rarest ones."""
        if text not in self._read:
            known = [word for word in dict.fromkeys(content_words(text)) if word in self._bank.postings]
            rarest = sorted(known, key=lambda word: (len(self._bank.postings[word]), word))[:_RAREST]
            near = sorted({n for word in rarest for n in self._bank.postings[word][:_READ]})
            self._read[text] = [self._bank.sentence_words[n] for n in near]
        return self._read[text]

    def _pair(
        self, unit: _Wanted, answer: Sequence[AnswerPart], said: Sequence[frozenset[str]], near: Sequence[int]
    ) -> AnswerClaim | None:
        """Two parts side by side, each of which may be about the unit, and that together are."""
        for first in near:
            if first + 1 not in near:
                continue
            both = said[first] | said[first + 1]
            if self._is_about(unit, both, f"{answer[first].text} {answer[first + 1].text}"):
                return self._claim(unit, answer, first, first + 1, both)
        return None

    def _claim(
        self, unit: _Wanted, answer: Sequence[AnswerPart], first: int, last: int, said: frozenset[str]
    ) -> AnswerClaim:
        text = " ".join(part.text for part in answer[first : last + 1])
        return AnswerClaim(text, answer[first].start, answer[last].end, self._share(unit, unit.stems, said))

    def _alike(
        self, wanted: Sequence[_Wanted], answer: Sequence[AnswerPart], unsure: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, int]]:
        """Of the pairs that words leave open, those near in meaning; all texts are embedded in one batch."""
        if not unsure:
            return
        texts = [folded(wanted[number].unit.description) for number, _ in unsure] + [
            answer[n].text for _, n in unsure
        ]
        unique = list(dict.fromkeys(texts))
        vectors = dict(zip(unique, self._embedder.embed(unique), strict=True))
        for number, n in unsure:
            if cosine(vectors[folded(wanted[number].unit.description)], vectors[answer[n].text]) >= NEAR:
                yield number, n


def _stands_together(stems: frozenset[str], text: str) -> bool:
    """Whether the unit's words stand near each other in the part, as they do in a statement."""
    said = [word.stem for word in words_of(text) if word.stem and not word.is_number]
    held = [n for n, stem in enumerate(said) if stem in stems]
    wanted = len({said[n] for n in held})
    if wanted < _FEW:
        return True
    windows = (
        said[first : last + 1]
        for place, first in enumerate(held)
        if (last := _until_all(said, held[place:], wanted)) is not None
    )
    return any(wanted >= _TOGETHER * len(set(window)) for window in windows)


def _until_all(said: Sequence[str], held: Sequence[int], wanted: int) -> int | None:
    """The first of these places by which as many different words were said; None where there are not so many."""
    seen: set[str] = set()
    for place in held:
        seen.add(said[place])
        if len(seen) == wanted:
            return place
    return None


def _numbers_another(unit: OralUnit, text: str) -> bool:
    """Whether the part speaks of phase 3 where the unit is about phase 1."""
    said = figures(text).amounts
    return any(
        not any(a.equals(number) for a in said) and any(a.near & number.near for a in said)
        for number in figures(folded(unit.keyword)).amounts
    )


def _wanted(unit: OralUnit, asked: frozenset[str]) -> _Wanted:
    description = folded(unit.description)
    stems = stems_of(description)
    keyword = stems_of(folded(unit.keyword))
    fact = stems - keyword - asked
    names = frozenset(stem for name in names_of(description) for stem in name.stems)
    return _Wanted(unit, stems, fact or stems - keyword or stems, keyword, names)
