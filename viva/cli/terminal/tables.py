"""Figures as text."""

from __future__ import annotations

from viva.api.result import Cell, Column, Kind


def percent_told(estimate: Cell) -> str:
    """A share with its interval: '90% (70 to 97)'; a dash for none."""
    return Column("", Kind.SHARE).show(estimate)
