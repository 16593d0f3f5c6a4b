"""What a whole corpus tells of its words: which are names, which are common, which ran together in extraction."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from viva.core.records import Document

_MID_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-zé-]{2,}\b")
_ANY_NAME = re.compile(r"(?<![\w.])[A-Z][a-zé]{2,}\b")
_FULL_NAME = re.compile(r"\b([A-Z][a-z.]+) (?:[A-Z]\. )*([A-Z][a-zé-]{2,})\b")
_COMMON_WORD = re.compile(r"\b[a-z]{3,}\b")
_LONGER_NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][\w&-]* )+([A-Z][a-z]{2,})\b")
_HEADS = 2
_CITED_NAME = re.compile(r"([A-Z][a-zé-]{2,})(?: et al\.)?,? \(?(?:1[89]|20)\d\d")
_PASSING_SPAN = 2500
"""Characters: a name that never occurs outside so short a stretch is an actor of a story."""
_PASSING_TIMES = 2
_FUSED_LENGTH = 9
_LEAST_PART = 4
_PART_COUNT = 5
"""A long word that is two words so many times as frequent lost the mark that stood between them."""
_ENDED_WITH = re.compile(r"^([a-z]{5,})(?:of|the|and|from|with|a)$|^([a-z]{4,}s)(?:one|or|which|such|called)$")
_COUNTED = 3
_STANDS_ALONE = r"(?=[.,;)]| (?:is|are|was|and|or|in|to|for|that|of|with)\b)"
_AFTER_ARTICLE = re.compile(rf"\b[Aa]n? (?:[a-z-]+ )?([a-z]{{3,}}){_STANDS_ALONE}")
_AFTER_THE = re.compile(r"\b[Tt]he ([a-z]{2,}[a-rt-z])(?=[.,;)]| (?:is|was|and|or)\b)")
_KNOWN_IN = 5
"""Documents that say 'the heap', at least, for all to know which."""
_WITHOUT_ARTICLE = re.compile(
    r"\b(?:of|with|by|for|through|without|from|and|or|in)"
    r" (?:(?!(?:an?|the|each|every|any|this|that|its|their|your|one)\b)[A-Za-z-]+ ){0,2}"
    rf"([a-z]{{3,}}){_STANDS_ALONE}"
)
_SLIP_LENGTH, _SLIP_TIMES = 7, 10
"""So long a word, met once, is a slip where it is a word so much more frequent but for two letters changed over."""
_NO_PLURAL = re.compile(r"^(?:[a-z]+[^aeiou\W]ys|childs|childrens|womans|womens|mans|mens)$")
"""'bodys', 'childs': a genitive that lost its apostrophe"""


@dataclass(frozen=True)
class Vocabulary:
    """Words by what the corpus shows of them; lower case except for names."""

    names: frozenset[str] = frozenset()
    """carry a capital inside sentences at least as often as not"""
    common: frozenset[str] = frozenset()
    """written small more often than with a capital inside sentences"""
    passing: frozenset[str] = frozenset()
    """names met only within one short stretch of one document, never as somebody's full name"""
    spoilt: frozenset[str] = frozenset()
    """words that extraction or a slip of the hand spoilt: two in one, a lost apostrophe, two letters changed over"""
    heads: frozenset[str] = frozenset()
    """last words of longer names: 'Council' of the Digital Council"""
    definite: frozenset[str] = frozenset()
    """nouns met after 'the' in documents of all kinds, and hardly ever after 'a': there is one of each"""
    countable: frozenset[str] = frozenset()
    """nouns met after 'a' and hardly ever bare: 'model is ...' has lost its article"""

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Vocabulary:
        """Read the texts once. Time is linear in their words."""
        inside: Counter[str] = Counter()
        lower: Counter[str] = Counter()
        single: Counter[str] = Counter()
        bare: Counter[str] = Counter()
        known: Counter[str] = Counter()
        heads: Counter[str] = Counter()
        for document in documents:
            inside.update(_MID_NAME.findall(document.text))
            lower.update(_COMMON_WORD.findall(document.text))
            heads.update(_LONGER_NAME.findall(document.text))
            known.update(set(_AFTER_THE.findall(document.text)))
            single.update(_AFTER_ARTICLE.findall(document.text))
            bare.update(_WITHOUT_ARTICLE.findall(document.text))
        return cls(
            names=frozenset(word for word, n in inside.items() if n >= 2 and n >= lower[word.lower()]),
            common=frozenset(word for word, n in lower.items() if n > inside[word.capitalize()]),
            passing=_passing_names(documents, lower),
            spoilt=frozenset(word for word in lower if _is_spoilt(word, lower)),
            heads=frozenset(word for word, n in heads.items() if n >= _HEADS),
            definite=frozenset(w for w, n in known.items() if n >= max(_COUNTED * single[w], _KNOWN_IN)),
            countable=frozenset(w for w, n in single.items() if n >= _COUNTED * bare[w]),
        )


def _passing_names(documents: Sequence[Document], lower: Counter[str]) -> frozenset[str]:
    """Names of a story's actors: 'Maria' on one page and nowhere else, or somebody's given name in one document."""
    first: dict[str, tuple[str, int]] = {}
    times: Counter[str] = Counter()
    lasting: set[str] = set()
    given: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        # 'When Carla' is no full name
        full = (m.groups() for m in _FULL_NAME.finditer(document.text))
        named = [(first, last) for first, last in full if not lower[first.lower()]]
        given[document.id] |= {first for first, _ in named}
        lasting.update(last for _, last in named)
        lasting.update(_CITED_NAME.findall(document.text))
        lasting.update(re.findall(r"[A-Z][a-z]{2,}", document.title))
        for match in _ANY_NAME.finditer(document.text):
            word = match.group()
            path, start = first.setdefault(word, (document.id, match.start()))
            times[word] += 1
            far = match.start() - start > _PASSING_SPAN and word not in given[document.id]
            if path != document.id or far:
                lasting.add(word)
    return frozenset(w for w, n in times.items() if n >= _PASSING_TIMES and w not in lasting and not lower[w.lower()])


def _is_spoilt(word: str, counts: Counter[str]) -> bool:
    return bool(_NO_PLURAL.match(word)) or _is_fused(word, counts) or _is_slip(word, counts)


def _is_slip(word: str, counts: Counter[str]) -> bool:
    """'affecetd' once, 'affected' often."""
    if counts[word] > 1 or len(word) < _SLIP_LENGTH:
        return False
    changed = (word[:n] + word[n + 1] + word[n] + word[n + 2 :] for n in range(len(word) - 1))
    return any(counts[other] >= _SLIP_TIMES for other in changed)


def _is_fused(word: str, counts: Counter[str]) -> bool:
    enough = _PART_COUNT * counts[word]
    ended = _ENDED_WITH.match(word)
    if ended and counts[ended.group(1) or ended.group(2)] > counts[word]:
        return True
    return len(word) >= _FUSED_LENGTH and any(
        counts[word[:at]] >= enough and counts[word[at:]] >= enough
        for at in range(_LEAST_PART, len(word) - _LEAST_PART + 1)
    )
