"""Whether an answer equals a reference, by what both state: right, wrong, or left to likeness."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from viva.metrics.text.equality.cleaning import cleaned
from viva.metrics.text.equality.members import asks_for_order, asks_for_several, members, places, strangers
from viva.metrics.text.equality.opposites import opposes
from viva.metrics.text.equality.polarity import asks_yes_or_no, negated, stated
from viva.metrics.text.equality.refusals import refuses, says_not_stated
from viva.metrics.text.equality.values import Code, Value, as_read, values
from viva.metrics.text.overlap import normalised_tokens
from viva.metrics.text.words import content_words

_SHORT = 8
"""Words of a reference that can be nothing but a value with the noun that it counts."""
_CLAUSE = re.compile(
    r"[.!?]\s+|[;\n]+|,\s*(?=(?:while|whereas|and|but|which|where|although|however|während|aber|und|mais|et|mientras|pero)\b)"
    r"|\s+(?=(?:while|whereas|but|although|however|während|aber|mais|mientras|pero)\b)",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\b(?:either\b.{1,80}?\bor\b|entweder\b.{1,80}?\boder\b|soit\b.{1,80}?\bsoit\b)", re.IGNORECASE)
_OR = re.compile(r"^\s*,?\s*(?:or|or maybe|or possibly|or perhaps|oder|ou|o)\s+(?:maybe |possibly |perhaps )?$", re.IGNORECASE)
_ASKS_VALUE = re.compile(
    r"\b(?:how (?:many|much|long|often|far|high|large|big|old|deep|wide|tall|heavy|fast|late|early|frequently|soon|close|near|strong|thick|warm|hot|cold)|when|what (?:is the |was the |are the )?(?:\w+ )?(?:year|date|day|time"
    r"|temperature|share|percentage|proportion|fraction|version|number|price|cost|fee|amount|size|length|height|width|weight"
    r"|speed|rate|limit|interval|period|duration|age|distance|capacity|maximum|minimum|population|budget|salary|deadline|port|address|code|flag|option|score|ratio|value)|(?:at|in|on|by|from|until|within|for) (?:what|which)"
    r"|which (?:year|date|day|version|number|chapter|section|port)|wie (?:viele?|lange|oft|weit|hoch|groß)|wann|um wie viel|combien|quand|quelle heure|cuánt[oa]s?"
    r"|cuándo|qué (?:año|fecha|hora|porcentaje))\b",
    re.IGNORECASE,
)
_ACRONYM = re.compile(r"(?<![\w-])[A-Z][A-Z&]{1,6}s?(?![\w-])")
_CAPITALISED = re.compile(r"(?<!\w)[A-Z][\w'-]*(?:\s+(?:of|for|the|and|on|in|de|du|der|des|für|y)\s+[A-Z][\w'-]*|\s+[A-Z][\w'-]*)+")
_BRITISH = re.compile(r"(?:is|iz)(?=(?:e[sd]?|ing|ation|ations)$)|ou(?=r)")


_NONE = re.compile(r"^\W*(?:none|nothing|nobody|no one|not any|keine?r?|nichts|niemand|aucune?|rien|ninguno|nada|nadie)(?: of (?:them|these|those))?\W*$", re.IGNORECASE)


class Outcome(StrEnum):
    """What equality says of an answer."""

    RIGHT = "right"
    WRONG = "wrong"
    OPEN = "open"
    """equality cannot decide: likeness does"""


@dataclass(frozen=True)
class Decision:
    """An outcome with its reason in words."""

    outcome: Outcome
    reason: str = ""


_UNDECIDED = Decision(Outcome.OPEN)


def decide(question: str, answer: str, references: Sequence[str]) -> Decision:
    """Decide on an answer beside its references, the key and a sentence, say: each of them counts.

    The first that equality can decide by decides, keys first: right where any says right. Time is linear in the characters.
    """
    references = tuple(dict.fromkeys(text for text in references if text.strip()))
    joined = " ".join(references)
    said = cleaned(answer, question=question, reference=joined)
    if not re.search(r"\w", said):
        return Decision(Outcome.WRONG, "it states nothing")
    found = [_beside(question, said, cleaned(each, question=question, reference=joined), joined) for each in references]
    for outcome in (Outcome.RIGHT, Outcome.WRONG):
        for decision in found:
            if decision.outcome is outcome:
                return decision
    return _UNDECIDED


def _beside(question: str, said: str, reference: str, context: str) -> Decision:
    if says_not_stated(reference):
        return Decision(Outcome.RIGHT, "both say that it is not stated") if refuses(said) else _UNDECIDED
    if _same_words(said, reference):
        return Decision(Outcome.RIGHT, "it is the reference, word for word")
    if refuses(said) and not refuses(reference):
        return Decision(Outcome.WRONG, "it gives no answer")
    if _NONE.match(said) and not _NONE.match(reference) and not values(reference):
        return Decision(Outcome.WRONG, "it says that there is none")
    for decide_by in (_by_polarity, _by_values, _by_members, _by_names, _by_opposites):
        decision = decide_by(question, said, reference, context)
        if decision.outcome is not Outcome.OPEN:
            return decision
    return _UNDECIDED


def _same_words(said: str, reference: str) -> bool:
    mine, theirs = _spelled(said), _spelled(reference)
    return bool(theirs) and mine == theirs


def _spelled(text: str) -> list[str]:
    """Tokens with one spelling for British and American English; signs that tell "C" from "C++" stay."""
    text = re.sub(r"(?<=\d)[.,:/](?=\d)", "point", text)
    kept = re.sub(r"(?<=\w)[#+]+|(?<![\w\s])-(?=\d)|(?<!\w)-(?=\d)", lambda m: "".join(f"sign{ord(c)}" for c in m.group()), text)
    return [_BRITISH.sub("", token) for token in normalised_tokens(kept)]


def _by_polarity(question: str, said: str, reference: str, _: str) -> Decision:
    if not asks_yes_or_no(question):
        return _UNDECIDED
    wanted, given = stated(reference, question), stated(said, question)
    if not wanted or not given:
        return _UNDECIDED
    if wanted != given:
        return Decision(Outcome.WRONG, f"it says {_WORD[given]} where the reference says {_WORD[wanted]}")
    return Decision(Outcome.RIGHT, f"both say {_WORD[given]}") if not _unlike_values(question, said, reference) else _UNDECIDED


_WORD = {1: "yes", -1: "no"}


def _unlike_values(question: str, said: str, reference: str) -> bool:
    known = (*values(reference), *values(question))
    return any(not any(each.equals(other) for other in known) for each in values(said))


def _by_values(question: str, said: str, reference: str, context: str) -> Decision:
    given = values(question)
    asked = [value for value in values(reference) if not any(value.equals(other) for other in given)]
    if not asked:
        return _UNDECIDED
    stems = frozenset(content_words(f"{question} {context}"))
    clauses = _clauses(said)
    outcomes = [_of_one(value, reference, clauses, stems, given) for value in asked]
    wrong = [each for each in outcomes if each.outcome is Outcome.WRONG]
    if wrong and _is_value(question, reference, asked):
        return wrong[0]
    if any("place" in each.reason for each in wrong):
        return wrong[0]
    if all(each.outcome is Outcome.RIGHT for each in outcomes):
        if swapped := _swapped(asked, reference, clauses):
            return swapped
        if _says_the_rest(question, said, reference, asked):
            return Decision(Outcome.RIGHT, outcomes[0].reason)
    return _UNDECIDED


def _is_value(question: str, reference: str, asked: Sequence[Value]) -> bool:
    """Whether what was asked for is the values: the question asks for one, or the reference is little else."""
    words = set(content_words(reference)) - set(content_words(question))
    rest = words - {stem for value in asked for stem in content_words(value.text)}
    return bool(_ASKS_VALUE.search(question)) or len(rest) <= 1


def _says_the_rest(question: str, said: str, reference: str, asked: Sequence[Value]) -> bool:
    """Whether an answer has what the reference says besides its values, unless the values are all that was asked."""
    if _ASKS_VALUE.search(question):
        return True
    rest = set(content_words(reference)) - set(content_words(question)) - {s for v in asked for s in content_words(v.text)}
    rest = {stem for stem in rest if not any(char.isdigit() for char in stem)}
    return len(rest & set(content_words(said))) * 2 >= len(rest)


@dataclass(frozen=True)
class _Part:
    text: str
    stems: frozenset[str]
    values: tuple[Value, ...]


def _clauses(said: str) -> list[_Part]:
    found = []
    for text in _CLAUSE.split(said):
        if text and text.strip():
            held = values(text)
            numbers = {stem for value in held for stem in content_words(value.text)}
            found.append(_Part(text, frozenset(content_words(as_read(text))) - numbers, held))
    return found


def _of_one(value: Value, reference: str, clauses: Sequence[_Part], stems: frozenset[str], given: Sequence[Value]) -> Decision:
    """What an answer's clauses say of one value: it is there, another stands in its place, or none."""
    equal = [(part, each) for part in clauses for each in part.values if each.equals(value)]
    known = (*given, *(each for each in values(reference) if each is not value))
    rivals = [
        (part, each)
        for part in clauses
        for each in part.values
        if not each.equals(value) and each.rivals(value) and not any(each.equals(other) for other in known)
    ]
    affirmed = [(part, each) for part, each in equal if not _denied(part, each)]
    if equal and not affirmed:
        return Decision(Outcome.WRONG, f"it denies “{value.text}”")
    if not equal:
        if rivals:
            return Decision(Outcome.WRONG, f"“{rivals[0][1].text}” is in the place of “{value.text}”")
        return Decision(Outcome.WRONG, f"it does not give “{value.text}”")
    # a number without a unit stands in the place of a quantity only where nothing else does
    rivals = [(part, each) for part, each in rivals if not _denied(part, each) and (value.is_bare or not each.is_bare)]
    if any(_alternative(part, each, other) for part, each in affirmed for within, other in rivals if within is part):
        return Decision(Outcome.WRONG, f"it leaves open whether it is “{value.text}”")
    best = max(len(part.stems & stems) for part, _ in affirmed)
    nearer = [each for part, each in rivals if len(part.stems & stems) > best]
    if nearer:
        return Decision(Outcome.WRONG, f"“{nearer[0].text}” is in the place of “{value.text}”")
    # in one clause several values may answer: the nearest sentence cannot tell which one does
    if any(len(part.stems & stems) == best and not any(part is own for own, _ in affirmed) for part, _ in rivals):
        return _UNDECIDED
    return Decision(Outcome.RIGHT, f"“{affirmed[0][1].text}” equals “{value.text}”")


