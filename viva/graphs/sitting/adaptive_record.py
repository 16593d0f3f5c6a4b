"""What is kept of an adaptive sitting: the bank it was begun with, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viva.core.notes import Note, NoteCode
from viva.core.records import Exam, Record, Response
from viva.core.scores import AdaptiveScore, Scores
from viva.storage.runs import RunStore


class AdaptiveRecord(Record):
    """An examinee's adaptive sitting. Its bank is kept, so that it is resumed on the same questions.

    `a`, `b`, `c` follow the exam's items, on the scale of the fit to those named in `calibrated_by`, of whom so many
    are `witnesses`: who answers as another does is none (None in sittings of an earlier version).
    """

    exam_id: str
    calibrated_by: tuple[str, ...]
    a: tuple[float, ...]
    b: tuple[float, ...]
    c: tuple[float, ...]
    prior_mean: float
    prior_sd: float
    witnesses: int | None = None
    outcome: AdaptiveScore | None = None

    @property
    def told_by(self) -> int:
        """How many have told on the questions, copies counted once."""
        return len(self.calibrated_by) if self.witnesses is None else self.witnesses


def kept(store: RunStore, examinee_id: str) -> AdaptiveRecord | None:
    """The examinee's latest adaptive sitting, of whichever exam; None where it sat none."""
    found = store.latest_result(_kind(examinee_id))
    return None if found is None else AdaptiveRecord.model_validate(found)


def keep(store: RunStore, examinee_id: str, record: AdaptiveRecord) -> None:
    """Make it the examinee's latest."""
    store.add_result(_kind(examinee_id), record.model_dump(mode="json"))


def _kind(examinee_id: str) -> str:
    return f"adaptive {examinee_id}"


def in_part(store: RunStore, exam: Exam, responses: Sequence[Response]) -> dict[str, AdaptiveRecord]:
    """By id, who sat adaptively and has not responded to every question of this exam.

    Some of its questions may have been picked for what it answered before: a share of right answers misleads.
    """
    given = {response.id for response in responses}
    found: dict[str, AdaptiveRecord] = {}
    for examinee_id in sorted({response.examinee_id for response in responses}):
        record = kept(store, examinee_id)
        if record and any(Response.id_of(examinee_id, shown) not in given for shown in exam.items):
            found[examinee_id] = record
    return found


def beside(scores: Scores, exam: Exam, records: Mapping[str, AdaptiveRecord], names: Mapping[str, str]) -> Scores:
    """The scores with those who sat adaptively beside the leaderboard, and a note on each. `names` by id."""
    notes, outcomes = list(scores.notes), list[AdaptiveScore]()
    for examinee_id, record in sorted(records.items(), key=lambda each: names[each[0]]):
        outcome = record.outcome if record.exam_id == exam.id else None
        notes.append(_note(names[examinee_id], outcome))
        outcomes += [outcome] if outcome else []
    return scores.model_copy(update={"adaptive": tuple(outcomes), "notes": tuple(notes)})


def _note(name: str, outcome: AdaptiveScore | None) -> Note:
    if outcome is None:
        return Note(code=NoteCode.ADAPTIVE_UNFINISHED, examinees=(name,))
    share = outcome.accuracy
    return Note(
        code=NoteCode.ADAPTIVE if share else NoteCode.ADAPTIVE_UNGRADED,
        examinees=(name,),
        count=outcome.asked,
        of=outcome.items,
        figures={"accuracy": share.value, "low": share.low, "high": share.high} if share else outcome.failures,
    )
