"""What of long passages bears on a question or a claim: the sentences that share its words, in their own order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from viva.agents.judges.offline.reading import folded, parts
from viva.agents.judges.offline.terms import stems_of
from viva.core.text.words import content_words

WINDOW = 90
"""Words of a window: about five sentences."""
QUESTION_WINDOW = 50
"""Words of a window round what answers a question: about two sentences, since all others only blur it."""


def window(wanted: str, passages: Sequence[str], words: int = WINDOW) -> str:
    """At most so many words of the passages: the best sentences, and what fits beside them; "" without any.

    A word counts the more, the fewer sentences have it; each word that a chosen sentence has already counts half, so
    that a second sentence is taken for what the first lacks. Whole sentences, unless the best alone is too long.
    """
    sentences = [sentence for passage in passages for sentence in parts(passage)]
    lengths = [len(sentence.split()) for sentence in sentences]
    if sum(lengths) <= words:
        return " ".join(sentences)
    chosen: list[int] = []
    left = words
    for place in _ranked(wanted, sentences):
        if lengths[place] <= left:
            chosen.append(place)
            left -= lengths[place]
        elif not chosen:
            return _cut(sentences[place], words)
    return " ".join(sentences[place] for place in sorted(chosen))


def claims_of(answer: str) -> tuple[str, ...]:
    """The sentences, lines and list items of an answer that have a word of content in them; all, where none has."""
    said = parts(answer)
    return tuple(text for text in said if content_words(text)) or said


def _ranked(wanted: str, sentences: Sequence[str]) -> list[int]:
    """All places, the most telling sentence first; among equals the earlier."""
    stems = [_words(sentence) for sentence in sentences]
    common = Counter(stem for own in stems for stem in own)
    weight = {stem: math.log(1 + len(sentences) / common[stem]) for stem in sorted(_words(wanted)) if common[stem]}
    order: list[int] = []
    rest = list(range(len(sentences)))
    while rest:
        gains = {place: sum(weight[stem] for stem in sorted(stems[place] & weight.keys())) for place in rest}
        best = max(rest, key=lambda place: (gains[place], -place))
        if not gains[best]:
            return order + rest
        order.append(best)
        rest.remove(best)
        weight = {stem: value / 2 if stem in stems[best] else value for stem, value in weight.items()}
        if len(order) >= _MOST:
            return order + rest
    return order


_MOST = 12
"""Sentences that are ranked; more do not fit into a window, and the work would grow with the square."""


@lru_cache(maxsize=16384)
def _words(text: str) -> frozenset[str]:
    plain = folded(text)
    return stems_of(plain) | frozenset(content_words(plain))


def _cut(sentence: str, words: int) -> str:
    return " ".join(sentence.split()[:words])
