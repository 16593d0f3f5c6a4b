"""Values as they are compared: amounts with their units, ranges, dates, times, identifiers."""

from __future__ import annotations

from dataclasses import dataclass

from viva.metrics.text.equality.moments import Clock, Day
from viva.metrics.text.equality.units import MONTHS_IN_DAYS, SHARE

_EXACT, _MONTHS_APART = 1e-9, 0.025
"""Relative differences up to which two numbers are one, and months and days are one duration."""


_ROUNDED = 0.05
"""Share by which an amount in another unit may differ from the one it was rounded from."""


DAY_IN_SECONDS = 86400.0


@dataclass(frozen=True)
class UnitValue:
    """A number with its dimension: "" without a unit, "money:EUR", "length", "length/time"."""

    value: float
    dimension: str
    step: float
    """what one more in the last written place adds, in base units"""
    written: float
    unit: str = ""

    @property
    def is_year(self) -> bool:
        """Tell whether a number without a unit looks like a year of the last or of this millennium."""
        return self.dimension == "" and self.step == 1 and 1000 <= self.value <= 2100

    def equals(self, other: UnitValue) -> bool:
        """Tell whether the two are one amount; a number without a unit is compared as it is written."""
        mine, theirs = self.dimension, other.dimension
        if {mine, theirs} == {"months", "time"}:
            return _near(self._days, other._days, _MONTHS_APART)
        if _same_dimension(mine, theirs):
            if _near(self.value, other.value, _EXACT):
                return True
            coarse = max(self.step, other.step)
            apart = abs(self.value - other.value)
            near = _near(self.value, other.value, _ROUNDED) or mine == "temperature"
            return self.unit != other.unit and apart <= coarse / 2 * (1 + _EXACT) and near
        return "" in {mine, theirs} and _near(self.written, other.written, _EXACT)

    @property
    def _days(self) -> float:
        return self.value * MONTHS_IN_DAYS if self.dimension == "months" else self.value / DAY_IN_SECONDS

    def rivals(self, other: UnitValue) -> bool:
        """Tell whether the two could answer one question, by their dimensions."""
        mine, theirs = self.dimension, other.dimension
        if self.is_year or other.is_year:
            return self.is_year and other.is_year
        if mine.startswith("money:") and theirs.startswith("money:"):
            return True
        return _same_dimension(mine, theirs) or "" in {mine, theirs} or {mine, theirs} == {"months", "time"}


@dataclass(frozen=True)
class ValueRange:
    """A range of two amounts, dates or times."""

    low: UnitValue | Day | Clock
    high: UnitValue | Day | Clock


@dataclass(frozen=True)
class Code:
    """A version, address, flag, path or other identifier: equal to the letter or not at all."""

    text: str


Reading = UnitValue | ValueRange | Day | Clock | Code


@dataclass(frozen=True)
class Value:
    """A value of a text, with its place and all that it can be read as."""

    text: str
    start: int
    end: int
    readings: tuple[Reading, ...]
    bound: int = 0
    """1 for "at least" and "more than", -1 for "at most" and "less than" """

    def equals(self, other: Value) -> bool:
        """Tell whether this value of an answer equals one of a reference; their bounds may not be opposite.

        A date gives its year, and a year alone does not give a date.
        """
        return self.bound * other.bound >= 0 and any(_equal(a, b) for a in self.readings for b in other.readings)

    def rivals(self, other: Value) -> bool:
        """Tell whether one could stand in the place of the other: both amounts of a dimension, both dates, ..."""
        return any(_rival(a, b) for a in self.readings for b in other.readings)

    @property
    def is_bare(self) -> bool:
        """Tell whether it is a number without a unit."""
        return all(isinstance(each, UnitValue) and each.dimension in {"", SHARE} for each in self.readings)


def _same_dimension(mine: str, theirs: str) -> bool:
    if mine.startswith("money:") and theirs.startswith("money:"):
        return mine == theirs or "money:" in {mine, theirs}
    return mine == theirs


def _near(first: float, second: float, share: float) -> bool:
    return abs(first - second) <= share * max(abs(first), abs(second), 1e-12)


def _equal(first: Reading, second: Reading) -> bool:
    match first, second:
        case (UnitValue(), UnitValue()):
            return first.equals(second)
        case (ValueRange(), ValueRange()):
            return _equal(first.low, second.low) and _equal(first.high, second.high)
        case (Day(), Day()):
            return first.equals(second)
        case (Clock(), Clock()):
            return first.equals(second)
        case (Code(), Code()):
            return first.text == second.text
        case (Day(), UnitValue()):
            return second.dimension == "" and first.year == second.value
        case (UnitValue(), Day()):
            return second.month is None and first.dimension == "" and first.value == second.year
    return False


def _rival(first: Reading, second: Reading) -> bool:
    match first, second:
        case (UnitValue(), UnitValue()):
            return first.rivals(second)
        case (ValueRange(), _):
            return _rival(first.low, second)
        case (_, ValueRange()):
            return _rival(first, second.low)
        case (Day(), UnitValue()) | (UnitValue(), Day()):
            number = first if isinstance(first, UnitValue) else second
            return isinstance(number, UnitValue) and number.is_year
    return type(first) is type(second)
