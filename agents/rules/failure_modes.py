"""Failure modes that rules can tell, without a model; the rest is not told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.core.scores_diagnosis import Evidence, FailureMode, ToldMode

RULE = "rule"
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def told_by_rule(choice: str | None, evidence: Evidence | None, passages: Sequence[str]) -> ToldMode:
    """The mode of a wrong answer that took the option `choice` (None: it meant none) from these passages.

    In this order: no option meant; the evidence not among its passages; numbers that none of its passages holds.
    """
    if choice is None:
        return _told(FailureMode.WRONG_FORMAT, "the answer means no option")
    if evidence is None:
        return ToldMode()
    if not evidence.held:
        return _told(FailureMode.MISSED_TOP_RANKED, "the evidence is not among the passages it had")
    held = numbers(" ".join(passages))
    made_up = [number for number in numbers(choice) if number not in held]
    if made_up:
        return _told(FailureMode.FABRICATION, f"no passage it had holds {', '.join(made_up)}")
    return ToldMode()


def numbers(text: str) -> list[str]:
    """The numbers in a text, each once, without commas between thousands."""
    return list(dict.fromkeys(found.replace(",", "") for found in _NUMBER.findall(text)))


def _told(mode: FailureMode, why: str) -> ToldMode:
    return ToldMode(mode=mode, by=RULE, why=why)
