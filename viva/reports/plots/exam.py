"""The exam itself: blind baselines, information, items on the ability scale, characteristic curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viva.core.records import ItemParameters
from viva.core.wording import percent
from viva.metrics.irt.model.curves import probability_3pl, standard_error_curve, test_information
from viva.reports.embed import plot_text
from viva.reports.plots.style import BLUE, GREY, INK, PALE, VERMILION, Figure, axis, layout, rounded
from viva.reports.sections.items import ItemView
from viva.reports.sections.pairs import GradeBook
from viva.reports.sections.systems import SystemRow

POINTS = 61
BACKGROUND_CURVES = 60
# where the exam tells nothing the standard error has no bound; the plot ends here
SE_CEILING = 2.5


def blind_bars(baselines: Mapping[str, float], chance: float | None) -> Figure | None:
    """Accuracy that needs no reading, against guessing; None without baselines."""
    if not baselines:
        return None
    names, shares = list(baselines), list(baselines.values())
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": [rounded(share) for share in shares],
        "y": list(range(len(names))),
        "text": [percent(share) for share in shares],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": BLUE},
        "width": 0.6,
        "hoverinfo": "skip",
    }
    down = axis(
        tickvals=list(range(len(names))),
        ticktext=[plot_text(name) for name in names],
        autorange="reversed",
        showgrid=False,
    )
    across = axis("accuracy without reading", tickformat=".0%", range=[0, max(0.5, *shares) * 1.15])
    rules = [] if chance is None else [_rule(chance)]
    return {"data": [bars], "layout": layout(70 + 30 * len(names), xaxis=across, yaxis=down, shapes=rules)}


def _rule(x: float) -> dict[str, Any]:
    line = {"color": INK, "width": 1.2, "dash": "dash"}
    return {"type": "line", "x0": rounded(x), "x1": rounded(x), "y0": 0, "y1": 1, "yref": "paper", "line": line}


def information_curves(views: Sequence[ItemView], rows: Sequence[SystemRow]) -> Figure | None:
    """Test information above, standard error below, and where the examinees stand; None without parameters."""
    parameters = _parameters(views)
    if not parameters:
        return None
    theta = theta_grid(rows)
    a, b, c = _arrays(parameters)
    information = test_information(theta, a, b, c)
    error = np.minimum(standard_error_curve(theta, a, b, c), 10 * SE_CEILING)
    data = [
        _curve(theta, information, "information", "y", BLUE),
        _curve(theta, error, "standard error", "y2", VERMILION),
        _rug(rows),
    ]
    shared = {"range": [float(theta[0]), float(theta[-1])]}
    axes = {
        "xaxis": axis("", anchor="y", showticklabels=False, **shared),
        "xaxis2": axis("ability \u03b8 (ticks: the examinees)", anchor="y3", **shared),
        "yaxis": axis("information", domain=[0.56, 1], rangemode="tozero"),
        "yaxis2": axis("standard error", domain=[0.1, 0.5], anchor="x2", range=[0, _ceiling(error)]),
        "yaxis3": axis("", domain=[0, 0.07], anchor="x2", showticklabels=False, showgrid=False, range=[-1, 1]),
    }
    return {"data": data, "layout": layout(400, **axes)}


def _ceiling(error: NDArray[np.float64]) -> float:
    return float(min(SE_CEILING, error.max() * 1.1))


def _curve(theta: NDArray[np.float64], values: NDArray[np.float64], name: str, y: str, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": _list(theta),
        "y": _list(values),
        "xaxis": "x" if y == "y" else "x2",
        "yaxis": y,
        "line": {"color": colour, "width": 2},
        "hovertemplate": f"\u03b8 %{{x:.2f}}<br>{name} %{{y:.2f}}<extra></extra>",
    }


def _rug(rows: Sequence[SystemRow]) -> dict[str, Any]:
    placed = [(row, row.score.ability) for row in rows if row.score.ability]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [rounded(ability.place) for _, ability in placed],
        "y": [0] * len(placed),
        "xaxis": "x2",
        "yaxis": "y3",
        "marker": {"symbol": "line-ns", "size": 12, "line": {"width": 1.6, "color": INK}},
        "text": [f"{plot_text(row.name, 60)}<br>\u03b8 {ability.words}" for row, ability in placed],
        "hovertemplate": "%{text}<extra></extra>",
    }


def item_scatter(views: Sequence[ItemView]) -> Figure | None:
    """Difficulty against discrimination, flagged items apart; None without parameters."""
    if not _parameters(views):
        return None
    data = [_points(views, flagged) for flagged in (False, True)]
    axes = {
        "xaxis": axis("difficulty b"),
        "yaxis": axis("discrimination a", rangemode="tozero"),
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 11.5}},
    }
    return {"data": data, "layout": layout(400, showlegend=True, **axes)}


def _points(views: Sequence[ItemView], flagged: bool) -> dict[str, Any]:
    chosen = [(view, view.parameters) for view in views if view.parameters and bool(view.flags) == flagged]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "flagged" if flagged else "not flagged",
        "x": [rounded(p.difficulty) for _, p in chosen],
        "y": [rounded(p.discrimination) for _, p in chosen],
        "text": [_item_hover(view) for view, _ in chosen],
        "customdata": [view.number for view, _ in chosen],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "color": VERMILION if flagged else BLUE,
            "symbol": "diamond" if flagged else "circle",
            "size": 9,
            "opacity": 0.8,
        },
    }


def _item_hover(view: ItemView) -> str:
    flags = f"<br>{', '.join(view.flags)}" if view.flags else ""
    return f"<b>{view.number}</b> {plot_text(view.shown.item.stem, 70)}{flags}"


def characteristic_curves(views: Sequence[ItemView], rows: Sequence[SystemRow], book: GradeBook) -> dict[str, Any]:
    """What the page needs to draw the curve of any item: the shared grid, and each item's curve and outcomes.

    `outcomes` has one character per examinee with an ability: 1 right, 0 wrong, - not graded. Empty without items.
    """
    known = [(view, view.parameters) for view in views if view.parameters]
    if not known:
        return {}
    theta = theta_grid(rows)
    a, b, c = _arrays([p for _, p in known])
    curves = probability_3pl(theta, a, b, c).T
    placed = [(row, row.score.ability) for row in rows if row.score.ability]
    step = -(-len(known) // BACKGROUND_CURVES)
    return {
        "theta": _list(theta),
        "examinees": [plot_text(row.name, 60) for row, _ in placed],
        "abilities": [rounded(ability.place) for _, ability in placed],
        "items": {str(v.number): _list(curve, 3) for (v, _), curve in zip(known, curves, strict=True)},
        "outcomes": {
            str(v.number): "".join(_outcome(book.rows[row.id][v.number - 1]) for row, _ in placed) for v, _ in known
        },
        "background": [str(view.number) for view, _ in known[::step]],
        "first": str(max(known, key=lambda pair: (pair[1].discrimination, -pair[0].number))[0].number),
        "colours": {"line": BLUE, "background": PALE, "right": BLUE, "wrong": VERMILION, "grey": GREY},
        "layout": layout(
            400,
            xaxis=axis("ability \u03b8", range=[float(theta[0]), float(theta[-1])]),
            yaxis=axis("probability of the key", range=[-0.04, 1.04], tickformat=".0%"),
        ),
    }


def _outcome(grade: float | None) -> str:
    return "-" if grade is None else str(int(grade))


def theta_grid(rows: Sequence[SystemRow]) -> NDArray[np.float64]:
    """Abilities from -3 to 3, farther where an examinee stands farther out, of shape (61,)."""
    thetas = [row.score.ability.place for row in rows if row.score.ability]
    low, high = min([-3.0, *(t - 0.5 for t in thetas)]), max([3.0, *(t + 0.5 for t in thetas)])
    return np.linspace(round(low, 1), round(high, 1), POINTS)


def _parameters(views: Sequence[ItemView]) -> list[ItemParameters]:
    return [view.parameters for view in views if view.parameters]


def _arrays(parameters: Sequence[ItemParameters]) -> tuple[NDArray[np.float64], ...]:
    columns = zip(*((p.discrimination, p.difficulty, p.guessing) for p in parameters), strict=True)
    return tuple(np.array(column, dtype=np.float64) for column in columns)


def _list(values: NDArray[np.float64], digits: int = 4) -> list[float]:
    return [float(value) for value in np.round(values, digits) + 0.0]
