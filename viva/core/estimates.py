"""A number with its interval, as every record of findings holds it."""

from __future__ import annotations

from viva.core.records.base import Record


class Estimate(Record):
    """A number with its 95% interval."""

    value: float
    low: float
    high: float
