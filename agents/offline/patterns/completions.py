"""Typed answers that end a sentence, measure its subject, or are said to exist."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from viva.agents.offline import leaning
from viva.agents.offline.expressions import Expression, expressions
from viva.agents.offline.grammar import (
    FINITE,
    FINITE_BE,
    FINITE_HAVE,
    NOUN,
    Token,
    text_of,
    uncapitalised,
)
from viva.agents.offline.patterns.base import (
    Proposal,
    Reading,
    has_specific_subject,
    is_qualified,
    plain_clause,
)
from viva.agents.offline.patterns.facts import in_range, made
from viva.core.records import BloomLevel, QuestionType

# 'the past 30 days', 'these two boats': the number was given before
_MAKES_KNOWN = frozenset("the past last next first any every these those other".split())


_COMPLETED = {
    "quantity": ("quantity", QuestionType.QUANTITY),
    "money": ("amount", QuestionType.QUANTITY),
    "time": ("time", QuestionType.QUANTITY),
    "date": ("date", QuestionType.DATE),
}


def measure(reading: Reading) -> Iterator[Proposal]:
    """'S has a headroom of 4.3 metres' -> 'What is the headroom of S?'"""
    body = plain_clause(reading, reading.tokens)
    if body is None or not has_specific_subject(reading, body) or body.predicate[0].tag not in FINITE_HAVE:
        return
    rest = body.predicate[1:]
    of = next((n for n, t in enumerate(rest) if t.tag == "PRF"), None)
    if of is None or not 2 <= of <= 4 or rest[0].text not in {"a", "an"} or any(t.tag == "CRD" for t in rest[:of]):
        return
    found = expressions(reading.text, rest[of + 1 :])
    if len(found) != 1 or found[0].start != 0 or found[0].stop != len(rest) - of - 1:
        return
    noun = text_of(reading.text, rest[1:of])
    stem = f"What is the {noun} of {uncapitalised(reading.text, body.subject)}?"
    yield made(stem, found[0], QuestionType.QUANTITY, 0.9)


_BOUNDING = frozenset(
    "after than from over under least most about nearly almost around approximately roughly".split()
)
"""Of 'over ____ years' every smaller number is right too; of 'about' those around it."""


def completion(reading: Reading) -> Iterator[Proposal]:
    """Last resort: a typed expression blanked out of a plain sentence that no other pattern reads."""
    tokens = reading.tokens
    if reading.leans(tokens) or leaning.is_vague(tokens) or not has_subject(reading):
        return
    found = expressions(reading.text, tokens)
    forms = [e.form for e in found]
    for expression in found:
        kind = expression.form.partition(":")[0]
        noun = _COMPLETED.get(kind)
        if noun is None or forms.count(expression.form) > 1 or expression.start == 0:
            continue
        if tokens[expression.start - 1].text.lower() in _MAKES_KNOWN or in_range(
            tokens, expression.start, expression.stop
        ):
            continue
        if tokens[expression.start - 1].text.lower() in _BOUNDING or _is_counted_out(tokens, expression):
            continue
        if expression.stop < len(tokens) and tokens[expression.stop].tag in NOUN:
            continue  # 'a 5 seconds timeout': the quantity belongs to the noun after it
        left, right = tokens[expression.start].start, tokens[expression.stop - 1].end
        blanked = reading.text[tokens[0].start : left] + "____" + reading.text[right : tokens[-1].end]
        stem = f"Which {noun[0]} completes this statement: “{re.sub(r' +', ' ', blanked)}.”?"
        yield Proposal(stem, expression.text, expression.form, noun[1], BloomLevel.REMEMBER, "completion", 0.4)


def _is_counted_out(tokens: Sequence[Token], expression: Expression) -> bool:
    """'two hormones, A and B', 'A and B are two sides': who can count needs no knowledge."""
    if tokens[expression.start].text[:1].isdigit() or not expression.form.startswith("quantity:"):
        return False
    follows = expression.stop < len(tokens) and tokens[expression.stop].text == ","
    verb = next((n for n, t in enumerate(tokens) if t.tag in FINITE), len(tokens))
    listed = tokens[min(verb, len(tokens) - 1)].tag in FINITE_BE and any(t.text == "and" for t in tokens[:verb])
    return follows or (listed and expression.start == verb + 1)


def existential(reading: Reading) -> Iterator[Proposal]:
    """'There are two kinds of X' -> 'How many kinds of X are there?'"""
    tokens = reading.tokens
    if len(tokens) < 5 or tokens[0].text != "There" or tokens[1].text not in {"are", "were"}:
        return
    rest = tokens[3:]
    if tokens[1].text == "were" and not any(t.code or t.tag == "NP0" for t in rest):
        return  # a study told of before
    if tokens[2].tag != "CRD" or reading.leans(rest) or any(t.tag in FINITE or t.text == "," for t in rest):
        return
    if sum(t.tag in NOUN for t in rest) < 2 or any(t.tag == "TO0" for t in rest):
        return
    counted = reading.text[rest[0].start : rest[-1].end]
    expression = Expression("number", 2, 3, tokens[2].text)
    yield made(f"How many {counted} {tokens[1].text} there?", expression, QuestionType.QUANTITY, 0.75)


def has_subject(reading: Reading) -> bool:
    """Whether the sentence opens with a subject and its verb."""
    body = plain_clause(reading, reading.tokens)
    if body is None or not has_specific_subject(reading, body) or is_qualified(body):
        return False
    if body.predicate[0].text in {"may", "might", "could", "would"}:
        return False
    return sum(t.tag in NOUN | {"AJ0", "VVN", "VVI", "VVZ", "VVD", "VVB"} for t in reading.tokens) >= 6
