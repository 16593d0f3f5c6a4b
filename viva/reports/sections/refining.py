"""What the page tells of how the exam was refined, and of sittings question by question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from viva.core.scores import AdaptiveScore
from viva.reports.data import ReportData
from viva.reports.plots.steps import adaptive_paths
from viva.reports.plots.style import Figure
from viva.reports.sections.items import ItemView

LISTED = 30
SITTINGS = 8


@dataclass(frozen=True)
class Moved:
    """A question that went, in which round and why, or that came; `number` is its own where the exam holds it."""

    round: int
    stem: str
    why: str = ""
    number: int | None = None


def step_figures(data: ReportData, views: Sequence[ItemView]) -> dict[str, Figure]:
    """Plots of sittings question by question; none where there were none."""
    return adaptive_paths(_sittings(data)[:SITTINGS], _numbers(views))


def step_context(data: ReportData, views: Sequence[ItemView]) -> dict[str, Any]:
    """The same in words, and what the refinement changed, for the page."""
    numbers, made = _numbers(views), data.refinement
    rounds = list(enumerate(made.steps, start=1)) if made else []
    return {
        "refined": made,
        "refined_dropped": [Moved(n, each.stem, each.reason) for n, step in rounds for each in step.dropped],
        "refined_added": [
            Moved(n, each.stem, number=numbers.get(each.item_id)) for n, step in rounds for each in step.added
        ],
        "refined_limit": LISTED,
        "sittings": _sittings(data),
        "sitting_limit": SITTINGS,
    }


def _sittings(data: ReportData) -> list[AdaptiveScore]:
    """Those with a path: earlier versions kept none."""
    return [sitting for sitting in data.scores.adaptive if sitting.path]


def _numbers(views: Sequence[ItemView]) -> dict[str, int]:
    return {view.shown.item.id: view.number for view in views}
