"""Scores over dates: a line with intervals for each pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from viva.reports.embed import plot_text
from viva.reports.plots.style import BLUE, GREY, INK, VERMILION, Figure, axis, layout, rounded

COLOURS = (BLUE, VERMILION, GREY, INK)


def history_lines(rows: Sequence[Mapping[str, Any]], measure: str, pipeline: Callable[[str], str]) -> Figure:
    """Draw a figure of rows with run, date, system and a `measure` with its bounds, in the order of the rows."""
    dated = all(row["date"] for row in rows)
    lines = dict[str, list[Mapping[str, Any]]]()
    for row in rows:
        if row.get(measure) is not None:
            lines.setdefault(pipeline(str(row["system"])), []).append(row)
    data = [
        _line(name, own, measure, "date" if dated else "run", COLOURS[place % len(COLOURS)])
        for place, (name, own) in enumerate(lines.items())
    ]
    across = axis("date", type="date") if dated else axis("run", type="category")
    down = axis(measure, tickformat=".0%", range=[-0.02, 1.02])
    return {"data": data, "layout": layout(420, xaxis=across, yaxis=down, showlegend=len(data) > 1)}


def _line(name: str, rows: Sequence[Mapping[str, Any]], measure: str, across: str, colour: str) -> dict[str, Any]:
    values = [float(row[measure]) for row in rows]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": plot_text(name),
        "x": [row["date"] if across == "date" else plot_text(str(row["run"])) for row in rows],
        "y": [rounded(each) for each in values],
        "text": [f"<b>{plot_text(str(row['system']), 80)}</b><br>{plot_text(str(row['run']), 80)}" for row in rows],
        "hovertemplate": "%{text}<br>%{y:.1%}<extra></extra>",
        "line": {"color": colour, "width": 1.6},
        "marker": {"color": colour, "size": 8},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [rounded(row[f"{measure} high"] - each) for row, each in zip(rows, values, strict=True)],
            "arrayminus": [rounded(each - row[f"{measure} low"]) for row, each in zip(rows, values, strict=True)],
            "color": colour,
            "thickness": 1.4,
            "width": 3,
        },
    }
