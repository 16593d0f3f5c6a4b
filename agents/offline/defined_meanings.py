"""Wrong options for 'What is ...?': what the corpus says that other terms are.

A name like "Sandhoff disease" tells nothing of what it names, so that of four meanings of one class each may be
its own; of four names beside one meaning most are seen to be wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from viva.agents.offline.bank import Bank, Defined
from viva.agents.offline.defined import DefinedTerms
from viva.agents.offline.genus import CLASSED, class_seen
from viva.agents.offline.grammar import capitalised
from viva.agents.offline.meanings import gives_away
from viva.agents.offline.mentions import EVERYDAY
from viva.agents.offline.pool import Wrong
from viva.agents.offline.words import roots
from viva.core.records import Draft

_NEAR, _SAME = 0.38, 0.58
"""Cosines of two meanings between which they are of one matter, and not nearly the same."""
_LONGEST = 170
"""Characters of a meaning that can be read beside three others."""
_EVEN = 2.0
"""Times that a meaning may be as long as another beside it."""
_OF_SEVERAL = re.compile(r"\bone of an? (?:\w+ )?group\b|^(?:an? )?(?:\w+ )?group of\b")
"""'One of a group of disorders called dyskinesias': what it says, it says of others as well."""


@dataclass(frozen=True)
class DefinedMeanings:
    """What the terms of a corpus mean, as a source of wrong options."""

    bank: Bank
    terms: DefinedTerms

    def gather(self, draft: Draft, most: int) -> list[Wrong]:
        """At most so many wrong options, the likeliest first; none for what is no term of the glossary."""
        at = next((n for n, entry in enumerate(self.bank.defined) if _asks_for(draft, entry)), None)
        return [] if at is None else self.beside(at)[:most]

    def beside(self, at: int) -> list[Wrong]:
        """The wrong options for the meaning of an entry of the glossary, by its number, the likeliest first."""
        key = self.bank.defined[at]
        if not _can_stand(key) or not self.terms.can_be_asked_for(key):
            return []
        if self.terms.mentions.is_common(key.definition.term, EVERYDAY):
            return []
        nearness = self.terms.nearness(at)
        found: dict[frozenset[str], Wrong] = {}
        for n in np.argsort(-nearness, kind="stable").tolist():
            if not _NEAR <= nearness[n] < _SAME:
                continue
            other = self.bank.defined[n]
            name = _name(other)
            if all(name.isdisjoint(its) for its in found) and _can_stand(other) and self._is_wrong(other, key):
                found[name] = self._told(other, float(nearness[n]))
        return list(found.values())

    def _is_wrong(self, other: Defined, key: Defined) -> bool:
        """Whether what another term means is of the key's class, and the corpus does not say it of the key."""
        mine, theirs = key.definition, other.definition
        if class_seen(mine.genus) != class_seen(theirs.genus) or mine.plural != theirs.plural:
            return False
        if max(len(mine.meaning), len(theirs.meaning)) > _EVEN * min(len(mine.meaning), len(theirs.meaning)):
            return False
        if gives_away(mine.term, theirs.meaning) or not _name(other).isdisjoint(_name(key) | roots(mine.meaning)):
            return False
        told = self.terms.mentions
        return not (
            told.are_one(mine.term, theirs.term)
            or told.tell(mine.term, theirs.meaning, theirs.genus)
            or told.tell_at_length(mine.term, theirs.meaning, theirs.genus)
        )

    def _told(self, other: Defined, near: float) -> Wrong:
        """The meaning, with the term it is of."""
        what, title = other.definition, self.bank.titles.get(other.document_id, "")
        reason = f"The documents say so of “{what.term}” (“{title}”)."
        return Wrong(capitalised(what.meaning), reason, "takes one term for another", near, sort=what.genus)


def _asks_for(draft: Draft, entry: Defined) -> bool:
    what = entry.definition
    is_its = draft.key == capitalised(what.meaning) and draft.stem == what.question
    return is_its and entry.document_id == draft.unit.evidence.document_id


def _can_stand(entry: Defined) -> bool:
    """Whether prose says in few words what a term of a known class is, which is no class itself."""
    what = entry.definition
    if entry.place is not None or not what.telling or len(what.meaning) > _LONGEST:
        return False
    return class_seen(what.genus) != "" and what.term.lower() not in CLASSED and not _OF_SEVERAL.search(what.meaning)


def _name(entry: Defined) -> frozenset[str]:
    """The roots of a term, apart from the nouns of classes unless it has no others: what shares one may be a kind."""
    term = entry.definition.term
    own = " ".join(word for word in term.split() if word.lower().removesuffix("s") not in CLASSED)
    return frozenset(roots(own) or roots(term))
