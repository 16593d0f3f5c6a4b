"""Text as an eye takes it: letters that look Latin are Latin, every space is one, marks over letters are gone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

_BLANKS = "\u2800\u3164\uffa0"
"""Characters that show nothing, and are no spaces to Python."""
_WANTED = re.compile(r"[A-Za-z0-9\[\]#<>:|/]")
_BY_NAME = re.compile(r"(?:.*\bLATIN|REGIONAL INDICATOR).*\bLETTER (?:\w+ ){0,2}([A-Z])")
_SIGNS = {
    **dict.fromkeys("❲⁅⟦【〔", "["),
    **dict.fromkeys("❳⁆⟧】〕", "]"),
    **dict.fromkeys("￨│ǀ", "|"),
    **dict.fromkeys("♯⋕", "#"),
    **dict.fromkeys("єЄ", "e"),
}


class Folded(NamedTuple):
    """A folded text, and for each of its characters, and for its end, the place in the text that it comes from."""

    text: str
    places: Sequence[int]


def folded(text: str) -> Folded:
    """The text with its look-alikes made ASCII; all else of it stays, so that it can be searched for ASCII words."""
    if text.isascii():
        return Folded(text, range(len(text) + 1))
    pieces = [_fold(char) for char in text]
    places = [place for place, piece in enumerate(pieces) for _ in piece]
    return Folded("".join(pieces), [*places, len(text)])


@lru_cache(maxsize=65536)
def _fold(char: str) -> str:
    if char.isascii():
        return char
    if char in _BLANKS or unicodedata.category(char) == "Zs":
        return " "
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return ""
    if char in _SIGNS:
        return _SIGNS[char]
    if unicodedata.category(char) != "Lo":
        parts = unicodedata.normalize("NFKD", char)
        if parts != char:
            return "".join(map(_fold, parts))
    return _looks_like(char) or char


def _looks_like(char: str) -> str | None:
    """The ASCII character that this one is taken for; small letters may look like their capitals alone."""
    alike = _confusables()
    found = (alike.get(form) for one in (char, *alike.get(char, "")) for form in (one, one.upper()))
    named = _BY_NAME.fullmatch(unicodedata.name(char, ""))
    return next((each for form in found for each in form or "" if _WANTED.fullmatch(each)), named and named[1])


@cache
def _confusables() -> dict[str, str]:
    """For each character those that it is taken for, by Unicode's table."""
    # a megabyte of JSON, which texts in ASCII do without
    from confusable_homoglyphs.confusables import confusables_data

    return {
        char: "".join(other["c"] for other in others if len(other["c"]) == 1)
        for char, others in confusables_data.items()
    }
