"""Questions whose answer is when something happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viva.agents.offline import leaning
from viva.agents.offline.expressions import MONTHS
from viva.agents.offline.grammar import (
    FINITE,
    FINITE_BE,
    NOUN,
    Token,
    capitalised,
    question_form,
    text_of,
    uncapitalised,
)
from viva.agents.offline.patterns.base import (
    Proposal,
    Reading,
    first_index,
    has_specific_subject,
    is_about_people,
    is_hedged,
    plain_clause,
    without_comma,
)
from viva.agents.offline.patterns.clauses import NARROWS, holds_a_clause, is_passive, is_state
from viva.core.records import BloomLevel, QuestionType

_COMES_ABOUT = frozenset({"occur", "happen", "arise", "begin", "end", "start", "develop", "result"})


_ASKING = frozenset("see check determine know decide find ask wonder test verify tell establish".split())


_CALENDAR = frozenset((*MONTHS, *"Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()))


_TIMES = frozenset({"when", "before", "after", "until", "once", "whenever", "unless", "if"})


def time(reading: Reading) -> Iterator[Proposal]:
    """'S V when C' -> 'When does S V?' / When C."""
    at = first_index(reading.tokens, _TIMES, 2)
    if (
        at is None
        or (at < 4 and reading.tokens[at - 1].lemma not in _COMES_ABOUT)
        or sum(t.text.lower() in _TIMES for t in reading.tokens) > 1
    ):
        return
    word = reading.tokens[at].text
    if reading.tokens[at - 1].text == ",":
        return  # 'in elementary school, when children compare ...': an aside on the words before it
    main, given = without_comma(reading.tokens[:at]), reading.tokens[at + 1 :]
    body, premise = plain_clause(reading, main), plain_clause(reading, given)
    if body is None or premise is None or not has_specific_subject(reading, body) or len(given) > 16:
        return
    if (
        leaning.is_vague(reading.tokens)
        or main[-1].text in NARROWS
        or main[-1].lemma in _ASKING
        or is_hedged(body)
        or holds_a_clause(main)
    ):
        return
    if (
        is_about_people(body)
        or is_state(body)
        or body.predicate[0].tag in {"VVD", "VBD"}
        or body.predicate[0].text in {"would", "could", "might", "may"}
    ):
        return
    question = question_form(body)
    ask = "Under what condition" if word in {"if", "unless"} else "When"
    yield Proposal(
        f"{ask} {question}?",
        f"{capitalised(word)} {uncapitalised(reading.text, given)}",
        f"clause:{'if' if word in {'if', 'unless'} else 'when'}",
        QuestionType.CONDITION,
        BloomLevel.UNDERSTAND,
        "when-does",
        0.8,
    )


def moment(reading: Reading) -> Iterator[Proposal]:
    """'S is held on the first Monday in May' -> 'When is S held?'; also 'before every departure', 'during sleep'."""
    body = plain_clause(reading, reading.tokens)
    if body is None or not has_specific_subject(reading, body) or is_hedged(body) or is_about_people(body):
        return
    if leaning.is_vague(body.tokens) or body.tokens[body.verb].tag[-1] == "D":
        return
    at = next((n for n in range(len(body.tokens) - 2, body.verb, -1) if _opens_moment(body.tokens, n)), None)
    if (
        at is None
        or not 1 <= at - body.verb <= 5
        or len(body.tokens) - at > 10
        or holds_a_clause(body.tokens[body.verb :])
    ):
        return
    before, given = body.tokens[at - 1], body.tokens[at:]
    if any(t.tag == "CRD" for t in body.tokens[body.verb : at]):
        return  # 'ten years after manufacture': how long, not when
    if (
        before.lemma in {"model", "name", "pattern", "look"}
        or before.text in NARROWS | {",", "from", "to"}
        or body.tokens[-1].tag not in NOUN
        or any(t.tag == "CRD" for t in given)
    ):
        return
    if body.predicate[0].tag in FINITE_BE and not is_passive(body):
        return
    yield Proposal(
        f"When {question_form(body, without=given)}?",
        capitalised(text_of(reading.text, given)),
        "clause:moment",
        QuestionType.CONDITION,
        BloomLevel.REMEMBER,
        "when-is",
        0.8,
    )


def _opens_moment(tokens: Sequence[Token], at: int) -> bool:
    word, rest = tokens[at].text, tokens[at + 1 :]
    if word in {"before", "after", "during"}:
        return not any(t.tag in FINITE | {"VVG"} for t in rest)
    if word not in {"on", "in", "at", "every"} or tokens[at - 1].text in {"on", "in", "at", "every"}:
        return False
    return any(t.text in _CALENDAR or t.lemma.lower() in {"week", "month", "night", "noon"} for t in rest[:4])
