"""One look for all plots: a light ground, few colours that colour-blind readers can tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Figure = dict[str, Any]

# blue and vermilion of Okabe & Ito (2008), which stay apart under every common colour blindness
BLUE = "#0072B2"
VERMILION = "#C9510C"
GREY = "#7B8794"
PALE = "#CBD2D9"
INK = "#1F2933"
RULE = "#E4E7EB"
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Liberation Sans", sans-serif'
SEQUENTIAL = [[0, "#F4F8FB"], [0.5, "#C3DCEC"], [0.75, "#8CBADB"], [1, "#2273B0"]]
DIVERGING = [[0, "#D2692A"], [0.25, "#F2C1A0"], [0.5, "#F7F7F5"], [0.75, "#A9CDE4"], [1, "#2273B0"]]


def rounded(value: float | None, digits: int = 4) -> float | None:
    """A number as the page carries it: no more digits than a reader can see, no negative zero."""
    return None if value is None else round(value, digits) + 0.0


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    """An axis with a hairline grid and no zero line."""
    named = {"title": {"text": title, "font": {"size": 12, "color": GREY}, "standoff": 8}} if title else {}
    return {
        "gridcolor": RULE,
        "linecolor": PALE,
        "zeroline": False,
        "automargin": True,
        "tickfont": {"size": 11.5, "color": INK},
        "fixedrange": True,
        **named,
        **more,
    }


def layout(height: int, **more: Any) -> dict[str, Any]:
    """The layout all plots share; `height` in pixels."""
    return {
        "height": height,
        "autosize": True,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
        "font": {"family": FONT, "size": 12, "color": INK},
        "paper_bgcolor": "#FFFFFF",
        "plot_bgcolor": "#FFFFFF",
        "showlegend": False,
        "hovermode": "closest",
        "dragmode": False,
        "hoverlabel": {
            "bgcolor": "#FFFFFF",
            "bordercolor": PALE,
            "align": "left",
            "font": {"family": FONT, "size": 12, "color": INK},
        },
        **more,
    }


@dataclass(frozen=True)
class ForestRow:
    """One estimate with its interval. `label` and `hover` are escaped for plotly already."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    hover: str
    muted: bool = False
    symbol: str = "circle"


@dataclass(frozen=True)
class Landmark:
    """A line across a forest plot, named in its legend."""

    label: str
    x: float
    dash: str


def forest(
    rows: Sequence[ForestRow], landmarks: Sequence[Landmark], x_axis: Mapping[str, Any], *, legend_room: bool = False
) -> Figure:
    """Estimates with intervals, the first row at the top. Room for a legend keeps neighbouring plots in step."""
    traces = [_landmark(landmark, len(rows)) for landmark in landmarks]
    traces += [_estimates(rows, muted) for muted in (False, True)]
    y_axis = axis(
        tickvals=list(range(len(rows))),
        ticktext=[row.label for row in rows],
        range=[len(rows) - 0.4, -0.6],
        showgrid=False,
        ticks="",
    )
    below = 96 if legend_room else 46
    shape = layout(
        16 + below + 27 * len(rows),
        xaxis=dict(x_axis),
        yaxis=y_axis,
        margin={"l": 8, "r": 16, "t": 8, "b": below},
        showlegend=any(landmark.label for landmark in landmarks),
        legend={
            "orientation": "h",
            "x": 0,
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "font": {"size": 11, "color": GREY},
        },
    )
    return {"data": traces, "layout": shape}


def _landmark(landmark: Landmark, rows: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [rounded(landmark.x)] * 2,
        "y": [-0.6, rows - 0.4],
        "line": {"color": GREY, "width": 1.4, "dash": landmark.dash},
        "name": landmark.label,
        "showlegend": bool(landmark.label),
        "hoverinfo": "skip",
    }


def _estimates(rows: Sequence[ForestRow], muted: bool) -> dict[str, Any]:
    chosen = [(place, row) for place, row in enumerate(rows) if row.muted == muted]
    colour = GREY if muted else BLUE
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [rounded(row.value) for _, row in chosen],
        "y": [place for place, _ in chosen],
        "text": [row.hover for _, row in chosen],
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
        "marker": {
            "color": "#FFFFFF" if muted else colour,
            "symbol": [row.symbol for _, row in chosen],
            "size": 9,
            "line": {"color": colour, "width": 2},
        },
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [_span(row.value, row.high) for _, row in chosen],
            "arrayminus": [_span(row.low, row.value) for _, row in chosen],
            "color": colour,
            "thickness": 1.6,
            "width": 0,
        },
    }


def _span(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else rounded(high - low)
