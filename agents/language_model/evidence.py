"""Where in a chunk a quoted passage stands, to the character, although a model seldom copies to the letter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property, lru_cache

from viva.agents.roles import Source
from viva.core.records import Span
from viva.metrics.overlap import token_f1

_CLOSE = 0.7
"""Token F1 from which a stretch of sentences counts as what was meant by a quote that stands nowhere."""
_WHOLE = 4
"""A quote of fewer words is no evidence by itself: the sentence around it is."""
_LONGEST = 3
"""Sentences that one quote may span when it is looked for by its words."""

_SENTENCE = re.compile(
    r"\S.*?(?:[.!?][\"'”’)\]]*(?=\s)|[。！？]|(?=\n[ \t]*(?:\n|[-*+|#•]|\d+[.)]\s))|\Z)",
    re.DOTALL,
)
_SAME = str.maketrans(
    {**dict.fromkeys("‘’‚‛′´“”„‟″«»‹›＂＇", "'"), '"': "'", "−": "-", **dict.fromkeys("*`_\\", None)}
)


class Evidence:
    """One chunk, prepared to look quotes up in it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.chunk.text

    def find(self, quote: str) -> Span | None:
        """The span that the quote means: `Span.quote` is the document's own text. None where it stands nowhere.

        Looked for as it is; then without regard to white space, case, accents, emphasis and the shape of quotation
        marks and dashes; then as the one to three sentences that share most words with it (token F1 at least 0.7).
        """
        found = self._exactly(quote) or self._folded(quote)
        if found is not None:
            return self._span(*self._widened(*found))
        close = self._by_words(quote)
        return None if close is None else self._span(*close)

    def nothing(self) -> Span:
        """The empty span at the chunk's start: the evidence of a fact that has none."""
        return self._span(0, 0)

    def _span(self, start: int, end: int) -> Span:
        offset = self._source.chunk.start
        quote = self._source.document.text[offset + start : offset + end]
        return Span(document_id=self._source.document.id, start=offset + start, end=offset + end, quote=quote)

    def _exactly(self, quote: str) -> tuple[int, int] | None:
        start = self._text.find(quote)
        return (start, start + len(quote)) if quote.strip() and start >= 0 else None

    def _folded(self, quote: str) -> tuple[int, int] | None:
        wanted = folded(quote)[0].strip(" '")
        text, places = self._fold
        start = text.find(wanted)
        if not any(char.isalnum() for char in wanted) or start < 0:
            return None
        end = places[start + len(wanted) - 1] + 1
        while end < len(self._text) and unicodedata.combining(self._text[end]):
            end += 1
        return places[start], end

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        """The sentences around a span too short to be read alone."""
        if len(self._text[start:end].split()) >= _WHOLE:
            return start, end
        around = [(a, b) for a, b in self._sentences if a < end and start < b]
        return (min(start, around[0][0]), max(end, around[-1][1])) if around else (start, end)

    def _by_words(self, quote: str) -> tuple[int, int] | None:
        scored = [(token_f1(quote, self._text[a:b]), -a, b) for a, b in self._stretches()]
        score, start, end = max(scored, default=(0.0, 0, 0))
        return (-start, end) if score >= _CLOSE else None

    def _stretches(self) -> Iterator[tuple[int, int]]:
        for first in range(len(self._sentences)):
            for last in range(first, min(first + _LONGEST, len(self._sentences))):
                yield self._sentences[first][0], self._sentences[last][1]

    @cached_property
    def _fold(self) -> tuple[str, list[int]]:
        return folded(self._text)

    @cached_property
    def _sentences(self) -> list[tuple[int, int]]:
        return [match.span() for match in _SENTENCE.finditer(self._text)]


def folded(text: str) -> tuple[str, list[int]]:
    """The text as it is compared, and for each of its characters the place it comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for piece in _fold(char):
            if piece == " " and characters[-1:] in ([], [" "]):
                continue
            characters.append(piece)
            places.append(place)
    return "".join(characters), places


@lru_cache(maxsize=8192)
def _fold(char: str) -> str:
    if char.isspace():
        return " "
    if unicodedata.category(char) in {"Cc", "Cf", "Pc"} or unicodedata.combining(char):
        return ""
    if unicodedata.category(char) == "Pd":
        return "-"
    plain = unicodedata.normalize("NFKD", char.translate(_SAME)).casefold()
    return "".join(" " if c.isspace() else c for c in plain if not unicodedata.combining(c))
