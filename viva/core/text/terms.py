"""Words as the rules compare them."""

from __future__ import annotations

import re
import unicodedata

from viva.core.text.languages.phrase_lookup import phrases
from viva.core.text.overlap import normalised_tokens

_WORD = re.compile(r"[^\W_]+(?:[._'’+#-]*[^\W_]+)*(?:\+\+|#)?|[^\W]+")
_SHORTEST_STEM = 3
"""Letters that an ending must leave: "was" is no plural."""


def plain(text: str) -> str:
    """The text in one line, with plain apostrophes."""
    return " ".join(unicodedata.normalize("NFC", text).replace("’", "'").replace("\u00a0", " ").split())


def plain_words(text: str) -> list[str]:
    """Its words, case-folded, parted at apostrophes too."""
    return [part for word in _WORD.findall(plain(text).casefold()) for part in word.split("'") if part]


def content_words(text: str, language: str) -> list[str]:
    """Its words without function words, and without the endings that inflect them, where the language is known."""
    known = phrases(language)
    words = plain_words(text)
    if known is None:
        return words
    return [stemmed(word, known.endings) for word in words if word not in known.function_words]


def stemmed(word: str, endings: tuple[str, ...]) -> str:
    """A light stem: enough to match a plural with its singular."""
    if not word.isalpha():
        return word
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def within(part: str, whole: str) -> bool:
    """Whether the words of one text stand in the other, side by side."""
    words, among = normalised_tokens(part), normalised_tokens(whole)
    return bool(words) and any(among[n : n + len(words)] == words for n in range(len(among) - len(words) + 1))
