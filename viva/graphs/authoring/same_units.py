"""Knowledge units that state one fact: told by their words and where they stand, before a question is written.

What is merged is lost, what is not merged costs a few requests more, and its questions are compared again
(graphs/assembly/deduplication.py). So two units are one only where no word that could tell them apart is left: "the x
field is 4 bytes" and "the y field is 4 bytes" have a cosine of 0.9 and more, and so have "opens" and "closes". An
embedding is asked only about what differs in the order and the small words alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from viva.core.records import Document, KnowledgeUnit
from viva.graphs.assembly.deduplication import Embed, overlap_by_half
from viva.metrics.text.cosines import cosines

SAME_COSINE = 0.9
"""From which two statements of the same words, in another order, state the same."""
_CELL = 500
"""Characters of a document in which evidence is looked up together."""
# operators tell facts of code apart; a dash and what closes a sentence do not
_TOKEN = re.compile(r"['’]s\b|\w+(?:(?!['’]s\b)[.,:'’_-]\w+)*[+#]*|!=+|[^\w\s.,;:?!()\[\]{}\"'“”‘’„«»`…–—]+")
_LEAST = 2
"""Words that two statements of one stretch must share."""
_ARTICLES = {"a", "an", "the"}
_BE = {"is": "be", "are": "be"}
_SMALL = {"of", "'s", "’s", "its", "it", "that", "which", "this", "these", "those", "also"}
_LEADS = {"after", "at", "before", "by", "during", "for", "from", "if", "in", "on", "since", "to", "under", "until"}
_LEADS |= {"when", "with", "within", "without"}


def same_facts(
    known: Sequence[KnowledgeUnit], new: Sequence[KnowledgeUnit], documents: Mapping[str, Document], embed: Embed
) -> dict[int, KnowledgeUnit]:
    """By their place, those of `new` that state what a unit before them states: one of `known`, or of `new`.

    Units without evidence are compared with none. What a unit repeats is a unit that is kept. `documents`, by
    id, give their titles.
    """
    facts = [_Fact(unit, documents) for unit in (*known, *new)]
    first = _first_of_wording(facts)
    alike: dict[int, list[int]] = {}
    for one, other in _alike([(n, fact) for n, fact in enumerate(facts) if first[n] == n and fact.stands], embed):
        alike.setdefault(other, []).append(one)
    kept_as = list(range(len(facts)))
    for n in range(len(known), len(facts)):
        before = [first[n]] if first[n] < n else sorted(one for one in alike.get(n, ()) if kept_as[one] == one)
        kept_as[n] = kept_as[before[0]] if before else n
    return {n - len(known): facts[of].unit for n, of in enumerate(kept_as) if of != n}


class _Fact:
    """A unit as it is compared."""

    def __init__(self, unit: KnowledgeUnit, documents: Mapping[str, Document]) -> None:
        self.unit = unit
        self._documents = documents
        self.stands = bool(unit.evidence.quote)
        """whether its evidence was found"""
        self.words = _words(unit.statement)
        self.content = tuple(word for word in self.words if word not in _SMALL)
        self.spans = sorted(unit.spans, key=lambda span: (span.document_id, span.start))

    @cached_property
    def title(self) -> frozenset[str]:
        """The words of its documents' titles."""
        documents = (self._documents.get(span.document_id) for span in self.spans)
        return frozenset(word for each in documents for word in _words(each.title if each else ""))

    @property
    def cells(self) -> Iterator[tuple[str, int]]:
        """Where in its document its first evidence stands."""
        span = self.spans[0]
        return ((span.document_id, cell) for cell in range(span.start // _CELL, span.end // _CELL + 1))


def _words(text: str) -> tuple[str, ...]:
    """Words and operators in order, without articles; what is written in capitals stays so."""
    found: list[str] = _TOKEN.findall(text)
    words = []
    for place, word in enumerate(found):
        # a single capital is a name, but for the article that begins a sentence; “A is 4 bytes long” is about A
        named = word.isupper() and (place > 0 or word != "A" or found[1:2] in (["is"], ["are"], ["has"]))
        lower = word.lower()
        kept = word if named or word[1:] != lower[1:] else lower
        if kept not in _ARTICLES:
            words.append(_BE.get(kept, kept))
    return tuple(words) or (text,)


def _first_of_wording(facts: Sequence[_Fact]) -> list[int]:
    """Of each fact the place of the first in the same words, its own where it is the first."""
    seen: dict[tuple[str, ...], int] = {}
    return [seen.setdefault(fact.words, n) if fact.stands else n for n, fact in enumerate(facts)]


def _alike(facts: Iterable[tuple[int, _Fact]], embed: Embed) -> Iterator[tuple[int, int]]:
    """Pairs of places, the earlier first, of facts in different words that state the same."""
    in_cell: dict[tuple[str, int], list[tuple[int, _Fact]]] = {}
    of_content: dict[tuple[str, ...], list[tuple[int, _Fact]]] = {}
    undecided: list[tuple[int, _Fact, int, _Fact]] = []
    for n, fact in facts:
        beside = {m: other for cell in fact.cells for m, other in in_cell.get(cell, ())}
        yield from ((m, n) for m, other in beside.items() if _same_evidence(other, fact))
        bucket = of_content.setdefault(tuple(sorted(fact.content)), [])
        for m, other in bucket:
            if _one_phrase_moved(other, fact, other.content, fact.content):
                undecided.append((m, other, n, fact))
        bucket.append((n, fact))
        for cell in fact.cells:
            in_cell.setdefault(cell, []).append((n, fact))
    if undecided:
        statements = dict.fromkeys(fact.unit.statement for _, one, _, other in undecided for fact in (one, other))
        vector = dict(zip(statements, embed(list(statements)), strict=True))
        for m, one, n, other in undecided:
            if cosines(vector[one.unit.statement], vector[other.unit.statement]) >= SAME_COSINE:
                yield m, n


def _same_evidence(one: _Fact, other: _Fact) -> bool:
    """Whether both have overlapping evidence and the same words, but for those of the title that one leaves out.

    No other word may be added: "incapable of", "something other than".
    """
    if not overlap_by_half(one.spans, other.spans):
        return False
    fewer, more = sorted((_without_be(one), _without_be(other)), key=len)
    both = set(fewer)
    if not set(more) - both <= one.title or len(fewer) < _LEAST:
        return False
    return _one_phrase_moved(one, other, fewer, tuple(word for word in more if word in both))


def _without_be(fact: _Fact) -> tuple[str, ...]:
    return tuple(word for word in fact.content if word != "be")


def _one_phrase_moved(one: _Fact, other: _Fact, mine: tuple[str, ...], yours: tuple[str, ...]) -> bool:
    """Whether two statements have these of their words in one order, or differ in where one phrase stands."""
    if mine == yours:
        return True
    blocks = _moved(mine, yours)
    if blocks is None:
        return False
    # “group user” is no “user group”: a phrase that moves has a word that leads it, or loses or gains one
    led = any(block[0] in _LEADS for block in blocks)
    small = [Counter(word for word in fact.words if word in _SMALL) for fact in (one, other)]
    return led or small[0] != small[1]


def _moved(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The two neighbouring phrases of `one` that `other` has in the other order; None where that is not all."""
    if len(one) != len(other) or one == other:
        return None
    differ = [n for n, (mine, yours) in enumerate(zip(one, other, strict=True)) if mine != yours]
    mine, yours = one[differ[0] : differ[-1] + 1], other[differ[0] : differ[-1] + 1]
    cuts = (cut for cut in range(1, len(mine)) if mine[cut:] + mine[:cut] == yours)
    cut = next(cuts, None)
    return None if cut is None else (mine[:cut], mine[cut:])
