"""Typed expressions in a sentence: what a short answer can be, and the form that its distractors must share.

A form is a string such as 'quantity:litre', 'date:year', 'id:Form SF-'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from viva.agents.offline.text.grammar import NOUN, Token

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_YEAR = re.compile(r"^(1[89]\d\d|20\d\d)$")
_UNIT_STOP = frozenset({"time", "way", "thing", "case", "reason", "part", "kind", "type", "form", "example", "other"})
_NUMBERED = frozenset("type stage grade level phase class step category tier part group route".split())
"""What a number after them names, not counts: 'type 2 diabetes'."""
_SPELLINGS = {
    "exception": re.compile(r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Iteration|Exit)"),
    "option": re.compile(r"--?\w.*"),
    "dunder": re.compile(r"__\w+__"),
    "numbered": re.compile(r"[A-Z]{1,5}-\d{1,5}"),
    "constant": re.compile(r"[A-Z][A-Z0-9_]+"),
    "dotted": re.compile(r"\w+(?:\.\w+)+"),
    "extension": re.compile(r"\.\w+"),
    "class": re.compile(r"[A-Z]\w*[a-z]\w*"),
    "word": re.compile(r"[a-z_]\w*"),
}
"""Kinds of identifiers: the first that fits is a word's own."""


@dataclass(frozen=True)
class Expression:
    """Tokens [start, stop) of a sentence that answer a question of this form."""

    form: str
    start: int
    stop: int
    text: str


def expressions(source: str, tokens: Sequence[Token]) -> list[Expression]:
    """All typed expressions, left to right, none inside another."""
    found: list[Expression] = []
    position = 0
    while position < len(tokens):
        match = next(_matches(source, tokens, position), None)
        if match is None:
            position += 1
        else:
            found.append(match)
            position = match.stop
    return found


def _matches(source: str, tokens: Sequence[Token], at: int) -> Iterator[Expression]:
    for finder in (_date, _numbered, _quantity):
        match = finder(tokens, at)
        if match is not None:
            form, stop = match
            yield Expression(form, at, stop, source[tokens[at].start : tokens[stop - 1].end])


def _date(tokens: Sequence[Token], at: int) -> tuple[str, int] | None:
    words = [token.text for token in tokens[at : at + 4]]
    if len(words) >= 3 and words[0].isdigit() and words[1] in MONTHS and _YEAR.match(words[2]):
        return "date:day", at + 3
    if len(words) >= 4 and words[0] in MONTHS and words[1].isdigit() and words[2] == "," and _YEAR.match(words[3]):
        return "date:us", at + 4
    if len(words) >= 2 and words[0] in MONTHS and _YEAR.match(words[1]):
        return "date:month", at + 2
    if len(words) >= 2 and words[0].isdigit() and words[1] in MONTHS:
        return "date:yearday", at + 2
    if _YEAR.match(words[0]) and (at == 0 or tokens[at - 1].text.lower() in {"in", "since", "until", "by", "during"}):
        return "date:year", at + 1
    return None


def _numbered(tokens: Sequence[Token], at: int) -> tuple[str, int] | None:
    """'Form SF-212': a named thing with its identifier."""
    if at + 1 >= len(tokens) or not tokens[at].text[:1].isupper() or tokens[at].code:
        return None
    label, number = tokens[at].text, tokens[at + 1].text
    if label.isalpha() and re.match(r"^[A-Z]{1,5}-?\d{1,5}[a-z]?$", number):
        return f"id:{label} {re.sub(r'[0-9].*', '', number)}", at + 2
    return None


def _quantity(tokens: Sequence[Token], at: int) -> tuple[str, int] | None:
    token = tokens[at]
    if token.tag != "CRD" or _YEAR.match(token.text):
        return None
    if at and (
        tokens[at - 1].code
        or tokens[at - 1].tag == "NP0"
        or tokens[at - 1].lemma.lower() in _NUMBERED
        or tokens[at - 1].tag == "NN1"
        or tokens[at - 1].text in {"#", "-", "/"}
    ):
        return None
    if re.match(r"^[£$€]", token.text):
        return f"money:{token.text[0]}", at + 1
    if token.text.endswith("%"):
        return "quantity:%", at + 1
    if re.match(r"^\d{1,2}:\d{2}$", token.text):
        return "time:clock", at + 1
    after = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if token.text.count(".") > 1 or after.startswith("."):
        return None
    return _with_unit(tokens, at)


def _with_unit(tokens: Sequence[Token], at: int) -> tuple[str, int] | None:
    stop = at + 1
    while stop < len(tokens) and (tokens[stop].tag == "CRD" or (tokens[stop].text == "per" and stop == at + 1)):
        stop += 1
    if stop < len(tokens) and tokens[stop].tag == "AJ0" and stop + 1 < len(tokens) and tokens[stop + 1].tag == "NN2":
        stop += 1
    if stop >= len(tokens) or tokens[stop].tag not in NOUN or tokens[stop].code:
        return None
    while stop + 1 < len(tokens) and tokens[stop].tag == "NN1" and tokens[stop + 1].tag == "NN2":
        stop += 1
    unit = tokens[stop]
    if unit.tag not in {"NN2", "NN1", "NN0", "UNC"} or unit.lemma.lower() in _UNIT_STOP or unit.text[:1].isupper():
        return None
    return f"quantity:{' '.join(t.lemma.lower() for t in tokens[at + 1 : stop + 1] if t.tag != 'CRD')}", stop + 1


def code_kind(text: str) -> str | None:
    """What sort of identifier a word is, from its spelling alone."""
    bare = text.rstrip("()")
    if not re.search(r"[A-Za-z]{2}", bare) or re.search(r"[=<>{}\"',;$\\]", bare):
        return None
    if text.endswith("()"):
        return "function"
    return next((kind for kind, spelling in _SPELLINGS.items() if spelling.fullmatch(bare)), None)
