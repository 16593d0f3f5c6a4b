"""Figures as text."""

from __future__ import annotations

from viva.core.estimates import Estimate


def percent_told(estimate: Estimate | None) -> str:
    """A share with its interval: '90% (70 to 97)'; a dash for none."""
    if estimate is None:
        return "-"
    return f"{estimate.value:.0%} ({100 * estimate.low:.0f} to {100 * estimate.high:.0f})"
