"""Wrong options for 'What is the term for ...?': other terms of the corpus that could be taken for the key.

First those it defines that are of the key's sort; of prose also those of the same noun, whether it defines them or
not, and those it says something of that are of the same class and near in name and meaning.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from viva.agents.offline.bank import Bank, Defined
from viva.agents.offline.compounds import Compounds
from viva.agents.offline.embedding import Embed, remembered
from viva.agents.offline.genus import CLASSED, HAPPENING, QUOTED, class_seen, is_broad, sort_of
from viva.agents.offline.glossary import Definition
from viva.agents.offline.grammar import capitalised
from viva.agents.offline.identities import Identity, Named
from viva.agents.offline.likeness import is_plural
from viva.agents.offline.mentions import Mentions
from viva.agents.offline.pool import Wrong
from viva.agents.offline.spelling import Spelling
from viva.agents.offline.words import roots
from viva.core.records import Draft
from viva.metrics.cosines import Whole, cosine, cosines, cosines_of_whole, whole

_SAME = 0.7
"""Cosine from which on two definitions may be of one thing, or of a thing and its kind."""
_SAME_DOCUMENT = 0.2
"""What it adds that both are defined in one document."""
_CODED = re.compile(r"[A-Z]+-?\d")
"""'OAT-015 Denial of Inventory': among labels without a number it is seen to be of another kind."""
_NEAREST, _ONE_MATTER, _OF_A_CLASS = 0.4, 0.5, 0.45
"""Least nearness of two definitions of a narrow and of a broad sort, and of one class or list: terms of another
matter are no one's answer."""
_INITIALS = re.compile(r"[A-Z]{2,5}s?")
"""'RNC': what it stands for, another sentence says."""
_MISTAKE = "takes one term for another"
_ONE_NAME = 0.85
"""Cosine from which on two names of one noun may be of one thing: 'urge incontinence', 'urgency incontinence'."""
_APART = 0.65
"""Cosine from which on what is said of two terms may be so of both."""
_AKIN, _MANY = 0.2, 25
"""Least nearness of terms of a noun that has fewer than so many: they are taken for one another by their names."""
_DOUBTS = 3
"""Terms whose documents say much of a meaning, from which on it is the key's alone no more."""
_LIKELIEST = 8
"""Terms of prose that stand beside one, of which a set is chosen."""


