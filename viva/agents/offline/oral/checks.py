"""Whether a part of an answer says what the source says: its numbers, dates, names, and whether it denies it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from viva.agents.offline.oral.amounts import Amount, figures
from viva.agents.offline.oral.polarity import leaves_open, opposite
from viva.agents.offline.oral.reading import folded
from viva.agents.offline.oral.terms import Name, names_of, stems_of
from viva.core.records import OralUnit, QuestionType

_OF_A_VALUE = frozenset({QuestionType.QUANTITY, QuestionType.DATE, QuestionType.FACTOID})
"""Where a figure stands in a fact of these types, it is what there is to know."""

_LITTLE_ELSE = 1.5


@dataclass(frozen=True)
class AnswerFinding:
    """What comparing a part with a unit's source found."""

    agrees: bool | None
    """None: it does not tell the value that the unit is about"""
    reason: str
    told: int = 0
    """values of the unit that it tells rightly"""


def compared(said: str, unit: OralUnit, asked: str = "") -> AnswerFinding:
    """The part `said` (folded), against the unit's evidence. `asked`: the question, whose names nobody claims."""
    source, wanted = folded(unit.evidence.quote), folded(unit.description)
    values = [
        *_amounts(said, source, wanted, unit),
        *_moments(said, wanted),
        *_names(said, source, wanted, unit, asked),
    ]
    against = next((value.against for value in values if value.against), "") or opposite(said, wanted)
    if against:
        return AnswerFinding(False, f"Against the source: {against}.")
    told = [value for value in values if value.told]
    # a name may go without saying; a unit that is a number is known by its number
    figured = [value for value in values if not value.is_name]
    lacking = figured and not any(value.told for value in figured)
    if lacking and unit.type in _OF_A_VALUE:
        return AnswerFinding(None, f"It does not tell {', '.join(value.text for value in figured)}.")
    if unit.type is QuestionType.NAME and values and not told:
        return AnswerFinding(None, f"It does not tell {', '.join(value.text for value in values)}.")
    if leaves_open(said, wanted):
        return AnswerFinding(None, "It does not tell what the source denies.")
    named = ", ".join(dict.fromkeys(value.text for value in told)) or "words and negation"
    return AnswerFinding(True, f"As the source has it; compared: {named}.", len(told))


@dataclass(frozen=True)
class _Value:
    text: str
    told: bool
    against: str = ""
    is_name: bool = False


def _amounts(said: str, source: str, wanted: str, unit: OralUnit) -> Iterator[_Value]:
    told, known = figures(said).amounts, figures(source).amounts
    about = figures(folded(unit.keyword)).amounts
    foreign = [a for a in told if not any(a.equals(k) for k in known)]
    expected = [e for e in figures(wanted).amounts if not any(e.equals(k) for k in about)]
    for amount in expected:
        equal = [a for a in told if a.equals(amount)]
        counted = [a for a in told if a.of and amount.of and a.of & amount.of and a not in equal]
        fits = any(not e.of or not amount.of or e.of & amount.of for e in equal)
        if equal and (fits or not counted):
            yield _Value(amount.text, told=True)
            continue
        instead = next((a for a in counted if a in foreign or equal), None) or _instead(amount, foreign, expected)
        against = f"it says {instead.text} where the source has {amount.text}" if instead else ""
        yield _Value(amount.text, told=False, against=against)


def _instead(amount: Amount, foreign: list[Amount], expected: list[Amount]) -> Amount | None:
    """The amount told in place of this one: of its kind, and beside the same words where several could be meant."""
    likely = [a for a in foreign if a.comparable(amount)]
    if amount.quantity.dimension:
        likely = [a for a in likely if a.quantity.dimension == amount.quantity.dimension] or likely
    rivals = [
        e
        for e in expected
        if e is not amount
        and e.quantity.dimension == amount.quantity.dimension
        and any(e.comparable(a) for a in likely)
    ]
    if len(likely) > 1 or rivals:
        likely = [a for a in likely if a.near & amount.near] or (likely if not rivals else [])
    return next(iter(likely), None)


def _moments(said: str, wanted: str) -> Iterator[_Value]:
    told, expected = figures(said).moments, figures(wanted).moments
    for moment in expected:
        verdicts = [a.differs(moment) for a in told]
        # a date that is told rightly elsewhere in the sentence is no contradiction of this one
        others = [a for a in told if a.differs(moment) and not any(a.differs(e) is False for e in expected)]
        right = any(verdict is False for verdict in verdicts)
        against = f"it says {others[0].text} where the source has {moment.text}" if others and not right else ""
        yield _Value(moment.text, told=right, against=against)


def _names(said: str, source: str, wanted: str, unit: OralUnit, asked: str) -> Iterator[_Value]:
    held = stems_of(said)
    known = stems_of(source) | stems_of(wanted) | stems_of(folded(unit.keyword)) | stems_of(folded(asked))
    foreign = [name for name in names_of(said) if not set(name.stems) <= known]
    keyword = folded(unit.keyword)
    for name in names_of(wanted):
        if name.first and len(name.stems) == 1 and name.text not in keyword:
            continue  # a capital that the sentence's start gave
        missing = set(name.stems) - held
        instead = next((f for f in foreign if _stands_for(f, name)), None) if missing else None
        if instead is None and len(missing) == len(name.stems) and len(foreign) == 1 and _says_the_rest(said, wanted):
            instead = foreign[0]
        against = f"it names {instead.text} where the source has {name.text}" if instead else ""
        given = set(name.stems) <= stems_of(keyword) | stems_of(folded(asked))
        if against or not given:
            yield _Value(name.text, told=len(missing) < len(name.stems), against=against, is_name=True)


def _says_the_rest(said: str, wanted: str) -> bool:
    """Whether a part says all that the source does but for its names, and little else: 'the engineer is ...'."""
    named = {stem for name in names_of(wanted) for stem in name.stems}
    rest = stems_of(wanted) - named
    return bool(rest) and rest <= stems_of(said) and len(said.split()) <= _LITTLE_ELSE * len(wanted.split())


def _stands_for(other: Name, name: Name) -> bool:
    """Whether a name is told in place of another: beside the same word, or with a part of it changed."""
    if other.first and len(other.stems) == 1 and not name.first:
        return False
    return bool(other.near & name.near) or bool(set(other.stems) & set(name.stems))
