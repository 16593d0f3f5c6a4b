"""Why systems answered wrong, as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from viva.api.result import Column, Kind, Result, Table
from viva.api.text import shortened
from viva.core.scores_diagnosis import Diagnosis
from viva.reports.sections.diagnosis_words import headline

_TITLE = "Causes of wrong answers"
_SYSTEM = Column("system")
_COLUMNS = (Column("cause"), Column("answers", Kind.NUMBER), Column("share", Kind.SHARE))


def causes_result(found: Sequence[Diagnosis], answers: int = 0, more: Mapping[str, Any] | None = None) -> Result:
    """Put diagnoses into a table, and print one for each system, with so many wrong answers one by one."""
    cells = tuple(
        (each.examinee.name, row.blame.value, row.answers, row.share)
        for each in found
        for row in each.rows
        if row.answers
    )
    notes = tuple(f"{each.examinee.name}: {note}" for each in found for note in each.notes)
    record = {**(more or {}), "diagnoses": [each.model_dump(mode="json") for each in found]}
    parts = tuple(_of_system(each, answers) for each in found)
    return Result(_TITLE, (Table(_TITLE, (_SYSTEM, *_COLUMNS), cells),), notes, record, parts=parts)


def _of_system(found: Diagnosis, answers: int) -> Result:
    if not found.diagnosed:
        wrong = f"{found.wrong} of {found.graded} answers are wrong. None was diagnosed: --ablation-questions is 0."
        why = wrong if found.wrong else f"none of its {found.graded} answers is wrong."
        return Result("", (), (f"{found.examinee.name}: {why}",))
    title = f"Why {found.diagnosed} of {found.wrong} wrong answers of {found.examinee.name} were wrong"
    rows = tuple((row.blame.value, row.answers, row.share) for row in found.rows if row.answers)
    one_by_one = [f"  {each.item_id[:8]}  {each.blame.value}: {each.why}" for each in found.answers]
    listed = shortened(one_by_one, answers) if answers else []
    return Result(title, (Table(title, _COLUMNS, rows),), (*(f"  {each}" for each in _sentences(found)), *listed))


def _sentences(found: Diagnosis) -> Iterator[str]:
    yield headline(found)
    for reason, count in found.undecided.items():
        yield f"Undecided, {count}: {reason}."
    right = "; ".join(f"{r.condition.value} {r.right} of {r.asked - r.failed}" for r in found.conditions)
    failed = sum(row.failed for row in found.conditions)
    luck = f" ({found.by_luck:.0%} by luck)" if found.by_luck is not None else ""
    lost = f"; failed {failed}" if failed else ""
    yield f"Read by {found.reader}. Right answers{luck} by passages: {right}{lost}."
    if found.agreement:
        yield f"The stand-in gives the same answer as the system in {_COLUMNS[2].show(found.agreement)}."
    if found.asked_again:
        yield f"Asked again as they were, {found.changed} of {found.asked_again} questions got another answer."
    yield f"Failure modes: {', '.join(f'{mode} {count}' for mode, count in found.modes.items())}."
    yield from (f"Note: {note}" for note in found.notes)
