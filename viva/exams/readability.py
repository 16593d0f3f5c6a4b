"""How hard a text is to read, by formulas that count words, sentences, letters and syllables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field

from viva.core.records import Record

_WORD = re.compile(r"\w+(?:['’\-.]\w+)*")
_LONG = 6
"""letters that a word may have before it counts as long (Björnsson 1968)"""
_VOWELS = re.compile(r"[aeiouy]+")
# an e at the end is not spoken, unless it makes a syllable with an l (table) or is the only vowel (the)
_SILENT = re.compile(r"(?<![aeiouyl])e$|(?<=[aeiouy]l)e$|(?<=[^aeiouydt])ed$|(?<=[^aeiouyscgzx])es$")
UNSPACED = frozenset({"ja", "km", "lo", "my", "th", "zh"})
"""languages that set no spaces between words, by ISO 639-1"""


class Readability(Record):
    """How hard the texts of one language are to read. None where the formula does not hold for the language."""

    language: str
    texts: int
    lix: float | None = Field(description="below 30 very easy, above 60 very hard")
    grade: float | None = Field(description="years of schooling in the United States; English only")


def words(text: str) -> list[str]:
    """The words of a text; a hyphen, an apostrophe or a full stop inside one does not end it."""
    return _WORD.findall(text)


def readability(texts: Sequence[str], language: str) -> Readability:
    """Of all texts together, each taken as one sentence, as stems are.

    LIX (Björnsson 1968) is words per sentence and the percentage of words of more than six letters. The grade is
    Flesch and Kincaid's (Kincaid et al. 1975): 0.39 words per sentence + 11.8 syllables per word - 15.59.
    """
    found = [word for text in texts for word in words(text)]
    if not found or language in UNSPACED:
        return Readability(language=language, texts=len(texts), lix=None, grade=None)
    length = len(found) / len(texts)
    long = sum(len(word) > _LONG for word in found) / len(found)
    grade = 0.39 * length + 11.8 * sum(map(syllables, found)) / len(found) - 15.59
    return Readability(
        language=language, texts=len(texts), lix=length + 100 * long, grade=grade if language == "en" else None
    )


def syllables(word: str) -> int:
    """About how many syllables an English word has: its groups of vowels, without a silent e; one at least."""
    spoken = _SILENT.sub("", word.lower())
    return max(1, len(_VOWELS.findall(spoken)))
