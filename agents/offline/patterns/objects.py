"""Questions about what something does, is used for, allows, or where it is kept: the answer is a phrase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viva.agents.offline import leaning
from viva.agents.offline.expressions import MONTHS
from viva.agents.offline.grammar import (
    FINITE,
    FINITE_BE,
    FINITE_LEXICAL,
    NOUN,
    Clause,
    Token,
    capitalised,
    question_form,
    text_of,
    uncapitalised,
)
from viva.agents.offline.patterns.base import (
    Proposal,
    Reading,
    has_specific_subject,
    is_statement_of_fact,
    plain_clause,
)
from viva.core.records import BloomLevel, QuestionType

# too light to be asked about: 'What does S make?', 'What does S have?'
_LIGHT = frozenset(
    "be have do make get take give go come see know think want need seem appear become remain mean say"
    " tell find feel like look let try start begin continue help put turn keep believe suppose hope bring"
    " play suggest say note argue occur happen work run depend rely result lead refer relate belong"
    " consist exist fail tend act live".split()
)
_ENABLING = frozenset("allow enable require permit cause force let oblige encourage".split())
_LINKS = frozenset("to by with from as of into".split())
_LINKED = {
    ("consist", "of"), ("rely", "on"), ("depend", "on"), ("refer", "to"), ("apply", "to"), ("result", "in"),
    ("lead", "to"), ("belong", "to"), ("map", "to"), ("correspond", "to"), ("conform", "to"), ("point", "to"),
    ("derive", "from"), ("inherit", "from"), ("focus", "on"), ("range", "from"), ("serve", "as"), ("act", "as"),
    ("report", "to"), ("respond", "to"), ("differ", "from"), ("originate", "in"), ("begin", "with"), ("end", "with"),
    ("start", "with"), ("evaluate", "to"), ("default", "to"), ("expand", "to"), ("translate", "to"),
}  # fmt: skip
_TIME_WORDS = frozenset(
    (*MONTHS, *"Monday Tuesday Wednesday Thursday Friday Saturday Sunday day week month year time date".split())
)
_PLACED = frozenset("stored located kept held found placed installed moored hosted housed recorded stated".split())


def what_does(reading: Reading) -> Iterator[Proposal]:
    """'S returns NP' -> 'What does S return?' / NP."""
    body = _askable(reading)
    if body is None:
        return
    at = _main_verb(body)
    if at is None or body.tokens[at].lemma in _LIGHT | _ENABLING:
        return
    rest = body.tokens[at + 1 :]
    purpose = next((n for n, t in enumerate(rest) if t.tag == "TO0" and n), None)
    if body.tokens[at].lemma == "use" and purpose is not None:
        rest = rest[:purpose]
    if rest and rest[0].tag == "CRD" and len(rest) <= 2:
        return
    if not 1 <= len(rest) <= 15 or rest[0].tag not in NOUN | {"AT0", "AJ0", "CRD"} or not _is_object(rest):
        return
    yield _asking("What", body, rest, f"object:{body.tokens[at].lemma}", QuestionType.DEFINITION, "what-does", 0.75)


def used_for(reading: Reading) -> Iterator[Proposal]:
    """'S is used to V' / 'for V-ing' -> 'What is S used to do?' / 'for?'"""
    body = _askable(reading)
    if body is None or body.predicate[0].tag not in FINITE_BE | {"VM0"}:
        return
    at = next((n for n, t in enumerate(body.predicate) if t.text == "used"), None)
    if at is None or at > 3 or at + 3 > len(body.predicate):
        return
    link, rest = body.predicate[at + 1], body.predicate[at + 2 :]
    if link.text not in {"to", "for"} or not 2 <= len(rest) <= 14:
        return
    asked = rest if link.text == "for" else (link, *rest)
    tail = "" if link.text == "for" else " to do"
    yield _asking("What", body, asked, f"use:{link.text}", QuestionType.PURPOSE, "used-for", 0.85, tail=tail)


def allows(reading: Reading) -> Iterator[Proposal]:
    """'S allows NP to V' -> 'What does S allow NP to do?' / To V."""
    body = _askable(reading)
    at = _main_verb(body) if body else None
    if body is None or at is None or body.tokens[at].lemma not in _ENABLING:
        return
    link = next((n for n in range(at + 2, len(body.tokens) - 1) if body.tokens[n].tag == "TO0"), None)
    if link is None or link - at > 7 or body.tokens[link + 1].tag not in {"VVI", "VBI", "VHI"}:
        return
    rest = body.tokens[link:]
    if body.tokens[link + 1].tag == "VBI" or not 4 <= len(rest) <= 15:
        return
    yield _asking("What", body, rest, "use:to", QuestionType.PURPOSE, "allows-to", 0.8, tail=" to do")


def where(reading: Reading) -> Iterator[Proposal]:
    """'S is stored in P' -> 'Where is S stored?' / In P."""
    body = _askable(reading)
    if body is None or body.predicate[0].tag not in FINITE_BE or len(body.predicate) < 4:
        return
    verb, link, rest = body.predicate[1], body.predicate[2], body.predicate[3:]
    if verb.text not in _PLACED or link.text not in {"in", "on", "at", "under", "inside"} or not 2 <= len(rest) <= 9:
        return
    if not _is_object(rest) or any(t.text in _TIME_WORDS for t in rest):
        return
    yield _asking("Where", body, (link, *rest), f"place:{link.text}", QuestionType.NAME, "where-is", 0.8)


def to_what(reading: Reading) -> Iterator[Proposal]:
    """'S is replaced by NP', 'S consists of NP' -> 'What is S replaced by?' / NP."""
    body = _askable(reading)
    if body is None:
        return
    passive = body.predicate[0].tag in FINITE_BE | {"VM0"}
    wanted = {"VVN"} if passive else FINITE_LEXICAL
    verbs = [n for n, t in enumerate(body.predicate[:5]) if t.tag in wanted]
    if not verbs:
        return
    at = body.verb + verbs[0]
    lemma = body.tokens[at].lemma
    to = at + 2 if at + 1 < len(body.tokens) and body.tokens[at + 1].tag == "AV0" else at + 1
    if to + 1 >= len(body.tokens) or lemma in {"use", "see", "say", "go"}:
        return
    link, rest = body.tokens[to], body.tokens[to + 1 :]
    if (lemma, link.text) not in _LINKED and (not passive or link.text not in _LINKS):
        return
    if len(rest) > 13 or rest[0].tag not in NOUN | {"AT0", "AJ0", "CRD"} or not _is_object(rest):
        return
    yield _asking("What", body, rest, f"object:{lemma} {link.text}", QuestionType.DEFINITION, "to-what", 0.75)


def attribute(reading: Reading) -> Iterator[Proposal]:
    """'The purpose of S is to V', 'The type of S is NP' -> 'What is the purpose of S?'"""
    body = plain_clause(reading, reading.tokens)
    if body is None or body.predicate[0].text not in {"is", "was"} or not is_statement_of_fact(body):
        return
    subject, rest = body.subject, body.predicate[1:]
    if subject[0].text.lower() != "the" or not any(t.tag == "PRF" for t in subject) or len(rest) > 15:
        return
    infinitive = rest[0].tag == "TO0" and len(rest) >= 4
    noun_phrase = (rest[0].tag in {"AT0", "CRD"} or rest[0].code) and _is_object(rest)
    if not (infinitive or noun_phrase) or not has_specific_subject(reading, body):
        return
    yield Proposal(
        f"What {body.predicate[0].text} {uncapitalised(body.text, subject)}?",
        capitalised(text_of(body.text, rest)),
        "use:to" if infinitive else "object:is",
        QuestionType.PURPOSE if infinitive else QuestionType.DEFINITION,
        BloomLevel.REMEMBER,
        "attribute-of",
        0.8,
    )


def imperative(reading: Reading) -> Iterator[Proposal]:
    """'Use NP to V' -> 'What should be used to V?' / NP."""
    tokens = reading.tokens
    link = next((n for n, t in enumerate(tokens) if t.tag == "TO0" and n > 1), None)
    if tokens[0].text != "Use" or link is None or not 2 <= link <= 9 or reading.leans(tokens[1:]):
        return
    key, rest = tokens[1:link], tokens[link:]
    if any(t.text == "," for t in tokens) or len(rest) < 4 or leaning.is_vague(tokens):
        return
    if key[-1].tag not in NOUN or any(t.tag in FINITE for t in key):
        return
    yield Proposal(
        f"What should be used {text_of(reading.text, rest)}?",
        capitalised(text_of(reading.text, key)),
        "object:use",
        QuestionType.PURPOSE,
        BloomLevel.APPLY,
        "what-to-use",
        0.75,
    )


def _asking(
    wh: str,
    body: Clause,
    asked: Sequence[Token],
    form: str,
    kind: QuestionType,
    pattern: str,
    quality: float,
    *,
    tail: str = "",
) -> Proposal:
    """The question for the words asked about, which become the key."""
    return Proposal(
        f"{wh} {question_form(body, without=asked)}{tail}?",
        capitalised(text_of(body.text, asked)),
        form,
        kind,
        BloomLevel.REMEMBER if kind is QuestionType.NAME else BloomLevel.UNDERSTAND,
        pattern,
        quality,
    )


def _askable(reading: Reading) -> Clause | None:
    body = plain_clause(reading, reading.tokens)
    if body is None or not has_specific_subject(reading, body) or not is_statement_of_fact(body):
        return None
    return body


def _main_verb(body: Clause) -> int | None:
    """Index of the lexical verb: the finite one, or the infinitive after a modal."""
    verb = body.tokens[body.verb]
    if verb.tag in FINITE_LEXICAL:
        return body.verb
    if verb.tag == "VM0" and body.verb + 1 < len(body.tokens) and body.tokens[body.verb + 1].tag == "VVI":
        return body.verb + 1
    return None


def _has_measure_aside(tokens: Sequence[Token]) -> bool:
    """'crews every seven days', 'the ship in 2004': when, how often or for how much is another question."""
    asides = [n for n, t in enumerate(tokens) if n and (t.tag == "PRP" or t.text == "every") and t.text != "of"]
    return any(t.tag == "CRD" for n in asides for t in tokens[n + 1 : n + 4])


def _is_object(tokens: Sequence[Token]) -> bool:
    """Whether the words are one noun phrase with its complements: no adverbial clause, no second verb phrase."""
    if any(t.text in {"if", "when", "because", "while", "before", "after", "until", "unless"} for t in tokens):
        return False
    if tokens[-1].tag not in NOUN | {"CRD", "VVN", "VVI"} or leaning.is_vague(tokens):
        return False
    if tokens[0].text.lower() in {"every", "each"} or "in order to" in " ".join(t.text for t in tokens):
        return False
    if _has_measure_aside(tokens):
        return False
    if len(tokens) <= 3 and leaning.is_generic(tokens[-1]):
        return False
    if len(tokens) <= 4 and tokens[0].tag == "CRD":
        return False  # 'two major subdivisions' does not say which
    return tokens[0].code or sum(t.tag in NOUN | {"AJ0", "CRD", "VVN"} for t in tokens) >= 2
