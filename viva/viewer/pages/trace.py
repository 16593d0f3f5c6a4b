"""One unit's walk through the item graph: every step, and the model calls behind it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from viva.core.calls import Entry
from viva.core.records import Step
from viva.storage.ledger import requests_of
from viva.viewer.loaded_run import LoadedRun, RecordedRun, UnitFate
from viva.viewer.query import NotFound

NODES = {
    "question writer": "write",
    "question reader": "screen",
    "expert answerer": "answer",
    "critics": "criticise",
    "distractor writer": "distract",
    "option critics": "check",
    "proofreader": "correct",
    "chair": "end",
}
"""Roles by the steps they name, in the order of the graph, with the name of the node (graphs/item.py)."""
_WIDE, _HIGH, _GAP = 92, 40, 18
Diff = list[tuple[str, str]]
"""Pieces of a text: ('same', 'added' or 'gone', the words)."""


@dataclass(frozen=True)
class StepView:
    """A step with its calls; `diff` against the step of the same role before it."""

    step: Step
    entries: Sequence[Entry]
    diff: Diff


@dataclass(frozen=True)
class NodeBox:
    """A node of the picture; `visits` are the numbers of the steps made in it."""

    name: str
    x: int
    visits: str


@dataclass(frozen=True)
class Picture:
    """The item graph with the path taken: boxes in a row, and an arc for each way back."""

    boxes: Sequence[NodeBox]
    back: Sequence[str]
    """SVG paths"""
    width: int
    told: str
    """the path in words"""


def trace_page(run: LoadedRun, state: RecordedRun, unit_id: str) -> dict[str, Any]:
    """The walk. NotFound for a unit that is not on record."""
    row = unit_of(state, unit_id)
    recorded = run.context.store.steps(row.chunk_id)
    steps = [step for step in recorded if step.unit_id == unit_id]
    reading = [step for step in recorded if step.unit_id is None]
    entries = requests_of(run.folder, [key for step in (*reading, *steps) for key in step.calls])
    alike = [other for other in state.units if row.code and other.code == row.code and other.unit_id != unit_id]
    return {
        "row": row,
        "reading": [_view(step, entries, ()) for step in reading],
        "steps": [_view(step, entries, steps[:n]) for n, step in enumerate(steps)],
        "picture": picture(steps),
        "alike": len(alike),
        "seconds": sum(step.duration_s for step in steps),
        "calls": sum(len(step.calls) for step in steps),
    }


def unit_of(state: RecordedRun, unit_id: str) -> UnitFate:
    """The unit. NotFound where there is none."""
    for row in state.units:
        if row.unit_id == unit_id:
            return row
    raise NotFound("This run has no such unit.", next_step="Its units stand on the page Units.")


def call_page(run: LoadedRun, key: str) -> dict[str, Any]:
    """One call: what was asked, what was answered. NotFound where the ledger holds none."""
    entries = requests_of(run.folder, [key]).get(key, [])
    if not entries:
        raise NotFound("This run's ledger holds no such call.", next_step="Steps of a unit link to their calls.")
    last = entries[-1]
    return {"key": key, "entries": entries, "call": last.call, "messages": last.call.messages, "entry": last}


def _view(step: Step, entries: dict[str, list[Entry]], before: Sequence[Step]) -> StepView:
    earlier = next((old for old in reversed(before) if old.role == step.role), None)
    found = [entry for key in step.calls for entry in entries.get(key, [])]
    return StepView(step, found, compared(earlier.output, step.output) if earlier else [])


def compared(before: str, after: str) -> Diff:
    """Word by word what was added and what is gone; nothing where the two are equal."""
    if before == after:
        return []
    old, new = before.split(" "), after.split(" ")
    found: Diff = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append(("same", " ".join(old[a:b])))
            continue
        if b > a:
            found.append(("gone", " ".join(old[a:b])))
        if d > c:
            found.append(("added", " ".join(new[c:d])))
    return found


def picture(steps: Sequence[Step]) -> Picture:
    """The graph, its nodes marked with the steps made in them."""
    order = list(NODES)
    places = [order.index(step.role) for step in steps if step.role in NODES]
    boxes = [
        NodeBox(
            NODES[role], n * (_WIDE + _GAP), ", ".join(str(k + 1) for k, place in enumerate(places) if place == n)
        )
        for n, role in enumerate(order)
    ]
    back = sorted({(a, b) for a, b in pairwise(places) if b < a})
    middles = [box.x + _WIDE // 2 for box in boxes]
    arcs = [_arc(middles[a], middles[b], _HIGH + 26 + 8 * n) for n, (a, b) in enumerate(back)]
    told = " → ".join(NODES[order[place]] for place in places)
    return Picture(boxes, arcs, len(boxes) * (_WIDE + _GAP), told)


def _arc(start: int, end: int, depth: int) -> str:
    return f"M {start} {_HIGH} C {start} {depth}, {end} {depth}, {end} {_HIGH}"
