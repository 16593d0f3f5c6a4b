"""Who got what right: every answer, by ability and difficulty, and which of them the model had not expected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viva.core.wording import number
from viva.reports.embed import plot_text
from viva.reports.plots.style import BLUE, VERMILION, Figure, axis, layout
from viva.reports.sections.psychometrics import MeasurementView

# more cells than this are neither drawn quickly nor told apart
MAP_ROWS, MAP_COLUMNS = 100, 300
# an answer to which the model gave less than this is a surprise
SURPRISE = 0.1
LABEL = 46
LIGHT_BLUE, LIGHT_VERMILION = "#BBD7EA", "#F3D5C1"


def response_map(found: MeasurementView) -> Figure:
    """Who got what right: ablest at the top, easiest at the left; what the model had not expected stands out."""
    rows = _thinned(np.argsort(-found.theta, kind="stable"), MAP_ROWS)
    columns = _thinned(np.argsort(found.b, kind="stable"), MAP_COLUMNS)
    values, expected = found.responses[np.ix_(rows, columns)], found.curves(found.theta[rows])[:, columns]
    surprising = np.where(values == 1, expected, 1 - expected) < SURPRISE
    # 0 wrong against expectation, 1 wrong, 2 right, 3 right against expectation
    code = np.where(values == 1, np.where(surprising, 3, 2), np.where(surprising, 0, 1)).astype(object)
    code[np.isnan(values)] = None
    colours = (VERMILION, LIGHT_VERMILION, LIGHT_BLUE, BLUE)
    # places tell apart two that share a name
    names = [f"{plot_text(found.rows[row].name, LABEL)}  <b>{found.rows[row].place}</b>" for row in rows.tolist()]
    heat = {
        "type": "heatmap",
        "x": list(range(len(columns))),
        "y": names,
        "z": code.tolist(),
        "zmin": -0.5,
        "zmax": 3.5,
        "colorscale": [[edge / 4, colour] for n, colour in enumerate(colours) for edge in (n, n + 1)],
        "showscale": False,
        "xgap": 1 if len(columns) <= 120 else 0,
        "ygap": 1,
        "hoverongaps": False,
        "text": np.round(100 * expected).astype(int).tolist(),
        "customdata": [[found.views[column].number for column in columns.tolist()]] * len(rows),
        "hovertemplate": "%{y}<br>question %{customdata}: right with probability %{text}%<extra></extra>",
    }
    words = ("wrong, surprisingly", "wrong", "right", "right, surprisingly")
    legend = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [None],
            "y": [None],
            "name": word,
            "marker": {"symbol": "square", "size": 11, "color": colour},
            "hoverinfo": "skip",
        }
        for word, colour in zip(words, colours, strict=True)
    ]
    height = max(9, min(24, 900 // len(rows)))
    across = axis(
        "questions, easiest to hardest (b)",
        tickvals=(ticks := _ticks(len(columns))),
        ticktext=[f"{number(float(found.b[columns[tick]]), 1)}" for tick in ticks],
        range=[-0.5, len(columns) - 0.5],
        showgrid=False,
        ticks="",
    )
    down = axis(type="category", range=[len(rows) - 0.5, -0.5], showgrid=False, ticks="", dtick=-(-14 // height))
    return {
        "data": [heat, *legend],
        "layout": layout(
            110 + height * len(rows),
            margin={"l": 8, "r": 16, "t": 40, "b": 8},
            xaxis=across,
            yaxis=down,
            showlegend=True,
            legend={
                "orientation": "h",
                "x": 0,
                "y": 1,
                "yref": "container",
                "yanchor": "top",
                "font": {"size": 11.5},
            },
        ),
    }


def _thinned(order: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    return order if len(order) <= most else order[np.linspace(0, len(order) - 1, most).round().astype(np.int64)]


def _ticks(columns: int) -> list[int]:
    return sorted({round(tick) for tick in np.linspace(0, columns - 1, min(9, columns))})
