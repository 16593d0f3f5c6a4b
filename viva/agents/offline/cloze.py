"""Questions on documents in other languages than English, whose grammar the offline writer does not read.

A value (a number with its noun, a year, a share) is left out of a sentence, and asked for in the sentence's own
language. That is all that can be asked without a grammar, and it is asked only of sentences that stand by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from viva.agents.offline.gaps.proposal import Proposal
from viva.core.records import BloomLevel, QuestionType

PATTERN = "cloze"
_WORDS = range(7, 33)
"""Words of a sentence that says enough and not too much."""
_VALUE = re.compile(r"(?<![\w.,:/%#§-])(\d{1,4})(?:\s?(%)|\s+([^\W\d_]{3,}))?(?![\w%]|[.,:/-]\d)")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_UNFIT = re.compile(r"https?:|www\.|[@{}|<>\[\]=()…“”„«»\"]|\.\.\.|[:;]\s*$|^\W|(?<!\w)[-–—](?!\w)")


@dataclass(frozen=True)
class _Language:
    """How a language asks for what was left out, and the words by which a sentence leans on the one before."""

    stem: str
    leaning: frozenset[str]


_LANGUAGES = {
    "de": _Language(
        "Welche Angabe ergänzt diese Aussage: „{}“?",
        frozenset(
            "er sie es dies diese dieser dieses diesem diesen dieselbe derselbe jene jener dort hier dabei dazu"
            " damit dadurch daher deshalb deswegen danach davor dann außerdem zudem jedoch aber doch sondern auch"
            " ihr ihre ihren ihrem sein seine seinen seinem letztere erstere beide solche wir ich man".split()
        ),
    ),
    "fr": _Language(
        "Quelle donnée complète cette affirmation : « {} » ?",
        frozenset(
            "il elle ils elles ce cet cette ces cela ceci celui celle ceux celles y en ici là ainsi donc alors puis"
            " ensuite cependant toutefois mais aussi leur leurs son sa ses lui nous je on tous".split()
        ),
    ),
    "es": _Language(
        "¿Qué dato completa esta afirmación: «{}»?",
        frozenset(
            "él ella ello ellos ellas este esta esto estos estas ese esa eso esos esas aquel aquella aquello allí"
            " aquí así entonces luego después además sin pero también su sus ambos ambas nosotros yo".split()
        ),
    ),
    "it": _Language(
        "Quale dato completa questa affermazione: «{}»?",
        frozenset("egli ella esso essa essi esse questo questa questi queste ciò lì qui così poi inoltre".split()),
    ),
    "pt": _Language(
        "Que dado completa esta afirmação: «{}»?",
        frozenset("ele ela eles elas este esta isto esse essa isso aquele aquela ali aqui assim então além".split()),
    ),
    "nl": _Language(
        "Welk gegeven vult deze uitspraak aan: “{}”?",
        frozenset("hij zij ze dit deze dat die daar hier dus daarom dan ook echter maar hun zijn haar".split()),
    ),
}
_ANY = _Language("____ = ? “{}” ?", frozenset())


def cloze(text: str, language: str) -> list[Proposal]:
    """The question that a sentence allows, if any; one value is asked for, and it is the only one of its form."""
    asks = _LANGUAGES.get(language, _ANY)
    words = text.split()
    if len(words) not in _WORDS or _UNFIT.search(text) or not text[:1].isupper():
        return []
    if any(word.strip(",.!").casefold() in asks.leaning for word in (*words[:2], *words[-1:])):
        return []
    found = list(_values(text))
    forms = [form for form, _, _ in found]
    return [
        _proposal(text, match, form, kind, asks)
        for form, kind, match in found
        if forms.count(form) == 1 and match.start() > 0
    ][:1]


def _values(text: str) -> Iterator[tuple[str, QuestionType, re.Match[str]]]:
    for match in _VALUE.finditer(text):
        number, percent, noun = match.groups()
        if percent:
            yield "quantity:%", QuestionType.QUANTITY, match
        elif _YEAR.fullmatch(number):
            yield "date:year", QuestionType.DATE, match
        elif noun and int(number) > 1:
            yield f"quantity:{noun.casefold()}", QuestionType.QUANTITY, match


def _proposal(text: str, match: re.Match[str], form: str, kind: QuestionType, asks: _Language) -> Proposal:
    # of a year, the word behind it is none of its
    end = match.end(1) if form == "date:year" else match.end()
    key = text[match.start() : end]
    blanked = (text[: match.start()] + "____" + text[end:]).rstrip()
    return Proposal(asks.stem.format(blanked), key, form, kind, BloomLevel.REMEMBER, PATTERN, 0.4)
