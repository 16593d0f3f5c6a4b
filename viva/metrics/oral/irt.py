"""Units of an oral examination as open items without guessing, in one scale with the multiple-choice questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.notes import Note, NoteCode
from viva.core.records import Exam, Examinee, ExamItem, Grade, Item, OralPlan, OralUnit, Provenance, UnitStatus
from viva.core.scores_oral import OralAbility
from viva.metrics.exam import response_matrix
from viva.metrics.irt import Fit, NothingToCompare, common_items, link
from viva.metrics.panel import fit_panel

Floats = NDArray[np.float64]
Statuses = Mapping[str, Mapping[str, UnitStatus]]
"""By examinee id and unit id."""

_RIGHT = {UnitStatus.CORRECT: 1.0, UnitStatus.INCORRECT: 0.0, UnitStatus.GIVEN_UP: 0.0, UnitStatus.OPEN: np.nan}
_Z = 1.959964
FEWEST_EXAMINED = 5
"""Finished oral examinations below which it is not known how hard the units are."""
_NOTES = (Note(code=NoteCode.UNITS_DEPEND), Note(code=NoteCode.UNITS_OF_FEW))


@dataclass(frozen=True, eq=False)
class Joined:
    """The exam's questions, then the units as open items; scores (examinees, items), nan where none was given."""

    exam: Exam
    examinees: tuple[Examinee, ...]
    scores: Floats
    units: int


def joined(
    exam: Exam | None, plan: OralPlan, examinees: Sequence[Examinee], grades: Sequence[Grade], statuses: Statuses
) -> Joined:
    """Exam and units as one exam. A unit is right where it was covered correctly, wrong where it was given up.

    Units that nobody has a verdict on are left out: nothing is known of them. `grades` are of these examinees.
    """
    ids = [examinee.id for examinee in examinees]
    rows = [[_RIGHT[statuses.get(i, {}).get(unit.id, UnitStatus.OPEN)] for unit in plan.units] for i in ids]
    of_units = np.array(rows, dtype=np.float64).reshape(len(ids), len(plan.units))
    settled = np.flatnonzero(~np.isnan(of_units).all(axis=0)) if ids else np.empty(0, dtype=np.int64)
    of_exam = response_matrix(exam, ids, grades) if exam else np.empty((len(ids), 0))
    shown = (*(exam.items if exam else ()), *(_as_item(plan.units[place]) for place in settled))
    return Joined(Exam.of(shown), tuple(examinees), np.hstack([of_exam, of_units[:, settled]]), len(settled))


def _as_item(unit: OralUnit) -> ExamItem:
    """A unit as an open item: no options, and so no guessing."""
    item = Item(
        id=unit.id,
        stem=unit.keyword,
        key=unit.description,
        distractors=(),
        reference_answer=unit.description,
        evidence=(unit.evidence,),
        question_type=unit.type,
        bloom=(),
        topic=unit.topic,
        provenance=Provenance(chunk_id=unit.chunk_id, unit_id=unit.id, cast="oral"),
    )
    return ExamItem(item=item, options=(), key_position=0)


def oral_abilities(
    exam: Exam | None, plan: OralPlan, examinees: Sequence[Examinee], grades: Sequence[Grade], statuses: Statuses
) -> dict[str, OralAbility] | NothingToCompare:
    """By id, the ability of each who has an oral examination: from the exam alone, and with the oral beside it."""
    ids = {each.examinee_id for each in grades}
    sat = [each for each in examinees if each.id in ids]
    data = joined(exam, plan, [each for each in examinees if each.id in ids | statuses.keys()], grades, statuses)
    alone = _alone(exam, sat, grades)
    together = fit_panel(data.exam, data.examinees, data.scores, like=alone)
    if isinstance(together, NothingToCompare):
        return together
    theta, se, linked = _on_the_exams_scale(exam, data, together, alone)
    before = (
        {each.id: (alone.located[0][row], alone.located[1][row]) for row, each in enumerate(sat)} if alone else {}
    )
    return {
        examinee.id: OralAbility(
            alone=_estimate(*before[examinee.id]) if examinee.id in before else None,
            joined=_estimate(theta[row], se[row]),
            units=data.units,
            items=len(data.exam.items) - data.units,
            linked=linked,
            notes=_NOTES,
        )
        for row, examinee in enumerate(data.examinees)
        if examinee.id in statuses
    }


def _alone(exam: Exam | None, sat: Sequence[Examinee], grades: Sequence[Grade]) -> Fit | None:
    if exam is None or not sat:
        return None
    found = fit_panel(exam, sat, response_matrix(exam, [each.id for each in sat], grades))
    return found if isinstance(found, Fit) else None


def _on_the_exams_scale(
    exam: Exam | None, data: Joined, together: Fit, alone: Fit | None
) -> tuple[Floats, Floats, bool]:
    """Joined abilities and their errors, on the scale of the exam alone where its questions can carry the link."""
    if exam is None or alone is None:
        return *together.located, False
    old, new = common_items([e.item.id for e in exam.items], [e.item.id for e in data.exam.items])
    try:
        found = link(alone, together, (old, new))
    except UsageError:
        # too few questions to carry it: each on its own scale, and said so
        return *together.located, False
    return *found.abilities(*together.located), True


def _estimate(theta: float, se: float) -> Estimate:
    return Estimate(value=float(theta), low=float(theta - _Z * se), high=float(theta + _Z * se))
