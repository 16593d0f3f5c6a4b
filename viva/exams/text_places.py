"""Places of texts in documents, although neither is written as the other: by letters and digits, then by words.

White space, line breaks, hyphenation, quotation marks, dashes, case, accents and marks of Markdown make no
difference. A document is searched for short runs of characters of all texts together, and a text is compared only
where runs of it were found.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

from viva.core.markup import Dialect, dialect_of, unmarked
from viva.core.records import Document, Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

How = Literal["exact", "normalised", "fuzzy"]

COVERAGE = 0.8
"""The least share of a context's words that a place must hold, in their order, to be taken for it."""
_DENSITY = 0.6
"""The least share of the words of such a place that are the context's."""
RUN = 12
"""Letters and digits of the runs that are searched for; shorter contexts are searched for whole."""
_SHORTEST, SURE = 4, 20
"""Letters and digits: contexts below the first are not searched for, those below the second must be in one place."""
_STEP, _REPEATS = 4, 3
"""Every so many characters a run of a text is searched for, and one that repeats itself so often in it."""
_LIKELY = 0.15
"""The least share of a context's runs that must be in a document for a closer look."""
_NEARLY, _NEARLY_SAME = 0.99, 0.0001
"""The score of what is alike in all words, if in nothing else; what looks cost."""
_MOST_PLACES = 20
_MOST_LOOKS, _MOST_WORDS = 40, 3_000
_BASE = 0x9E3779B97F4A7C15
_POINT = re.compile(r"(?<=\d)[.,](?=\d)")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:[.,]\d+)*")


# --- the contexts -------------------------------------------------------------------------------------------


@dataclass(eq=False)
class SoughtText:
    """A context, or a stretch of it between marks of omission; without marks of Markdown in a further way."""

    text: str
    ways: tuple[LetterStream, ...]
    places: dict[str, list[FoundPlace]] = field(default_factory=dict)
    """by document"""
    looks: int = 0

    @property
    def length(self) -> int:
        """Letters and digits."""
        return len(self.ways[0].codes)

    @cached_property
    def words(self) -> list[str]:
        """Its words, as they are compared."""
        return [word.casefold() for word in _WORD.findall(self.text)]

    @cached_property
    def telling(self) -> frozenset[str]:
        """Its numbers and names: a place without them is another one."""
        found = list(_WORD.finditer(self.text))
        names = (m for n, m in enumerate(found) if n and m[0][0].isupper() and not _begins(self.text[: m.start()]))
        return frozenset(m[0].casefold() for m in (*names, *(m for m in found if m[0][0].isdigit())))


def _begins(before: str) -> bool:
    return before.rstrip(" \n\t\"'“”‘’(*_`#->").endswith((".", "!", "?", ":", "。")) or "\n" in before[-2:]


@dataclass(frozen=True)
class FoundPlace:
    span: Span
    score: float
    how: How


def sought(text: str) -> SoughtText | None:
    """None of a text with too few letters."""
    stream = LetterStream.of(text)
    if len(stream.codes) < _SHORTEST:
        return None
    plain = LetterStream.of(unmarked(text, Dialect.MARKDOWN).text)
    differs = plain.text != stream.text and len(plain.codes) >= _SHORTEST
    return SoughtText(text.strip(), (stream, plain) if differs else (stream,))


# --- the documents ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LetterStream:
    """The letters and digits of a text, folded, and the place of each in it."""

    text: str
    codes: NDArray[np.uint32]
    places: NDArray[np.int64]

    @classmethod
    def of(cls, text: str) -> LetterStream:
        import numpy as np

        # a decimal point tells 1.5 from 15
        text = _POINT.sub("\ue000", text)
        table = {ord(char): _folded(char) for char in set(text)}
        stream = text.translate(table)
        lengths = text.translate({code: chr(len(plain)) for code, plain in table.items()}).encode("latin-1")
        places = np.repeat(np.arange(len(text)), np.frombuffer(lengths, np.uint8))
        return cls(stream, np.frombuffer(stream.encode("utf-32-le", "replace"), np.uint32), places)

    def runs(self, length: int) -> NDArray[np.uint64]:
        """A number for every run of so many characters."""
        import numpy as np

        count = len(self.codes) - length + 1
        if count <= 0:
            return np.empty(0, np.uint64)
        found = np.zeros(count, np.uint64)
        codes = self.codes.astype(np.uint64)
        for shift in range(length):
            # wraps around at 2^64, as is meant
            found = found * np.uint64(_BASE) + codes[shift : shift + count]
            found ^= found >> np.uint64(29)
        return found


def _folded(char: str) -> str:
    if char == "\ue000":
        return "."
    plain = unicodedata.normalize("NFKD", char).casefold()
    return "".join(c for c in plain if c.isalnum() and c != "\u0640")


