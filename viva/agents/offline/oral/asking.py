"""What is asked of one unit: the sort of thing that there is to know, and a few words of the statement that tell it
from other units about the same thing, never those that are to be known."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.agents.offline.oral.amounts import Amount, Moment, figures
from viva.agents.offline.oral.reading import folded
from viva.agents.offline.oral.terms import Word, stems_of, words_of
from viva.core.records import OralUnit, QuestionType

_SHOWN = 0.4
"""Share of the words of a fact that a question may show, at most: what remains is left to be told."""
_LONGEST_CUE = 4
_NUMBER = "which number"
_SORTS = {
    QuestionType.QUANTITY: _NUMBER,
    QuestionType.DATE: "which date or time",
    QuestionType.NAME: "which name",
    QuestionType.IDENTIFIER: "which number, code or label",
    QuestionType.CAUSE: "which reason",
    QuestionType.PURPOSE: "which purpose",
    QuestionType.CONDITION: "which condition",
    QuestionType.PROCEDURE: "which steps",
    QuestionType.COMPARISON: "which comparison",
    QuestionType.DEFINITION: "which definition",
}
_MOMENTS = (("t", "what time"), ("d", "which date"), ("m", "which month"), ("y", "which year"))
_PLURAL = re.compile(r"[a-z]{2,}s")
_TELLING_NOTHING = frozenset(
    "all any anyone at every each first last least less long longer many more most never no none not only one other"
    " since some than there up very whether yet".split()
)
_BETWEEN = re.compile(
    r"[ -]|(?:,? (?:an?|the|of|to|in|on|at|by|for|from|with|into|its|their|his|her|be|been|that|is|are|was|were))"
    r"{1,2} "
)
"""What may stand between two words of one phrase."""


def sort_of(unit: OralUnit) -> str:
    """What sort of thing is to be known of it: 'how many litres', 'which date', 'which reason'; '' where none."""
    value = _value(unit)
    if isinstance(value, Moment):
        told = dict(value.parts)
        return next((words for part, words in _MOMENTS if part in told), "which day of the week")
    return _of_amount(value) if value else _SORTS.get(unit.type, "")


def in_short(unit: OralUnit) -> str:
    """Sort and cue in a few words, for a question that names several units about one thing."""
    sort, cue = sort_of(unit), cue_of(unit)
    return ", ".join(part for part in (sort, f"“{cue}”" if cue else "") if part)


def cue_of(unit: OralUnit) -> str:
    """Words of the statement beside its value, or else its first ones; '' where nothing can be shown.

    Neither values nor names that are asked for, nor most of the fact.
    """
    text, value = folded(unit.description), _value(unit)
    known = stems_of(folded(unit.keyword)) | (stems_of(value.text) if value else frozenset())
    fact = [w for w in words_of(text) if w.stem and w.stem not in known and not w.is_number]
    telling = [word for word in fact if word.lower not in _TELLING_NOTHING and not _hidden(word, text, unit)]
    most = min(_LONGEST_CUE, len(fact) if value else max(int(_SHOWN * len(fact)), int(len(fact) > 1)))
    at = text.find(value.text) if value else -1
    before = [word for word in telling if word.start < at]
    near = _side_by_side(text, before[::-1], most)[::-1] or _side_by_side(text, telling, most)
    return text[near[0].start : near[-1].end] if near else ""


def _value(unit: OralUnit) -> Amount | Moment | None:
    """The number or date that there is to know, unless the keyword tells it."""
    known, named = figures(folded(unit.description)), figures(folded(unit.keyword))
    if unit.type is QuestionType.DATE:
        return next((m for m in known.moments if m not in named.moments), None)
    if unit.type not in {QuestionType.QUANTITY, QuestionType.FACTOID}:
        return None
    return next((a for a in known.amounts if not any(a.equals(other) for other in named.amounts)), None)


def _of_amount(amount: Amount) -> str:
    counted = amount.text.split()[-1]
    if amount.quantity.dimension == "%":
        return "how many per cent"
    if re.match(r"[£$€¥]", amount.text):
        return "how much money"
    return f"how many {counted}" if _PLURAL.fullmatch(counted) else _NUMBER


def _hidden(word: Word, text: str, unit: OralUnit) -> bool:
    """Whether a word is what is asked for, or the half of an identifier."""
    asked = unit.type in {QuestionType.NAME, QuestionType.IDENTIFIER} and word.is_name
    return asked or bool(re.match(r"[-.]?\d", text[word.end :]))


def _side_by_side(text: str, words: Sequence[Word], most: int) -> list[Word]:
    """The first of these words, and those that stand next to it in their order, to the right or to the left."""
    taken: list[Word] = []
    for word in words[:most]:
        if taken:
            first, second = sorted((taken[-1], word), key=lambda each: each.start)
            if not _BETWEEN.fullmatch(text[first.end : second.start]):
                break
        taken.append(word)
    return taken
