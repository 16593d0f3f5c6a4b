"""Where in a source quoted words stand, to the character, although a model seldom copies to the letter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property

from viva.agents.language_model.context import shown
from viva.agents.roles import Source
from viva.core.records import Span
from viva.core.text.overlap import token_f1
from viva.core.text.words import folded

_CLOSE = 0.7
"""Token F1 from which a stretch of sentences counts as what was meant by a quote that stands nowhere."""
_WHOLE = 4
"""A quote of fewer words is no evidence by itself: the sentence around it is."""
_LONGEST = 3
"""Sentences that one quote may span when it is looked for by its words."""

_SENTENCE = re.compile(
    r"\S.*?(?:[.!?][\"'”’)\]]*(?=\s)|[。！？]|(?=\n[ \t]*(?:\n|[-*+|#•]|\d+[.)]\s))|\Z)", re.DOTALL
)


class EvidenceFinder:
    """The chunks of a source, prepared to look quotes up in them."""

    def __init__(self, source: Source) -> None:
        self._parts = [_Part(part) for part in source.parts]

    def find(self, quote: str) -> Span | None:
        """The span that the quote means: `Span.quote` is the document's own text. None where it stands nowhere.

        A model quotes what it was shown: the text without marks, whose characters know their places. Looked for as it
        is; then without regard to white space, case, accents, emphasis and the shape of quotation marks and dashes;
        then as the one to three sentences that share most words with it (token F1 at least 0.7).
        """
        for look in (_Part.as_it_is, _Part.but_for_looks):
            for part in self._parts:
                found = look(part, quote)
                if found is not None:
                    return part.span(*part.widened(*found))
        closest = [(*part.by_words(quote), -n) for n, part in enumerate(self._parts)]
        score, start, end, number = max(closest)
        part = self._parts[-number]
        return part.span(*part.widened(-start, end)) if score >= _CLOSE else None

    def nothing(self) -> Span:
        """The empty span at the source's start: the evidence of a fact that has none."""
        return self._parts[0].span(0, 0)


class _Part:
    """One chunk: its text as a model is shown it, and as its document has it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.chunk.text
        self._shown = shown(source)

    def span(self, start: int, end: int) -> Span:
        """The stretch of the chunk, as a stretch of its document."""
        offset = self._source.chunk.start
        quote = self._source.document.text[offset + start : offset + end]
        return Span(document_id=self._source.document.id, start=offset + start, end=offset + end, quote=quote)

    def as_it_is(self, quote: str) -> tuple[int, int] | None:
        """Where the quote stands as it is."""
        if not quote.strip():
            return None
        start = self._shown.text.find(quote)
        if start >= 0:
            return self._shown.stretch(start, start + len(quote))
        start = self._text.find(quote)
        return (start, start + len(quote)) if start >= 0 else None

    def but_for_looks(self, quote: str) -> tuple[int, int] | None:
        """Where it stands but for its looks."""
        wanted = folded(quote)[0].strip(" '")
        if not any(char.isalnum() for char in wanted):
            return None
        found = _among(wanted, self._shown.text)
        if found is not None:
            return self._shown.stretch(*found)
        return _among(wanted, self._text)

    def widened(self, start: int, end: int) -> tuple[int, int]:
        """The sentences around a span too short to be read alone; no mark is cut from its partner."""
        if len(self._text[start:end].split()) < _WHOLE:
            around = [(a, b) for a, b in self._sentences if a < end and start < b]
            start, end = (min(start, around[0][0]), max(end, around[-1][1])) if around else (start, end)
        return self._shown.whole(start, end)

    def by_words(self, quote: str) -> tuple[float, int, int]:
        """The token F1 of the stretch that shares most words with the quote, minus its start, its end."""
        scored = [(token_f1(quote, self._shown.within(a, b)), -a, b) for a, b in self._stretches()]
        return max(scored, default=(0.0, 0, 0))

    def _stretches(self) -> Iterator[tuple[int, int]]:
        for first in range(len(self._sentences)):
            for last in range(first, min(first + _LONGEST, len(self._sentences))):
                yield self._sentences[first][0], self._sentences[last][1]

    @cached_property
    def _sentences(self) -> list[tuple[int, int]]:
        return [match.span() for match in _SENTENCE.finditer(self._text)]


def _among(wanted: str, text: str) -> tuple[int, int] | None:
    """Where folded words stand in a text, with the accents that follow the last of them."""
    plain, places = folded(text)
    start = plain.find(wanted)
    if start < 0:
        return None
    end = places[start + len(wanted) - 1] + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return places[start], end
