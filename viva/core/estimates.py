"""A number with its interval: what statistics find out, and what every record of findings holds."""

from __future__ import annotations

from pydantic.dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A number with its 95% interval."""

    value: float
    low: float
    high: float
