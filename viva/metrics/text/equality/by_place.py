"""Equality by the place of a short reference in an answer: denied, one of two, an owner, in an exchanged pair."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from viva.core.text.words import content_words
from viva.metrics.text.equality.members import asks_for_several
from viva.metrics.text.equality.outcomes import SHORT, UNDECIDED, Equality, EqualityDecision
from viva.metrics.text.equality.polarity import asks_yes_or_no, denials

_ARTICLE = r"(?:the|an?|der|die|das|dem|den|ein(?:e[mnr]?)?|el|los|l[ae]s?|l'|un[ea]?)"
_LEADING = re.compile(rf"^\W*(?:{_ARTICLE}\s+)?", re.IGNORECASE)
_NOT_BEFORE = re.compile(rf"\b(?:not|nicht|non|pas|no)\s+(?:{_ARTICLE}\s+)?$", re.IGNORECASE)
_BUT_AFTER = re.compile(r"^\W*(?:but|sondern|mais|sino)\b|^[,;]\s+\w", re.IGNORECASE)
_OWNED = re.compile(r"^['’]s\s+(?P<owned>[\w-]+(?:\s+[\w-]+)?)\W*$")
_OR_AFTER = re.compile(
    r"^\s+(?:or|oder|ou)\s+(?:else |maybe |perhaps |possibly )?(?P<other>[^.;!?\n,]+)", re.IGNORECASE
)
_OR_BEFORE = re.compile(rf"(?P<other>[^.;!?\n,]+?)\s+(?:or|oder|ou)\s+(?:{_ARTICLE}\s+)?$", re.IGNORECASE)
_AND_AFTER = re.compile(r"^\s+(?:and|und|et|y)\s+(?P<other>[^.;!?\n,]+?)\W*$", re.IGNORECASE)
_AND_BEFORE = re.compile(rf"^\W*(?P<other>[^.;!?\n,]+?)\s+(?:and|und|et|y)\s+(?:{_ARTICLE}\s+)?$", re.IGNORECASE)
_NO_OTHER = re.compile(
    r"\s*(?:so|more|less|fewer|later|earlier|above|over|below|under|higher|lower|equivalent|similar|simply|rather|mehr"
    r"|weniger|plus|moins)\b|[A-Z]{2,}",
)
"""Beginnings of what follows an "or" and names nothing else; an abbreviation is another name of the same."""
_AVOID = re.compile(r"\b(?:avoid|refrain|keep|against|stop|vermeid|évit|evit)\w*", re.IGNORECASE)
_ASKS_ONE = re.compile(
    r"\b(?:which|what|who|whom|welche[mnrs]?|wer|wen|wem|quel(?:le)?|qui|quién|cuál)\b", re.IGNORECASE
)
_PAIR = re.compile(
    r"\s*[,;]\s*(?:(?:and|while|whereas|but|und|et|y)\s+)?|\s+(?:and|while|whereas|und|et|y)\s+", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\W_]+")
_IN_TURN = re.compile(
    r"\b(?:respectively|in that order|beziehungsweise|bzw|respectivement|respectivamente)\b", re.IGNORECASE
)
_LEAST_OF_PAIR = 2
"""Tokens that a half of a pair must have to itself: a thing and its property."""


def decide_by_place(question: str, statement: str, reference: str, context: str) -> EqualityDecision:
    """Decide against an answer that has the words of a reference, and in whose sentence they are not the answer."""
    if asks_yes_or_no(question):
        return UNDECIDED
    if _is_exchanged(statement, reference):
        return EqualityDecision(Equality.WRONG, "it exchanges the members of two pairs")
    wanted = _LEADING.sub("", reference).rstrip(" .")
    found = _phrase(wanted).search(statement) if 0 < len(wanted.split()) <= SHORT else None
    if found is None or denials(reference):
        return UNDECIDED
    before, after = statement[: found.start()], statement[found.end() :]
    if denials(question):
        return _affirmed(question, f"{before} {after}")
    if _NOT_BEFORE.search(before) and _BUT_AFTER.match(after):
        return EqualityDecision(Equality.WRONG, f"it denies “{wanted}”")
    known = frozenset(content_words(f"{question} {reference} {context}"))
    owned = _OWNED.match(after)
    if owned and not _LEADING.sub("", before) and not known.intersection(content_words(owned["owned"])):
        return EqualityDecision(Equality.WRONG, f"it names something of “{wanted}”")
    others = [match["other"] for match in (_OR_AFTER.match(after), _OR_BEFORE.search(before)) if match]
    if any(_is_other(each, known) for each in others) and not _PAIR.search(wanted):
        return EqualityDecision(Equality.WRONG, f"it leaves open whether it is “{wanted}”")
    if _ASKS_ONE.search(question) and not asks_for_several(question) and len(statement.split()) <= SHORT:
        joined = [m["other"] for m in (_AND_AFTER.match(after), _AND_BEFORE.match(before)) if m]
        alone = not _LEADING.sub("", before) or not after.strip(" .")
        if alone and len(wanted.split()) <= _LEAST_OF_PAIR and any(_is_other(each, known) for each in joined):
            return EqualityDecision(Equality.WRONG, f"it gives something else as well as “{wanted}”")
    return UNDECIDED


def _affirmed(question: str, rest: str) -> EqualityDecision:
    """Decide against an answer that says of the reference what the question denies."""
    repeats = frozenset(content_words(rest)) & frozenset(content_words(question))
    if repeats and denials(question) % 2 and not denials(rest) and not _AVOID.search(rest):
        return EqualityDecision(Equality.WRONG, "it affirms what the question denies")
    return UNDECIDED


@lru_cache(maxsize=4096)
def _phrase(wanted: str) -> re.Pattern[str]:
    words = _TOKEN.findall(wanted)
    return re.compile(r"\b" + r"[\W_]{1,3}".join(map(re.escape, words)) + r"\b", re.IGNORECASE)


def _is_other(text: str, known: frozenset[str]) -> bool:
    """Tell whether a text names something that neither question nor reference knows."""
    stems = content_words(text)
    return bool(stems) and not _NO_OTHER.match(text) and not known.intersection(stems)


def _is_exchanged(statement: str, reference: str) -> bool:
    """Tell whether two halves of a reference, "A holds water, B holds oil", are mixed in both halves of an answer."""
    theirs, mine = _halves(reference), _halves(statement)
    if len(theirs) != 2 or len(mine) != 2 or _IN_TURN.search(f"{statement} {reference}"):
        return False
    own = (theirs[0] - theirs[1], theirs[1] - theirs[0])
    if min(map(len, own)) < _LEAST_OF_PAIR:
        return False
    shares = [[len(half & each) for each in own] for half in mine]
    return all(first and first == second for first, second in shares) or (
        all(first and second for first, second in shares) and sum(map(sum, shares)) == sum(map(len, own))
    )


def _halves(text: str) -> Sequence[frozenset[str]]:
    """The tokens of the parts of a text that commas and "and" separate; single letters are names here."""
    parts = [part for part in _PAIR.split(text.strip(" .")) if part.strip()]
    return [
        frozenset(token if len(token) == 1 else token.casefold() for token in _TOKEN.findall(part)) for part in parts
    ]
