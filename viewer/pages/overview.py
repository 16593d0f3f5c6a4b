"""The first page, which compares runs, and the page of one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from viva.core.errors import TransientError, UsageError
from viva.graphs.resources.stage_times import times_of
from viva.reports.sections.spending import money, total
from viva.viewer.loaded_run import LoadedRun, RunState


@dataclass(frozen=True)
class RunLine:
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


def _line(number: int, run: LoadedRun) -> RunLine:
    try:
        state = run.state()
    except (UsageError, TransientError) as error:
        return RunLine(number, run.name, run.at_work, problem=str(error))
    best = next((row for row in state.scores.examinees if row.accuracy), None) if state.scores else None
    return RunLine(
        number,
        run.name,
        run.at_work,
        documents=len(state.documents),
        units=state.funnel.units,
        accepted=state.funnel.accepted,
        questions=len(state.exam.items) if state.exam else 0,
        systems=len(state.examinees),
        best=f"{best.examinee.name}, {best.correct} of {best.graded}" if best else "",
        spent=spent(state),
    )


def spent(state: RunState) -> str:
    """Calls and money in a few words; "" where no model was asked."""
    if not state.uses:
        return ""
    use = total(state.uses)
    return f"{use.calls:,} calls, {money(use)}"


def run_page(run: LoadedRun, state: RunState) -> dict[str, Any]:
    """Where its units went, what it took and cost, what stands beside it."""
    scores = state.scores
    return {
        "progress": progress(run),
        "funnel": state.funnel,
        "rejected": sorted(state.funnel.rejected.items(), key=lambda entry: (-entry[1], entry[0])),
        "failed": sorted(state.funnel.failed.items(), key=lambda entry: (-entry[1], entry[0])),
        "left_out": sorted(state.funnel.left_out.items(), key=lambda entry: (-entry[1], entry[0])),
        "times": times_of(run.context.store),
        "uses": state.uses,
        "total": total(state.uses) if state.uses else None,
        "notes": state.notes,
        "rows": scores.examinees if scores else (),
        "baselines": scores.baselines if scores else {},
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
        "calls": sum(use.calls for use in run.state().uses),
    }
