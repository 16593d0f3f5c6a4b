"""Heat maps: every pair of examinees, and every examinee on every kind of question."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from viva.core.scores import GroupScore
from viva.core.scores_pairs import Comparison, Pairs, PairVerdict, pair_sentence
from viva.core.wording import number, percent, percent_range
from viva.reports.embed import plot_text, shortened
from viva.reports.plots.style import DIVERGING, SEQUENTIAL, Figure, axis, layout, rounded
from viva.reports.sections.systems import SystemRow

SMALL = 10
LABEL = 34
# more columns than this cannot be told apart on a page
LEVELS = 24
MARK = "\u25cf"
HOVER = 80
"""Characters in a line of the text on a cell."""


def pair_grid(rows: Sequence[SystemRow], pairs: Pairs) -> Figure | None:
    """Accuracy of the row less that of the column.

    None for fewer than two examinees or where nothing was compared.
    """
    if len(rows) < 2 or not len(pairs):
        return None
    cells = [[pairs.between(row.id, column.id) for column in rows] for row in rows]
    trace = {
        **_heat(rows, [row.place for row in rows]),
        "z": [[rounded(cell.difference if cell else None) for cell in line] for line in cells],
        "text": [[_significant(cell) for cell in line] for line in cells],
        "customdata": [
            [_pair_hover(row, column, cell) for column, cell in zip(rows, line, strict=True)]
            for row, line in zip(rows, cells, strict=True)
        ],
        "zmin": -0.5,
        "zmax": 0.5,
        "colorscale": DIVERGING,
        "colorbar": _bar("+.0%"),
    }
    return {"data": [trace], "layout": _grid_layout(rows, [row.place for row in rows], numbered=True)}


def _significant(cell: Comparison | None) -> str:
    return "" if cell is None or cell.verdict is PairVerdict.NOT_TOLD_APART else MARK


def _pair_hover(row: SystemRow, column: SystemRow, cell: Comparison | None) -> str:
    if cell is None:
        return ""
    said = pair_sentence(cell, shortened(row.name, 60), shortened(column.name, 60))
    return "<br>".join(plot_text(line, HOVER) for line in wrap(said, HOVER))


def group_grid(rows: Sequence[SystemRow], groups: Sequence[GroupScore], attribute: str) -> Figure | None:
    """Accuracy of every examinee at every level of one attribute; None for fewer than two levels."""
    found = {(g.examinee_id, g.level): g for g in groups if g.attribute == attribute}
    sizes = {level: max(cell.items for cell in found.values() if cell.level == level) for _, level in found}
    levels = sorted(sorted(sizes, key=lambda level: (-sizes[level], level))[:LEVELS])
    if len(levels) < 2:
        return None
    cells = [[found.get((row.id, level)) for level in levels] for row in rows]
    names = [f"{plot_text(level, 18) or '(none)'}<br>n {sizes[level]}" for level in levels]
    trace = {
        **_heat(rows, levels),
        "z": [[rounded(cell.accuracy.value) if cell else None for cell in line] for line in cells],
        "text": [[_share(cell) for cell in line] for line in cells],
        "customdata": [[_group_hover(row, cell) for cell in line] for row, line in zip(rows, cells, strict=True)],
        "zmin": 0,
        "zmax": 1,
        "colorscale": SEQUENTIAL,
        "colorbar": _bar(".0%"),
    }
    return {"data": [trace], "layout": _grid_layout(rows, names, numbered=False)}


def _share(cell: GroupScore | None) -> str:
    if cell is None:
        return ""
    share = number(100 * cell.accuracy.value, 0)
    return f"({share})" if cell.items < SMALL else share


def _group_hover(row: SystemRow, cell: GroupScore | None) -> str:
    if cell is None:
        return ""
    return (
        f"<b>{plot_text(row.name, 60)}</b><br>{plot_text(cell.level, 60) or '(none)'}: "
        f"{percent(cell.accuracy.value, 1)}<br>95% interval {percent_range(cell.accuracy.low, cell.accuracy.high)}, "
        f"n = {cell.items}"
    )


def _heat(rows: Sequence[SystemRow], columns: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "x": list(range(len(columns))),
        "y": list(range(len(rows))),
        "texttemplate": "%{text}",
        "hovertemplate": "%{customdata}<extra></extra>",
        "hoverongaps": False,
        "xgap": 2,
        "ygap": 2,
    }


def _bar(tickformat: str) -> dict[str, Any]:
    return {"thickness": 8, "outlinewidth": 0, "tickformat": tickformat, "len": 0.6, "tickfont": {"size": 10.5}}


def _grid_layout(rows: Sequence[SystemRow], columns: Sequence[str], *, numbered: bool) -> dict[str, Any]:
    cell = max(12, min(30, 640 // len(rows)))
    labels = [
        f"{plot_text(row.name, LABEL)}  <b>{row.place}</b>" if numbered else plot_text(row.name, LABEL)
        for row in rows
    ]
    across = axis(tickvals=list(range(len(columns))), ticktext=list(columns), side="top", showgrid=False, ticks="")
    down = axis(tickvals=list(range(len(rows))), ticktext=labels, autorange="reversed", showgrid=False, ticks="")
    # labels of two lines fit upright only while columns are wide
    return layout(
        84 + cell * len(rows), xaxis={**across, "tickangle": 0 if len(columns) <= 10 or numbered else -45}, yaxis=down
    )
