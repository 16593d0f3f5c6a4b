"""What is kept of a diagnosis: all that was asked for it, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from viva.core.records import Exam, Examinee, Response
from viva.core.scores_diagnosis import Diagnosis
from viva.storage.runs import RunStore


def keep_trials(store: RunStore, of: Examinee, responses: Sequence[Response]) -> None:
    """Log what was asked. Questions picked for being answered wrong stand beside a sitting's, not among them."""
    told = [response.model_copy(update={"passages": ()}).model_dump(mode="json") for response in responses]
    store.add_result(_trials(of), told)


def kept_trials(store: RunStore, of: Examinee) -> list[Response]:
    """All that diagnoses of this examinee have asked."""
    return [Response.model_validate(each) for batch in store.results(_trials(of)) for each in batch]


def keep_diagnosis(store: RunStore, diagnosis: Diagnosis) -> None:
    """Make it the examinee's latest."""
    store.add_result(_kind(diagnosis.examinee), diagnosis.model_dump(mode="json"))


def diagnoses_of(store: RunStore, exam: Exam) -> tuple[Diagnosis, ...]:
    """The latest of everybody who was diagnosed on this exam, by name."""
    found = (store.latest_result(_kind(examinee)) for examinee in store.examinees())
    kept = [Diagnosis.model_validate(each) for each in found if each is not None]
    return tuple(sorted((d for d in kept if d.exam_id == exam.id), key=lambda d: (d.examinee.name, d.examinee.id)))


def _trials(of: Examinee) -> str:
    return f"diagnosis trials {of.id}"


def _kind(of: Examinee) -> str:
    return f"diagnosis {of.id}"
