"""Lists: the members that a reference has, and those that an answer has of them."""

from __future__ import annotations

import re
from functools import lru_cache

from viva.core.text.words import content_words

_BULLET = re.compile(r"(?:^|\n)\s*(?:[-*•▪+]|\d{1,2}[.)]|[a-z][.)])\s+")
_AND = re.compile(
    r"\s*(?:,|;|\n)\s*(?:and |or |und |oder |et |ou |y |o )?|\s+(?:and|und|et|y|as well as|sowie|&|plus)\s+",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s(?:and|und|et|y|as well as|sowie|&|plus)\s", re.IGNORECASE)
"""A list without it is a name with its place: "Bodega Bay, California"."""
_LEAD = re.compile(
    r"^.*\b(?:an?|the|are|is|include|includes|including|needs?|following|sind|ist|sont|son)\b:?\s+",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_SEVERAL = re.compile(
    r"\b(?:which|what|who|welche|quels?|quelles?|cuáles|qué)\b(?:\s+[\w'-]+){0,4}?\s+(?:are|were|do|have|both|two"
    r"|three|four|five|six|seven"
    r"|several|sind|waren|sont|étaient|son|eran)\b"
    r"|\b(?:which|what)\s+(?:\w+\s+){0,2}?(?!was\b|is\b|has\b|does\b|this\b|its\b|his\b)[a-z]+[^s\W]s\s+(?:must"
    r"|may|can|should|will|would|need|make|did|could|might)\b"
    r"|\b(?:in (?:which|what) order|which order)\b|^\W*(?:name|list|nenne|enumera)\b",
    re.IGNORECASE,
)
_ASKS_DEED = re.compile(
    r"\bwhat\s+(?:did|does|do|will|would|must|should|shall|can|could|may|might|is|are|was|were|has|have|had)\b[^?]*\s"
    r"(?:do|done|doing|happen(?:ed|s|ing)?)\b",
    re.IGNORECASE,
)
"""Clauses answer what somebody does, and are no list of things."""
_ORDER = re.compile(
    r"\b(?:order|sequence|sequentially|in turn|steps?|first .* then|ranked|ranking|reihenfolge|ordre|orden"
    r"|chronolog\w+)\b",
    re.IGNORECASE,
)
_BARE_MEMBER = 3
"""Words of the members of a list without an "and"."""
_LONGEST_MEMBER = 8
"""Words of a member; longer ones are clauses, which lists of things are not made of."""


@lru_cache(maxsize=2048)
def members(text: str) -> tuple[frozenset[str], ...]:
    """The stems of each member of a list in a text; () of a text that is none."""
    text = text.strip().rstrip(".")
    if len(_BULLET.findall(text)) >= 2:
        parts = [part for part in _BULLET.split(text)[1:] if part.strip()]
    else:
        sentence = max(re.split(r"(?<=[.!?])\s+", text), key=lambda each: len(_AND.findall(each)))
        parts = _AND.split(sentence)
        parts[0] = _LEAD.sub("", parts[0].rpartition(": ")[2])
        is_bare = len(parts) > 2 and all(len(part.split()) <= _BARE_MEMBER for part in parts)
        if len(parts) < 2 or not (is_bare or _JOINED.search(sentence)):
            return ()
    if any(len(part.split()) > _LONGEST_MEMBER for part in parts):
        return ()
    found = tuple(frozenset(content_words(part)) for part in parts)
    return found if all(found) else ()


def asks_for_several(question: str) -> bool:
    """Tell whether a question asks for more than one thing."""
    return bool(_ASKS_SEVERAL.search(question)) and not _ASKS_DEED.search(question)


def asks_for_order(question: str) -> bool:
    """Tell whether the order of what is listed is part of the answer."""
    return bool(_ORDER.search(question))


def first_places(wanted: tuple[frozenset[str], ...], answer: str) -> list[int | None]:
    """Find the first place of each wanted member among the words of an answer; None for a missing one."""
    words = content_words(answer)
    found = list[int | None]()
    for member in wanted:
        held = [words.index(stem) if stem in words else None for stem in sorted(member)]
        missing = sum(place is None for place in held)
        seen = [place for place in held if place is not None]
        found.append(min(seen) if seen and missing * 2 < len(held) else None)
    return found


def count_strangers(answer: str, known: frozenset[str]) -> int:
    """Count the members of an answer that is a list which share no word with what is known."""
    return sum(not (member & known) for member in members(answer))
