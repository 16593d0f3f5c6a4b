"""The first page, which compares runs, and the page of one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from viva.core.errors import TransientError, UsageError
from viva.graphs.resources.stage_times import times_of
from viva.reports.sections.drafts import by_count
from viva.reports.sections.spending import money, total
from viva.reports.sections.systems import SystemRow, system_rows
from viva.viewer.loaded_run import LoadedRun, RecordedRun
from viva.viewer.query import NotFound


@dataclass(frozen=True)
class RunSummary:
    """A run in the list; of one that cannot be read, why."""

    number: int
    name: str
    at_work: bool
    problem: str = ""
    documents: int = 0
    units: int = 0
    accepted: int = 0
    questions: int = 0
    systems: int = 0
    best: str = ""
    spent: str = ""


def runs_page(runs: Sequence[LoadedRun]) -> dict[str, Any]:
    """Each run in a line."""
    return {"lines": [_line(number, run) for number, run in enumerate(runs)]}


def _line(number: int, run: LoadedRun) -> RunSummary:
    try:
        state = run.state()
    except (UsageError, TransientError) as error:
        return RunSummary(number, run.name, run.at_work, problem=str(error))
    first = next((row.score for row in _ranked(state) if row.score.accuracy), None)
    return RunSummary(
        number,
        run.name,
        run.at_work,
        documents=len(state.documents),
        units=state.funnel.units,
        accepted=state.funnel.accepted,
        questions=len(state.exam.items) if state.exam else 0,
        systems=len(state.examinees),
        best=f"{first.examinee.name}, {first.correct} of {first.graded}" if first else "",
        spent=spent(state),
    )


def _ranked(state: RecordedRun) -> list[SystemRow]:
    """The systems that are asked for, best first: references and what viva set beside them are not ranked."""
    return [row for row in system_rows(state.scores) if not row.reference] if state.scores else []


def spent(state: RecordedRun) -> str:
    """Calls and money in a few words; "" where no model was asked."""
    if not state.uses:
        return ""
    use = total(state.uses)
    return f"{use.calls:,} calls, {money(use)}"


def run_page(run: LoadedRun, state: RecordedRun) -> dict[str, Any]:
    """Where its units went, what it took and cost, what stands beside it."""
    return {
        "progress": progress(run),
        "funnel": state.funnel,
        "rejected": by_count(state.funnel.rejected),
        "failed": by_count(state.funnel.failed),
        "left_out": by_count(state.funnel.left_out),
        "times": times_of(run.context.store),
        "uses": state.uses,
        "total": total(state.uses) if state.uses else None,
        "notes": state.notes,
        "rows": _ranked(state)[:5],
        "settings": {
            name: value for name, value in sorted(state.run.settings.items()) if value not in (None, "", "[]")
        },
    }


def progress(run: LoadedRun) -> dict[str, Any]:
    """How far a run is, in numbers that are quickly found: what the page asks for again and again."""
    store = run.context.store
    walked = store.walk_counts()
    return {
        "at_work": run.at_work,
        "chunks": len(walked),
        "units": sum(counts["units"] for counts in walked.values()),
        "accepted": sum(counts["items"] for counts in walked.values()),
        "responses": sum(store.response_counts().values()),
        "calls": sum(counts["calls"] for counts in walked.values()),
    }


def place_of(run: LoadedRun, id_: str) -> str:
    """Where what has this id, or begins so, is shown. NotFound where nothing does, UsageError where several do."""
    state = run.state()
    asked = [*state.exam.items, *state.shown()] if state.exam else []
    named = {each.item.id: f"/items/{each.item.id}" for each in asked}
    named |= {row.unit_id: f"/units/{row.unit_id}" for row in state.units}
    named |= {each.id: f"/systems/{each.id}" for each in state.examinees}
    found = {place for name, place in named.items() if id_ and name.startswith(id_.casefold())}
    if not found:
        raise NotFound(
            "Nothing in this run has such an id.", allowed="Of a question, a unit or a system; or its beginning."
        )
    if len(found) > 1:
        raise UsageError(f"{len(found)} ids begin like this.", next_step="Give more of it.")
    return found.pop()
