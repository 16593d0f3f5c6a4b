"""Questions about what something does, is used for, allows, or where it is kept: the answer is a phrase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from viva.agents.offline import leaning
from viva.agents.offline.expressions import MONTHS
from viva.agents.offline.grammar import (
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
    is_about_people,
    is_hedged,
    is_statement_of_fact,
    plain_clause,
)
from viva.core.records import BloomLevel, QuestionType

# what one thing does, returns, holds or prevents; of most other verbs a thing has many objects ('What does S use?')
_FUNCTIONAL = frozenset(
    "return raise produce yield generate emit output convert translate transform turn encode decode represent denote"
    " symbolize mean signify indicate measure store hold carry transport transmit convey secrete release regulate"
    " control govern mediate describe emphasize assess evaluate replace supersede override wrap surround enclose"
    " cover"
    " separate divide connect link join filter remove delete strip absorb digest detect disable forbid prohibit"
    " disallow require enforce restrict limit prevent inhibit block suppress stimulate trigger activate serialize"
    " deserialize parse compile increase decrease reduce slow relax relieve widen protect"
    " shield supply drain pump deliver calculate compute count retain preserve append prepend"
    " invert reverse approve destroy form mimic impair resemble involve"
    " study examine investigate integrate encourage explain facilitate promote impede".split()
)
_MOVING = frozenset(
    "carry transport transmit convey convert translate transform turn deliver pump drain parse serialize"
    " deserialize".split()
)
_LISTING = frozenset({"include", "comprise", "contain"})
_WHOLE_LIST = 3
"""A list of fewer members is more often a choice of examples than all there are."""
_ENABLING = frozenset("allow enable permit cause force let oblige encourage".split())
_LINKED = {
    ("consist", "of"), ("rely", "on"), ("depend", "on"), ("refer", "to"), ("belong", "to"), ("map", "to"),
    ("correspond", "to"), ("conform", "to"), ("derive", "from"), ("inherit", "from"), ("range", "from"),
    ("serve", "as"), ("report", "to"), ("respond", "to"), ("differ", "from"), ("originate", "in"), ("begin", "with"),
    ("end", "with"), ("start", "with"), ("evaluate", "to"), ("default", "to"), ("expand", "to"), ("translate", "to"),
    ("result", "from"), ("stand", "for"), ("focus", "on"), ("specialize", "in"),
}  # fmt: skip
_LINKED_PASSIVE = {
    ("cause", "by"), ("characterize", "by"), ("characterise", "by"), ("compose", "of"), ("comprise", "of"),
    ("know", "as"), ("define", "as"), ("derive", "from"), ("divide", "into"), ("make", "of"), ("make", "from"),
    ("base", "on"), ("replace", "by"), ("replace", "with"), ("control", "by"), ("regulate", "by"), ("produce", "by"),
    ("connect", "to"), ("attach", "to"), ("protect", "by"), ("send", "to"), ("convert", "to"), ("convert", "into"),
    ("transmit", "by"), ("spread", "by"), ("trigger", "by"), ("mediate", "by"), ("terminate", "by"), ("sign", "by"),
    ("encode", "as"), ("store", "as"), ("represent", "as"), ("represent", "by"), ("map", "to"), ("surround", "by"),
    ("inherit", "from"), ("model", "on"), ("name", "after"), ("form", "by"), ("form", "from"), ("translate", "to"),
    ("treat", "with"), ("stimulate", "by"), ("govern", "by"), ("measure", "by"), ("motivate", "by"),
    ("determine", "by"), ("move", "to"), ("rename", "to"), ("initialize", "to"), ("set", "to"), ("set", "by"),
    ("detect", "by"), ("diagnose", "by"), ("apply", "to"), ("sort", "by"), ("separate", "by"), ("delimit", "by"),
    ("concern", "with"),
}  # fmt: skip
_TIME_WORDS = frozenset(
    (*MONTHS, *"Monday Tuesday Wednesday Thursday Friday Saturday Sunday day week month year time date".split())
)
_PLACED = frozenset(
    "stored located kept held found placed installed moored hosted housed recorded stated stowed displayed"
    " docked mounted posted hung produced secreted synthesized".split()
)


def what_does(reading: Reading) -> Iterator[Proposal]:
    """'S returns NP' -> 'What does S return?' / NP."""
    body = _askable(reading)
    if body is None:
        return
    at = _main_verb(body)
    if at is None:
        return
    lemma, rest = body.tokens[at].lemma, body.tokens[at + 1 :]
    purpose = next((n for n, t in enumerate(rest) if t.tag == "TO0" and n), None)
    if lemma == "use" and purpose is not None and len(rest) - purpose >= 3:
        rest = rest[:purpose]
    elif lemma not in _FUNCTIONAL and not (lemma in _LISTING and _is_whole_list(body.subject, rest)):
        return
    if rest and rest[0].tag == "CRD" and (len(rest) <= 2 or rest[1].tag == "PRF"):
        return
    if lemma in _MOVING and any(t.text in {"to", "into", "onto", "from", "through"} for t in rest):
        return  # 'moves information from A to B': what, whence and whither are three questions
    if rest and rest[0].tag == "AJ0" and rest[0].text.endswith("ed") and body.subject[0].tag != "AT0":
        return  # 'purchase limits enforced server side': a noun that was taken for the verb
    if not 1 <= len(rest) <= 15 or rest[0].tag not in NOUN | {"AT0", "AJ0", "CRD"} or not _is_object(rest):
        return
    yield _asking("What", body, rest, f"object:{lemma}", QuestionType.DEFINITION, "what-does", 0.75)


def _is_whole_list(subject: Sequence[Token], rest: Sequence[Token]) -> bool:
    """Three members at least; two where the subject says of what they are ('symptoms of X')."""
    kinds = any(t.tag == "NN2" and after.tag == "PRF" for t, after in pairwise(subject))
    return _members(rest) >= _WHOLE_LIST - kinds


def _members(tokens: Sequence[Token]) -> int:
    """How many members a list 'a, b and c' has."""
    commas = sum(t.text == "," for t in tokens)
    last = next((n for n, t in enumerate(tokens) if t.text in {"and", "or"}), None)
    return commas + 1 + (last is not None and last > 0 and tokens[last - 1].text != ",")


def used_for(reading: Reading) -> Iterator[Proposal]:
    """'S is used to V' / 'for V-ing' -> 'What is S used to do?' / 'for?'"""
    body = _askable(reading)
    if body is None or body.predicate[0].tag not in FINITE_BE | {"VM0"}:
        return
    at = next((n for n, t in enumerate(body.predicate) if t.text == "used"), None)
    if at is None or at > 3 or at + 3 > len(body.predicate):
        return
    if body.predicate[0].tag == "VBD" or any(t.tag not in {"AV0", "VBI"} for t in body.predicate[1:at]):
        return  # 'S is an attack used to V'
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
    if body.tokens[link - 1].lemma.lower() in {"attempt", "ability", "right", "way", "need", "effort", "permission"}:
        return
    if body.tokens[link + 1].tag == "VBI" or not 4 <= len(rest) <= 15:
        return
    yield _asking("What", body, rest, "use:to", QuestionType.PURPOSE, "allows-to", 0.7, tail=" to do")


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
    passive = body.predicate[0].tag in FINITE_BE or _is_modal_passive(body)
    wanted = {"VVN"} if passive else FINITE_LEXICAL
    start = 1 + (body.predicate[0].tag == "VM0") if passive else 0
    # the participle stands next to 'be': in 'S is kidney inflammation caused by NP' it belongs to the noun
    at = next((n for n in range(start, len(body.predicate)) if body.predicate[n].tag != "AV0"), start)
    if at + 2 >= len(body.predicate) or body.predicate[at].tag not in wanted:
        return
    lemma, link = body.predicate[at].lemma, body.predicate[at + 1]
    rest = body.predicate[at + 2 :]
    if (lemma, link.text) not in (_LINKED_PASSIVE if passive else _LINKED):
        return
    if len(rest) > 13 or rest[0].tag not in NOUN | {"AT0", "AJ0", "CRD"} or not _is_object(rest):
        return
    yield _asking("What", body, rest, f"object:{lemma} {link.text}", QuestionType.DEFINITION, "to-what", 0.75)


def _is_modal_passive(body: Clause) -> bool:
    return body.predicate[0].tag == "VM0" and len(body.predicate) > 1 and body.predicate[1].tag == "VBI"


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
    counted = body.subject[0].tag == "CRD" or body.subject[0].tag == "ORD"
    return None if counted or is_hedged(body) or is_about_people(body) else body


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


def _has_second_part(tokens: Sequence[Token]) -> bool:
    """'darkness and inhibited by light', 'mistakes or by mutations': what follows answers another question."""
    for n, token in enumerate(tokens[:-1]):
        after = tokens[n + 1]
        second = tokens[n + 2].tag if n + 2 < len(tokens) else ""
        if token.text in {"and", "or", "but"} and (
            after.tag in {"PRP", "VVI", "VVZ", "VVB"}
            or (after.tag in {"VVN", "VVD"} and second in {"PRP", "TO0", "AT0"})
            or (after.tag == "NN2" and second in {"AT0", "DPS"})
        ):
            return True
    return any(t.text in {"rather", "including", "but", "not"} for t in tokens)


def _is_object(tokens: Sequence[Token]) -> bool:
    """Whether the words are one noun phrase with its complements: no adverbial clause, no second verb phrase."""
    if any(t.text in {"if", "when", "because", "while", "before", "after", "until", "unless"} for t in tokens):
        return False
    if tokens[-1].tag not in NOUN | {"CRD", "VVN", "VVI"} or leaning.is_vague(tokens):
        return False
    if any(a.tag == "TO0" and b.tag == "VBI" for a, b in pairwise(tokens)):
        return False
    if tokens[0].text.lower() in {"every", "each"} or "in order to" in " ".join(t.text for t in tokens):
        return False
    if _has_measure_aside(tokens) or _has_second_part(tokens):
        return False
    if len(tokens) <= 3 and leaning.is_generic(tokens[-1]):
        return False
    if len(tokens) <= 4 and tokens[0].tag == "CRD":
        return False  # 'two major subdivisions' does not say which
    return tokens[0].code or sum(t.tag in NOUN | {"AJ0", "CRD", "VVN"} for t in tokens) >= 2
