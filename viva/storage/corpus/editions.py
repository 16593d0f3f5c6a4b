"""Editions: documents that are one text at two times, sentence by sentence, and the sentences in which they differ.

Candidates share lines or sentences (an index of hashes, linear in the corpus). Two of them are editions where at
least half of the shorter one stands in the other word for word and nothing shows that they are about two subjects:
pages of one form share much text as well, and differ rightly. Rows of a table, and other short documents of one file,
are compared with those of another file as one text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain, pairwise, permutations
from operator import itemgetter
from pathlib import PurePosixPath
from zlib import crc32

from viva.core.records import Document, Exclusion, Record, Span
from viva.core.text.prose import sentences
from viva.storage.corpus.duplicates import copied_path

EQUAL = 0.5
"""Share of the words of the shorter text, in sentences that both have."""
OF_LONGER = 0.3
"""The same of the longer text, which may have grown."""
OF_SERIES = 0.9
"""What takes the place of EQUAL where the paths are numbered."""
_NEAR, _FAR = 0.4, 0.65
"""Similarity from which two sentences are one that was changed: between the same neighbours, and elsewhere."""
_TABLES = {"csv", "tsv"}
_SHORT = 8
"""Lines and sentences up to which one of the documents of a file is a row of it, as those of tables always are."""
_TELLING = 4
"""Words from which a sentence in another place is the same sentence, and not a label or a cell."""
_NEXT = 8
"""Documents with a sentence in common that each is compared with, in the order of their paths."""
_LARGEST_GAP = 400
_NAMED_OFTEN = 0.25
_ROUGH = re.compile(r"(?<=[.!?])\s+|\s*\n\s*")
_TOKEN = re.compile(r"[-−]?\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|\w+|[%‰°€£$¥±]|[<>≤≥](?=\s*\d)")
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
    equal: int
    only_first: int
    only_second: int
    differences: tuple[Difference, ...]
    repeated: tuple[tuple[str, int, int], ...]
    """(document id, start, end) of what the second repeats word for word"""


def find_editions(documents: Sequence[Document], exclusions: Iterable[Exclusion] = ()) -> list[EditionPair]:
    """All pairs of editions, in path order. Pages of one form about different things are none.

    Of `exclusions` rows that repeat another row are part of their file.
    """
    copies = ((each.path, first) for each in exclusions if (first := copied_path(each)) is not None)
    texts = _texts(documents, dict(copies))
    found: dict[tuple[int, int], _Compared] = {}
    for one, other in _candidates(texts):
        a, b = texts[one], texts[other]
        if not a.is_other_subject(b) and (compared := _compared(a, b)) is not None:
            found[one, other] = compared
    forms = _of_one_form(found)
    return [each.pair(texts[a], texts[b]) for (a, b), each in found.items() if (a, b) not in forms]


# --- what is compared ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """A sentence, a line or a row."""

    document: Document
    start: int
    end: int
    words: tuple[str, ...]

    @property
    def span(self) -> Span:
        quote = self.document.text[self.start : self.end]
        return Span(document_id=self.document.id, start=self.start, end=self.end, quote=quote)


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
    def parts(self) -> list[_Part]:
        if self.of_rows:
            return [_Part(each, 0, len(each.text), _words(each.text)) for each in self.documents]
        return _parts(self.documents[0])

    @cached_property
    def words(self) -> Counter[str]:
        """In how many of its parts each word stands."""
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
        """Whether each has a name that is its own: of title or path, or of much of its text."""
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
        """Whether their paths differ in plain numbers, as those of pages of one form do."""
        numbers = [set(re.findall(r"\d+", _VERSION.sub(" ", text.path))) for text in (self, other)]
        return bool(numbers[0] - numbers[1] and numbers[1] - numbers[0])

    def _own_names(self, other: _Text) -> set[str]:
        own = self.names - other.names
        return {word for word in own if not word.isdigit() and word in self.words and word not in other.words}

    def _often(self, other: _Text) -> set[str]:
        """Words that name something here in many sentences, and stand nowhere in the other."""
        least = max(3, _NAMED_OFTEN * len(self.parts))
        often = (word for word, n in self.words.items() if n >= least and word not in other.words)
        return {word for word in often if not word[0].isdigit() and word not in _MONTHS}


def _name_words(name: str) -> tuple[str, ...]:
    plain = _VERSION.sub(" ", name.replace("_", " "))
    return tuple(word for word in _words(plain) if word not in _MONTHS)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text.casefold().replace("’", "'")))


def _parts(document: Document) -> list[_Part]:
    """The sentences of its prose, and each line between them."""
    text, found = document.text, []
    prose = [(each.start, each.end) for each in sentences(text)]
    for (_, left), (start, end) in pairwise([(0, 0), *prose, (len(text), len(text))]):
        found += [(left + line.start(), left + line.end()) for line in re.finditer(r"\S.*", text[left:start])]
        found.append((start, end))
    made = (_Part(document, start, end, _words(text[start:end])) for start, end in found)
    return [part for part in made if part.words]


def _texts(documents: Iterable[Document], copies: Mapping[str, str]) -> list[_Text]:
    """Each long document, and the short ones of a file together, in path order."""
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
        whole = {crc32(_folded(each.text).encode()) for each in own}
        texts.append(_Text(path, tuple(own), frozenset(whole.union(*map(_hashes, own)))))
    return sorted(texts, key=lambda text: text.path)


def _hashes(document: Document) -> frozenset[int]:
    pieces = map(_folded, _ROUGH.split(document.text))
    return frozenset(crc32(piece.encode()) for piece in pieces if piece.count(" ") >= _TELLING - 1)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _candidates(texts: Sequence[_Text]) -> list[tuple[int, int]]:
    """Pairs of places that share a good part of their hashes."""
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

_Pairs = list[tuple[_Part, _Part]]
_Slots = dict[tuple[str, int], tuple[str, ...]]


@dataclass(frozen=True)
class _Compared:
    """Parts that two texts have in the same words, in changed words, and alone."""

    equal: _Pairs
    changed: _Pairs
    only: tuple[list[_Part], list[_Part]]

    def pair(self, a: _Text, b: _Text) -> EditionPair:
        again = (other for one, other in self.equal if one.document.id != other.document.id)
        return EditionPair(
            first=a.path,
            second=b.path,
            equal=len(self.equal),
            only_first=len(self.only[0]),
            only_second=len(self.only[1]),
            differences=tuple(Difference(first=one.span, second=other.span) for one, other in self.changed),
            repeated=_joined(again),
        )

    def slots(self, side: int) -> _Slots:
        """Places of a side where the two differ, with the words of the other."""
        alone: list[tuple[_Part, tuple[str, ...]]] = [(part, ()) for part in self.only[side]]
        changed = [(pair[side], pair[1 - side].words) for pair in self.changed]
        return {(part.document.id, part.start): words for part, words in alone + changed}


def _compared(a: _Text, b: _Text) -> _Compared | None:
    """What is equal and what differs; None where too little is equal."""
    found = _aligned(a.parts, b.parts)
    if a.of_rows:
        found = _within_rows(found)
    lengths = sorted(sum(len(part.words) for part in text.parts) for text in (a, b))
    both = sum(len(one.words) for one, _ in found.equal)
    least = OF_SERIES if a.is_in_a_series_with(b) else EQUAL
    return found if both >= least * lengths[0] and both >= OF_LONGER * lengths[1] else None


def _joined(parts: Iterable[_Part]) -> tuple[tuple[str, int, int], ...]:
    """Their places, those that follow each other as one."""
    found: list[tuple[str, int, int]] = []
    for part in sorted(parts, key=lambda each: (each.document.path, each.start)):
        before = found[-1] if found else ("", 0, 0)
        if before[0] == part.document.id and not re.search(r"\w", part.document.text[before[2] : part.start]):
            found[-1] = (part.document.id, before[1], part.end)
        else:
            found.append((part.document.id, part.start, part.end))
    return tuple(found)


def _within_rows(rows: _Compared) -> _Compared:
    """The same with changed rows compared line by line."""
    alike = [pair for pair in rows.changed if _same_row(*pair)]
    apart = [pair for pair in rows.changed if not _same_row(*pair)]
    within = [_aligned(_parts(one.document), _parts(other.document)) for one, other in alike]
    return _Compared(
        [*rows.equal, *chain.from_iterable(each.equal for each in within)],
        [pair for each in within for pair in each.changed],
        (
            [*rows.only[0], *(one for one, _ in apart), *chain.from_iterable(each.only[0] for each in within)],
            [*rows.only[1], *(other for _, other in apart), *chain.from_iterable(each.only[1] for each in within)],
        ),
    )


def _same_row(one: _Part, other: _Part) -> bool:
    titles = [[w for w in _words(part.document.title) if not w.isdigit()] for part in (one, other)]
    return titles[0] == titles[1]


def _aligned(a: Sequence[_Part], b: Sequence[_Part]) -> _Compared:
    """Parts in the same order first, then those that moved, then those that are alike."""
    keys = [part.words for part in a], [part.words for part in b]
    equal, gaps = [], []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *keys).get_opcodes():
        if tag == "equal":
            equal += list(zip(a[i1:i2], b[j1:j2], strict=True))
        else:
            gaps.append((list(a[i1:i2]), list(b[j1:j2])))
    moved = _moved(gaps)
    changed = [pair for own, others in gaps for pair in _nearest(own, others)]
    rest = [part for own, _ in gaps for part in own], [part for _, others in gaps for part in others]
    changed += _elsewhere(*rest)
    ordered = sorted(changed, key=lambda pair: (pair[0].document.path, pair[0].start))
    return _Compared([*equal, *moved], ordered, rest)


def _moved(gaps: list[tuple[list[_Part], list[_Part]]]) -> _Pairs:
    """Takes the sentences that both have, in other places, out of the gaps."""
    waiting: dict[tuple[str, ...], list[tuple[list[_Part], _Part]]] = defaultdict(list)
    for _, others in gaps:
        for part in others:
            if len(part.words) >= _TELLING:
                waiting[part.words].append((others, part))
    found = []
    for own, _ in gaps:
        for part in list(own):
            if waiting.get(part.words):
                others, other = waiting[part.words].pop(0)
                own.remove(part)
                others.remove(other)
                found.append((part, other))
    return found


def _nearest(own: list[_Part], others: list[_Part]) -> _Pairs:
    """Takes pairs that are alike out of a gap, the most similar first."""
    if len(own) * len(others) > _LARGEST_GAP:
        return []
    scored = sorted(
        ((_similarity(one, other), -i, -j) for i, one in enumerate(own) for j, other in enumerate(others)),
        reverse=True,
    )
    return _taken(own, others, [(-i, -j) for score, i, j in scored if score >= _NEAR])


def _elsewhere(own: list[_Part], others: list[_Part]) -> _Pairs:
    """The same for what is left of all gaps, found by the rarest words."""
    holders: dict[str, list[int]] = defaultdict(list)
    for i, part in enumerate(own):
        for word in set(part.words):
            holders[word].append(i)
    scored = []
    for j, part in enumerate(others):
        rare = sorted({word for word in part.words if word in holders}, key=lambda word: (len(holders[word]), word))
        near = Counter(i for word in rare[:8] for i in holders[word][:50]).most_common(5)
        scored += [(_similarity(own[i], part), -i, -j) for i, _ in near if len(part.words) >= _TELLING]
    return _taken(own, others, [(-i, -j) for score, i, j in sorted(scored, reverse=True) if score >= _FAR])


def _taken(own: list[_Part], others: list[_Part], order: Iterable[tuple[int, int]]) -> _Pairs:
    used: tuple[set[int], set[int]] = set(), set()
    found = []
    for i, j in order:
        if i not in used[0] and j not in used[1]:
            found.append((own[i], others[j]))
            used[0].add(i)
            used[1].add(j)
    own[:] = [part for i, part in enumerate(own) if i not in used[0]]
    others[:] = [part for j, part in enumerate(others) if j not in used[1]]
    return found


def _similarity(one: _Part, other: _Part) -> float:
    matcher = SequenceMatcher(None, one.words, other.words, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _NEAR else 0.0


def _of_one_form(found: Mapping[tuple[int, int], _Compared]) -> set[tuple[int, int]]:
    """Pairs that belong to three texts whose differing parts mostly differ in all three."""
    changes: dict[int, dict[int, _Slots]] = defaultdict(dict)
    for (one, other), compared in found.items():
        changes[one][other], changes[other][one] = compared.slots(0), compared.slots(1)
    forms = set()
    for at, of in changes.items():
        for (to, own), (third, there) in permutations(of.items(), 2):
            both = sum(place in there and (there[place] != words or not words) for place, words in own.items())
            if both > len(own) / 2:
                forms |= {(min(at, to), max(at, to)), (min(at, third), max(at, third))}
    return forms
