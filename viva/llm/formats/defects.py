"""What can be wrong with a reply, counted by kind and said in words that hold nothing of the reply."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FormatDefect(StrEnum):
    """Kinds under which replies are counted that could not be used."""

    EMPTY = "empty reply"
    TRUNCATED = "truncated reply"
    NO_FIELDS = "no field found"
    MISSING_FIELD = "missing field"
    EMPTY_VALUE = "empty value"
    BAD_JSON = "bad JSON"
    WRONG_TYPE = "wrong type"
    NOT_IN_LIST = "value not in the list"
    OUT_OF_RANGE = "value out of range"
    WRONG_LENGTH = "wrong length"
    EMPTY_LIST = "empty list"
    EXTRA_FIELD = "extra field"
    CONTRADICTION = "field given twice"


_WORDS = {
    FormatDefect.EMPTY: "The reply was empty.",
    FormatDefect.TRUNCATED: "The reply ended before it was complete.",
    FormatDefect.NO_FIELDS: "None of the fields that were asked for could be found in the reply.",
    FormatDefect.MISSING_FIELD: "{field} is missing.",
    FormatDefect.EMPTY_VALUE: "{field} is empty; it must be {expected}.",
    FormatDefect.BAD_JSON: "{field} holds JSON that is broken or ends too early.",
    FormatDefect.WRONG_TYPE: "{field} is not of the right type; it must be {expected}.",
    FormatDefect.NOT_IN_LIST: "{field} holds a value that is not allowed; it must be {expected}.",
    FormatDefect.OUT_OF_RANGE: "{field} holds a number that is not allowed; it must be {expected}.",
    FormatDefect.WRONG_LENGTH: "{field} is too short or too long; it must be {expected}.",
    FormatDefect.EMPTY_LIST: "{field} is an empty list; it must be {expected}.",
    FormatDefect.EXTRA_FIELD: "{field} holds a part that was not asked for; it must be {expected}.",
    FormatDefect.CONTRADICTION: "{field} is given more than once, with different values.",
}


@dataclass(frozen=True)
class Flaw:
    """One defect: the output field it was found in ("" for the whole reply) and what was expected there."""

    defect: FormatDefect
    field: str = ""
    expected: str = "as described"

    @property
    def words(self) -> str:
        """One sentence; no part of the reply is in it."""
        field = f"The field `{self.field}`" if self.field else "The reply"
        return _WORDS[self.defect].format(field=field, expected=self.expected)


class Flawed(Exception):
    """Raised by readers: the reply does not hold what was asked."""

    def __init__(self, defect: FormatDefect, field: str = "", expected: str = "as described") -> None:
        self.flaw = Flaw(defect, field, expected)
        super().__init__(self.flaw.words)
