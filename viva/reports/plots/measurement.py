"""The measurement: telling curves, information by group, fit of the questions, differences between levels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viva.core.scores import CurveFit, GroupInformation, LevelContrast
from viva.core.wording import number, p_value, percent, signed
from viva.reports.embed import plot_text
from viva.reports.plots.exam import theta_grid
from viva.reports.plots.style import (
    BLUE,
    GREY,
    INK,
    PALE,
    VERMILION,
    Figure,
    ForestRow,
    Landmark,
    axis,
    forest,
    layout,
    rounded,
)
from viva.reports.sections.items import ItemView
from viva.reports.sections.psychometrics import MeasurementView

Floats = NDArray[np.float64]

TELLING = 3
FAINT = 150
GROUPS = 16
# with more questions than this their stems would swell the page
STEMS = 300
DASHES = ("solid", "dash", "dot")


def telling_curves(found: MeasurementView, suspected: Sequence[ItemView]) -> Figure:
    """The sharpest questions, and those suspected (where there are none: the least sharp), before all others."""
    theta, a = theta_grid(found.rows), found.a
    curves = found.curves(theta).T
    doubted = [found.views.index(view) for view in suspected][:TELLING]
    word_of_doubt = "suspected" if doubted else "least sharp"
    doubted = doubted or np.lexsort((np.arange(len(a)), a)).tolist()[:TELLING]
    sharp = [place for place in _sharpest(found) if place not in doubted]
    step = -(-len(curves) // FAINT)
    traces = [_faint(theta, curves[::step])]
    for colour, word, places in ((BLUE, "sharp", sharp), (VERMILION, word_of_doubt, doubted)):
        for dash, place in zip(DASHES, places, strict=False):
            traces.append(_named_curve(found, theta, curves[place], place, (colour, dash), word))
    shape = layout(
        460,
        xaxis=axis("ability θ", range=[float(theta[0]), float(theta[-1])]),
        yaxis=axis("probability of the key", range=[-0.02, 1.02], tickformat=".0%"),
        **_legend(72),
    )
    return {"data": traces, "layout": shape}


def _legend(room: int) -> dict[str, Any]:
    """A legend above the plot in room of its own: on paper plotly measures none again."""
    return {
        "showlegend": True,
        "margin": {"l": 8, "r": 16, "t": room, "b": 8},
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "font": {"size": 11.5},
        },
    }


def _sharpest(found: MeasurementView) -> list[int]:
    """Places of the steepest curves, no two of them alike."""
    chosen = list[int]()
    for place in np.lexsort((np.arange(len(found.a)), -found.a)).tolist():
        if all(abs(found.b[place] - found.b[other]) > 0.5 for other in chosen):
            chosen.append(place)
        if len(chosen) == TELLING:
            break
    return chosen


def _faint(theta: Floats, curves: Floats) -> dict[str, Any]:
    # every other point will do for lines that only give the background
    x: list[float | None] = [round(float(t), 2) for t in theta[::2]]
    y: list[list[float | None]] = [[round(float(p), 2) for p in curve[::2]] for curve in curves]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [value for _ in y for value in [*x, None]],
        "y": [value for curve in y for value in [*curve, None]],
        "line": {"color": PALE, "width": 0.8},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _named_curve(
    found: MeasurementView, theta: Floats, curve: Floats, place: int, look: tuple[str, str], word: str
) -> dict[str, Any]:
    own, view = found.parameters[place], found.views[place]
    parameters = ", ".join(
        f"{name} {number(value)} ± {number(error)}"
        for name, value, error in (
            ("a", own.discrimination, own.discrimination_se),
            ("b", own.difficulty, own.difficulty_se),
            ("c", own.guessing, own.guessing_se),
        )
        if np.isfinite(error)
    )
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [rounded(float(t), 2) for t in theta],
        "y": [rounded(float(p), 3) for p in curve],
        "name": f"{word}: {view.number}",
        "line": {"color": look[0], "dash": look[1], "width": 2.4},
        "text": f"<b>{view.number}</b> {plot_text(view.shown.item.stem, 70)}<br>{parameters}",
        "hovertemplate": "%{text}<br>at θ %{x:.1f}: %{y:.0%}<extra></extra>",
    }


def group_bars(groups: Sequence[GroupInformation], questions: int) -> Figure:
    """Share of all information by group (bar) beside its share of the questions (tick), the most telling first."""
    shown = list(groups[:GROUPS])
    names = [f"{plot_text(group.level, 28) or '(none)'} ({group.items})" for group in shown]
    places = list(range(len(shown)))
    hover = [
        f"<b>{plot_text(group.level, 60) or '(none)'}</b><br>{percent(group.share)} of the information from "
        f"{percent(group.items / questions)} of the questions<br>{number(group.per_item, 3)} per question"
        for group in shown
    ]
    shared = {"y": places, "text": hover, "hovertemplate": "%{text}<extra></extra>"}
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": [rounded(group.share) for group in shown],
        "marker": {"color": BLUE},
        "width": 0.6,
        "textposition": "none",
        "name": "share of the information",
        **shared,
    }
    ticks = {
        "type": "scatter",
        "mode": "markers",
        "x": [rounded(group.items / questions) for group in shown],
        "marker": {"symbol": "line-ns", "size": 17, "line": {"width": 2.4, "color": INK}},
        "name": "share of the questions",
        **shared,
    }
    largest = max(max(group.share, group.items / questions) for group in shown)
    return {
        "data": [bars, ticks],
        "layout": layout(
            96 + 27 * len(shown),
            xaxis=axis(tickformat=".0%", range=[0, max(0.05, largest) * 1.06]),
            yaxis=axis(tickvals=places, ticktext=names, range=[len(shown) - 0.4, -0.6], showgrid=False),
            **_legend(46),
        ),
    }


def fit_scatter(found: MeasurementView, fits: Sequence[CurveFit], misfits: Collection[int]) -> Figure:
    """Infit and outfit of every judged question over its difficulty; the misfits carry their number."""
    views = {view.shown.item.id: view for view in found.views}
    judged = [(each, views[each.item_id]) for each in fits if each.item_id in views]
    many = len(found.views) > STEMS
    traces = [
        {
            "type": "scatter",
            "mode": "markers+text",
            "name": name,
            "x": [rounded(view.parameters.difficulty) for _, view in judged if view.parameters],
            "y": [rounded(max(getattr(each, name), 0.02)) for each, _ in judged],
            "text": [str(view.number) if view.number in misfits else "" for _, view in judged],
            "textposition": "top center",
            "customdata": [_fit_hover(each, view, stem=not many) for each, view in judged],
            "hovertemplate": "%{customdata}<extra></extra>",
            "marker": {
                "symbol": symbol,
                "size": 8,
                "color": [VERMILION if view.number in misfits else BLUE for _, view in judged],
                "opacity": 0.8,
            },
        }
        for name, symbol in (("outfit", "circle"), ("infit", "diamond-open"))
    ]
    rule = {
        "type": "line",
        "x0": 0,
        "x1": 1,
        "xref": "paper",
        "y0": 1,
        "y1": 1,
        "line": {"color": GREY, "width": 1.2},
    }
    return {
        "data": traces,
        "layout": layout(
            400,
            shapes=[rule],
            xaxis=axis("difficulty b"),
            yaxis=axis("scatter about the curve", type="log", tickvals=[0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16]),
            **_legend(30),
        ),
    }


def _fit_hover(fit: CurveFit, view: ItemView, *, stem: bool) -> str:
    return (
        f"<b>{view.number}</b> {plot_text(view.shown.item.stem, 60) if stem else ''}<br>"
        f"infit {number(fit.infit)} (z {number(fit.infit_z, 1)}), "
        f"outfit {number(fit.outfit)} (z {number(fit.outfit_z, 1)})"
    )


def difference_forests(found: dict[str, tuple[LevelContrast, ...]]) -> dict[str, Figure]:
    """Differences between levels, one forest per component, all on one scale; hollow: not told apart."""
    if not found:
        return {}
    every = [each for own in found.values() for each in own]
    low, high = min(0.0, *(one.low for one in every)), max(0.0, *(one.high for one in every))
    margin = 0.04 * (high - low) or 1.0
    scale = axis("difference in ability θ", range=[rounded(low - margin), rounded(high + margin)])
    return {
        name: forest([_row(one) for one in own], [Landmark("", 0.0, "solid")], scale) for name, own in found.items()
    }


def _row(one: LevelContrast) -> ForestRow:
    score = one.score
    hover = (
        f"<b>{plot_text(one.level, 40)} over {plot_text(one.reference, 40)}</b><br>"
        f"{signed(one.difference)} in ability (95% interval, all at once: {signed(one.low)} to {signed(one.high)}; "
        f"{plot_text(p_value(one.p_value))})<br>"
        f"{signed(100 * score.value, 1)} points of expected accuracy "
        f"({signed(100 * score.low, 1)} to {signed(100 * score.high, 1)})"
    )
    label = f"{plot_text(one.level, 22)} over {plot_text(one.reference, 22)}"
    return ForestRow(label, one.difference, one.low, one.high, hover, muted=not one.told_apart)
