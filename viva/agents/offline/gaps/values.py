"""Values of the sure tier: an amount, a date, a time or a numbered name is left out of a statement, and asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.text.expressions import Expression, expressions
from viva.agents.offline.text.grammar import NOUN, Token
from viva.core.records import BloomLevel, QuestionType
from viva.core.text.words import content_words

VALUE = "value"
_LEFT = 3
"""Content words of the statement that is left, at least."""
_ASKED_AS = {
    "quantity": ("quantity", QuestionType.QUANTITY),
    "money": ("amount", QuestionType.QUANTITY),
    "time": ("time", QuestionType.QUANTITY),
    "date": ("date", QuestionType.DATE),
    "id": ("name", QuestionType.IDENTIFIER),
}
_MAKES_KNOWN = frozenset("the past last next first any these those other".split())
"""'the past 30 days', 'these two boats': the number was given before."""
_BOUNDING = frozenset(
    "after than from over under least most about nearly almost around approximately roughly".split()
)
"""Of 'over ____ years' every smaller number is right too; of 'about' those around it."""
_BOUNDED_BEHIND = frozenset("or old over under separated apart more less fewer".split())
_TIMES = frozenset("second minute hour day week month quarter year".split())
_NO_DAY = re.compile(r"(?<!\d)(?:0{1,2}|3[2-9]|[4-9]\d|\d{3})(?!\d)")
_HALF = re.compile(r"\d\s?[-–]____")
"""What is left of '30–60 seconds'."""
_JOINS = frozenset({"to", "or", "through", "and", "&"})


def values(text: str, tokens: Sequence[Token]) -> Iterator[Proposal]:
    """'S carries 64 cars' -> 'Which quantity completes this statement: “S carries ____”?'."""
    found = expressions(text, tokens)
    forms = [expression.form for expression in found]
    for expression in found:
        asked = _ASKED_AS.get(expression.form.partition(":")[0])
        if asked is None or forms.count(expression.form) > 1 or not _is_one_value(tokens, expression):
            continue
        left, right = tokens[expression.start].start, tokens[expression.stop - 1].end
        blanked = text[tokens[0].start : left] + "____" + text[right : tokens[-1].end]
        if _HALF.search(blanked) or len(set(content_words(blanked))) < _LEFT:
            continue
        stem = f"Which {asked[0]} completes this statement: “{re.sub(r' +', ' ', blanked)}”?"
        yield Proposal(stem, expression.text, expression.form, asked[1], BloomLevel.REMEMBER, VALUE, 0.8)


def _is_one_value(tokens: Sequence[Token], expression: Expression) -> bool:
    """Whether it is a value by itself: no half of a range, no bound, no number that was given before."""
    start, stop = expression.start, expression.stop
    if expression.form.startswith("date:") and _NO_DAY.search(expression.text):
        return False  # '51 June 2015': what it was read from has been read wrongly
    if start == 0 or tokens[start - 1].text.lower() in _MAKES_KNOWN | _BOUNDING or _in_range(tokens, start, stop):
        return False
    if stop < len(tokens) and (tokens[stop].tag in NOUN or tokens[stop].text.lower() in _BOUNDED_BEHIND):
        return False  # 'a 5 seconds timeout': the quantity belongs to the noun after it
    return not _is_counted(tokens, expression) and tokens[start - 1].text.lower() != "to"


def _in_range(tokens: Sequence[Token], start: int, stop: int) -> bool:
    """'ten days to two weeks', 'between 4 and 8': half of a range is no answer."""
    after, before = tokens[stop : stop + 3], tokens[max(0, start - 4) : start]
    if after and after[0].text.lower() in _JOINS and any(t.tag == "CRD" or t.text in {"a", "an"} for t in after[1:]):
        return True
    return bool(before) and before[-1].text.lower() in _JOINS and any(t.tag == "CRD" for t in before)


def _is_counted(tokens: Sequence[Token], expression: Expression) -> bool:
    """'two sides', 'their 1102 experience': who can count or guess needs no document; 'two weeks' is measured."""
    if not expression.form.startswith("quantity:"):
        return False
    unit = tokens[expression.stop - 1]
    if tokens[expression.start].text[:1].isdigit():
        return unit.tag == "NN1" and expression.text[:2] != "1 "
    return unit.lemma.lower() not in _TIMES
