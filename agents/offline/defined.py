"""Wrong options for 'What is the term for ...?': other terms that the corpus defines, of the key's sort."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from viva.agents.offline.bank import Bank, Defined
from viva.agents.offline.genus import HAPPENING, QUOTED, is_broad, sort_of
from viva.agents.offline.grammar import capitalised
from viva.agents.offline.pool import Wrong
from viva.agents.offline.words import roots
from viva.core.records import Draft
from viva.llm.embeddings import Embedder, Vectors

_SAME = 0.7
"""Cosine from which on two definitions may be of one thing, or of a thing and its kind."""
_SAME_DOCUMENT = 0.2
"""What it adds that both are defined in one document."""
_CODED = re.compile(r"[A-Z]+-?\d")
"""'OAT-015 Denial of Inventory': among labels without a number it is seen to be of another kind."""
_NEAREST, _ONE_MATTER = 0.4, 0.5
"""Least nearness of two definitions of a narrow and of a broad sort: terms of another matter are no one's answer."""


@dataclass(frozen=True)
class DefinedTerms:
    """The glossary of a corpus as a source of wrong options."""

    bank: Bank
    embedder: Embedder

    @cached_property
    def _vectors(self) -> Vectors:
        return self.embedder.embed([entry.definition.meaning for entry in self.bank.defined])

    def gather(self, draft: Draft, most: int) -> list[Wrong]:
        """At most so many wrong options, the likeliest first; none where the key is not in the glossary."""
        at = self._entry(draft)
        if at is None:
            return []
        nearness = np.round(self._vectors @ self._vectors[at], 4)
        key = self.bank.defined[at]
        best: dict[str, tuple[float, Defined]] = {}
        barred = {key.definition.term.lower()}
        for near, entry in zip(nearness.tolist(), self.bank.defined, strict=True):
            name = entry.definition.term.lower()
            if near >= _SAME:
                barred.add(name)
            elif _is_kin(entry, key, near) and _may_stand(entry, key):
                score = near + _SAME_DOCUMENT * (entry.document_id == key.document_id)
                if score > best.get(name, (-1.0, entry))[0]:
                    best[name] = (round(score, 4), entry)
        ranked = sorted(best.items(), key=lambda one: (-one[1][0], one[0]))
        distinct: dict[frozenset[str], Wrong] = {}
        for name, (score, entry) in ranked:
            if name not in barred:
                distinct.setdefault(frozenset(roots(name)), self._told(entry, score))
        return list(distinct.values())[:most]

    def _entry(self, draft: Draft) -> int | None:
        """Where in the glossary the draft's own definition stands."""
        found = (
            n
            for n, entry in enumerate(self.bank.defined)
            if entry.document_id == draft.unit.evidence.document_id
            and capitalised(entry.definition.term) == draft.key
            and entry.definition.stem.lower() in draft.stem.lower()
        )
        return next(found, None)

    def _told(self, entry: Defined, score: float) -> Wrong:
        """The term with what the corpus says it is."""
        title = self.bank.titles.get(entry.document_id, "")
        what = entry.definition
        words = f"“{what.meaning}”" if what.genus == QUOTED else what.meaning
        reason = f"It is {'when ' if what.genus == HAPPENING else ''}{words} (“{title}”)."
        return Wrong(capitalised(what.term), reason, "takes one term for another", score, sort=what.genus)


def _is_kin(entry: Defined, key: Defined, near: float) -> bool:
    """Whether both are entries of one list, or terms of prose of one number and sort, of one matter if need be."""
    if key.place is not None or entry.place is not None:
        coded = _CODED.match(entry.definition.term) is not None, _CODED.match(key.definition.term) is not None
        return (entry.document_id, entry.place) == (key.document_id, key.place) and coded[0] is coded[1]
    sort = sort_of(key.definition.genus)
    if entry.definition.plural != key.definition.plural:
        return False
    if sort_of(entry.definition.genus) != sort:
        return False
    return near >= (_ONE_MATTER if is_broad(sort) else _NEAREST)


def _may_stand(entry: Defined, key: Defined) -> bool:
    """Whether a term is neither a kind of it nor what it is a kind of."""
    one, other = key.definition, entry.definition
    mine, theirs = roots(one.term), roots(other.term)
    if not theirs or mine <= theirs or theirs <= mine:
        return False
    # what the definition speaks of is not what it defines; a kind is defined by what it is a kind of
    return theirs.isdisjoint(roots(one.meaning)) and mine.isdisjoint(roots(other.meaning))
