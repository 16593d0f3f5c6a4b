"""Questions about conditions, causes, purposes and times: the answer is a clause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viva.agents.offline import leaning
from viva.agents.offline.grammar import (
    FINITE,
    NOUN,
    Clause,
    Token,
    capitalised,
    is_plural,
    question_form,
    text_of,
    uncapitalised,
)
from viva.agents.offline.patterns.base import (
    Proposal,
    Reading,
    first_index,
    has_specific_subject,
    is_single,
    plain_clause,
    without_comma,
)
from viva.core.records import BloomLevel, QuestionType

_CONDITIONS = frozenset({"if", "when", "unless", "whenever", "once"})
_TIMES = frozenset({"when", "before", "after", "until", "once", "whenever", "unless", "if"})


def condition(reading: Reading) -> Iterator[Proposal]:
    """'If C, M' and 'M if C' -> 'What happens if C?' / M."""
    for word, given, main in _subordinate(reading.tokens):
        premise = plain_clause(reading, given)
        outcome = None if premise is None else _outcome(reading, premise, main)
        if outcome is None or premise is None or not 4 <= len(main) <= 16 or len(given) > 20:
            continue
        if leaning.is_vague(main) or leaning.is_vague(given) or _is_empty(outcome):
            continue
        ask = _asking_for_outcome(outcome)
        if ask is None or premise.predicate[0].text in {"would", "could"}:
            continue
        yield Proposal(
            f"{ask} {word} {uncapitalised(reading.text, given)}?",
            capitalised(text_of(reading.text, main)),
            f"clause:outcome:{outcome.predicate[0].text if outcome.predicate[0].tag == 'VM0' else 'is'}",
            QuestionType.CONDITION,
            BloomLevel.APPLY,
            "what-happens-if",
            0.85,
        )


def _subordinate(tokens: tuple[Token, ...]) -> Iterator[tuple[str, tuple[Token, ...], tuple[Token, ...]]]:
    """(conjunction, subordinate clause, main clause) where the sentence is just these two."""
    first = tokens[0].text.lower()
    if first in _CONDITIONS:
        commas = [n for n, token in enumerate(tokens) if token.text == ","]
        if len(commas) == 1:
            main = tokens[commas[0] + 1 :]
            yield first, tokens[1 : commas[0]], main[1:] if main and main[0].text.lower() == "then" else main
        return
    at = first_index(tokens, _CONDITIONS, 3)
    if at is None or sum(t.text.lower() in _CONDITIONS for t in tokens) > 1:
        return
    main = without_comma(tokens[:at])
    if main[-1].text not in {"even", "only", "as", "especially", "particularly", "except", "and", "or"}:
        yield tokens[at].text, tokens[at + 1 :], main


def _outcome(reading: Reading, premise: Clause, main: tuple[Token, ...]) -> Clause | None:
    """The main clause; its subject may be 'it' or 'they' where that can only be the premise's subject."""
    pronoun = "they" if is_plural(premise.subject) else "it"
    if len(main) < 3 or main[0].text.lower() != pronoun or main[1].tag not in FINITE or reading.leans(main[1:]):
        return plain_clause(reading, main)
    if any(t.text == "," for t in main):
        return None
    body = Clause(reading.text, main, 1)
    return body if is_single(body) else None


def _is_empty(outcome: Clause) -> bool:
    """'The problem may occur' answers nothing."""
    nouns = [t for t in outcome.tokens if t.tag in NOUN]
    return (bool(nouns) and all(leaning.is_generic(t) for t in nouns)) or outcome.tokens[-1].lemma in {
        "occur",
        "happen",
    }


def _asking_for_outcome(outcome: Clause) -> str | None:
    verb = outcome.predicate[0]
    if verb.text in {"should", "must"}:
        return f"What {verb.text} happen"
    if verb.text in {"may", "might", "could", "can"}:
        return f"What {verb.text} happen"
    if verb.tag in {"VVD", "VBD", "VHD"} or verb.text == "would":
        return None
    return "What happens"


def time(reading: Reading) -> Iterator[Proposal]:
    """'S V when C' -> 'When does S V?' / When C."""
    at = first_index(reading.tokens, _TIMES, 4)
    if at is None or sum(t.text.lower() in _TIMES for t in reading.tokens) > 1:
        return
    word = reading.tokens[at].text
    main, given = without_comma(reading.tokens[:at]), reading.tokens[at + 1 :]
    body, premise = plain_clause(reading, main), plain_clause(reading, given)
    if body is None or premise is None or not has_specific_subject(reading, body) or len(given) > 16:
        return
    if leaning.is_vague(reading.tokens) or main[-1].text in {"even", "only", "except", "and", "or", "as", "just"}:
        return
    if body.predicate[0].tag in {"VVD", "VBD"} or body.predicate[0].text in {"would", "could", "might", "may"}:
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


def cause(reading: Reading) -> Iterator[Proposal]:
    """'S V because C' -> 'Why does S V?' / Because C."""
    first = reading.tokens[0].text.lower()
    comma = first_index(reading.tokens, {","})
    if first == "because" and comma is not None and reading.tokens[1].text != "of":
        yield from _why(reading, reading.tokens[comma + 1 :], reading.tokens[1:comma], "Because ", QuestionType.CAUSE)
        return
    at = first_index(reading.tokens, {"because"}, 4)
    if at is None or at + 3 >= len(reading.tokens) or reading.tokens[at + 1].text == "of":
        return
    main = without_comma(reading.tokens[:at])
    if main[-1].text not in {"not", "only", "just", "partly", "simply", "mainly", "largely"}:
        yield from _why(reading, main, reading.tokens[at + 1 :], "Because ", QuestionType.CAUSE)


def purpose(reading: Reading) -> Iterator[Proposal]:
    """'S V in order to P' / 'so that P' -> 'Why does S V?' / To P."""
    tokens = reading.tokens
    for n in range(3, len(tokens) - 3):
        words = [t.text for t in tokens[n : n + 3]]
        main = without_comma(tokens[:n])
        if words == ["in", "order", "to"]:
            yield from _why(reading, main, tokens[n + 3 :], "To ", QuestionType.PURPOSE)
        elif words[:2] == ["so", "that"]:
            yield from _why(reading, main, tokens[n + 2 :], "So that ", QuestionType.PURPOSE)


def _why(
    reading: Reading, main: tuple[Token, ...], reason: tuple[Token, ...], opening: str, kind: QuestionType
) -> Iterator[Proposal]:
    body = plain_clause(reading, main)
    if body is None or not 3 <= len(reason) <= 20 or not _reason_stands(reading, body, reason):
        return
    if len(body.predicate) < 2 or leaning.is_vague(main):
        return
    question = question_form(body)
    yield Proposal(
        f"Why {question}?",
        opening + uncapitalised(reading.text, reason),
        f"clause:{opening.strip().lower().replace(' ', '-')}",
        kind,
        BloomLevel.UNDERSTAND,
        "why",
        0.9,
    )


def _reason_stands(reading: Reading, body: Clause, reason: Sequence[Token]) -> bool:
    """A pronoun that opens the reason may stand for the question's subject, if it agrees; no other may."""
    fitting = {"they", "their", "them"} if is_plural(body.subject) else {"it", "its"}
    first = reason[0].text.lower()
    rest = reason[1:] if first in fitting else reason
    if sum(t.text == "," for t in reason) > 1 or first in {"of", "there", "doing", "in"}:
        return False
    return not reading.leans(rest)
