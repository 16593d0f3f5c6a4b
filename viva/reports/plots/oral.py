"""An oral examination in pictures: how it came to its end, what is known by cluster, and where on the map it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from viva.core.records import UnitStatus
from viva.core.scores_oral import OralRow, OralScore
from viva.core.wording import counted, percent, percent_range
from viva.reports.embed import plot_text
from viva.reports.plots.style import BLUE, GREY, INK, PALE, VERMILION, Figure, axis, layout, rounded

MOST_CLUSTERS = 30
"""Bars that are drawn; the table has all clusters."""
_LOOKS = {
    UnitStatus.CORRECT: ("known", "circle", BLUE),
    UnitStatus.INCORRECT: ("answered wrongly", "x", VERMILION),
    UnitStatus.GIVEN_UP: ("given up", "diamond-open", INK),
    UnitStatus.OPEN: ("not examined", "circle-open", GREY),
}
"""Told apart by shape too: colour alone is not seen by all, nor printed."""
_BARS = {
    UnitStatus.CORRECT: BLUE,
    UnitStatus.INCORRECT: VERMILION,
    UnitStatus.GIVEN_UP: "#52606D",
    UnitStatus.OPEN: PALE,
}


@dataclass(frozen=True)
class MapPoint:
    """A unit on the map; its texts are as others wrote them."""

    x: float
    y: float
    status: UnitStatus
    keyword: str
    description: str
    cluster: str
    round: int | None


def convergence(score: OralScore) -> Figure | None:
    """Units with a verdict, covered and known after each question; None without a question."""
    if not score.curve:
        return None
    asked = [0, *(point.questions for point in score.curve)]
    lines = [
        _line(asked, [0, *(point.verdicts for point in score.curve)], "examined", INK, "dot"),
        _line(asked, [0, *(point.covered for point in score.curve)], "covered", GREY, "dash"),
        _line(asked, [0, *(point.correct for point in score.curve)], "known", BLUE, "solid"),
    ]
    shape = layout(
        320,
        xaxis=axis("questions put", range=[0, asked[-1]]),
        yaxis=axis(f"of {counted(score.units, 'unit')}", range=[0, score.units * 1.03]),
        **_legend_above(),
    )
    return {"data": lines, "layout": shape}


def _line(x: Sequence[int], y: Sequence[int], name: str, colour: str, dash: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": list(x),
        "y": list(y),
        "name": name,
        "line": {"color": colour, "width": 2, "dash": dash, "shape": "hv"},
        "hovertemplate": f"%{{y}} units {name} after %{{x}} questions<extra></extra>",
    }


def cluster_bars(rows: Sequence[OralRow]) -> Figure | None:
    """Units of each cluster by how they ended, in the rows' order; None where there is one cluster, or none."""
    if len(rows) < 2:
        return None
    shown = rows[:MOST_CLUSTERS]
    places = list(range(len(shown)))
    bars = [
        _status_bars(shown, status, [_count(row, status) for row in shown])
        for status in _BARS
        if any(_count(row, status) for row in shown)
    ]
    down = axis(
        tickvals=places,
        ticktext=[plot_text(row.level) for row in shown],
        range=[len(shown) - 0.4, -0.6],
        showgrid=False,
        ticks="",
    )
    shape = layout(90 + 26 * len(shown), barmode="stack", xaxis=axis("units"), yaxis=down, **_legend_above())
    return {"data": bars, "layout": shape}


def _count(row: OralRow, status: UnitStatus) -> int:
    return {
        UnitStatus.CORRECT: row.correct,
        UnitStatus.INCORRECT: row.incorrect,
        UnitStatus.GIVEN_UP: row.given_up,
        UnitStatus.OPEN: row.open,
    }[status]


def _status_bars(rows: Sequence[OralRow], status: UnitStatus, counts: Sequence[int]) -> dict[str, Any]:
    name = _LOOKS[status][0]
    return {
        "type": "bar",
        "orientation": "h",
        "y": list(range(len(rows))),
        "x": list(counts),
        "name": name,
        "marker": {"color": _BARS[status]},
        "width": 0.66,
        "text": [_cluster_hover(row, name, count) for row, count in zip(rows, counts, strict=True)],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }


def _cluster_hover(row: OralRow, name: str, count: int) -> str:
    known = row.known
    share = (
        f"{percent(known.value)} of the examined known (95% interval {percent_range(known.low, known.high)})"
        if known
        else "none examined"
    )
    return f"<b>{plot_text(row.level, 60)}</b><br>{count} of {counted(row.units, 'unit')} {name}<br>{share}"


def unit_map(points: Sequence[MapPoint]) -> Figure | None:
    """Units by what they mean, near ones together; None where they lie in one place."""
    if len({(point.x, point.y) for point in points}) < 2:
        return None
    traces = [_status_points([p for p in points if p.status is status], status) for status in _LOOKS]
    bare: dict[str, Any] = {"showticklabels": False, "ticks": "", "showline": False}
    shape = layout(
        430,
        xaxis=axis(**bare),
        yaxis=axis(**bare, scaleanchor="x"),
        **_legend_above(),
    )
    return {"data": [trace for trace in traces if trace["x"]], "layout": shape}


def _status_points(points: Sequence[MapPoint], status: UnitStatus) -> dict[str, Any]:
    name, symbol, colour = _LOOKS[status]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [rounded(point.x) for point in points],
        "y": [rounded(point.y) for point in points],
        "marker": {
            "symbol": symbol,
            "size": 8,
            "color": colour,
            "opacity": 0.85,
            "line": {"width": 1.4, "color": colour},
        },
        "text": [_point_hover(point, name) for point in points],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _point_hover(point: MapPoint, name: str) -> str:
    when = "" if point.round is None else f" in round {point.round}"
    return (
        f"<b>{plot_text(point.keyword, 60)}</b><br>{plot_text(point.description, 110)}<br>{name}{when}"
        f"<br>cluster: {plot_text(point.cluster, 60)}"
    )


def _legend_above() -> dict[str, Any]:
    return {
        "margin": {"l": 8, "r": 16, "t": 40, "b": 8},
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "traceorder": "normal",
            "font": {"size": 11.5},
        },
    }
