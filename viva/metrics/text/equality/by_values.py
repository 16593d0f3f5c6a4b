"""Equality by the values that answer and reference state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from viva.core.text.words import content_words
from viva.metrics.text.equality.outcomes import SHORT, UNDECIDED, Equality, EqualityDecision
from viva.metrics.text.equality.polarity import asks_yes_or_no, is_negated
from viva.metrics.text.equality.quantities import Value
from viva.metrics.text.equality.values import as_read, values

_CLAUSE = re.compile(
    r"(?:(?<!\b[ap]\.m)(?<!\be\.g)(?<!\bi\.e)(?<!\bapprox)\.|\.(?=\s+(?-i:[A-Z]))|[!?])\s+"
    r"(?!(?<=\d\.\s)(?:Jan|Feb|Mär|Mar|Apr|Mai|May|Jun|Jul|Aug|Sep|Okt|Oct|Nov|Dez|Dec))|[;\n]+"
    r"|,\s*(?=(?:while|whereas|and|but|which|where|although|however|während|aber|und|mais|et"
    r"|mientras|pero)\b)"
    r"|\s+(?=(?:while|whereas|but|although|however|während|aber|mais|mientras|pero)\b)",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\b(?:either\b.{1,80}?\bor\b|entweder\b.{1,80}?\boder\b|soit\b.{1,80}?\bsoit\b)", re.IGNORECASE)
_OR = re.compile(
    r"^\s*,?\s*(?:or|or maybe|or possibly|or perhaps|oder|ou|o)\s+(?:maybe |possibly |perhaps )?$", re.IGNORECASE
)
_ASKS_VALUE = re.compile(
    r"\b(?:how (?:many|much|long|often|far|high|large|big|old|deep|wide|tall|heavy|fast|late|early|frequently|soon"
    r"|close|near|strong|thick|warm|hot|cold)|when|what (?:is the |was the |are the )?(?:\w+ )?(?:year|date|day"
    r"|time"
    r"|temperature|share|percentage|proportion|fraction|version|number|price|cost|fee|amount|size|length|height"
    r"|width|weight"
    r"|speed|rate|limit|interval|period|duration|age|distance|capacity|maximum|minimum|population|budget|salary"
    r"|deadline|port|address|code|flag|option|score|ratio|value)|(?:at|in|on|by|from|until|within|for) (?:what"
    r"|which)"
    r"|which (?:\w+ )?(?:year|date|day|version|number|chapter|section|port|flag|option|command|code|floor|room"
    r"|address|size)|wie (?:viele?|lange|oft|weit|hoch|groß)|wann|um wie viel|combien|quand|quelle heure"
    r"|cuánt[oa]s?"
    r"|cuándo|qué (?:año|fecha|hora|porcentaje))\b",
    re.IGNORECASE,
)
_LABEL = 3
"""Words of a reference that is a value, or a thing with its number."""
_EXAMPLE = re.compile(
    r"\b(?:e\. ?g\.?,?|for example|for instance|such as|z\. ?B\.|par exemple|por ejemplo)[^.;)]*", re.IGNORECASE
)
"""What a reference gives as an example: an answer need not give the same."""


def decide_by_values(question: str, statement: str, reference: str, context: str) -> EqualityDecision:
    given = values(question)
    asked = list[Value]()
    for value in values(_EXAMPLE.sub(" ", reference)):
        # "5.97 m (19 ft 7 in)" gives one value twice
        if not any(value.equals(other) for other in (*given, *asked)):
            asked.append(value)
    is_bare = len(reference.split()) <= _LABEL and not _rest(question, reference, values(reference))
    if not asked and is_bare:
        # "pump 2" answers which of the two it is: the number is a name, and no count that the question gives
        given, asked = (), list(values(reference))
    if not asked:
        return UNDECIDED
    stems = frozenset(content_words(f"{question} {context}"))
    clauses = _clauses(statement)
    outcomes = [_decide_on_value(value, reference, clauses, stems, given) for value in asked]
    wrong = [each for each in outcomes if each.outcome is Equality.WRONG]
    if wrong and asks_yes_or_no(question):
        return UNDECIDED
    if wrong and _is_value(question, reference, asked):
        return replace(wrong[0], is_final=is_bare)
    if all(each.outcome is Equality.RIGHT for each in outcomes):
        if swapped := _find_swap(asked, reference, statement):
            return swapped
        if _gives_the_rest(question, statement, reference, asked):
            return EqualityDecision(Equality.RIGHT, outcomes[0].reason)
    return UNDECIDED


def _is_value(question: str, reference: str, asked: Sequence[Value]) -> bool:
    """Tell whether what was asked for is the values: the question asks for one, or the reference is little else."""
    rest = _rest(question, reference, asked)
    return len(rest) <= 1 or (bool(_ASKS_VALUE.search(question)) and len(rest) <= SHORT)


def _rest(question: str, reference: str, asked: Sequence[Value]) -> set[str]:
    """The words of a reference that neither the question nor its values have."""
    words = set(content_words(as_read(reference))) - set(content_words(question))
    return words - {stem for value in asked for stem in content_words(value.text)}


def _gives_the_rest(question: str, statement: str, reference: str, asked: Sequence[Value]) -> bool:
    """Tell whether an answer has the other words of the reference, unless only its values were asked for."""
    if _ASKS_VALUE.search(question):
        return True
    rest = _rest(question, reference, asked)
    rest = {stem for stem in rest if not any(char.isdigit() for char in stem)}
    return len(rest & set(content_words(statement))) * 2 >= len(rest)


@dataclass(frozen=True)
class _Part:
    text: str
    stems: frozenset[str]
    values: tuple[Value, ...]


def _clauses(statement: str) -> list[_Part]:
    found = []
    for text in _CLAUSE.split(statement):
        if text and text.strip():
            held = values(text)
            numbers = {stem for value in held for stem in content_words(value.text)}
            found.append(_Part(text, frozenset(content_words(as_read(text))) - numbers, held))
    return found


def _decide_on_value(
    value: Value, reference: str, clauses: Sequence[_Part], stems: frozenset[str], given: Sequence[Value]
) -> EqualityDecision:
    """Decide on one value of the reference: an answer gives it, gives another in its place, or gives none."""
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
        return EqualityDecision(Equality.WRONG, f"it denies “{value.text}”")
    if not equal:
        if rivals:
            return EqualityDecision(Equality.WRONG, f"“{rivals[0][1].text}” is in the place of “{value.text}”")
        return EqualityDecision(Equality.WRONG, f"it does not give “{value.text}”")
    # a number without a unit competes with a quantity only where the quantity is missing
    rivals = [
        (part, each) for part, each in rivals if not _denied(part, each) and (value.is_bare or not each.is_bare)
    ]
    if any(_alternative(part, each, other) for part, each in affirmed for within, other in rivals if within is part):
        return EqualityDecision(Equality.WRONG, f"it leaves open whether it is “{value.text}”")
    best = max(len(part.stems & stems) for part, _ in affirmed)
    nearer = [each for part, each in rivals if len(part.stems & stems) > best]
    if nearer:
        return EqualityDecision(Equality.WRONG, f"“{nearer[0].text}” is in the place of “{value.text}”")
    if rivals and (other := _other_role(value, affirmed, [each for _, each in rivals], stems)):
        return EqualityDecision(Equality.WRONG, f"“{other}” is in the place of “{value.text}”")
    # in one clause several values may answer: the nearest sentence cannot tell which one does
    if any(len(part.stems & stems) == best and not any(part is own for own, _ in affirmed) for part, _ in rivals):
        return UNDECIDED
    return EqualityDecision(Equality.RIGHT, f"“{affirmed[0][1].text}” equals “{value.text}”")


def _other_role(
    value: Value, affirmed: Sequence[tuple[_Part, Value]], rivals: Sequence[Value], stems: frozenset[str]
) -> str:
    """The rival that is nearer to the question's words than the value, in a clause that has both; or ''."""
    pieces = [piece for part, _ in affirmed for piece in _statements(part.text)]
    own = [len(p.stems & stems) for p in pieces if any(each.equals(value) for each in p.values)]
    others = {
        each.text: len(p.stems & stems)
        for p in pieces
        for each in p.values
        if not any(mine.equals(value) for mine in p.values) and any(each.equals(rival) for rival in rivals)
    }
    nearest = max(others, key=lambda text: others[text], default="")
    return nearest if nearest and own and others[nearest] > max(own) else ""