def _denied(part: _Part, value: Value) -> bool:
    return negated(as_read(part.text), value.start)


def _alternative(part: _Part, first: Value, second: Value) -> bool:
    one, two = sorted((first, second), key=lambda value: value.start)
    between = as_read(part.text)[one.end : two.start]
    return bool(_OR.match(between)) or bool(_EITHER.search(part.text))


def _swapped(asked: Sequence[Value], reference: str, clauses: Sequence[_Part]) -> Decision | None:
    """A decision against an answer that gives all values, each to another's subject."""
    if len(asked) < 2:
        return None
    parts = _clauses(reference)
    if len(parts) < 2 or len(clauses) < 2:
        return None
    for value in asked:
        own = next((part for part in parts if any(each.equals(value) for each in part.values)), None)
        mine = next((part for part in clauses if any(each.equals(value) for each in part.values)), None)
        if own is None or mine is None:
            continue
        best = max(parts, key=lambda part: len(part.stems & mine.stems))
        if best is not own and len(best.stems & mine.stems) > len(own.stems & mine.stems):
            return Decision(Outcome.WRONG, f"“{value.text}” is said of something else")
    return None


def _by_members(question: str, said: str, reference: str, context: str) -> Decision:
    wanted = members(reference)
    if len(wanted) < 2 or (len(wanted) == 2 and not asks_for_several(question)) or asks_yes_or_no(question):
        return _UNDECIDED
    if not asks_for_several(question) and len(reference.split()) > _SHORT * 2:
        return _UNDECIDED
    asked = frozenset(content_words(question))
    wanted = tuple(member - asked or member for member in wanted)
    found = places(wanted, said)
    missing = sum(place is None for place in found)
    if missing:
        is_list = missing * 2 <= len(wanted) or bool(members(said)) or len(said.split()) <= _SHORT
        return Decision(Outcome.WRONG, "it lacks a member of the list") if is_list and missing < len(wanted) else _UNDECIDED
    order = [place for place in found if place is not None]
    if asks_for_order(question) and order != sorted(order):
        return Decision(Outcome.WRONG, "it lists the members in another order")
    if strangers(said, asked | frozenset(content_words(context))):
        return Decision(Outcome.WRONG, "it lists something else besides")
    return Decision(Outcome.RIGHT, "it lists the same members")


