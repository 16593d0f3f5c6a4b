"""What the page tells of how the exam was refined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from viva.reports.data import ReportData
from viva.reports.sections.items import ItemView

LISTED = 30


@dataclass(frozen=True)
class Moved:
    """A question that went, in which round and why, or that came; `number` is its own where the exam holds it."""

    round: int
    stem: str
    why: str = ""
    number: int | None = None


def step_context(data: ReportData, views: Sequence[ItemView]) -> dict[str, Any]:
    """The refinement in words, for the page."""
    numbers, made = {view.shown.item.id: view.number for view in views}, data.refinement
    rounds = list(enumerate(made.steps, start=1)) if made else []
    return {
        "refined": made,
        "refined_dropped": [Moved(n, each.stem, each.reason) for n, step in rounds for each in step.dropped],
        "refined_added": [
            Moved(n, each.stem, number=numbers.get(each.item_id)) for n, step in rounds for each in step.added
        ],
        "refined_limit": LISTED,
    }
