"""The way of the knowledge units as a flow."""

from __future__ import annotations

from viva.core.records import Funnel
from viva.reports.drafts import by_count
from viva.reports.embed import plot_text
from viva.reports.plots.style import BLUE, FONT, GREY, INK, VERMILION, Figure, layout
from viva.reports.words import plain

_TINTS = {BLUE: "rgba(0,114,178,.22)", VERMILION: "rgba(201,81,12,.20)", GREY: "rgba(123,135,148,.22)"}


def funnel_flow(funnel: Funnel) -> Figure | None:
    """A Sankey diagram from units to exam; None where there were no units. Streams of nothing are left out."""
    if not funnel.units:
        return None
    flow = _Flow(funnel.units)
    accepted = flow.stream(0, "accepted", funnel.accepted, BLUE)
    rejected = flow.stream(0, "rejected", sum(funnel.rejected.values()), VERMILION)
    flow.stream(0, "not asked about", funnel.not_asked, GREY)
    flow.stream(accepted, "in the exam", funnel.in_exam, BLUE)
    flow.stream(accepted, "worked examples", funnel.examples, BLUE)
    for reason, count in by_count(funnel.left_out):
        flow.stream(accepted, f"left out: {plain(reason)}", count, GREY)
    for code, count in by_count(funnel.rejected):
        flow.stream(rejected, plain(code) or "no code", count, VERMILION)
    return flow.figure(190 + 26 * (len(funnel.rejected) + len(funnel.left_out)))


class _Flow:
    """Nodes and links in the order they are drawn."""

    def __init__(self, units: int) -> None:
        self.labels, self.colours = [f"knowledge units  {units}"], [INK]
        self.links: list[tuple[int, int, int, str]] = []

    def stream(self, source: int, label: str, count: int, colour: str) -> int:
        """The node that `count` flow to; a stream of nothing makes none and gives its source."""
        if count == 0:
            return source
        self.labels.append(f"{plot_text(label, 40)}  {count}")
        self.colours.append(colour)
        self.links.append((source, len(self.labels) - 1, count, _TINTS[colour]))
        return len(self.labels) - 1

    def figure(self, height: int) -> Figure:
        """The diagram; `height` in pixels."""
        sources, targets, counts, colours = (list(part) for part in zip(*self.links, strict=True))
        trace = {
            "type": "sankey",
            "arrangement": "fixed",
            "textfont": {"family": FONT, "size": 12, "color": INK},
            "node": {
                "label": self.labels,
                "color": self.colours,
                "pad": 16,
                "thickness": 10,
                "line": {"width": 0},
                "hovertemplate": "%{label}<extra></extra>",
            },
            "link": {
                "source": sources,
                "target": targets,
                "value": counts,
                "color": colours,
                "hovertemplate": "%{target.label}<extra></extra>",
            },
        }
        return {"data": [trace], "layout": layout(height, margin={"l": 4, "r": 4, "t": 10, "b": 14})}
