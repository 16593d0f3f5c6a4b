"""The way of the knowledge units as a flow."""

from __future__ import annotations

from dataclasses import dataclass

from viva.core.accounts import Funnel
from viva.reports.embed import plot_text
from viva.reports.plots.style import BLUE, FONT, GREY, INK, VERMILION, Figure, layout, rounded
from viva.reports.sections.drafts import by_count
from viva.reports.words import plain

_TINTS = {
    INK: "rgba(31,41,51,.2)",
    BLUE: "rgba(0,114,178,.22)",
    VERMILION: "rgba(201,81,12,.20)",
    GREY: "rgba(123,135,148,.22)",
}
PAD = 16
MARGIN = 14
# plotly takes a coordinate of exactly 0 for one that is missing
EDGE = 0.001


@dataclass(frozen=True)
class _Leaf:
    """Where units end: `through` names the node of the middle column they pass, '' for none."""

    label: str
    count: int
    colour: str
    through: str


def funnel_flow(funnel: Funnel) -> Figure | None:
    """A Sankey diagram from units to exam; None where there were no units. Streams of nothing are left out."""
    leaves = [leaf for leaf in _leaves(funnel) if leaf.count]
    if not leaves:
        return None
    height = 120 + 34 * len(leaves)
    centres = _centres(leaves, height - 2 * MARGIN)
    trace = {
        "type": "sankey",
        "arrangement": "fixed",
        "textfont": {"family": FONT, "size": 12, "color": INK},
        **_nodes_and_links(funnel, leaves, centres),
    }
    return {"data": [trace], "layout": layout(height, margin={"l": 4, "r": 4, "t": MARGIN, "b": MARGIN})}


def _leaves(funnel: Funnel) -> list[_Leaf]:
    return [
        _Leaf("in the exam", funnel.in_exam, BLUE, "accepted"),
        _Leaf("worked examples", funnel.examples, BLUE, "accepted"),
        *(_Leaf(f"left out: {plain(name)}", n, GREY, "accepted") for name, n in by_count(funnel.left_out)),
        *(_Leaf(plain(code) or "no code", n, VERMILION, "rejected") for code, n in by_count(funnel.rejected)),
        _Leaf("not asked about", funnel.not_asked, GREY, ""),
    ]


def _centres(leaves: list[_Leaf], height: float) -> list[float]:
    """The middle of each leaf, as a share of the height, stacked in order with a gap between neighbours."""
    scale = (height - PAD * (len(leaves) - 1)) / sum(leaf.count for leaf in leaves)
    centres, top = list[float](), 0.0
    for leaf in leaves:
        centres.append((top + leaf.count * scale / 2) / height)
        top += leaf.count * scale + PAD
    return centres


def _nodes_and_links(funnel: Funnel, leaves: list[_Leaf], centres: list[float]) -> Figure:
    nodes = [("knowledge units", funnel.units, INK, EDGE, 0.5)]
    links = list[tuple[int, int, int, str]]()
    places = {"": 0}
    for name, colour in (("accepted", BLUE), ("rejected", VERMILION)):
        own = [(leaf.count, centre) for leaf, centre in zip(leaves, centres, strict=True) if leaf.through == name]
        count = sum(n for n, _ in own)
        if count:
            places[name] = len(nodes)
            links.append((0, len(nodes), count, colour))
            nodes.append((name, count, colour, 0.5, sum(n * centre for n, centre in own) / count))
    for leaf, centre in zip(leaves, centres, strict=True):
        links.append((places[leaf.through], len(nodes), leaf.count, leaf.colour))
        nodes.append((leaf.label, leaf.count, leaf.colour, 1 - EDGE, centre))
    return {
        "node": {
            "label": [f"{plot_text(label, 40)}  {count}" for label, count, *_ in nodes],
            "color": [colour for _, _, colour, _, _ in nodes],
            "x": [x for *_, x, _ in nodes],
            "y": [rounded(y) for *_, y in nodes],
            "pad": PAD,
            "thickness": 10,
            "line": {"width": 0},
            "hovertemplate": "%{label}<extra></extra>",
        },
        "link": {
            "source": [source for source, *_ in links],
            "target": [target for _, target, _, _ in links],
            "value": [count for _, _, count, _ in links],
            "color": [_TINTS[colour] for *_, colour in links],
            "hovertemplate": "%{target.label}<extra></extra>",
        },
    }
