"""What the rules know of one language: the form in which it is written down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from viva.core.records import BloomLevel, QuestionWord
from viva.core.text.patterns import late_pattern

Form = tuple[str, re.Pattern[str]]
"""A name for how an option may open, and the pattern of one that does; no name where that leaves it open."""


@dataclass(frozen=True)
class Phrases:
    """The words and phrases of one language. Patterns are searched in text with plain apostrophes and single spaces.

    Each pattern holds sure signs only: a question that breaks no rule must not be sent back for a word that is
    also the name of its subject ("page cache", "the author field").
    """

    document: re.Pattern[str]
    """speaks of the text that the question was written from"""
    options: re.Pattern[str]
    """needs the options to be a question"""
    negative: re.Pattern[str]
    """asks for what is not so"""
    pronoun: re.Pattern[str]
    """the subject that is asked about is a pronoun, and no noun before it says of what"""
    two_things: re.Pattern[str]
    """a second question after the first"""
    catch_all: re.Pattern[str]
    """an option about the other options"""
    absolute: re.Pattern[str]
    """claims that are seldom true: always, never"""
    sweeping: re.Pattern[str]
    """claims that sound seldom true: all, only"""
    openings: tuple[Form, ...]
    """how an option opens; the first that fits counts"""
    negators: frozenset[str]
    function_words: frozenset[str]
    """lower-case words that say nothing of the subject"""
    relations: frozenset[str]
    """function words that may be all that an answer says: "before the others" """
    articles: frozenset[str]
    twice: frozenset[str]
    """function words that may well stand twice in a row"""
    endings: tuple[str, ...]
    """inflections, the longest first"""
    question_words: Mapping[QuestionWord, re.Pattern[str]]
    """the one that stands first in the clause that asks counts"""
    yes_no: re.Pattern[str]
    """opens a question for yes or no"""
    bloom: Mapping[BloomLevel, re.Pattern[str]]
    """signs of the levels above remembering, searched in the clause that asks"""
    numbers: Mapping[str, int]
    """number words"""


def pattern(*alternatives: str, case: bool = False) -> re.Pattern[str]:
    """One pattern of several; upper and lower case alike unless `case`."""
    return late_pattern("|".join(alternatives), 0 if case else re.IGNORECASE)


def words(text: str) -> frozenset[str]:
    """A word list, written as words."""
    return frozenset(text.split())


def number_words(text: str) -> dict[str, int]:
    """The words for 0, 1, 2, ..."""
    return {word: value for value, word in enumerate(text.split())}