def _by_names(question: str, said: str, reference: str, context: str) -> Decision:
    """Acronyms and what they stand for; identifiers; a name with one other word in it."""
    if any(isinstance(reading, Code) for value in values(reference) for reading in value.readings):
        return _UNDECIDED
    asked = frozenset(content_words(question))
    mine = _names(said)
    theirs = [name for name in _names(reference) if not frozenset(content_words(name)) <= asked]
    for names, other in ((theirs, said), (mine, reference)):
        for acronym in _ACRONYM.findall(other):
            if any(_initials(name) == acronym.rstrip("s") for name in names):
                return Decision(Outcome.RIGHT, f"“{acronym}” is an abbreviation of it")
    alone = re.fullmatch(rf"\W*(?:the\s+)?({_ACRONYM.pattern})\W*", said)
    others = [name for name in _ACRONYM.findall(reference) if name.lower() not in question.lower()]
    if alone and alone[1] not in others and (others or theirs):
        return Decision(Outcome.WRONG, "it is another abbreviation")
    if len(said.split()) > _SHORT or not theirs:
        return _UNDECIDED
    for name in theirs:
        whole = [_BRITISH.sub("", word) for word in content_words(name)]
        own = [_BRITISH.sub("", word) for word in content_words(said)]
        if whole and set(whole) == set(own):
            return Decision(Outcome.RIGHT, "it is the name")
        if len(whole) >= 2 and any(_other_name(whole, [_BRITISH.sub("", w) for w in content_words(each)]) for each in mine):
            return Decision(Outcome.WRONG, "it is another name")
    return _UNDECIDED


def _names(text: str) -> list[str]:
    """Names of two words and more, without an article that begins a sentence."""
    return [re.sub(r"^(?:The|A|An|Die|Der|Das|Le|La|Les|El|Los)\s+", "", name) for name in _CAPITALISED.findall(text)]


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split() if word[0].isupper())


def _other_name(whole: list[str], other: list[str]) -> bool:
    shared = set(whole) & set(other)
    return bool(shared) and bool(set(whole) - shared) and bool(set(other) - shared) and len(other) >= 2


def _by_opposites(question: str, said: str, reference: str, _: str) -> Decision:
    reason = opposes(said, reference, question)
    return Decision(Outcome.WRONG, reason) if reason else _UNDECIDED