class TextIndex:
    """The runs of all pieces, by their length: what documents are searched for."""

    def __init__(self, pieces: Sequence[SoughtText]) -> None:
        import numpy as np

        self._counts = Counter[tuple[SoughtText, int]]()
        anchors: dict[int, dict[int, list[tuple[SoughtText, int, int]]]] = defaultdict(lambda: defaultdict(list))
        for piece in pieces:
            for way, stream in enumerate(piece.ways):
                length = min(RUN, len(stream.codes))
                runs = stream.runs(length)
                often = Counter[int]()
                for offset in sorted({*range(0, len(runs), _STEP), len(runs) - 1}):
                    run = int(runs[offset])
                    often[run] += 1
                    if often[run] <= _REPEATS:
                        anchors[length][run].append((piece, way, offset))
                        self._counts[piece, way] += 1
        self._anchors = anchors
        self._sorted = {length: np.array(sorted(found), np.uint64) for length, found in anchors.items()}

    def search(self, document: Document) -> bool:
        """Note where in the document pieces are; whether any is."""
        if not self._sorted:
            return False
        near = self._look(document, LetterStream.of(document.text), None)
        if any(document.id not in piece.places for piece in near):
            shown = unmarked(document.text, dialect_of(document.format))
            plain = LetterStream.of(shown.text)
            near |= self._look(document, plain, shown.places)
        return any(document.id in piece.places for piece in near)

    def _look(self, document: Document, stream: LetterStream, origin: Sequence[int] | None) -> set[SoughtText]:
        """The pieces that may be in the document."""
        import numpy as np

        hits: dict[tuple[SoughtText, int], list[tuple[int, int]]] = defaultdict(list)
        for length, known in self._sorted.items():
            if not len(runs := stream.runs(length)):
                continue
            at = np.minimum(np.searchsorted(known, runs), len(known) - 1)
            for place in np.flatnonzero(known[at] == runs).tolist():
                for piece, way, offset in self._anchors[length][int(runs[place])]:
                    hits[piece, way].append((place, offset))
        near: set[SoughtText] = set()
        for (piece, way), found in hits.items():
            wanted = piece.ways[way]
            if len({offset for _, offset in found}) < _LIKELY * self._counts[piece, way]:
                continue
            near.add(piece)
            before = piece.places.get(document.id, [])
            if before and before[0].score > _NEARLY:
                continue
            view = _View(document, stream, origin)
            score = 1.0 - (way + (origin is not None)) / 1000
            same = view.same(piece, wanted, {place - offset for place, offset in found}, score)
            places = list(islice(same, _MOST_PLACES))
            if not places and not before and piece.looks < _MOST_LOOKS and piece.length >= SURE:
                piece.looks += 1
                nearly = view.like(piece, found)
                places = [nearly] if nearly else []
            if places and (not before or places[0].score > before[0].score):
                piece.places[document.id] = places
        return near


@dataclass(frozen=True)
class _View:
    """A document as one of its streams shows it. `origin`: the place of each character of a text without marks."""

    document: Document
    stream: LetterStream
    origin: Sequence[int] | None

    def same(self, piece: SoughtText, wanted: LetterStream, starts: set[int], score: float) -> Iterator[FoundPlace]:
        """Where exactly these letters and digits are; word for word is a little better."""
        size = len(wanted.text)
        for start in sorted(starts):
            if start < 0 or not self.stream.text.startswith(wanted.text, start):
                continue
            span = self._span(start, start + size, piece.text)
            if size < SURE and not self._alone(span):
                continue
            exact = span.quote == piece.text
            yield FoundPlace(span, 1.0 if exact else score - _NEARLY_SAME, "exact" if exact else "normalised")

    def like(self, piece: SoughtText, hits: Sequence[tuple[int, int]]) -> FoundPlace | None:
        """Where most of its words are, in their order, with all of its numbers and names."""
        size = piece.length
        slack = max(40, size // 3)
        at = sorted(place - offset for place, offset in hits)
        _, first = max((bisect_right(at, a + slack) - place, -a) for place, a in enumerate(at))
        start, end = max(0, -first - slack), min(len(self.stream.codes), -first + size + 2 * slack)
        if end <= start:
            return None
        low = self._place(start)
        text = self.document.text[low : self._place(end - 1) + 1]
        words = list(_WORD.finditer(text))
        if len(piece.words) > _MOST_WORDS or len(words) > 3 * _MOST_WORDS:
            return None
        given = [m[0].casefold() for m in words]
        blocks = [
            b for b in SequenceMatcher(None, piece.words, given, autojunk=False).get_matching_blocks() if b.size
        ]
        ends = [b for b in blocks if b.size > 1] or blocks
        if not ends:
            return None
        a, b = ends[0].b, ends[-1].b + ends[-1].size
        matched = sum(block.size for block in blocks if a <= block.b < b)
        coverage = matched / len(piece.words)
        if coverage < COVERAGE or matched / (b - a) < _DENSITY or not piece.telling <= set(given[a:b]):
            return None
        begin, stop = low + words[a].start(), low + words[b - 1].end()
        quote = self.document.text[begin:stop]
        return FoundPlace(
            Span(document_id=self.document.id, start=begin, end=stop, quote=quote), 0.99 * coverage, "fuzzy"
        )

    def _place(self, at: int) -> int:
        place = int(self.stream.places[at])
        return place if self.origin is None else self.origin[place]

    def _span(self, start: int, end: int, given: str) -> Span:
        """The stretch, with the marks at its ends that the context has too."""
        text = self.document.text
        first, last = self._place(start), self._place(end - 1) + 1
        head = re.match(r"[\W_]*", given)
        tail = re.search(r"[\W_]*$", given)
        for char in reversed(head[0] if head else ""):
            first -= first > 0 and text[first - 1] == char
        for char in tail[0] if tail else "":
            last += text[last : last + 1] == char
        return Span(document_id=self.document.id, start=first, end=last, quote=text[first:last])

    def _alone(self, span: Span) -> bool:
        """Tell whether it is no part of a word."""
        before, after = self.document.text[: span.start][-1:], self.document.text[span.end :][:1]
        return not any(char.isalnum() and char.isascii() for char in (before, after))
