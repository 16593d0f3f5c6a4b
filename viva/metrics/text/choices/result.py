"""What reading an answer gives: an option, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class NoChoice(StrEnum):
    """Why an answer means no option."""

    EMPTY = "empty"
    ONLY_THOUGHTS = "only thoughts"
    NO_OPTION = "no option in it"
    NOT_AN_OPTION = "its final statement is none of the options"
    REFUSED = "a refusal"
    UNDECIDED = "undecided"
    ONLY_REJECTED = "options are only rejected"
    SEVERAL = "several options"
    SEVERAL_ANSWERS = "a list of different answers"
    CONTRADICTION = "it contradicts itself"
    TOO_LONG = "too long, without a final statement"


class ReadFrom(StrEnum):
    """What an option was read from."""

    LETTER = "letter"
    """its letter, or its place in the list"""
    TEXT = "text"
    """its words, or an equal value"""


@dataclass(frozen=True)
class ChoiceReading:
    """The option that an answer means, by its index; or None, and why."""

    option: int | None = None
    read_from: ReadFrom | None = None
    why_none: NoChoice | None = None

    @classmethod
    def none(cls, why: NoChoice) -> ChoiceReading:
        """The reading of an answer that means no option."""
        return cls(why_none=why)
