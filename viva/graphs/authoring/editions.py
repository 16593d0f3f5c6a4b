"""Facts of editions that are not asked: those that two editions state differently, and repeated ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from viva.core.records import Chunk, KnowledgeUnit, Rejection, Span, Verdict
from viva.core.text.words import content_words
from viva.core.wording import counted
from viva.storage.corpus.editions.finding import Difference, EditionPair
from viva.storage.runs import RunStore

EDITIONS = "editions"
"""The result that holds the pairs of editions among the documents."""
DIFFERS = "differs_between_editions"
REPEATS = "repeats_another_edition"
"""The codes under which units are counted that are not asked about."""
_COVERED = 0.95
"""Share of a chunk in sentences that are not asked about, from which it is not read."""

_SHARED, _ALIKE = 2, 1 / 3
"""Words, and share of the words of either, that a sentence elsewhere has in common with one that differs."""


def editions_of(store: RunStore) -> list[EditionPair]:
    """Read the pairs that were found when the documents were read; none in runs of earlier versions."""
    return [EditionPair.model_validate(each) for each in store.latest_result(EDITIONS) or ()]


@dataclass(frozen=True)
class _Side:
    """A sentence that another edition has in other words."""

    own: Span
    other: Span
    path: str
    """of the other edition"""

    @cached_property
    def words(self) -> tuple[frozenset[str], frozenset[str]]:
        """Content words that only this edition has, and those that both have."""
        own, other = (frozenset(content_words(span.quote)) for span in (self.own, self.other))
        return own - other, own & other

    def is_stated_by(self, words: frozenset[str]) -> bool:
        """Tell whether a sentence of these words states the same of the same, judged by words."""
        value, rest = self.words
        shared = len(rest & words)
        alike = max(shared / max(len(rest), 1), shared / max(len(words - value), 1))
        return value <= words and shared >= _SHARED and alike >= _ALIKE


@dataclass
class EditionMarks:
    """Places of each document that other editions state differently, and that an earlier one has already."""

    differing: dict[str, list[_Side]] = field(default_factory=lambda: defaultdict(list))
    """by document"""
    of_value: dict[str, list[_Side]] = field(default_factory=lambda: defaultdict(list))
    """the same by a word that only this edition has"""
    repeated: dict[str, list[tuple[int, int, str]]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, pairs: Iterable[EditionPair]) -> EditionMarks:
        """Give the marks that pairs of editions leave."""
        made = cls()
        for pair in pairs:
            for each in pair.differences:
                for side in (_Side(each.first, each.second, pair.second), _Side(each.second, each.first, pair.first)):
                    made.differing[side.own.document_id].append(side)
                    if value := side.words[0]:
                        made.of_value[min(value)].append(side)
            for document_id, start, end in pair.repeated:
                made.repeated[document_id].append((start, end, pair.first))
        return made

    def not_asked(self, units: Sequence[KnowledgeUnit]) -> list[Rejection]:
        """Give the rejections of those units that are not to be asked about."""
        found = ((unit, self._verdict(unit)) for unit in units)
        return [Rejection.of(unit, None, verdict) for unit, verdict in found if verdict is not None]

    def covers(self, chunk: Chunk) -> str:
        """Give the code under which a chunk that leaves nothing to ask is passed over; else ''."""
        differing = [(side.own.start, side.own.end) for side in self.differing.get(chunk.document_id, ())]
        repeated = [(start, end) for start, end, _ in self.repeated.get(chunk.document_id, ())]
        inside = sorted((max(a, chunk.start), min(b, chunk.end)) for a, b in chain(differing, repeated))
        covered, reached = 0, chunk.start
        for start, end in inside:
            covered += max(0, end - max(start, reached))
            reached = max(reached, end)
        return REPEATS if repeated and covered >= _COVERED * (chunk.end - chunk.start) else ""

    def _verdict(self, unit: KnowledgeUnit) -> Verdict | None:
        for side in chain.from_iterable(map(self._differing, unit.spans)):
            return _verdict(f"“{_line(side.own)}” is “{_line(side.other)}” in {side.path}.", DIFFERS)
        paths = [path for span in unit.spans[:1] if (path := self._repeated(span))]
        return _verdict(f"The same words are in {paths[0]}.", REPEATS) if paths else None

    def _differing(self, span: Span) -> Iterator[_Side]:
        """Find what differs there, and what it states as one of two editions states it elsewhere."""
        for side in self.differing.get(span.document_id, ()):
            if side.own.start < span.end and span.start < side.own.end:
                yield side
        words = frozenset(content_words(span.quote))
        yield from (
            side for word in sorted(words) for side in self.of_value.get(word, ()) if side.is_stated_by(words)
        )

    def _repeated(self, span: Span) -> str:
        """Give the path of the edition that has both ends of the evidence in the same words; '' where none has."""
        marked = self.repeated.get(span.document_id, ())
        ends = [[p for a, b, p in marked if a <= place < b] for place in (span.start, span.end - 1)]
        return next((path for path in ends[0] if path in ends[1]), "")


def _verdict(reason: str, code: str) -> Verdict:
    return Verdict(critic="edition comparison", passed=False, reason=reason, code=code)


def edition_sentences(pairs: Sequence[EditionPair]) -> tuple[str, list[str]]:
    """Give one sentence about all pairs of editions, and one for each sentence in which two of them differ."""
    if not pairs:
        return "", []
    differing = [(pair, each) for pair in pairs for each in pair.differences]
    alone = sum(pair.only_first + pair.only_second for pair in pairs)
    head = (
        f"Editions of one text: {counted(len(pairs), 'pair')} of documents. Sentences that differ: {len(differing)}; "
        f"that are in one of two only: {alone}. What differs is not asked; what is equal is asked once."
    )
    return head, [_difference(pair, each) for pair, each in differing]


def _difference(pair: EditionPair, each: Difference) -> str:
    return f"{pair.first}: “{_line(each.first)}” / {pair.second}: “{_line(each.second)}”"


def _line(span: Span) -> str:
    return " ".join(span.quote.split())
