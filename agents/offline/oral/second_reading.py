"""What a second reader finds in an answer where the rules found nothing, and what may still speak against it."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.oral.checks import compared
from viva.agents.offline.oral.polarity import claims_nothing
from viva.agents.offline.oral.reading import Part, folded, parts
from viva.agents.offline.oral.terms import names_of, stems_of
from viva.agents.oral_roles import SecondReader
from viva.core.errors import RoleFailed
from viva.core.records import OralUnit, UnitJudgement

SURE = 0.5
"""From this value on a statement counts as said."""


async def read_again(
    reader: SecondReader, question: str, answer: str, units: Sequence[OralUnit], judged: Sequence[UnitJudgement]
) -> list[UnitJudgement]:
    """The judgements, those of units not found covered made anew where the reader finds them said.

    It is shown what the answer claims alone: no questions, suppositions, admissions, nor what the question said.
    """
    open_units = [unit for unit, each in zip(units, judged, strict=True) if not each.covered]
    claimed = [part for part in parts(answer) if _claims(part, question)]
    if not open_units or not claimed:
        return list(judged)
    said = " ".join(part.text for part in claimed)
    try:
        found = await reader.entails([folded(unit.description) for unit in open_units], said)
    except RoleFailed as failed:
        # whether they are covered is not known: no verdict rests on half a judgement
        missing = {unit.id for unit in open_units}
        told = {"failed": True, "reason": failed.reason}
        return [each.model_copy(update=told) if each.unit_id in missing else each for each in judged]
    sure = {unit.id: value for unit, value in zip(open_units, found, strict=True) if value >= SURE}
    return [
        _judged(unit, claimed, question, answer, sure[unit.id], before) if unit.id in sure else before
        for unit, before in zip(units, judged, strict=True)
    ]


def _claims(part: Part, question: str) -> bool:
    echoed = stems_of(part.text) <= stems_of(folded(question)) and not any(char.isdigit() for char in part.text)
    return not echoed and not claims_nothing(part.text, "")


def _judged(
    unit: OralUnit, claimed: Sequence[Part], question: str, answer: str, sure: float, before: UnitJudgement
) -> UnitJudgement:
    """Right where no check of the rules speaks against it; else as it was."""
    part = _nearest(claimed, unit)
    finding = compared(part.text, unit, question)
    against = "" if finding.agrees else finding.reason
    if against := against or _other_name(part.text, unit, question):
        reason = f"A second reader finds it said ({sure:.2f}), the rules do not. {against}"
        return before.model_copy(update={"reason": reason})
    reason = f"In other words, as a second reader finds ({sure:.2f}). {finding.reason}"
    return UnitJudgement(unit_id=unit.id, quote=answer[part.start : part.end], correct=True, reason=reason)


def _other_name(said: str, unit: OralUnit, question: str) -> str:
    """Why a name that is told may stand in place of one that is not, in words; '' where none may.

    The rules look for the words beside a name; in a paraphrase these are others, so any foreign name counts.
    """
    source = folded(unit.evidence.quote)
    known, held = stems_of(source) | stems_of(folded(unit.keyword)) | stems_of(folded(question)), stems_of(said)
    foreign = [
        name for name in names_of(said) if not known & set(name.stems) and (len(name.stems) > 1 or not name.first)
    ]
    missing = [name for name in names_of(source) if not held & set(name.stems)]
    return f"It names {foreign[0].text}, and not {missing[0].text}." if foreign and missing else ""


def _nearest(claimed: Sequence[Part], unit: OralUnit) -> Part:
    """The part that shares most words with the unit; of equal ones the whole stretch, where no part tells more."""
    wanted = stems_of(folded(unit.description))
    shared = [len(stems_of(part.text) & wanted) for part in claimed]
    best = max(shared)
    if best and shared.count(best) == 1:
        return claimed[shared.index(best)]
    text = " ".join(part.text for part in claimed)
    return Part(text, claimed[0].start, claimed[-1].end)
