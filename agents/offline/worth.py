"""Which values are worth asking for: what a reader of the corpus should know, asked so that one answer is right."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import replace

from viva.agents.offline.likeness import TYPED
from viva.agents.offline.patterns import Proposal
from viva.core.records import CLOSING_PHRASE

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
_LOOSE = re.compile(
    r"^Since (?:what|which)|^By which (?:year|date)|\b(?:do|does|did|is|was|has) an? "
    r"|\bdid (?:researchers|scientists|doctors)\b|\bwithin ____|\bpost(?:ed|ing|s)?\b|^To which [A-Z]{2,5}\b"
    r"|^How often (?:is|was) (?!the |an? |each |every |all )[a-z]"
    r"|\bup to ____|\beach parent\b|____ (?:old|separated)\b"
    r"|____[^”]* or (?:more|less|fewer|greater|longer|higher)\b|\bback in ____|^In what month "
    r"|#\d{3}|“(?:A|Another) (?:second|third|further)\b|[a-z]\.\d|____ et al|\bone of the\b"
    r"|\b(?:PhD|degree|doctorate) in ____|\braised the (?:issue|question|point|concern|matter)\b"
    r"|^In which [A-Z]{2,5} was new\b|^On which [A-Z]{2,5} is\b"
    r"|\bAn? [A-Z]?\w+ (?:person|man|woman|patient|child) (?:was|had|who)\b",
)
"""'Up to' and 'by' fit several values; a number that came before is told of elsewhere; 'an endpoint' is anyone's."""
_ACTOR = re.compile(r"(?:^|[“,:] ?|\b(?:did|was|does|is|has|had) )([A-Z][a-z]+) [a-z]")
_OTHER_NUMBERS = 2
_RATIO = re.compile(r"\b(?:\w+ times|twice|half|double|thirds?|the rest)\b")
"""Beside a share, another ratio of the same thing: '4 times higher' is 80%."""


def is_worth_asking(question: Proposal, surnames: Set[str]) -> bool:
    """Whether what is asked for is a fact of the subject, not of one study or one life, and a value the only one.

    `surnames`: words that stand in full names somewhere in the corpus; alone they name nobody.
    """
    family = question.form.split(":")[0]
    stem = question.stem
    if question.pattern == CLOSING_PHRASE:
        of_one = _OF_ONE_STUDY.search(stem) or _OF_ONE_LIFE.search(stem)
        return not of_one and not any(name in surnames for name in _ACTOR.findall(stem))
    if family not in TYPED or family == "field":
        return True
    if _LOOSE.search(stem) or _OF_ONE_LIFE.search(_FIRST_OF_ALL.sub("", stem)) or _COUNTS_PEOPLE.search(question.key):
        return False
    if _RATIO.search(stem) and re.search(r"%|per ?cent", question.key):
        return False
    if _OF_ONE_STUDY.search(_FIRST_OF_ALL.sub("", stem)) or any(name in surnames for name in _ACTOR.findall(stem)):
        return False
    return len(re.findall(r"(?<![\w.-])\d+(?![\w-])", stem)) < _OTHER_NUMBERS


_WITH_FIRST = re.compile(r"\b((?:[A-Z][\w’'-]+ )(?:[A-Z]\. |[A-Z][\w’'-]+ )?)([A-Z][\w’'-]{2,})\b")


def named_in_full(question: Proposal, names: Mapping[str, str]) -> Proposal:
    """The question with the full names of those it names by surname: 'Wilhelm Wundt' for 'Wundt'.

    `names`: full names by surname (`full_names_in`).
    """
    stem = question.stem
    for surname in sorted({*_ACTOR.findall(stem)} & names.keys()):
        stem = re.sub(rf"(?<![A-Z][\w’'-] )\b{surname}\b", names[surname], stem, count=1)
    return replace(question, stem=stem)


def full_names_in(text: str, surnames: Set[str], common: Set[str]) -> dict[str, str]:
    """The full name by surname, of those of the surnames that a text uses with one first name only."""
    found: dict[str, set[str]] = defaultdict(set)
    for first, last in _WITH_FIRST.findall(text):
        if last in surnames and not any(word.lower() in common for word in first.split() if "." not in word):
            found[last].add(first.split()[0])
    whole = {f"{first.split()[0]} {last}": f"{first}{last}" for first, last in _WITH_FIRST.findall(text)}
    return {last: whole[f"{min(firsts)} {last}"] for last, firsts in found.items() if len(firsts) == 1}


_FULL_NAME = re.compile(r"(?<=[a-z,;:(] )([A-Z][a-z]{2,})(?: [A-Z]\.)* ([A-Z][a-z]{2,})(?=[ ,.;)’'](?! ?[A-Z]))")


def surnames_in(text: str, common: Set[str]) -> set[str]:
    """Both parts of the full names in a text: capitalised pairs of words that are never written small."""
    return {word for pair in _FULL_NAME.findall(text) if not any(w.lower() in common for w in pair) for word in pair}
