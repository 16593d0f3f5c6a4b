"""Statements that cannot both hold: contraries, another scope, the two sides of a comparison exchanged."""

from __future__ import annotations

import re

from viva.core.text.words import content_words

_COMPARED = re.compile(
    r"(?P<a>[^,.;]{1,80}?)\s+(?:is|are|was|were|costs?|weighs?|lasts?|takes?|runs?|has|have|holds?|ist|sind|est"
    r"|sont|es|son)\s+(?:\w+\s+)?(?P<how>more \w+|less \w+|\w{2,}er|better|worse|more|fewer"
    r"|less)\s+(?:\w+\s+){0,2}?(?:than|als|que)\s+(?P<b>[^,.;]{1,80})",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|no one but|nobody but|nur|ausschließlich|seulement|uniquement|sólo|solo"
    r"|solamente)\b",
    re.IGNORECASE,
)
_ANYBODY = re.compile(
    r"\b(?:anybody|anyone|everybody|everyone|any (?:person|member|user|employee)|all (?:members|users|staff"
    r"|employees|persons|people)|jeder|alle|tout le monde|cualquiera|todos)\b",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    r"\b(?:always|in all cases|under all circumstances|at any time|whenever|immer|jederzeit|toujours|siempre)\b",
    re.IGNORECASE,
)
_NEVER = re.compile(r"\b(?:never|under no circumstances|at no time|nie|niemals|jamais|nunca)\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:only if|only when|unless|except|provided that|as long as|nur wenn|es sei denn|außer|sauf|sólo si"
    r"|excepto)\b",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"\b(?P<p>un|in|im|ir|il|non-?|dis|de)(?P<w>[a-z]{4,})\b", re.IGNORECASE)


def opposes(statement: str, reference: str, question: str) -> str:
    """Explain in words why a statement contradicts the reference; "" where no rule finds a contradiction."""
    if _exchanged(statement, reference):
        return "it exchanges the two sides of the comparison"
    if (
        _ONLY.search(reference)
        and not _ONLY.search(statement)
        and _ANYBODY.search(statement)
        and not _ANYBODY.search(reference)
    ):
        return "it extends to everybody what the reference restricts"
    if _frequency(statement) * _frequency(reference) < 0 and _speak_of_one(statement, reference, question):
        return "one says always where the other says never"
    if _CONDITION.search(reference) and _ALWAYS.search(statement) and not _CONDITION.search(statement):
        return "it says always what holds on a condition"
    if _contrary_word(statement, reference, question):
        return "it has the contrary of a word of the reference"
    return ""


def _frequency(text: str) -> int:
    """1 of a text that says always, -1 of one that says never; 0 of any other, and where it says both."""
    return bool(_ALWAYS.search(text)) - bool(_NEVER.search(text))


def _speak_of_one(statement: str, reference: str, question: str) -> bool:
    """Tell whether one text has half of what the other adds to the question."""
    asked = set(content_words(question))
    mine, theirs = set(content_words(statement)) - asked, set(content_words(reference)) - asked
    return 2 * len(mine & theirs) >= min(len(mine), len(theirs))


def _exchanged(statement: str, reference: str) -> bool:
    mine, theirs = _COMPARED.search(statement), _COMPARED.search(reference)
    if not mine or not theirs or mine["how"].lower() != theirs["how"].lower():
        return False
    a, b = (frozenset(content_words(mine[side])) for side in ("a", "b"))
    c, d = (frozenset(content_words(theirs[side])) for side in ("a", "b"))
    return _nearer(a, d, c) and _nearer(b, c, d)


def _nearer(side: frozenset[str], one: frozenset[str], other: frozenset[str]) -> bool:
    return len(side & one) > len(side & other)


def _contrary_word(statement: str, reference: str, question: str) -> bool:
    """Tell whether one has "unsafe" and the other "safe", nothing else differing but words of the question."""
    mine, theirs = _words(statement), _words(reference)
    asked = _words(question)
    for one, other in ((mine, theirs), (theirs, mine)):
        for word in one - other:
            match = _PREFIX.fullmatch(word)
            if match and match["w"].lower() in other - one and word not in asked:
                return not re.search(r"\b(?:not|never|no|n't|nicht|pas)\b", f"{statement} {reference}", re.IGNORECASE)
    return False


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+(?:-[a-z]+)*", text.lower()))
