"""Answers whose truth is known, made by rule from units of knowledge: as the source has it, otherwise worded, or
wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from viva.agents.offline.distractors.near_values import near_values
from viva.agents.offline.text.grammar import FINITE, FINITE_BE, NOUN, Token, tag, text_of, uncapitalised
from viva.core.records import OralUnit
from viva.core.text.prose import plain_sentence

Maker = Callable[[OralUnit, Random, Sequence[str]], str | None]
"""(unit, generator, names of the corpus) -> what is said, or None where the unit cannot be said so."""

_SYNONYMS = {
    re.compile(rf"\b{word}\b"): other
    for word, other in (
        pair.split(":")
        for pair in (
            "carries:transports carry:transport vessel:ship ships:vessels ship:vessel built:constructed began:started"
            " begins:starts large:big holds:contains must:has_to cannot:can_not needs:requires need:require"
            " requires:needs"
            " about:roughly uses:employs use:employ used:employed buy:purchase bought:purchased"
            " keeps:retains kept:retained"
            " shows:indicates show:indicate checks:inspects checked:inspected help:assist helps:assists"
            " every:each each:every"
            " staff:employees employees:staff yearly:annual often:frequently usually:generally because:since"
            " replaced:succeeded"
            " removed:taken_away repair:mend doctor:physician illness:disease people:persons children:kids"
            " method:technique"
            " called:named get:obtain gets:obtains provides:supplies provide:supply allows:permits allow:permit"
            " allowed:permitted causes:brings_about occurs:happens occur:happen ends:finishes end:finish"
            " return:give_back returns:gives_back"
            " attack:assault error:mistake errors:mistakes object:thing function:routine value:quantity many:numerous"
        ).split()
    )
}
_CLAUSE = re.compile(
    r"^(?P<main>.{15,}?),? (?P<joint>because|when|if|until|before|after|unless|while|so that) (?P<rest>.{8,})\.$"
)
_LED = re.compile(
    r"^(?P<joint>If|When|Because|After|Before|In|On|Until|Unless) (?P<rest>[^,]{4,60}), (?P<main>[^,]{15,})\.$"
)
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_MONTH = re.compile(
    r"\b(?:\d{1,2} )?(?:January|February|March|April|June|July|August|September|October|November"
    r"|December)(?: \d{4})?\b"
)
_NUMBER = re.compile(r"(?<![\w.-])\d{1,3}(?:,\d{3})+|(?<![\w.-])\d+(?:\.\d+)?(?![\w.-]*\d)")
_IRREGULAR = dict(
    pair.split(":") for pair in "hold:held keep:kept make:made give:given take:taken send:sent pay:paid".split()
)
_IN_SUBJECT = NOUN | {"AT0", "AJ0", "AJC", "AJS", "CRD", "ORD", "PRF", "PRP", "POS", "VVN", "AJ0-VVN", "DT0"}
_NAME = re.compile(r"(?<=\w )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})+\b(?! [A-Z])")
"""Two words or more, not at the start of a sentence."""
_WORDED = re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b")


def verbatim(unit: OralUnit, draw: Random, names: Sequence[str]) -> str | None:  # noqa: ARG001
    """The source's own words."""
    return plain_sentence(unit.evidence.quote).text


def reordered(unit: OralUnit, draw: Random, names: Sequence[str]) -> str | None:
    """A clause moved to the other end."""
    text = verbatim(unit, draw, names) or ""
    led = _LED.match(text)
    if led:
        return f"{_upper(led['main'])} {led['joint'].lower()} {led['rest']}."
    trailing = _CLAUSE.match(text)
    return f"{_upper(trailing['joint'])} {trailing['rest']}, {_lower(trailing['main'])}." if trailing else None


def with_synonyms(unit: OralUnit, draw: Random, names: Sequence[str]) -> str | None:
    """Words exchanged for others of the same meaning."""
    text = changed = verbatim(unit, draw, names) or ""
    for word, other in _SYNONYMS.items():
        if word.search(text):
            changed = word.sub(other.replace("_", " "), changed, count=1)
    return changed if changed != text else None


def passive(unit: OralUnit, draw: Random, names: Sequence[str]) -> str | None:
    """'The yard built the ship in 2004' -> 'The ship was built by the yard in 2004'."""
    text = verbatim(unit, draw, names) or ""
    subject, rest = _clause(text)
    if not subject or rest[0].tag not in {"VVD", "VVZ"} or any(t.text == "," for t in rest):
        return None
    verb, *rest = rest
    stop = next((n for n, t in enumerate(rest) if t.tag not in NOUN | {"AT0", "AJ0", "CRD", "DPS"}), len(rest))
    if stop == 0 or rest[stop - 1].tag not in NOUN:
        return None
    done = verb.text if verb.tag == "VVD" else _participle(verb)
    plural = rest[stop - 1].tag == "NN2"
    be = ("were" if plural else "was") if verb.tag == "VVD" else ("are" if plural else "is")
    object_, tail = text_of(text, rest[:stop]), text_of(text, rest[stop:])
    return f"{_upper(object_)} {be} {done} by {uncapitalised(text, subject)} {tail}".strip() + "."


