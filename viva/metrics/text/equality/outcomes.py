"""What equality says of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Equality(StrEnum):
    """The outcome of equality for an answer."""

    RIGHT = "right"
    WRONG = "wrong"
    OPEN = "open"
    """equality cannot decide: likeness does"""


@dataclass(frozen=True)
class EqualityDecision:
    """An outcome with its reason in words."""

    outcome: Equality
    reason: str = ""
    is_refusal: bool = False
    is_final: bool = False
    """no other wording of the reference makes it right"""


UNDECIDED = EqualityDecision(Equality.OPEN)


LONG = 40
"""Words of a reference that makes several points: no single value or word decides on an answer to it."""
SHORT = 8
"""Words of a reference that can be nothing but a value with the noun that it counts."""
