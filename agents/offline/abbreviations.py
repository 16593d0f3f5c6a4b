"""What an abbreviation stands for, and what it could stand for by its letters.

The documents say 'role-based access control (RBAC)'. The wrong options exchange one or two of its words for others
with the same first letter, words of the corpus's other abbreviations: each option is as near to the others as the
key is. English only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.agents.offline.statement_sets import Embed

_SHORT = re.compile(r"\((?P<short>[A-Z][A-Za-z]?[A-Z]{1,5})s?\)")
_BEFORE = 90
"""Characters before the bracket in which the words may stand."""
_CUT = re.compile(r"[.;:!?()\[\]|“”\"<>]|\n(?=\s*(?:\n|[-*+#>]))")
_WORD = re.compile(r"[A-Za-z][A-Za-z’']*")
_ENOUGH = 150
"""Abbreviations of a corpus whose words are enough to choose from."""
_SMALL = frozenset("of and the for to in on a with by".split())
"""Words that an abbreviation may pass over."""
_NO_NOUN = frozenset("what over own due post multi pre not get get is are you see".split())
_FEWEST, _LETTERS = 2, 3
"""Words of the meaning; letters of the abbreviation: two letters stand for too much."""
_EXCHANGED = 2
_NEAR, _SAME = 0.35, 0.6
"""Cosines of a word to the one in whose place it stands: nearer, it would say the same."""
_ROOT = 5


@dataclass(frozen=True)
class Abbreviation:
    """`short` for `meaning`, as the characters [start, end) of a document say it."""

    short: str
    meaning: str
    document_id: str
    chunk_id: str
    start: int
    end: int

    @property
    def stem(self) -> str:
        """The question that the meaning answers."""
        return abbreviation_stem(self.short)

    @property
    def statement(self) -> str:
        """What the document says."""
        return f"{self.meaning} ({self.short})"


def abbreviation_stem(short: str) -> str:
    """'What does the abbreviation RBAC stand for?'"""
    return f"What does the abbreviation {short} stand for?"


def asked_for(stem: str) -> str:
    """The abbreviation that a question asks about; '' where it asks about none."""
    found = re.search(r"\babbreviation (\w+) stand for\?$", stem)
    return found[1] if found else ""


def explained(text: str) -> Iterator[tuple[str, str, int, int]]:
    """(abbreviation, meaning, start, end) of each place that spells an abbreviation out, in order."""
    for match in _SHORT.finditer(text):
        if len(match["short"]) < _LETTERS:
            continue
        begin = max(0, match.start() - _BEFORE)
        cut = [found.end() for found in _CUT.finditer(text, begin, match.start())]
        words = list(_WORD.finditer(text, cut[-1] if cut else begin, match.start()))
        first = _first_of(words, match["short"].lower())
        if first is None or text[words[-1].end() : match.start()].strip("*_` \t\n"):
            continue
        meaning = " ".join(re.sub(r"[*_`]", "", text[first : match.start()]).split())
        if len(_WORD.findall(meaning)) >= _FEWEST:
            yield match["short"], meaning, first, match.end()


def _first_of(words: Sequence[re.Match[str]], letters: str) -> int | None:
    """Where the words begin whose first letters, read backwards, make the abbreviation."""
    left = list(letters)
    for word in reversed(words):
        if word.group()[0].lower() == left[-1]:
            left.pop()
            if not left:  # 'Keyed-Hash Message ...' says more than its letters
                inside = word.start() and word.string[word.start() - 1] in "-‑"
                return None if inside else word.start()
        elif word.group().lower() not in _SMALL:
            return None
    return None


def with_one_meaning(found: Iterable[Abbreviation]) -> list[Abbreviation]:
    """The first mention of each abbreviation that the corpus spells out in one way only, in order."""
    meanings: dict[str, dict[str, Abbreviation]] = defaultdict(dict)
    for one in found:
        meanings[one.short.lower()].setdefault(_folded(one.meaning), one)
    return [
        min(by_words.values(), key=lambda one: one.meaning.endswith("s"))
        for by_words in meanings.values()
        if len({words.rstrip("s") for words in by_words}) == 1
    ]


def _folded(meaning: str) -> str:
    return " ".join(word.lower() for word in _WORD.findall(meaning))


def alternatives(known: Sequence[Abbreviation], embed: Embed) -> dict[str, tuple[str, ...]]:
    """By abbreviation: three other meanings of the same letters; those of which there are too few are left out.

    Of few abbreviations none has any: the words to choose from would be absurd.
    """
    if len(known) < _ENOUGH:
        return {}
    meanings = {_folded(one.meaning) for one in known}
    likeness = _Likeness.of(known, embed)
    found: dict[str, tuple[str, ...]] = {}
    for one in known:
        made = _combined(one.meaning, likeness.exchanges(one.meaning))
        if made and meanings.isdisjoint(map(_folded, made)):
            found[one.short] = made
    return found


@dataclass(frozen=True)
class _Likeness:
    """The words of all meanings by first letter and place (the last, or before), and how near two are in meaning."""

    pools: Mapping[tuple[str, bool], frozenset[str]]
    place: Mapping[str, int]
    rows: NDArray[np.float32]

    @classmethod
    def of(cls, known: Sequence[Abbreviation], embed: Embed) -> _Likeness:
        pools: dict[tuple[str, bool], set[str]] = defaultdict(set)
        for one in known:
            words = _WORD.findall(one.meaning)
            for n, word in enumerate(words):
                if _is_open(word.lower()) and not word.isupper():
                    pools[word[0].lower(), n == len(words) - 1].add(word.lower())
        every = sorted(set().union(*pools.values()))
        return cls(
            {key: frozenset(pool) for key, pool in pools.items()},
            {word: n for n, word in enumerate(every)},
            embed(every),
        )

    def exchanges(self, meaning: str) -> list[_Exchange]:
        """Each word of a meaning with the nearest that could stand in its place, the nearest pair first."""
        words = list(_WORD.finditer(meaning))
        own = {word.group().lower() for word in words}
        found = []
        for n, word in enumerate(words):
            said = word.group().lower()
            if said not in self.place:
                continue
            pool = sorted(self.pools[said[0], n == len(words) - 1] - own)
            cosines = ((self._cosine(said, other), other) for other in pool if _may_replace(other, said))
            near = [(cosine, other) for cosine, other in cosines if _NEAR <= cosine < _SAME]
            if near:
                found.append(_Exchange(word.start(), word.group(), *max(near)[::-1]))
        ranked = sorted(found, key=lambda exchange: (-exchange.cosine, exchange.at))
        return list({exchange.other: exchange for exchange in reversed(ranked)}.values())[::-1]

    def _cosine(self, one: str, other: str) -> float:
        return round(float(self.rows[self.place[one]] @ self.rows[self.place[other]]), 4)


@dataclass(frozen=True)
class _Exchange:
    """The word `said` at a place of a meaning, and the `other` in its place."""

    at: int
    said: str
    other: str
    cosine: float

    def put(self, meaning: str) -> str:
        written = self.other
        if self.said.isupper() and len(self.said) > 1:
            written = written.upper()
        elif self.said[0].isupper():
            written = written.capitalize()
        return meaning[: self.at] + written + meaning[self.at + len(self.said) :]


def _is_open(word: str) -> bool:
    return word not in _SMALL | _NO_NOUN and len(word) > 2 and word.isalpha()


def _may_replace(word: str, said: str) -> bool:
    """Whether it is another word of the same ending: else the phrase would not read as one."""
    alike = all(word.endswith(ending) == said.endswith(ending) for ending in ("s", "ing", "ed", "ly"))
    return alike and word[:_ROOT] != said[:_ROOT]


def _combined(meaning: str, exchanges: Sequence[_Exchange]) -> tuple[str, ...]:
    """Two words exchanged, each alone and both together, so that no option is nearer to the others than the rest."""
    if len(exchanges) < _EXCHANGED:
        return ()
    first, second = sorted(exchanges[:_EXCHANGED], key=lambda exchange: -exchange.at)
    return first.put(meaning), second.put(meaning), second.put(first.put(meaning))