def _clause(text: str) -> tuple[Sequence[Token], Sequence[Token]]:
    """Subject, and all from the finite verb on; no subject where these are not plain."""
    tokens = [token for token in tag(plain_sentence(text)) if token.text not in {".", "!"}]
    subject = tokens[: next((n for n, token in enumerate(tokens) if token.tag in FINITE), 0)]
    rest = tokens[len(subject) :]
    plain = subject and subject[-1].tag in NOUN and subject[0].tag not in {"PRP", "PRF"}
    plain = plain and all(token.tag in _IN_SUBJECT or token.text in {"and", "'s"} for token in subject)
    return subject if plain and len(rest) > 1 else (), rest


def _participle(verb: Token) -> str:
    return _IRREGULAR.get(verb.lemma, verb.lemma + ("d" if verb.lemma.endswith("e") else "ed"))


def other_number(unit: OralUnit, draw: Random, names: Sequence[str]) -> str | None:  # noqa: ARG001
    """A number of the description exchanged for a near one."""
    text = unit.description
    found = [
        m
        for m in (*_NUMBER.finditer(text), *_WORDED.finditer(text))
        if not _of_name(text, m, unit) and not _YEAR.fullmatch(m.group())
    ]
    return _exchanged(text, found, "number", draw)


def other_date(unit: OralUnit, draw: Random, names: Sequence[str]) -> str | None:  # noqa: ARG001
    """A year or date exchanged for a near one."""
    text = unit.description
    found = [m for m in _MONTH.finditer(text) if not _of_name(text, m, unit)] or [
        m for m in _YEAR.finditer(text) if not _of_name(text, m, unit)
    ]
    return _exchanged(text, found, "date", draw)


def _of_name(text: str, match: re.Match[str], unit: OralUnit) -> bool:
    return match.group() in unit.keyword or bool(re.search(r"[A-Z]\w* $", text[: match.start()]))


def _exchanged(text: str, found: Sequence[re.Match[str]], form: str, draw: Random) -> str | None:
    if not found:
        return None
    match = draw.choice(list(found))
    values = [value for value in near_values(match.group(), form) if value != match.group()]
    return text[: match.start()] + draw.choice(values[:4]) + text[match.end() :] if values else None


def other_name(unit: OralUnit, draw: Random, names: Sequence[str]) -> str | None:
    """A name exchanged for another of the corpus, as long in words."""
    own = _NAME.findall(unit.description)
    if not own or not names:
        return None
    name = draw.choice(own)
    size = len(name.split())
    others = [n for n in names if len(n.split()) == size and not set(n.split()) & set(unit.evidence.quote.split())]
    return unit.description.replace(name, draw.choice(others), 1) if others else None


def denied(unit: OralUnit, draw: Random, names: Sequence[str]) -> str | None:  # noqa: ARG001
    """The same with 'not', or without the 'not' it has."""
    text = unit.description
    if re.search(r"\b(?:not|cannot|never|no)\b", text):
        if len(re.findall(r"\b(?:not|cannot|never|no|without)\b", text)) > 1 or not re.search(
            r"\b(?:not|cannot|never) ", text
        ):
            return None
        return re.sub(r"\b(?:not|never) ", "", text.replace("cannot", "can"), count=1)
    subject, rest = _clause(text)
    if not subject:
        return None
    verb = rest[0]
    if verb.tag == "VM0" or verb.tag in FINITE_BE:
        return text[: verb.end] + " not" + text[verb.end :]
    does = {"VVZ": "does not", "VVD": "did not", "VVB": "do not"}.get(verb.tag)
    return text[: verb.start] + f"{does} {verb.lemma}" + text[verb.end :] if does else None


def names_in(units: Sequence[OralUnit]) -> list[str]:
    """The names of a corpus that can stand for one another."""
    return sorted({name for unit in units for name in _NAME.findall(unit.description)})


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:] if re.match(r"[A-Z][a-z]+ [a-z]", text) else text


RIGHT: dict[str, Maker] = {
    "verbatim": verbatim,
    "reordered": reordered,
    "synonyms": with_synonyms,
    "passive": passive,
}
WRONG: dict[str, Maker] = {"number": other_number, "date": other_date, "name": other_name, "negation": denied}
