"""Failure modes that rules can tell, without a model; the rest is not told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.core.scores_diagnosis import EvidenceCounts, FailureMode, FailureModeFound

RULE = "rule"
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
# [1], (passage 2), "3." at the beginning of a line: they count passages and points, and state nothing
_COUNTED = re.compile(
    r"\[[^\[\]]{0,40}\]|(?:passage|source|document|context|page|section|chapter|step)s? \d+(?:\.\d+)*"
    r"|^\s*\(?\d+[.)](?=\s)",
    re.IGNORECASE | re.MULTILINE,
)
_WORD = re.compile(r"\w+(?:[.,:'’-]\w+)*")
_FRAME = frozenset(
    "a an the is are was were it i that this answer answers option choice correct right best my final letter"
    " therefore so thus hence would be".split()
)
"""Words in which an option is named, and which state nothing."""


def told_by_rule(
    choice: str | None,
    evidence: EvidenceCounts | None,
    passages: Sequence[str],
    said: str = "",
    offered: Sequence[str] = (),
) -> FailureModeFound:
    """The mode of a wrong answer that took the option `choice` (None: it meant none) from these passages.

    `said` is its own words, `offered` the question and its options. In this order: no option meant; the evidence not
    among its passages; numbers of its own that neither its passages hold nor the question and its options offered.
    """
    if choice is None:
        return _told(FailureMode.WRONG_FORMAT, "the answer means no option")
    if evidence is None:
        return FailureModeFound()
    if not evidence.held:
        return _told(FailureMode.MISSED_TOP_RANKED, "the evidence is not among the passages it had")
    held = {*numbers(" ".join(passages)), *numbers(" ".join(offered)), *numbers(choice)}
    made_up = [number for number in numbers(_COUNTED.sub(" ", said)) if number not in held]
    if made_up:
        return _told(FailureMode.FABRICATION, f"no passage it had holds {', '.join(made_up)}, and nobody offered it")
    return FailureModeFound()


def states_something(said: str, offered: Sequence[str]) -> bool:
    """Whether an answer says more than which of the options `offered` it takes: those were put into its mouth."""
    given = {word.casefold() for text in offered for word in _WORD.findall(text)}
    own = (word.casefold() for word in _WORD.findall(said))
    return any((len(word) > 1 or word.isdigit()) and word not in given and word not in _FRAME for word in own)


def numbers(text: str) -> list[str]:
    """The numbers in a text, each once, without commas between thousands."""
    return list(dict.fromkeys(found.replace(",", "") for found in _NUMBER.findall(text)))


def _told(mode: FailureMode, why: str) -> FailureModeFound:
    return FailureModeFound(mode=mode, by=RULE, why=why)
