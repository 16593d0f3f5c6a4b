"""Questions about conditions, causes, purposes and times: the answer is a clause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viva.agents.offline import leaning
from viva.agents.offline.grammar import (
    FINITE,
    FINITE_BE,
    FINITE_HAVE,
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
    is_about_people,
    is_hedged,
    is_qualified,
    is_single,
    plain_clause,
    without_comma,
)
from viva.core.records import BloomLevel, QuestionType

_CONDITIONS = frozenset({"if", "when", "unless", "whenever", "once"})
_STATES = frozenset(
    "serve play continue remain provide represent include reflect vary depend exist apply mean contain need want seem"
    " appear differ involve offer require".split()
)
# what stands before the conjunction and belongs to it
NARROWS = frozenset(
    "even only except and or as just not simply mainly largely partly probably either likely part especially"
    " particularly often both long least most".split()
)
_EVERYDAY = frozenset(
    "browser server client user request response application app system page website site data message form person"
    " people child patient doctor attacker developer code program function value object file".split()
)
_HAPPENING = frozenset({"VVN", "VVD", "VBN", "VVG", "AV0", "XX0", "AJ0"})


def condition(reading: Reading) -> Iterator[Proposal]:
    """'If C, M' and 'M if C' -> 'What happens if C?' / M."""
    for word, given, main in _subordinate(reading.tokens):
        premise = plain_clause(reading, given)
        outcome = None if premise is None else _outcome(reading, premise, main)
        if outcome is None or premise is None or not 4 <= len(main) <= 16 or len(given) > 20:
            continue
        if leaning.is_vague(main) or leaning.is_vague(given) or _is_empty(outcome):
            continue
        if _is_everyday(given):
            continue
        if given[-1].text == "not" or is_hedged(outcome) or _content(given) < (2 if word in {"if", "unless"} else 3):
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
            0.75,
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
    if main[-1].text not in NARROWS and not holds_a_clause(main):
        yield tokens[at].text, tokens[at + 1 :], main


def _outcome(reading: Reading, premise: Clause, main: tuple[Token, ...]) -> Clause | None:
    """The main clause; its subject may be 'it' or 'they' where that can only be the premise's subject."""
    pronoun = "they" if is_plural(premise.subject) else "it"
    if len(main) < 3 or main[0].text.lower() != pronoun or main[1].tag not in FINITE or reading.leans(main[1:]):
        return plain_clause(reading, main)
    number = {"NN2"} if pronoun == "they" else {"NN1", "NP0"}
    if any(t.text == "," for t in main) or any(t.tag in number for t in premise.predicate):
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
    if verb.tag in {"VVD", "VBD", "VHD", "VDD"} or verb.text in {"may", "might", "could", "can", "cannot", "would"}:
        return None  # what may happen is one of many things
    if verb.tag in FINITE_HAVE or (verb.tag in FINITE_BE and not is_passive(outcome)):
        return None  # a state, nothing that happens
    if verb.lemma in _STATES:
        return None
    return "What happens"


def holds_a_clause(tokens: Sequence[Token]) -> bool:
    """'a condition in which blood returns': what follows may belong to the inner clause."""
    return any(t.text in {"that", "which", "who", "whose", "where", "how", "whether"} for t in tokens)


def _is_everyday(premise: Sequence[Token]) -> bool:
    """'when the browser sends a request': so much happens then that no one answer is asked for."""
    nouns = [t for t in premise if t.tag in NOUN]
    return all(t.lemma.lower() in _EVERYDAY and not t.code for t in nouns)


def _content(tokens: Sequence[Token]) -> int:
    return sum(t.tag in NOUN | {"AJ0", "VVN", "VVZ", "VVB", "CRD"} for t in tokens)


def is_state(body: Clause) -> bool:
    """'S is a Y ...': no event that has a time or an aim."""
    return body.predicate[0].tag in FINITE_BE and len(body.predicate) > 1 and body.predicate[1].tag not in _HAPPENING


def is_passive(outcome: Clause) -> bool:
    after = next((t for t in outcome.predicate[1:] if t.tag not in {"AV0", "XX0"}), None)
    return after is not None and after.tag in {"VVN", "VVD", "VBN"}


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
    if main[-1].text not in NARROWS:
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
    reason = _first_reason(reason)
    if body is None or not 3 <= len(reason) <= 20 or not _reason_stands(reading, body, reason):
        return
    if len(body.predicate) < 2 or leaning.is_vague(main) or is_qualified(body):
        return
    if (kind is QuestionType.PURPOSE and is_state(body)) or _is_somebody(body):
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


def _is_somebody(body: Clause) -> bool:
    """'the person', 'an attacker': whose reasons, or which of many, the stem does not say."""
    return len(body.subject) == 2 and body.subject[0].tag == "AT0" and is_about_people(body)


def _first_reason(reason: tuple[Token, ...]) -> tuple[Token, ...]:
    """The reason without what ', and', ', but' or ', so' adds to the sentence, unless a list has begun."""
    comma = first_index(reason, {","})
    if (
        comma is None
        or comma + 1 >= len(reason)
        or reason[comma + 1].text not in {"and", "but", "so", "not", "which"}
    ):
        return reason
    return reason[:comma]


def _reason_stands(reading: Reading, body: Clause, reason: Sequence[Token]) -> bool:
    """A pronoun that opens the reason may stand for the question's subject, if it agrees; no other may."""
    fitting = {"they", "their", "them"} if is_plural(body.subject) else {"it", "its"}
    first = reason[0].text.lower()
    rest = [
        t for n, t in enumerate(reason) if t.text.lower() not in (fitting if n == 0 else fitting & {"their", "its"})
    ]
    if first == "it" and any(t.tag in {"NN1", "NP0"} for t in body.predicate):
        return False  # it may be either
    if sum(t.text == "," for t in reason) > 1 or first in {"of", "there", "doing", "in"}:
        return False
    return not reading.leans(rest)