@dataclass(frozen=True)
class DefinedTerms:
    """The terms of a corpus as a source of wrong options."""

    bank: Bank
    embed: Embed

    @cached_property
    def mentions(self) -> Mentions:
        """Where the corpus names its terms."""
        return Mentions(self.bank)

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self.bank)

    @cached_property
    def _compounds(self) -> Compounds:
        return Compounds(self.mentions)

    @cached_property
    def _rows_of(self) -> Embed:
        return remembered(self.embed)

    @cached_property
    def _vectors(self) -> Whole:
        return whole(self.embed([entry.definition.meaning for entry in self.bank.defined]))

    @cached_property
    def _told_of(self) -> Whole:
        """Of what is said of the named terms, (n, d)."""
        return whole(self.embed([named.identity.meaning for named in self.bank.named]))

    def nearness(self, at: int) -> NDArray[np.float64]:
        """The cosines of all definitions to that of this number, (n,)."""
        return cosines_of_whole(self._vectors, self._vectors[at])

    def gather(self, draft: Draft, most: int) -> list[Wrong]:
        """At most so many wrong options, the likeliest first; none where the key is not in the glossary."""
        at = self._entry(draft)
        return [] if at is None else self.beside(at)[:most]

    def beside(self, at: int) -> list[Wrong]:
        """The wrong options for an entry of the glossary, by its number, the likeliest first.

        None for a term of prose that everybody knows, or is misspelt, nor where its meaning fits several terms.
        """
        key = self.bank.defined[at]
        if key.place is None and not self.can_be_asked_for(key):
            return []
        nearness = self.nearness(at)
        same = {self.bank.defined[n].definition.term.lower() for n in np.flatnonzero(nearness >= _SAME).tolist()}
        found = list(self._kin(key, nearness))
        doubtful: set[str] = set()
        if key.place is None:
            of_prose = [*self._of_its_noun(key), *self._of_its_class(key), *self._of_its_list(key)]
            doubtful = {wrong.text for wrong in of_prose if self._may_be_told(wrong.text, key)}
            if len(doubtful) >= _DOUBTS:
                return []
            found = sorted([*found, *of_prose], key=lambda wrong: -wrong.kin)
        distinct: dict[frozenset[str], Wrong] = {}
        for wrong in found:
            shown = (key.definition.term, *(other.text for other in distinct.values()))
            spelt_so = any(_is_spelling_of(wrong.text, term) for term in shown)
            if spelt_so or self._spelling.is_doubtful(wrong.text):
                continue
            if key.place is None and is_plural(wrong.text) != is_plural(key.definition.term):
                continue  # 'gastroenteritis' was taken for a plural
            if wrong.text not in doubtful and wrong.text.lower() not in same:
                distinct.setdefault(frozenset(roots(wrong.text)), wrong)
        return list(distinct.values())[: None if key.place is not None else _LIKELIEST]

    def _kin(self, key: Defined, nearness: NDArray[np.float64]) -> Iterator[Wrong]:
        """Terms defined as of the key's sort, each by the definition that stands nearest."""
        best: dict[str, tuple[float, Defined]] = {}
        for near, entry in zip(nearness.tolist(), self.bank.defined, strict=True):
            name = entry.definition.term.lower()
            if near < _SAME and _is_kin(entry, key, near) and _may_stand(entry.definition, key):
                score = near + _SAME_DOCUMENT * (entry.document_id == key.document_id)
                if score > best.get(name, (-1.0, entry))[0]:
                    best[name] = (round(score, 4), entry)
        for _, (score, entry) in sorted(best.items(), key=lambda one: (-one[1][0], one[0])):
            yield self._told(entry, score)

    def _of_its_noun(self, key: Defined) -> Iterator[Wrong]:
        """'Bystander effect' beside 'self-reference effect'."""
        what = key.definition
        shared = what.term.split()[-1]
        compounds = self._compounds.beside(what.term)
        # 'disease' tells as little as no noun
        least = _AKIN if len(compounds) < _MANY else _ONE_MATTER
        for other in compounds:
            title = self.bank.titles.get(other.document_id, "")
            told = f"The documents use this term of something else (“{title}”)."
            if self._is_another(other.term, key, shared) and (near := self._near(other.term, key, least)) is not None:
                yield Wrong(capitalised(other.term), told, _MISTAKE, near, sort=what.genus)

    def _of_its_class(self, key: Defined) -> Iterator[Wrong]:
        """'Codeine' and 'methamphetamine' beside 'methadone': of another noun, of one class of what is seen."""
        what = key.definition
        group = class_seen(what.genus)
        if not group:
            return
        meanings = cosines_of_whole(self._told_of, whole(self._rows_of([what.meaning])[0]))
        least = _ONE_MATTER if group == CLASSED["substance"] else _OF_A_CLASS
        for n in np.flatnonzero((meanings >= least) & (meanings < _APART)).tolist():
            other = self.bank.named[n].identity
            if class_seen(other.genus) != group or other.plural != what.plural or not _may_stand(other, key):
                continue
            common = self.mentions.is_common(other.term)  # everybody knows what 'diabetes' is
            if not common and self._is_another(other.term, key) and (near := self._near(other.term, key)) is not None:
                yield self._said(self.bank.named[n], near)

    def _of_its_list(self, key: Defined) -> Iterator[Wrong]:
        """Titles beside a title: where documents are each on a thing that they define, the things are of one list."""
        what = key.definition
        if roots(self.bank.titles.get(key.document_id, "")) != roots(what.term):
            return
        for name, plural in self._subjects:
            if plural != what.plural or self.mentions.is_common(name) or not self._is_another(name, key):
                continue
            if (near := self._near(name, key, _OF_A_CLASS)) is not None:
                yield Wrong(capitalised(name), f"Another document is on it (“{name}”).", _MISTAKE, near)

    def _near(self, name: str, key: Defined, least: float = _NEAREST) -> float | None:
        """How likely a term is taken for the key, by its meanings and its name; None: of other matter, or alike."""
        what = key.definition
        meanings = self._meanings.get(name.lower(), (name,))
        rows = self._rows_of([what.meaning, what.term, name, *meanings])
        to_meaning, to_name = float(cosines(rows[3:], rows[0]).max()), cosine(rows[2], rows[1])
        fits = least <= to_meaning < _APART and to_name < _ONE_NAME
        return round(to_meaning + to_name / 2, 4) if fits else None

    @cached_property
    def _meanings(self) -> dict[str, tuple[str, ...]]:
        """All that the corpus says that a term is, by the term."""
        found: dict[str, list[str]] = defaultdict(list)
        for named in self.bank.named:
            found[named.identity.term.lower()].append(named.identity.meaning)
        for entry in self.bank.defined:
            found[entry.definition.term.lower()].append(entry.definition.meaning)
        return {term: tuple(meanings) for term, meanings in found.items()}

    @cached_property
    def _subjects(self) -> list[tuple[str, bool]]:
        """The terms that are the titles of the documents that say what they are, and whether they are plural."""
        said = [(one.identity.term, one.identity.plural, one.claim.document_id) for one in self.bank.named]
        said += [(one.definition.term, one.definition.plural, one.document_id) for one in self.bank.defined]
        found = {
            term.lower(): (term, plural)
            for term, plural, document_id in said
            if roots(term) == roots(self.bank.titles.get(document_id, ""))
        }
        return [found[name] for name in sorted(found)]

    def can_be_asked_for(self, key: Defined) -> bool:
        """Whether a term of prose is neither known to everybody, nor initials, nor misspelt, as beside a title."""
        term = key.definition.term
        if self.mentions.is_common(term) or _INITIALS.fullmatch(term):
            return False
        others = (title for title in self.bank.titles.values() if title.lower() != term.lower())
        misspelt = self._spelling.is_doubtful(f"{term} {key.definition.meaning}")
        return not misspelt and not any(_is_spelling_of(term, title) for title in others)

    def _is_another(self, name: str, key: Defined, shares: str = "") -> bool:
        """Whether a term is neither a form of the key, nor what it is defined by, nor given as its other name."""
        what = key.definition
        mine, theirs = roots(what.term), roots(name)
        if mine <= theirs or theirs <= mine or not (theirs - roots(shares)).isdisjoint(roots(what.meaning)):
            return False
        return not self.mentions.are_one(what.term, name)

    def _may_be_told(self, name: str, key: Defined) -> bool:
        """Whether the corpus says of a term, in a sentence or in a few, much of what the key is."""
        what, told = key.definition, self.mentions
        return told.tell(name, what.meaning, what.genus) or told.tell_at_length(name, what.meaning, what.genus)

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
        return Wrong(capitalised(what.term), reason, _MISTAKE, score, sort=what.genus)

    def _said(self, other: Named, score: float) -> Wrong:
        """The term with the sentence that says what it is."""
        title = self.bank.titles.get(other.claim.document_id, "")
        reason = f"The documents say of it: “{other.claim.text}” (“{title}”)."
        return Wrong(capitalised(other.identity.term), reason, _MISTAKE, score, sort=other.identity.genus)


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


def _may_stand(other: Definition | Identity, key: Defined) -> bool:
    """Whether a term is neither a kind of it nor what it is a kind of."""
    one = key.definition
    mine, theirs = roots(one.term), roots(other.term)
    if not theirs or mine <= theirs or theirs <= mine:
        return False
    # what the definition speaks of is not what it defines; a kind is defined by what it is a kind of
    return theirs.isdisjoint(roots(one.meaning)) and mine.isdisjoint(roots(other.meaning))


def _is_spelling_of(one: str, other: str) -> bool:
    """'Crohns disease' and "Crohn's disease", 'Issacs' and 'Isaacs': but for marks, and one letter, the same."""
    mine, theirs = (re.sub(r"\W", "", name.lower()) for name in (one, other))
    if len(mine) != len(theirs) or mine[:1] != theirs[:1]:
        return False
    return sum(letter != its for letter, its in zip(mine, theirs, strict=True)) <= 1
