"""The ability within an adaptive sitting, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viva.core.scores import AdaptiveScore, AdaptiveStep
from viva.core.wording import number
from viva.reports.embed import plot_text
from viva.reports.plots.style import BLUE, GREY, VERMILION, Figure, axis, layout, rounded

Z95 = 1.96
_FILL = "rgba(0,114,178,0.14)"
_LOOKS = {
    True: ("right", "circle", BLUE),
    False: ("wrong", "x", VERMILION),
    None: ("not graded", "circle-open", GREY),
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
