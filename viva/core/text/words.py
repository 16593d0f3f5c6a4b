"""Words as they are compared: folded, and the content words that two texts must share to speak of the same thing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache

_STOP = frozenset(
    "a an and are as at be been being but by can could did do does done for from had has have how if in"
    " into is it its may might must no nor not of on one or out over own same shall should so some such"
    " than that the their them then there these they this those to too under until up was we were what"
    " when where which while who whom whose why will with within without would you your any each every"
    " other more most much many also only very just happen happens name term many often completes said"
    " statement context".split()
)
_ROOT = 6
_WORD = re.compile(r"[^\W_]+(?:[._'’-][^\W_]+)*|\w+")
_ELISION = re.compile(
    r"(?<![\w'])(?:[cdjlmnst]|(?:jus|lors|puis)?qu|(?:de|ne|su|da|a|co|que)ll|un)'(?=[aeiouhàâäæéèêëîïôöœùûü])",
    re.IGNORECASE,
)
"""As in French and Italian, before a vowel."""


def content_words(text: str) -> list[str]:
    """Lower-case words without function words, plural and verb endings folded."""
    return _content(_WORD.findall(text))


@lru_cache(maxsize=100_000)
def word_set(sentence: str) -> frozenset[str]:
    """The words of a sentence that carry meaning."""
    return frozenset(content_words(sentence))


def search_words(text: str) -> list[str]:
    """The content words by which a text is searched: the same in every form of Unicode, without elided articles.

    Combining marks are part of their words, as the vowels of Hindi are.
    """
    # exams and figures that were recorded hang on `content_words`, which stays as it is
    text = unicodedata.normalize("NFC", text).replace("’", "'")
    word = _WORD
    if not text.isascii():
        invisible, word = _beyond_ascii()
        text = invisible.sub("", text)
    return _content(word.findall(_ELISION.sub("", text)))


def _content(words: Iterable[str]) -> list[str]:
    return [stemmed(word) for word in map(str.lower, words) if word not in _STOP]


@cache
def _beyond_ascii() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Characters that nobody sees, and words with combining marks: `re` knows neither class."""
    every = [(chr(code), unicodedata.category(chr(code))) for code in range(0x20000)]
    invisible = "".join(char for char, kind in every if kind == "Cf")
    marks = "".join(char for char, kind in every if kind[0] == "M")
    letters = rf"[^\W_]++(?:[{marks}]++[^\W_]*+)*+"
    return re.compile(f"[{invisible}]"), re.compile(rf"{letters}(?:[._'-]{letters})*|\w+")


@lru_cache(maxsize=50_000)
def stemmed(word: str) -> str:
    """A light stem: enough to match 'raises' with 'raise', 'passwords' with 'password', 'stored' with 'store'."""
    if len(word) < 4 or not word.isalpha():
        return word
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + kept
            break
    return word.removesuffix("e")


def roots(text: str) -> set[str]:
    """Its content words, forms of one word folded: 'biologic', 'biological'."""
    return {word[:_ROOT] for word in content_words(text)}


_SAME = str.maketrans(
    {**dict.fromkeys("‘’‚‛′´“”„‟″«»‹›＂＇", "'"), '"': "'", "−": "-", "|": " ", **dict.fromkeys("*`_\\", None)}
)


@lru_cache(maxsize=64)
def folded(text: str) -> tuple[str, tuple[int, ...]]:
    """The text as it is compared, and for each of its characters the place it comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for piece in _fold(char):
            if piece == " " and characters[-1:] in ([], [" "]):
                continue
            characters.append(piece)
            places.append(place)
    return "".join(characters), tuple(places)


@lru_cache(maxsize=8192)
def _fold(char: str) -> str:
    if char.isspace():
        return " "
    if unicodedata.category(char) in {"Cc", "Cf", "Pc"} or unicodedata.combining(char):
        return ""
    if unicodedata.category(char) == "Pd":
        return "-"
    plain = unicodedata.normalize("NFKD", char.translate(_SAME)).casefold()
    return "".join(" " if c.isspace() else c for c in plain if not unicodedata.combining(c))
