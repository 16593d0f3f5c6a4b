"""Questions about who or which thing: the sentence's subject is the answer, so nothing moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viva.agents.offline.expressions import code_form, code_kind, expressions
from viva.agents.offline.grammar import FINITE_BE, NOUN, Clause, Token, capitalised, is_plural, text_of
from viva.agents.offline.patterns.base import (
    Proposal,
    Reading,
    is_about_people,
    is_qualified,
    is_statement_of_fact,
    plain_clause,
)
from viva.core.records import BloomLevel, QuestionType

_HUMAN_ROLES = frozenset(
    "manager officer master director secretary engineer clerk purser captain editor inspector supervisor"
    " auditor steward mate pilot administrator nurse physician doctor committee team board council"
    " treasurer registrar technician coordinator controller operator chair chairman president founder"
    " commissioner trustee delegate department office harbourmaster bosun dispatcher superintendent"
    " surveyor accountant".split()
)
_HUMAN_VERBS = frozenset(
    "design write propose invent found establish build discover describe suggest lead chair appoint"
    " create develop paint compose introduce draft survey commission launch join succeed donate negotiate"
    " coin argue".split()
)
CATEGORIES = frozenset(
    "function method class module package library attribute option flag parameter argument command header directive"
    " variable constant field file directory keyword operator statement type exception error decorator event tag"
    " element property protocol format header cookie filter setting tool algorithm macro opcode extension form code"
    " middleware endpoint service table register key alarm".split()
)
CATEGORY = {"function": "function", "exception": "exception", "option": "option", "extension": "file extension"}

Asked = tuple[str, str, str, QuestionType]
"""Question words, key, form, question type."""


def subject(reading: Reading) -> Iterator[Proposal]:
    """'The X function returns Y' -> 'Which function returns Y?' / X."""
    body = plain_clause(reading, reading.tokens)
    if body is None or not is_statement_of_fact(body) or is_qualified(body):
        return
    if any(t.text in {"may", "might", "could"} for t in body.predicate):
        return
    asked = _asked(body)
    named = any(t.code or t.tag == "NP0" for t in body.predicate)
    if asked is not None and not _asks_enough(body) and not (named and asked[2] == "name:person"):
        return
    if asked is None or any(asked[1].lower() == t.text.lower() for t in body.predicate):
        return
    wh, key, form, kind = asked
    yield Proposal(
        f"{wh} {text_of(reading.text, body.predicate)}?",
        key,
        form,
        kind,
        BloomLevel.REMEMBER,
        "which-subject",
        0.85,
    )


def _asks_enough(body: Clause) -> bool:
    """Whether the predicate alone says enough to find its subject."""
    verb, rest = body.predicate[0], body.predicate[1:]
    if (verb.tag in FINITE_BE and rest and rest[0].tag in {"AJ0", "AT0"}) or verb.text == "will":
        return False
    if any(t.tag == "AJC" or t.text == "more" for t in rest) and not any(t.text == "than" for t in rest):
        return False
    proposes = body.subject[0].text == "PEP" and not any(t.code or t.tag == "NP0" for t in rest)
    return len([t for t in rest if t.tag in NOUN | {"AJ0", "VVN", "VVI"}]) >= (4 if proposes else 3)


def _asked(body: Clause) -> Asked | None:
    words = [t for t in body.subject if t.tag != "AV0"]
    if words and words[0].tag == "AT0":
        words = words[1:]
    if not words or len(words) > 5 or is_plural(words):
        return None
    codes = [t for t in words if t.code]
    if len(codes) == 1 and " " not in codes[0].text:
        return _code_subject(words, codes[0])
    found = expressions(body.text, words)
    if len(found) == 1 and found[0].form.startswith("id:") and found[0].stop == len(words) and found[0].start == 0:
        label = found[0].form[3:].split(" ")[0]
        name = label if label.isupper() else label.lower()
        return f"Which {name}", found[0].text, found[0].form, QuestionType.IDENTIFIER
    return _named_subject(body, words)


def _code_subject(words: Sequence[Token], code: Token) -> Asked | None:
    kind = code_kind(code.text)
    others = [t for t in words if t is not code]
    if kind is None:
        return None
    if not others and kind in CATEGORY:
        return f"Which {CATEGORY[kind]}", code.text, code_form(code.text, CATEGORY[kind]), QuestionType.IDENTIFIER
    if len(others) == 1 and others[0].lemma.lower() in CATEGORIES:
        noun = others[0].text.lower()
        return f"Which {noun}", code.text, code_form(code.text, noun), QuestionType.IDENTIFIER
    return None


def _named_subject(body: Clause, words: Sequence[Token]) -> Asked | None:
    verb = next((t for t in body.predicate if t.tag[:2] == "VV"), body.predicate[0])
    if words[-1].lemma.lower() in _HUMAN_ROLES and verb.lemma not in {"consist", "comprise", "include", "contain"}:
        if (
            any(t.tag in {"PRF", "PRP"} for t in words)
            or is_about_people(body)
            or body.predicate[0].tag in FINITE_BE
            or _is_software(words)
        ):
            return None
        if len(words) > 1 and all(t.text[:1].isupper() for t in words) and body.subject[0].tag != "AT0":
            return None  # 'Network Policy Editor': a product's name
        full = text_of(body.text, [t for t in body.subject if t.tag != "AV0"])
        return "Who", capitalised(full), "name:role", QuestionType.NAME
    capitals = all(t.text[:1].isupper() for t in words) and 2 <= len(words) <= 3
    active = body.predicate[0] is verb
    if capitals and active and verb.lemma in _HUMAN_VERBS and body.subject[0].tag != "AT0":
        return "Who", text_of(body.text, words), "name:person", QuestionType.NAME
    return None


def _is_software(words: Sequence[Token]) -> bool:
    """'The secrets manager', 'the downloads manager': no person's office."""
    return words[-1].lemma in {"manager", "operator"} and len(words) > 1 and words[-2].tag == "NN2"
