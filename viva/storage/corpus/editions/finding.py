"""Editions: documents that are one text at two times, sentence by sentence, and the sentences in which they differ.

Candidates share lines or sentences (an index of hashes, linear in the corpus). Two of them are editions where at
least half of the shorter one is in the other word for word and nothing shows that they are about two subjects:
pages of one form share much text as well, and differ rightly. Rows of a table, and other short documents of one file,
are compared with those of another file as one text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, permutations
from operator import itemgetter
from pathlib import PurePosixPath
from zlib import crc32

from pydantic import Field

from viva.core.records import Document, Exclusion, Record, Span
from viva.core.text.overlap import caseless
from viva.storage.corpus.duplicates import copied_path
from viva.storage.corpus.editions.alignment import (
    TELLING,
    Compared,
    Part,
    Slots,
    aligned,
    parts_of,
    within_rows,
    words_of,
)

EQUAL = 0.5
"""Share of the words of the shorter text, in sentences that both have."""
OF_LONGER = 0.3
"""The same of the longer text, which may have grown."""
OF_SERIES = 0.9
"""What takes the place of EQUAL where the paths are numbered."""
_TABLES = {"csv", "tsv"}
_SHORT = 8
"""Lines and sentences up to which one of the documents of a file is a row of it, as those of tables always are."""
_NEXT = 8
"""Documents with a sentence in common that each is compared with, in the order of their paths."""
_NAMED_OFTEN = 0.25
_ROUGH = re.compile(r"(?<=[.!?])\s+|\s*\n\s*")
_VERSION = re.compile(
    r"(?:\b|_)(?:v|ver|version|rev|revision|release|edition|ed|issue|draft|stand|fassung|ausgabe)[\s._-]*\d+(?:[._-]\d+)*(?:\b|_)"
    r"|(?:\b|_)\d+(?:st|nd|rd|th)?[\s._-]*(?:edition|ed|revision|version|draft)(?:\b|_)"
    r"|\(\d+\)|(?<!\d)(?:19|20)\d\d(?:[-_./]?\d\d?){0,2}(?!\d)|(?<!\d)\d\d?[./]\d\d?[./](?:19|20)?\d\d(?!\d)"
    r"|\b(?:version|rev|revision|revised|release|edition|draft|final|old|new|older|newer|previous|current|latest"
    r"|updated?|copy|archived?|backup)\b",
    re.IGNORECASE,
)
_MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul"
    " aug sep sept oct nov dec".split()
)


class Difference(Record):
    """A sentence, or a line, that two editions have in different words."""

    first: Span
    second: Span


class EditionPair(Record):
    """Two texts that are editions of one: `first` and `second` are their paths, the first in path order before."""

    first: str
    second: str
    equal: int = Field(description="sentences and lines that both have in the same words")
    only_first: int
    only_second: int
    differences: tuple[Difference, ...]
    repeated: tuple[tuple[str, int, int], ...] = Field(
        description="(document id, start, end) of what the second repeats word for word"
    )


def find_editions(documents: Sequence[Document], exclusions: Iterable[Exclusion] = ()) -> list[EditionPair]:
    """Find all pairs of editions, in path order. Pages of one form about different things are none.

    Of `exclusions` rows that repeat another row are part of their file.
    """
    copies = ((each.path, first) for each in exclusions if (first := copied_path(each)) is not None)
    texts = _texts(documents, dict(copies))
    found: dict[tuple[int, int], Compared] = {}
    for one, other in _candidates(texts):
        a, b = texts[one], texts[other]
        if a.of_rows != b.of_rows or a.is_other_subject(b):
            continue
        if (compared := _compared(a, b)) is not None:
            found[one, other] = compared
    forms = _of_one_form(found)
    return [_pair(texts[a], texts[b], each) for (a, b), each in found.items() if (a, b) not in forms]


# --- what is compared ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Text:
    """A document, or the rows of one file."""

    path: str
    documents: tuple[Document, ...]
    rough: frozenset[int]
    """hashes of its lines and sentences, or of its rows"""

    @property
    def of_rows(self) -> bool:
        return len(self.documents) > 1 or self.path != self.documents[0].path

    @cached_property
    def parts(self) -> list[Part]:
        if self.of_rows:
            return [Part(each, 0, len(each.text), words_of(each.text)) for each in self.documents]
        return parts_of(self.documents[0])

    @cached_property
    def words(self) -> Counter[str]:
        """The number of its parts that have each word."""
        return Counter(chain.from_iterable(set(part.words) for part in self.parts))

    @cached_property
    def title(self) -> tuple[str, ...]:
        return () if self.of_rows else _name_words(self.documents[0].title)

    @cached_property
    def names(self) -> frozenset[str]:
        """Words of the title and the path, without what names an edition."""
        path = PurePosixPath(self.path.partition("#")[0])
        return frozenset(self.title).union(*(_name_words(part) for part in path.with_suffix("").parts))

    def is_other_subject(self, other: _Text) -> bool:
        """Tell whether each has a name that is its own: of title or path, or of much of its text."""
        if self._own_names(other) and other._own_names(self):
            return True
        numbers = [text.numbers for text in (self, other)]
        if numbers[0] - numbers[1] and numbers[1] - numbers[0]:
            return True
        if self.is_in_a_series_with(other) and any(not word.isdigit() for word in self.head ^ other.head):
            return True
        return bool(self._often(other) and other._often(self))

    @cached_property
    def head(self) -> frozenset[str]:
        """Words of its first lines, without what names an edition."""
        return frozenset(chain.from_iterable(_name_words(" ".join(part.words)) for part in self.parts[:3]))

    @property
    def numbers(self) -> set[str]:
        """Numbers of the title that its first lines have too: of a bulletin, not of a copied file."""
        return {word for word in self.title if word.isdigit() and word in self.head}

    def is_in_a_series_with(self, other: _Text) -> bool:
        """Tell whether their paths differ in plain numbers, as those of pages of one form do."""
        numbers = [set(re.findall(r"\d+", _VERSION.sub(" ", text.path))) for text in (self, other)]
        return bool(numbers[0] - numbers[1] and numbers[1] - numbers[0])

    def _own_names(self, other: _Text) -> set[str]:
        own = self.names - other.names
        return {word for word in own if not word.isdigit() and word in self.words and word not in other.words}

    def _often(self, other: _Text) -> set[str]:
        """Give words that name something here in many sentences, and are nowhere in the other."""
        least = max(3, _NAMED_OFTEN * len(self.parts))
        often = (word for word, n in self.words.items() if n >= least and word not in other.words)
        return {word for word in often if not word[0].isdigit() and word not in _MONTHS}


def _name_words(name: str) -> tuple[str, ...]:
    plain = _VERSION.sub(" ", name.replace("_", " "))
    return tuple(word for word in words_of(plain) if word not in _MONTHS)


def _texts(documents: Iterable[Document], copies: Mapping[str, str]) -> list[_Text]:
    """Give each long document, and the short ones of a file together, in path order."""
    rows: dict[str, list[tuple[int, Document]]] = defaultdict(list)
    texts = []
    again: dict[str, list[str]] = defaultdict(list)
    for path, first in copies.items():
        again[first].append(path)
    for document in documents:
        if "#" in document.path and (document.format in _TABLES or len(_ROUGH.split(document.text)) <= _SHORT):
            for path in (document.path, *again[document.path]):
                file, _, row = path.rpartition("#")
                rows[file].append((int(row) if row.isdigit() else 0, document))
        else:
            texts.append(_Text(document.path, (document,), _hashes(document)))
    for path, numbered in rows.items():
        own = [document for _, document in sorted(numbered, key=itemgetter(0))]
        whole = {crc32(caseless(each.text).encode()) for each in own}
        texts.append(_Text(path, tuple(own), frozenset(whole.union(*map(_hashes, own)))))
    return sorted(texts, key=lambda text: text.path)


def _hashes(document: Document) -> frozenset[int]:
    pieces = map(caseless, _ROUGH.split(document.text))
    return frozenset(crc32(piece.encode()) for piece in pieces if piece.count(" ") >= TELLING - 1)


def _candidates(texts: Sequence[_Text]) -> list[tuple[int, int]]:
    """Find pairs of places that share a good part of their hashes."""
    holders: dict[int, list[int]] = defaultdict(list)
    for n, text in enumerate(texts):
        for hashed in text.rough:
            holders[hashed].append(n)
    shared = Counter(
        (one, other)
        for own in holders.values()
        for at, one in enumerate(own)
        for other in own[at + 1 : at + 1 + _NEXT]
    )
    least = EQUAL / 2
    return sorted(p for p, n in shared.items() if n >= least * min(len(texts[p[0]].rough), len(texts[p[1]].rough)))


# --- two texts ----------------------------------------------------------------------------------------------


def _compared(a: _Text, b: _Text) -> Compared | None:
    """Compare two texts; None where too little is equal."""
    found = aligned(a.parts, b.parts)
    if a.of_rows:
        found = within_rows(found)
    lengths = sorted(sum(len(part.words) for part in text.parts) for text in (a, b))
    both = sum(len(one.words) for one, _ in found.equal)
    least = OF_SERIES if a.is_in_a_series_with(b) else EQUAL
    return found if both >= least * lengths[0] and both >= OF_LONGER * lengths[1] else None


def _pair(a: _Text, b: _Text, compared: Compared) -> EditionPair:
    again = (other for one, other in compared.equal if one.document.id != other.document.id)
    return EditionPair(
        first=a.path,
        second=b.path,
        equal=len(compared.equal),
        only_first=len(compared.only[0]),
        only_second=len(compared.only[1]),
        differences=tuple(Difference(first=one.span, second=other.span) for one, other in compared.changed),
        repeated=_joined(again),
    )


def _joined(parts: Iterable[Part]) -> tuple[tuple[str, int, int], ...]:
    """Give the places of parts, those that follow each other as one."""
    found: list[tuple[str, int, int]] = []
    for part in sorted(parts, key=lambda each: (each.document.path, each.start)):
        before = found[-1] if found else ("", 0, 0)
        if before[0] == part.document.id and not re.search(r"\w", part.document.text[before[2] : part.start]):
            found[-1] = (part.document.id, before[1], part.end)
        else:
            found.append((part.document.id, part.start, part.end))
    return tuple(found)


def _of_one_form(found: Mapping[tuple[int, int], Compared]) -> set[tuple[int, int]]:
    """Find pairs that belong to three texts whose differing parts mostly differ in all three."""
    changes: dict[int, dict[int, Slots]] = defaultdict(dict)
    for (one, other), compared in found.items():
        changes[one][other], changes[other][one] = compared.slots(0), compared.slots(1)
    forms = set()
    for at, of in changes.items():
        for (to, own), (third, there) in permutations(of.items(), 2):
            both = sum(place in there and (there[place] != words or not words) for place, words in own.items())
            if both > len(own) / 2:
                forms |= {(min(at, to), max(at, to)), (min(at, third), max(at, third))}
    return forms
