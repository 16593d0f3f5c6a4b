"""A published exam, the exposure of its questions and those that are retired, as tables and sentences."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from viva.api.result import Column, Kind, Result, Table
from viva.core.estimates import Estimate
from viva.core.wording import counted, points
from viva.exams.published import Publication
from viva.graphs.sitting.exposure import ExamExposure, PublishedExam, SystemExposure

_SYSTEMS = (
    Column("system"),
    Column("learns"),
    Column("put", Kind.NUMBER),
    Column("days", spare=2),
    Column("published", Kind.SHARE),
    Column("of", Kind.NUMBER, spare=1),
    Column("held back", Kind.SHARE),
    Column("of held back", Kind.NUMBER, spare=1),
    Column("difference", Kind.POINTS),
)
_QUESTIONS = (Column("question"), Column("times put", Kind.NUMBER))
_SHOWN = 10
"""The most questions that are listed, the most exposed first."""


def published_result(found: PublishedExam, path: Path) -> Result:
    """Say what the file holds and what it does not."""
    made, shown = found.publication, counted(len(found.exam.items), "question")
    notes = [f"Published {shown} to {path}. {_licence(made)}", f"Canary: {made.canary}"]
    if made.held_back:
        notes.append(
            f"Held back: {counted(made.held_back, 'question')}. They stay in the run folder; exports leave them out."
        )
    if found.known_before:
        fewer = f"{counted(found.known_before, 'question')} fewer than asked"
        notes.append(f"Held back are {fewer}: the others were published before, or are shown by another question.")
    if made.scale is None:
        notes.append("Without parameters: the run has no fitted scores of this exam (viva score RUN).")
    elif len(made.parameters) < len(found.exam.items):
        notes.append(f"Parameters: of {len(made.parameters)} of the questions; the others have none in the scores.")
    if made.baseline is not None:
        notes.append(f"Baseline: {made.baseline.system}, {counted(len(made.baseline.answers), 'answer')}.")
    return Result("", (), tuple(notes), {"path": str(path), "questions": len(found.exam.items), **_record(made)})


def _licence(made: Publication) -> str:
    return f"Licence: {made.licence}." if made.licence else "No licence is stated: --licence NAME."


def _record(made: Publication) -> dict[str, Any]:
    baseline = made.baseline.system if made.baseline else None
    kept = made.model_dump(mode="json", exclude={"parameters", "baseline", "sha256"})
    return {**kept, "parameters": len(made.parameters), "baseline": baseline}


# --- exposure -----------------------------------------------------------------------------------------------


def exposure_result(found: ExamExposure) -> Result:
    """Show who was put the questions, whether published ones are inflated, and the most exposed questions."""
    systems = tuple(_system_row(each) for each in found.systems)
    most = sorted(found.times.items(), key=lambda each: (-each[1], each[0]))
    questions = tuple((item[:8], times) for item, times in most[:_SHOWN] if times)
    notes = [f"{found.published} questions are published, {found.secret} held back."]
    notes += [f"Canary: {found.canary}"] if found.canary else []
    notes += [inflation_sentence(each) for each in found.systems if each.inflation is not None]
    tables = (Table("Systems", _SYSTEMS, systems), Table("Most exposed questions", _QUESTIONS, questions))
    return Result("Exposure", tuple(each for each in tables if each.cells), tuple(notes), _exposure_record(found))


def inflation_sentence(found: SystemExposure) -> str:
    """Say whether a system answers published questions better than those held back."""
    name, gap = found.examinee.name, found.inflation
    if gap is None:
        return f"{name}: no answers to compare."
    figures = f"{points(gap.value)} points ({points(gap.low)} to {points(gap.high)})"
    if gap.low > 0:
        inflated = f"{100 * gap.value:.0f} points ({100 * gap.low:.0f} to {100 * gap.high:.0f})"
        return f"{name}: published questions inflated by {inflated}."
    if gap.high < 0:
        return f"{name}: published questions lower by {figures}."
    return f"{name}: published questions and those held back are not told apart: {figures}."


def _system_row(each: SystemExposure) -> tuple[Any, ...]:
    days = each.put.days
    learns = "may learn" if each.examinee.can_learn else "no"
    shown = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""
    put = sum(each.put.items.values())
    published, secret = each.answered
    return each.examinee.name, learns, put, shown, each.published, published, each.secret, secret, each.inflation


def _figures(found: Estimate | None) -> dict[str, float] | None:
    return asdict(found) if found else None


def _exposure_record(found: ExamExposure) -> dict[str, Any]:
    systems = [
        {
            "system": each.examinee.name,
            "canary": found.canary,
            "may_learn": each.examinee.can_learn,
            "days": each.put.days,
            "put": sum(each.put.items.values()),
            "published": _figures(each.published),
            "held_back": _figures(each.secret),
            "difference": _figures(each.inflation),
        }
        for each in found.systems
    ]
    return {
        "canary": found.canary,
        "published": found.published,
        "held_back": found.secret,
        "systems": systems,
        "questions": found.times,
    }


def retired_result(retired: dict[str, int], after: int, left: int) -> Result:
    """Say which questions were retired."""
    columns = (Column("question"), Column("times put", Kind.NUMBER))
    table = Table("Retired", columns, tuple((item[:8], times) for item, times in retired.items()))
    note = f"Retired {counted(len(retired), 'question')} put more than {after} times; {left} are left in the exam."
    return Result("Retired", (table,) if retired else (), (note,), {"retired": retired, "after": after, "left": left})
