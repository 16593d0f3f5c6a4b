"""Sentences that say what a thing is: 'The pupil is the small opening in the eye through which light passes.'

A glossary (glossary.py) asks for the term, so its meanings must not give the term away. Here the whole sentence is a
statement, which another term of the same matter turns into a false one (exchanges.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from viva.agents.offline.claims import Claim
from viva.agents.offline.genus import DOING, HAPPENING
from viva.agents.offline.glossary import bare_phrase, is_term, names_person, one_statement
from viva.agents.offline.grammar import FINITE, NOUN, Token, text_of, uncapitalised
from viva.agents.offline.meanings import ARTICLES, genus_of, has_distinct, is_checkable
from viva.agents.offline.words import content_words, roots

_LINKS = (
    ("refers", "to"),
    ("refer", "to"),
    ("is", "defined", "as"),
    ("are", "defined", "as"),
    ("is", "characterized", "by"),
    ("are", "characterized", "by"),
    ("consists", "of"),
    ("involves",),
    ("involve",),
    ("describes",),
    ("occurs", "when"),
    ("happens", "when"),
    ("is",),
    ("are",),
)
"""What stands between a term and what it is; the longer first."""
_COPULAS, _PLURAL = frozenset({"is", "are"}), frozenset({"are", "refer", "involve"})
_LOOSE_LINKS = frozenset({"involves", "involve", "by"})
_NO_GENUS = frozenset({"due", "available"})
_NO_TERM = frozenset(
    "syndrome procedure transport comparison prevention mechanism disease disorder condition stage measure number"
    " majority purpose goal role use effect surgery treatment hormone organ test".split()
)
"""Nouns that name nothing alone, nor with an adjective: 'the exact mechanism', 'the surgical procedure'."""
_FEWEST, _MOST = 5, 26
"""Words of a meaning."""
_LONGEST = 140
"""Characters of subject and meaning: another, longer term must fit in as well."""
_SHORT = re.compile(r"[A-Z]{2,3}s?")
"""'OI', which stands for several things, and says nothing to who has not read where it is spelt out."""
_ROOT = 4
"""Letters by which a form of the term is known in its meaning: 'controllability' is what 'can be controlled'."""
_HELD = 6
"""Letters of a word that a longer one holds by no chance: 'psychosocial' is of what is social."""
_DANGLES = re.compile(
    r"\bthe (?:trauma|event|situation|person|patient|user|attack|problem|injury|procedure|condition)$"
)
"""'before the trauma': before which one, a sentence before says."""
_TELLING = 4
"""Content words that say what of its kind it is."""
_REMARKS = re.compile(
    r"_|\bf[fil]{1,2} [a-z]{3,}"
    r"|\byour?\b"
    r"|\b(?:may|might|should|often|sometimes|part|common|rare|such as|like|similar|different|especially|includ\w+"
    r"|example|known|called|important|major|main|first|second|third|last|now|new|recent|study|studies|research\w*"
    r"|some|further|invaluable|active project|found|relatively|proportion|product of|by definition|strong)\b"
    r"|\bwhen [a-z]+$",
    re.IGNORECASE,
)
"""What other things may be as well, or what is a remark rather than a meaning."""


@dataclass(frozen=True)
class Identity:
    """What a sentence says that `subject` (with its article) is; `opening` and `rest` are the words around it."""

    subject: str
    opening: str
    rest: str
    meaning: str
    term: str
    """the subject without its article"""
    genus: str
    """the noun that the meaning opens with, or `DOING`, or `HAPPENING`"""
    plural: bool
    shared: frozenset[str]
    """roots of the term that the sentence repeats"""
    can_be_said: bool
    """whether the sentence is short, whole and sure enough to be a statement of an exam"""
    loosely: bool = False
    """whether it says what belongs to the thing, 'involves awareness', rather than what it is"""

    @property
    def text(self) -> str:
        """The statement."""
        return self.said_of(self)

    def said_of(self, other: Identity) -> str:
        """The statement with the other's subject in place of its own."""
        said = f"{self.opening}{other.subject}{self.rest}"
        named = any(letter.isupper() for letter in said.split(maxsplit=1)[0])  # 'gRPC'
        return said if named else said[:1].upper() + said[1:]