def _denied(part: _Part, value: Value) -> bool:
    return is_negated(as_read(part.text), value.start)


def _alternative(part: _Part, first: Value, second: Value) -> bool:
    one, two = sorted((first, second), key=lambda value: value.start)
    between = as_read(part.text)[one.end : two.start]
    return bool(_OR.match(between)) or bool(_EITHER.search(part.text))


def _find_swap(asked: Sequence[Value], reference: str, statement: str) -> EqualityDecision | None:
    """Decide against an answer that gives all values, each for the subject of another."""
    parts, mine = _statements(reference), _statements(statement)
    if len(asked) < 2 or len(parts) < 2 or len(mine) < 2:
        return None
    for value in asked:
        own = [part for part in parts if any(value.equals(each) for each in part.values)]
        held = [part for part in mine if any(each.equals(value) for each in part.values)]
        if not own or len(own) == len(parts) or len(held) != 1:
            continue
        shared = {part: len(part.stems & held[0].stems) for part in parts}
        if max(shared.values()) > max(shared[part] for part in own):
            return EqualityDecision(Equality.WRONG, f"“{value.text}” is given for another subject")
    return None


def _statements(text: str) -> list[_Part]:
    """The parts of a text that have values of their own, cut at every "and" and comma."""
    found, held = list[_Part](), ""
    for piece in _PIECE.split(text):
        held = f"{held} {piece or ''}".strip()
        if values(held):
            found += _clauses(held)
            held = ""
    return found


_PIECE = re.compile(
    r"[;\n!?]\s*|\.(?!\d)\s*|,\s+|\s+(?:and|while|whereas|but|und|aber|et|mais|y|pero)\s+", re.IGNORECASE
)
