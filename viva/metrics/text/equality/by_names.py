"""Equality by names: spellings, abbreviations, a name with another word in it."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from viva.core.text.overlap import normalised_tokens
from viva.core.text.words import content_words
from viva.metrics.text.equality.members import asks_for_several
from viva.metrics.text.equality.outcomes import SHORT, UNDECIDED, Equality, EqualityDecision
from viva.metrics.text.equality.quantities import Code
from viva.metrics.text.equality.values import values

_ACRONYM = re.compile(r"(?<![\w-])[A-Z][A-Z&]{1,6}s?(?![\w-])")
_CAPITALISED = re.compile(
    r"(?<!\w)[A-Z][\w'-]*(?:\s+(?:of|for|the|and|on|in|de|du|der|des|für|y)\s+[A-Z][\w'-]*|\s+[A-Z][\w'-]*)+"
)
_BRITISH = re.compile(r"(?:is|iz)(?=(?:e[sd]?|ing|ation|ations)$)|ou(?=r)")
_SAME_WORD = 0.75
"""Likeness of letters from which two words are one, written otherwise: Jnr and Jr, Truman and Trueman."""


def decide_by_names(question: str, statement: str, reference: str, _: str) -> EqualityDecision:
    """Decide by acronyms, by the parts of a name, and by a name with another word in it."""
    if any(isinstance(reading, Code) for value in values(reference) for reading in value.readings):
        return UNDECIDED
    asked = frozenset(content_words(question))
    mine, theirs = (
        [name for name in _names(text) if not frozenset(content_words(name)) <= asked]
        for text in (statement, reference)
    )
    for names, other in ((theirs, statement), (mine, reference)):
        for acronym in _ACRONYM.findall(other):
            if acronym not in question and any(_initials(name) == acronym.rstrip("s") for name in names):
                return EqualityDecision(Equality.RIGHT, f"“{acronym}” is an abbreviation of it")
    alone = re.fullmatch(rf"\W*(?:the\s+)?({_ACRONYM.pattern})\W*", statement)
    others = [name for name in _ACRONYM.findall(reference) if name not in question]
    if alone and alone[1] not in others and (others or theirs):
        return EqualityDecision(Equality.WRONG, "it is another abbreviation")
    if len(statement.split()) > SHORT or not theirs or asks_for_several(question):
        return UNDECIDED
    own = _spelt(statement)
    for name in theirs:
        whole = _spelt(name)
        if own and whole[-1] == own[-1] and set(own) <= {*whole, *_TITLES}:
            return EqualityDecision(Equality.RIGHT, "it is the name")
        whole = _untitled(whole)
        if len(whole) >= 2 and any(_other_name(whole, _untitled(_spelt(each))) for each in mine):
            return EqualityDecision(Equality.WRONG, "it is another name")
    return UNDECIDED


_TITLES = frozenset("dr mr mrs ms miss prof professor sir dame capt captain herr frau m mme señor señora".split())


def _spelt(text: str) -> list[str]:
    """Split into content words with one spelling for British and American English."""
    return [_BRITISH.sub("", word) for word in content_words(text)]


def _untitled(words: list[str]) -> list[str]:
    return [word for word in words if word not in _TITLES]


def _names(text: str) -> list[str]:
    """Find the names of two words and more, without an article that begins a sentence."""
    return [re.sub(r"^(?:The|A|An|Die|Der|Das|Le|La|Les|El|Los)\s+", "", name) for name in _CAPITALISED.findall(text)]


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split() if word[0].isupper())


def _other_name(whole: list[str], other: list[str]) -> bool:
    shared = set(whole) & set(other)
    mine, theirs = set(whole) - shared, set(other) - shared
    is_misspelt = any(alike(one, two) for one in mine for two in theirs)
    return bool(shared and mine and theirs) and not is_misspelt and len(other) >= 2


def alike(one: str, other: str) -> bool:
    """Tell whether two words are one in two spellings, by their letters."""
    # in an order of their own: the matcher's ratio depends on which text comes first
    first, second = sorted((one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= _SAME_WORD


def spelling_tokens(text: str) -> list[str]:
    """Split into tokens with one spelling for British and American English; the signs of "C++" stay."""
    text = re.sub(r"(?<=\d)[.,:/](?=\d)", "point", text)
    kept = re.sub(
        r"(?<=\w)[#+]+|(?<![\w\s])-(?=\d)|(?<!\w)-(?=\d)", lambda m: "".join(f"sign{ord(c)}" for c in m.group()), text
    )
    return [_BRITISH.sub("", token) for token in normalised_tokens(kept)]