@dataclass(frozen=True)
class Named:
    """A claim that says what a term is."""

    claim: Claim
    identity: Identity


def identity_in(text: str, tokens: Sequence[Token], unique: frozenset[str]) -> Identity | None:
    """What a statement says its subject is, or None where it says no such thing plainly. English only.

    `unique`: nouns of which the document knows but one, so that 'the' says which.
    """
    if not text.endswith("."):
        return None
    body = list(one_statement(tokens))
    verb = next((n for n, t in enumerate(body[:8]) if t.tag in FINITE), None)
    link = _link_at(body, verb) if verb else ()
    if not verb or not link:
        return None
    subject, meaning = body[:verb], body[verb + len(link) :]
    noun, article = bare_phrase(subject)
    if not noun or not is_term(noun, "" if _is_the_only(noun, article, unique) else article):
        return None
    genus = _genus(link, meaning) if len(meaning) >= _FEWEST else None
    words, term = text_of(text, meaning), text_of(text, noun)
    if (noun[0].tag == "VVG" and len(noun) > 1) or is_general(noun):
        return None  # 'supporting treatment', 'a syndrome'
    if genus is None or not re.match(r"[A-Za-z]", term) or _SHORT.fullmatch(term) or names_person(term, genus):
        return None
    subject_text = uncapitalised(text, subject)
    short = len(meaning) <= _MOST and len(subject_text) + len(words) <= _LONGEST
    sure = not _REMARKS.search(words) and is_checkable(meaning) and has_distinct(words, _TELLING)
    sure = sure and not _DANGLES.search(words)
    if article == "the" and len(noun) == 1 and link[-1] in _LOOSE_LINKS:
        sure = False  # 'the pigmentation involves the trunk': of which disease, the document says elsewhere
    return Identity(
        subject=subject_text,
        opening="",
        rest=f" {' '.join(link)} {words}.",
        meaning=words,
        term=term,
        genus=genus,
        plural=link[0] in _PLURAL,
        shared=repeated(term, words),
        can_be_said=short and sure,
        loosely=link[-1] in _LOOSE_LINKS,
    )


def is_general(noun: Sequence[Token]) -> bool:
    """Whether it is a noun that names nothing by itself, with adjectives that say when or how at most."""
    if noun[-1].lemma.lower() not in _NO_TERM:
        return False
    return len(noun) == 1 or noun[0].text.lower() in {"exact", "surgical", "different", "medical", "main", "genetic"}


def repeated(term: str, words: str) -> frozenset[str]:
    """The roots of a term that words repeat, alone or in a longer word: 'urinalysis' is of 'urine'."""
    said = content_words(words)
    held = {word for word in said if len(word) >= _HELD}
    return frozenset(
        root
        for part in content_words(term)
        for root in roots(part)
        if any(root[:_ROOT] in word for word in said) or any(word in part for word in held)
    )


def _link_at(tokens: Sequence[Token], at: int) -> tuple[str, ...]:
    after = [t.text for t in tokens[at : at + 3]]
    return next((link for link in _LINKS if tuple(after[: len(link)]) == link), ())


def _is_the_only(noun: Sequence[Token], article: str, unique: frozenset[str]) -> bool:
    """'The pupil', in a text that knows one pupil."""
    return article == "the" and len(noun) == 1 and noun[0].lemma.lower() in unique


def _genus(link: tuple[str, ...], meaning: Sequence[Token]) -> str | None:
    """The noun that sorts the thing; None where the words after the link are none that say what it is."""
    if link[-1] == "when":
        return HAPPENING
    plainly = link[0] in _COPULAS and len(link) == 1
    first = meaning[0]
    if first.tag == "VVG":
        return None if plainly else DOING
    if first.text.lower() not in ARTICLES and first.tag not in NOUN | {"AJ0", "DPS"}:
        return None
    if len(meaning) > 1 and meaning[1].tag in {"AJS", "ORD", "CRD"}:
        return None
    genus = genus_of(meaning)
    if plainly or genus is not None:
        return genus if genus not in _NO_GENUS else None
    return next((t.lemma.lower() for t in meaning if t.tag in NOUN), None)
