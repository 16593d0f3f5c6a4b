"""Which values are worth asking for: what a reader of the corpus should know, asked so that one answer is right."""

from __future__ import annotations

import re
from collections.abc import Set

from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.gaps.values import VALUE
from viva.core.records import PLAIN_PATTERNS, PREDICATE

_OF_ONE_STUDY = re.compile(
    r"\b(?:stud(?:y|ies)|surveys?|surveyed|trial|participants?|respondents|subjects|et al|found|report(?:ed)?"
    r"|poll(?:ed)?|sampled?)\b",
    re.IGNORECASE,
)
"""What one study found, and of how many people, is a figure of that study."""
_OF_ONE_LIFE = re.compile(
    r"\b(?:diploma|degree|born|marr(?:y|ied)|divorced?|graduated?|die[ds]?|hired?|retired?|aware|\d+-year-old)\b",
    re.IGNORECASE,
)
_FIRST_OF_ALL = re.compile(r"\bthe first (?:\w+ ){1,4}(?:awarded|to) [^”?]*|\bfirst reported\b")
"""'The first woman awarded the doctoral degree': of no one life alone."""
_COUNTS_PEOPLE = re.compile(r"\d .*\b(?:people|persons|participants|patients|men|women|children|babies|students)$")
_ACTOR = re.compile(r"[“,] ?([A-Z][a-z]+) [a-z]")
_OTHER_NUMBERS = 2
_RATIO = re.compile(r"\b(?:\w+ times|twice|half|double|thirds?|the rest)\b", re.IGNORECASE)
"""Beside a share, another ratio of the same thing: '4 times higher' is 80%."""


def is_worth_asking(question: Proposal, statement: str, surnames: Set[str]) -> bool:
    """Whether what is asked for is a fact of the subject, not of one study or one life, and a value the only one.

    `statement`: the sentence asked about. `surnames`: words that stand in full names somewhere in the corpus; alone
    they name nobody.
    """
    if question.pattern not in {VALUE, *PLAIN_PATTERNS}:
        return True
    stem = f"“{statement}”" if question.pattern == PREDICATE else question.stem
    without_first = _FIRST_OF_ALL.sub("", stem)
    if _OF_ONE_STUDY.search(without_first) or _OF_ONE_LIFE.search(without_first):
        return False
    if any(name in surnames for name in _ACTOR.findall(stem)):
        return False
    return question.pattern in PLAIN_PATTERNS or _is_telling(stem, question.key)


def _is_telling(stem: str, value: str) -> bool:
    """Whether a value is the only one that fits: no headcount, no share beside a ratio, one number of few."""
    if _COUNTS_PEOPLE.search(value) or (_RATIO.search(stem) and re.search(r"%|per ?cent", value)):
        return False
    return len(re.findall(r"(?<![\w.-])\d+(?![\w-])", stem)) < _OTHER_NUMBERS


_FULL_NAME = re.compile(r"(?<=[a-z,;:(] )([A-Z][a-z]{2,})(?: [A-Z]\.)* ([A-Z][a-z]{2,})(?=[ ,.;)’'](?! ?[A-Z]))")


def surnames_in(text: str, common: Set[str]) -> set[str]:
    """Both parts of the full names in a text: capitalised pairs of words that are never written small."""
    return {word for pair in _FULL_NAME.findall(text) if not any(w.lower() in common for w in pair) for word in pair}
