"""What happens step by step: the refinement of an exam, and the ability within an adaptive sitting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viva.core.refinement import Refinement, RefinementStep
from viva.core.scores import AdaptiveScore, AdaptiveStep
from viva.core.wording import counted, number
from viva.reports.embed import plot_text
from viva.reports.plots.style import BLUE, GREY, PALE, VERMILION, Figure, axis, layout, rounded

Z95 = 1.96
_FILL = "rgba(0,114,178,0.14)"
_LOOKS = {
    True: ("right", "circle", BLUE),
    False: ("wrong", "x", VERMILION),
    None: ("not graded", "circle-open", GREY),
}


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


def adaptive_paths(sittings: Sequence[AdaptiveScore], numbers: Mapping[str, int]) -> dict[str, Figure]:
    """The ability with its 95% interval after each question, a figure for each sitting with a path.

    `numbers` are those of the questions, by item id. All figures share one scale.
    """
    paths = [sitting.path for sitting in sittings if sitting.path]
    ends = [step.ability + sign * Z95 * step.se for path in paths for step in path for sign in (-1, 1)]
    scale = [rounded(min(ends) - 0.2), rounded(max(ends) + 0.2)] if ends else None
    return {f"adaptive-{place}": _path(path, numbers, scale) for place, path in enumerate(paths)}


def _path(path: Sequence[AdaptiveStep], numbers: Mapping[str, int], scale: list[float | None] | None) -> Figure:
    order = list(range(1, len(path) + 1))
    low, high = ([rounded(step.ability + sign * Z95 * step.se) for step in path] for sign in (-1, 1))
    band = {
        "type": "scatter",
        "mode": "lines",
        "x": [*order, *reversed(order)],
        "y": [*high, *reversed(low)],
        "fill": "toself",
        "fillcolor": _FILL,
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": order,
        "y": [rounded(step.ability) for step in path],
        "line": {"color": BLUE, "width": 1.4},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    marks = [_marks(path, numbers, right) for right in _LOOKS if any(step.right is right for step in path)]
    every = -(-len(path) // 12)
    shape = layout(
        300,
        xaxis=axis("questions asked", tickvals=order[::every], range=[0.5, len(path) + 0.5]),
        yaxis=axis("ability θ", range=scale),
        margin={"l": 8, "r": 16, "t": 40, "b": 8},
        showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top", "font": {"size": 11.5}},
    )
    return {"data": [band, line, *marks], "layout": shape}


def _marks(path: Sequence[AdaptiveStep], numbers: Mapping[str, int], right: bool | None) -> dict[str, Any]:
    name, symbol, colour = _LOOKS[right]
    own = [(place, step) for place, step in enumerate(path, start=1) if step.right is right]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [place for place, _ in own],
        "y": [rounded(step.ability) for _, step in own],
        "marker": {"symbol": symbol, "size": 9, "color": colour, "line": {"width": 1.6, "color": colour}},
        "text": [_path_hover(step, numbers, name) for _, step in own],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _path_hover(step: AdaptiveStep, numbers: Mapping[str, int], said: str) -> str:
    which = f"No. {numbers[step.item_id]}" if step.item_id in numbers else plot_text(step.item_id, 12)
    drawn = ", drawn at random" if step.phase == "random" else ""
    low, high = (number(step.ability + sign * Z95 * step.se) for sign in (-1, 1))
    return f"<b>{which}</b>: {said}{drawn}<br>θ {number(step.ability)} (95% interval {low} to {high})"
