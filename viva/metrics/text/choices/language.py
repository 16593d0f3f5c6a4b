"""The form in which the words of one language are written down."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Script(Enum):
    """How words of a language are told apart."""

    LATIN = "latin"
    CYRILLIC = "cyrillic"
    ARABIC = "arabic"
    UNSPACED = "unspaced"
    """words run together, or have endings that join them to what follows"""


@dataclass(frozen=True)
class ChoiceWords:
    """Patterns of one language, alternatives separated by "|", for text without case and accents."""

    script: Script = Script.LATIN
    answer: str = ""
    """a noun that introduces the final statement"""
    option: str = ""
    """a noun in front of a letter"""
    option_after: str = ""
    """the same behind it"""
    copula: str = ""
    chooses: str = ""
    """the speaker chooses what follows"""
    points: str = ""
    """something points to the letter that follows"""
    chosen: str = ""
    """the speaker chooses what stands before"""
    remains: str = ""
    right: str = ""
    wrong: str = ""
    negates: str = ""
    negates_before: str = ""
    """negates what follows, and seldom what stands before"""
    excludes: str = ""
    """rejects what follows"""
    excludes_after: str = ""
    """rejects what stands before"""
    thinks: str = ""
    """the speaker thinks what follows"""
    disbelieves: str = ""
    """the speaker does not think what follows in the sentence"""
    hedges: str = ""
    unsure: str = ""
    refuses: str = ""
    none_of: str = ""
    hence: str = ""
    corrects: str = ""
    it_is: str = ""
    ends: str = ""
    """may stand between an option and the end of the statement"""
    either: str = ""
    both: str = ""
    breaks: str = ""
    """ends the scope of a negation"""
    whether: str = ""
    too: str = ""
    because: str = ""
    """begins the reason behind an option"""
    article: str = ""
    yes: str = ""
    no: str = ""
    ordinals: str = ""
    """of the first, the second, ..., separated by ";" """
    last: str = ""
    numbers: str = ""
    """one, two, ..., separated by ";" """
    ordinal_noun: str = ""
    named: str = ""
    """a noun in front of a letter that is no option: "appendix B" """
