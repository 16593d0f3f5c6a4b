"""The refinement of an exam, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viva.core.refinement import Refinement, RefinementStep
from viva.core.wording import counted
from viva.reports.plots.style import BLUE, PALE, VERMILION, Figure, axis, layout, rounded
from viva.reports.words import number


def refinement_figures(made: Refinement) -> dict[str, Figure]:
    """What each step's exam tells of the examinees that judge it, and how many items stayed, went and came."""
    steps = made.steps
    if len(steps) < 2:
        return {}
    return {"refined-information": _information(steps, whole=made.plan.replenish), "refined-items": _items(steps)}


def _information(steps: Sequence[RefinementStep], *, whole: bool) -> Figure:
    values = [step.information if whole else step.per_item for step in steps]
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": list(range(len(steps))),
        "y": [rounded(value) for value in values],
        "line": {"color": PALE, "width": 1.6},
        "marker": {
            "size": 10,
            "symbol": ["circle" if step.accepted else "circle-open" for step in steps],
            "color": [BLUE if step.accepted else VERMILION for step in steps],
            "line": {"width": 2},
        },
        "text": [_step_hover(place, step) for place, step in enumerate(steps)],
        "hovertemplate": "%{text}<extra></extra>",
    }
    name = "information in all" if whole else "information per question"
    room = 0.12 * (max(values) - min(values)) or 0.1 * max(values) or 1.0
    scale = [rounded(min(values) - room), rounded(max(values) + room)]
    return {"data": [trace], "layout": layout(300, xaxis=_step_axis(steps), yaxis=axis(name, range=scale))}


def _step_axis(steps: Sequence[RefinementStep]) -> dict[str, Any]:
    names = ["before", *(f"round {place}" for place in range(1, len(steps)))]
    every = -(-len(steps) // 8)
    return axis(tickvals=list(range(0, len(steps), every)), ticktext=names[::every], range=[-0.5, len(steps) - 0.5])


def _step_hover(place: int, step: RefinementStep) -> str:
    head = f"round {place}" if place else "before"
    back = "" if step.accepted else "<br>taken back: it did not help"
    return (
        f"<b>{head}</b><br>{counted(len(step.items), 'question')}<br>information {number(step.information)}, "
        f"{number(step.per_item, 4)} per question{back}"
    )


def _items(steps: Sequence[RefinementStep]) -> Figure:
    stayed = [len(step.items) - len(step.added) for step in steps]
    bars = [
        _bars("stayed", stayed, PALE),
        _bars("came", [len(step.added) for step in steps], BLUE),
        _bars("went", [-len(step.dropped) for step in steps], VERMILION),
    ]
    shape = layout(
        300,
        barmode="relative",
        xaxis=_step_axis(steps),
        yaxis=axis("questions"),
        margin={"l": 8, "r": 16, "t": 40, "b": 8},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top", "font": {"size": 11.5}},
    )
    return {"data": bars, "layout": shape}


def _bars(name: str, counts: Sequence[int], colour: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": list(range(len(counts))),
        "y": list(counts),
        "name": name,
        "marker": {"color": colour},
        "width": 0.6,
        "text": [f"{abs(count)} {name}" for count in counts],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }
