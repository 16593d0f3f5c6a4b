"""A number with its interval: what statistics find out, and what every record of findings holds."""

from __future__ import annotations

from typing import Literal

from pydantic.dataclasses import dataclass

from viva.core.wording import number, signed


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval."""

    value: float
    low: float
    high: float


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
        """Whether it is at least so high."""
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
    """An ability that the exam does not measure: it is on this side of what it does, by the bound (97.5% sure)."""

    side: Side
    bound: float

    @property
    def place(self) -> float:
        """Where to draw it."""
        return self.bound

    def above(self, _: float) -> bool:
        """Whether it is taken to be at least so high."""
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


OUTSIDE = "Ability below, above a number: below or above what this exam measures, by this bound (97.5%)."
