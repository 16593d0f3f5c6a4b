"""Questions about what guidance says to do: how, with what, and to which end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viva.agents.offline import leaning
from viva.agents.offline.grammar import FINITE, NOUN, Token, capitalised, question_form, text_of
from viva.agents.offline.patterns.base import (
    Proposal,
    Reading,
    has_specific_subject,
    is_about_people,
    is_hedged,
    plain_clause,
)
from viva.core.records import BloomLevel, QuestionType

_ORDERS = frozenset(
    "implement validate verify store encrypt hash restrict limit protect sanitize sanitise escape encode"
    " generate rotate"
    " log monitor test scan sign authenticate detect mitigate isolate enforce perform check secure filter"
    " disable remove"
    " transmit send run build separate deploy create define avoid reduce apply adopt add assign block bind audit"
    " review"
    " authorize centralize compare deny disallow drop employ establish follow harden inspect integrate introduce"
    " invalidate lock maintain measure minimize minimise normalize pin parse prevent prohibit record regenerate"
    " reject"
    " replace scrub segment segregate serve strip terminate track update upgrade whitelist wrap clean install mount"
    " inform label paint stow inflate report replace rinse drain grease press open close stop start".split()
)
_MEANS = frozenset({"using", "by", "through", "via", "with"})
# nouns whose infinitive says which one: 'the ability to read', not what for
_COMPLETED_BY_INFINITIVE = frozenset(
    "ability attempt right permission need way mechanism time option privilege opportunity effort decision request"
    " plan authority capability capacity chance tool process access user client application system server".split()
)
_NEGATIVE = frozenset({"Avoid", "Reject", "Deny", "Disallow", "Prohibit", "Prevent", "Deploy"})
_LONGEST = 14
_TELLING_AIM = 2


def imperative(reading: Reading) -> Iterator[Proposal]:
    """'Use NP to V' -> 'What should be used to V?' / NP."""
    tokens = reading.tokens
    link = next((n for n, t in enumerate(tokens) if t.tag == "TO0" and n > 1), None)
    if tokens[0].text != "Use" or link is None or not 2 <= link <= 9 or reading.leans(tokens[1:]):
        return
    key, rest = tokens[1:link], tokens[link:]
    if any(t.text == "," for t in tokens) or len(rest) < 4 or leaning.is_vague(tokens):
        return
    if key[-1].tag not in NOUN or any(t.tag in FINITE or t.text == "like" for t in key):
        return
    if len(key) <= 2 and leaning.is_generic(key[-1]):
        return
    yield Proposal(
        f"What should be used {text_of(reading.text, rest)}?",
        capitalised(text_of(reading.text, key)),
        "object:use",
        QuestionType.PURPOSE,
        BloomLevel.APPLY,
        "what-to-use",
        0.8,
    )


def to_which_end(reading: Reading) -> Iterator[Proposal]:
    """'Rotate keys to limit damage' -> 'Why should one rotate keys?' / To limit damage."""
    tokens = reading.tokens
    if not _is_order(reading):
        return
    link = next(
        (
            n
            for n, t in enumerate(tokens)
            if n > 1 and t.tag == "TO0" and tokens[min(n + 1, len(tokens) - 1)].tag == "VVI"
        ),
        None,
    )
    if link is None or tokens[link - 1].lemma.lower() in _COMPLETED_BY_INFINITIVE:
        return
    aim, order = tokens[link:], tokens[1:link]
    if [t.text for t in order[-2:]] == ["in", "order"]:
        order = order[:-2]
    if sum(t.tag in NOUN | {"AJ0", "VVN", "VVG"} for t in aim) < _TELLING_AIM:
        return  # 'to identify vulnerabilities' is the aim of much else
    if not _is_object(order) or not 3 <= len(aim) <= _LONGEST or any(t.text in {",", "and", "or"} for t in aim[:3]):
        return
    yield Proposal(
        f"Why should one {tokens[0].text.lower()} {text_of(reading.text, order)}?",
        capitalised(text_of(reading.text, aim)),
        "use:to",
        QuestionType.PURPOSE,
        BloomLevel.UNDERSTAND,
        "why-do",
        0.8,
    )


def by_which_means(reading: Reading) -> Iterator[Proposal]:
    """'Validate tickets by comparing numbers' -> 'How should one validate tickets?' / By comparing numbers."""
    tokens = reading.tokens
    link = _means(tokens)
    if link is None or not _is_order(reading) or tokens[0].text in _NEGATIVE:
        return
    if tokens[link].text in {"with", "through"} or (tokens[link].text == "by" and tokens[link + 1].tag != "VVG"):
        return  # it may belong to the noun before it: 'files with open permissions'
    order, means = tokens[1:link], tokens[link:]
    if not _is_object(order) or not 2 <= len(means) <= _LONGEST or means[-1].tag not in NOUN:
        return
    yield Proposal(
        f"How should one {tokens[0].text.lower()} {text_of(reading.text, order)}?",
        capitalised(text_of(reading.text, means)),
        f"use:{means[0].text}",
        QuestionType.PROCEDURE,
        BloomLevel.APPLY,
        "how-to-do",
        0.8,
    )


def how_should(reading: Reading) -> Iterator[Proposal]:
    """'Passwords must be stored using a slow hash' -> 'How must passwords be stored?' / Using a slow hash."""
    body = plain_clause(reading, reading.tokens)
    if body is None or body.predicate[0].text not in {"should", "must", "is", "are"}:
        return
    if any(t.tag == "XX0" for t in body.predicate):
        return
    if is_hedged(body) or is_about_people(body) or leaning.is_vague(body.tokens):
        return
    if not has_specific_subject(reading, body) or not any(t.tag == "VVN" for t in body.predicate[1:4]):
        return
    link = _means(body.predicate)
    if link is None or link > 5 or body.predicate[link].text == "with":
        return
    means = body.predicate[link:]
    if not 2 <= len(means) <= _LONGEST or means[-1].tag not in NOUN:
        return
    if means[0].text == "by" and means[1].tag != "VVG":
        return  # an agent, no means
    yield Proposal(
        f"How {question_form(body, without=means)}?",
        capitalised(text_of(body.text, means)),
        f"use:{means[0].text}",
        QuestionType.PROCEDURE,
        BloomLevel.UNDERSTAND,
        "how-is",
        0.85,
    )


def _is_order(reading: Reading) -> bool:
    """Whether the sentence is one order without commas, that leans on nothing."""
    tokens = reading.tokens
    if tokens[0].text.lower() not in _ORDERS or not tokens[0].text[:1].isupper() or len(tokens) < 6:
        return False
    if any(t.text in {",", "and/or", "if", "when", "unless", "where"} for t in tokens) or leaning.is_vague(tokens):
        return False
    return not reading.leans(tokens[1:])


def _is_object(tokens: Sequence[Token]) -> bool:
    """A noun phrase with its complements, of which something can be asked."""
    if not 1 <= len(tokens) <= 10 or tokens[-1].tag not in NOUN or any(t.tag in FINITE | {"TO0"} for t in tokens):
        return False
    if tokens[0].tag not in NOUN | {"AT0", "AJ0", "DT0", "CRD", "VVN", "VVG"}:
        return False
    nouns = [t for t in tokens if t.tag in NOUN]
    return len(nouns) >= 2 or bool(nouns and not leaning.is_generic(nouns[0]))


def _means(tokens: Sequence[Token]) -> int | None:
    """Where the means begins: 'using NP', 'by V-ing', 'through NP', 'via NP', 'with NP'."""
    return next((n for n, t in enumerate(tokens) if n > 1 and t.text in _MEANS and n + 1 < len(tokens)), None)
