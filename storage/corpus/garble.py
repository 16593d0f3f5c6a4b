"""When extracted text is no text: three rules, each a share that real text never comes near."""

from __future__ import annotations

import re
import unicodedata

MIN_LETTERS = 200  # fewer say nothing about a text
MAX_UNPRINTABLE = 0.10  # of the characters that are no space
MAX_RUN_TOGETHER = 0.25  # of the Latin letters
MIN_VOWELS = 0.25  # of the Latin letters: European languages have .35 to .50
_LONG_RUN = 25

_LATIN_RUN = re.compile(r"[A-Za-zÀ-ɏ]+")


def garbled(text: str) -> str:
    """Why the text cannot be used; "" for a text that can."""
    written = [character for character in text if not character.isspace()]
    unprintable = sum(
        unicodedata.category(character) in {"Cc", "Cn", "Co"} or character == "\ufffd" for character in written
    )
    if written and unprintable / len(written) > MAX_UNPRINTABLE:
        return f"{unprintable / len(written):.0%} of its characters are unprintable"
    if _vowel_share(text) < MIN_VOWELS:
        return "its letters do not make words (the font's encoding is broken)"
    if run_together(text):
        return "its words run together without spaces"
    return ""


def run_together(text: str) -> bool:
    """Whether too many Latin letters stand in runs longer than words are."""
    lengths = [len(run) for run in _LATIN_RUN.findall(text)]
    letters = sum(lengths)
    return letters >= MIN_LETTERS and sum(n for n in lengths if n > _LONG_RUN) / letters > MAX_RUN_TOGETHER


def _vowel_share(text: str) -> float:
    """Share of vowels among Latin letters, accents aside; 1 where there are too few letters to say."""
    letters = unicodedata.normalize("NFD", "".join(_LATIN_RUN.findall(text))).casefold()
    count = sum("a" <= letter <= "z" for letter in letters)
    return sum(letter in "aeiouy" for letter in letters) / count if count >= MIN_LETTERS else 1.0
