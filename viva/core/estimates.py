"""A number with its interval, and what a share of right answers depends on besides the system.

That is documents, occasions, and a mark to pass.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from viva.core.records.base import Record
from viva.core.wording import number, signed

MOST_FAILED = 0.2
"""Share of its questions that a system may fail on and still be ranked."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval."""

    value: float
    low: float
    high: float


class DesignEffect(Record):
    """Tell whether questions of one document hang together, and by how much that widens intervals."""

    questions: int
    documents: int
    correlation: float | None = Field(description="of two questions of one document; None where not estimated")
    effect: float | None = Field(
        description="variance of a mean over all the questions in units of that of independent ones, as estimated; "
        "below 1 where questions of one document are less alike than others"
    )
    p_value: float | None = Field(description="that documents make no difference, by permuting them")
    used: float = Field(default=1.0, description="what intervals and tests allow for: 1 if the effect may be noise")
    reason: str = Field(default="", description="why there is no estimate")


class DocumentEffects(Record):
    """The design effect of documents, pooled over systems."""

    accuracy: DesignEffect
    own_pairs: DesignEffect | None = Field(
        description="of differences between the user's ranked systems; None for fewer than two"
    )
    other_pairs: DesignEffect | None = Field(description="of differences between all systems that are fitted")


class Stability(Record):
    """The stability of a system that was asked more than once."""

    occasions: int = Field(description="times that it was asked each question, at most")
    questions: int = Field(description="questions with more than one occasion that counts")
    changed: Estimate = Field(description="share of these that are right on one occasion and wrong on another")
    accuracy_sd: float | None = Field(
        description="standard deviation of the accuracy between whole occasions; None for fewer than two"
    )


class PassDecision(StrEnum):
    """The decision on a mark, by the interval of an accuracy."""

    PASS = "pass"  # noqa: S105 - no secret
    FAIL = "fail"
    NOT_SURE = "not sure"


class PassResult(Record):
    """One system and the mark."""

    examinee_id: str
    decision: PassDecision
    above: float = Field(description="probability that its true share of right answers is above the mark")
    consistency: float = Field(
        description="probability that its accuracy on a parallel exam is on the same side of the mark"
    )


class PassMark(Record):
    """The share of right answers that a system has to reach."""

    mark: float
    se: float = Field(description="standard error of the accuracy of a system that is at the mark, asked once")
    systems: tuple[PassResult, ...] = Field(description="in the order of the leaderboard")


Side = Literal["below", "above"]


@dataclass(frozen=True)
class Ability:
    """An ability on the scale of the response model, with its standard error."""

    theta: float
    se: float

    @property
    def place(self) -> float:
        """Where to draw it."""
        return self.theta

    def above(self, least: float) -> bool:
        """Tell whether it is at least so high."""
        return self.theta >= least

    @property
    def words(self) -> str:
        """'+1.2 ± 0.3'."""
        return f"{signed(self.theta, 1)} ± {number(self.se, 1)}"

    @property
    def sentence(self) -> str:
        """The same."""
        return self.words


@dataclass(frozen=True)
class OutsideAbility:
    """An ability that the exam does not measure: it is on this side of the bound."""

    side: Side
    bound: float

    @property
    def place(self) -> float:
        """Where to draw it."""
        return self.bound

    def above(self, _: float) -> bool:
        """Tell whether it is taken to be at least so high."""
        return self.side == "above"

    @property
    def words(self) -> str:
        """'below -2.1', for a table that explains it (OUTSIDE)."""
        return f"{self.side} {signed(self.bound, 1)}"

    @property
    def sentence(self) -> str:
        """'below what this exam measures (under -2.1)'."""
        word = "under" if self.side == "below" else "over"
        return f"{self.side} what this exam measures ({word} {signed(self.bound, 1)})"


OUTSIDE = "Ability “below” a number: lower than this exam can measure; “above”: higher."
