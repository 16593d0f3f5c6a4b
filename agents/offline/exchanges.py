"""One term said to be another: 'The cornea is the small opening in the eye through which light passes.'

What a sentence says of its own term is false of another of the same matter, if the other is said to be something
else. The two may be neither the same thing, nor a thing and its kind, nor may the corpus say anywhere of the other
what the sentence says.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from viva.agents.offline.bank import Bank
from viva.agents.offline.claims import Claim
from viva.agents.offline.contrasts import Turned
from viva.agents.offline.embedding import Embed
from viva.agents.offline.genus import CLASSED, HAPPENING, sort_of
from viva.agents.offline.identities import Identity, Named
from viva.agents.offline.mentions import EVERYDAY, Mentions
from viva.agents.offline.words import content_words, roots
from viva.metrics.cosines import Whole, cosines, cosines_of_whole, whole

_OTHERS = 4
"""Exchanges of a claim that are kept: a set needs one that no other statement of it has."""
_LOOKED_AT = 40
_SAME = 0.62
"""Cosine from which on two meanings may be of one thing, or of a thing and its kind."""
_NEAR, _NEAR_OF_ONE_SORT = 0.42, 0.35
"""Least cosine of two terms with what they mean; of another matter, a term would be seen to be wrong."""
_ALIKE = 0.5
"""Least cosine of a noun to one of a class for it to belong there."""
_SAME_DOCUMENT = 0.15
"""What it adds that both are told of in one document."""
_ENDING = re.compile(r"(?<=\w{3})(?:ility|idity|ism|ology|itis|emia|osis|ectomy|oscopy|graphy|pathy)$")
_TELLING = 5
"""Content words of a meaning that set a term apart from others of its name."""
_KINDS = r"\b(?:types|kinds|forms|components|parts|categories|divisions|subdivisions)"


@dataclass
class Exchanges:
    """What the corpus says its terms are, and the terms that could be taken for one another."""

    bank: Bank
    named: Sequence[Named]
    embed: Embed

    def claims(self) -> Iterator[Claim]:
        """The claims with their exchanges, the likeliest to be believed first; without, a claim can be a key only."""
        for at, named in enumerate(self.named):
            if not named.identity.can_be_said:
                continue
            term = named.identity.term
            turned = () if self._mentions.is_common(term) else tuple(self._exchanged(at))
            tells = bool(named.identity.shared) or self._mentions.is_common(term, EVERYDAY)
            if turned or not tells:
                yield replace(named.claim, turned=turned, repeats_its_term=tells)

    @cached_property
    def _mentions(self) -> Mentions:
        return Mentions(self.bank)

    @cached_property
    def _rows(self) -> tuple[Whole, Whole]:
        """Of terms with their meanings, and of meanings alone; each (n, d). No (n, n): it would outgrow memory."""
        claims = self.embed([named.claim.text for named in self.named])
        return whole(claims), whole(self.embed([named.identity.meaning for named in self.named]))

    @cached_property
    def _documents(self) -> NDArray[np.str_]:
        return np.array([named.claim.document_id for named in self.named])

    @cached_property
    def _classes(self) -> dict[str, str]:
        """The class of each noun that things are sorted under; one in no list joins the nearest that is."""
        known = sorted(CLASSED)
        others = sorted({named.identity.genus for named in self.named} - CLASSED.keys())
        found = {**CLASSED, **{noun: noun for noun in others}}
        if others:
            for noun, row in zip(others, cosines(self.embed(others), self.embed(known)), strict=True):
                if float(row.max()) >= _ALIKE:
                    found[noun] = CLASSED[known[int(row.argmax())]]
        return found

    @cached_property
    def _by_term(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for n, named in enumerate(self.named):
            found[_key(named.identity.term)].append(n)
        return found

    def _exchanged(self, at: int) -> Iterator[Turned]:
        own = self.named[at]
        claims, meanings = (cosines_of_whole(rows, rows[at]) for rows in self._rows)
        score = claims + _SAME_DOCUMENT * (self._documents == own.claim.document_id)
        terms: set[str] = set()
        title = self.bank.titles.get(own.claim.document_id, "").lower()
        subject = own.identity.term.lower() in title
        for n in np.argsort(-score, kind="stable")[:_LOOKED_AT].tolist():
            other = self.named[n]
            name = _key(other.identity.term)
            if name in terms or not self._may_stand(own.identity, other.identity, float(claims[n])):
                continue
            if own.claim.document_id not in self._mentions.documents(other.identity.term):
                continue  # of another matter: seen to be foreign
            if self._mentions.is_common(other.identity.term, EVERYDAY):
                continue  # everybody knows what 'diabetes' is
            if subject and roots(own.identity.term) & roots(other.identity.term):
                continue  # what a document is on may have kinds elsewhere: 'mood disorders' are psychological ones
            if max(float(meanings[m]) for m in self._by_term[name]) >= _SAME:
                continue
            of_one_noun = own.identity.term.split()[-1] == other.identity.term.split()[-1]
            if of_one_noun and self._has_kinds(other.identity.term):
                continue  # 'episodic memory' is long-term memory
            if self._mentions.tell(other.identity.term, own.identity.meaning, own.identity.genus):
                continue
            terms.add(name)
            contrast = f"{own.identity.term} / {other.identity.term}"
            yield Turned(own.identity.said_of(other.identity), contrast, other.identity.term)
            if len(terms) == _OTHERS:
                return

    def _has_kinds(self, term: str) -> bool:
        """Whether a sentence divides what a term names into kinds."""
        name = re.escape(term)
        divides = re.compile(rf"{_KINDS} of {name}\b|\b{name} [^.]*\b(?:divided|classified) into\b", re.IGNORECASE)
        return any(divides.search(self.bank.sentences[n]) for n in self._mentions.numbers(term))

    def _may_stand(self, own: Identity, other: Identity, near: float) -> bool:
        """Whether the other is of the same form and matter, and neither a kind of it nor what it is a kind of."""
        if own.plural != other.plural or (own.genus == HAPPENING) != (other.genus == HAPPENING):
            return False
        mine, theirs = roots(own.term), roots(other.term)
        if mine <= theirs or theirs <= mine:
            return False
        apart = mine - theirs
        if not (theirs - mine).isdisjoint(roots(own.meaning)) or not apart.isdisjoint(roots(other.meaning)):
            return False
        if mine & theirs and len(set(content_words(own.meaning))) < _TELLING:
            return False  # 'long-term memory is the continuous storage of information': so is a kind of it
        if not other.can_be_said and other.genus not in CLASSED:
            return False
        if own.loosely and own.term.split()[-1].lower() != other.term.split()[-1].lower():
            return False  # 'hypnosis involves relaxed awareness': so may much else
        if other.loosely and not own.loosely:
            return False  # what 'involves focused awareness' may well be a state of self-focus
        if _is_category(other.term) and not _is_category(own.term):
            return False  # 'psychotropic medications' may be agonists
        if not own.shared <= theirs:
            return False  # 'Command injection is an attack on what constructs LDAP statements'
        if sort_of(own.genus) == sort_of(other.genus):
            return near >= _NEAR_OF_ONE_SORT
        of_one_class = self._classes[own.genus] == self._classes[other.genus]
        return near >= _NEAR and (of_one_class or _of_one_form(own.term, other.term))


def _is_category(term: str) -> bool:
    """Whether a term's noun is one that things are sorted under: 'medications'."""
    noun = term.lower().split()[-1]
    return noun in CLASSED or noun.removesuffix("s") in CLASSED


def _of_one_form(one: str, other: str) -> bool:
    """'Reliability' and 'validity', 'operant conditioning' and 'classical conditioning': of one ending or noun."""
    mine, theirs = one.lower().split()[-1], other.lower().split()[-1]
    ends = _ENDING.search(mine), _ENDING.search(theirs)
    return mine == theirs or bool(ends[0] and ends[1] and ends[0].group() == ends[1].group())


def _key(term: str) -> str:
    return " ".join(sorted(roots(term)))
