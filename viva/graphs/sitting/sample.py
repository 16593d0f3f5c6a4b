"""Sittings of a random sample of the exam: the questions that are drawn, and who has taken only these.

A sample is kept before its first question is asked: an interrupted sitting goes on with the same questions, and its
examinee is not taken for one that took the exam as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viva.core.ids import content_hash
from viva.core.notes import Note, NoteCode
from viva.core.records import Exam, Examinee, Record, Response
from viva.core.scores import SampleScore, Scores
from viva.graphs import stages
from viva.graphs.context import RunContext
from viva.graphs.grading.grade_open import judged
from viva.graphs.sitting.gate_answers import gate_kind
from viva.llm import interrupts
from viva.storage.lock import run_lock
from viva.storage.runs import RunStore


class SampleRecord(Record):
    """The sample of an examinee: ids of all questions in the order drawn, of which the first `size` are asked."""

    exam_id: str
    order: tuple[str, ...]
    size: int

    @property
    def asked(self) -> tuple[str, ...]:
        """Ids of the questions in the sample."""
        return self.order[: self.size]


def sit_sample(context: RunContext, size: int) -> list[SampleScore]:
    """Let the context's examinees answer a sample of this many questions, those answered before included.

    Raises UsageError, before a question is asked, where there is no exam or a system cannot be loaded; RunLocked
    while another process works on the folder. What was answered is kept, whatever ends the sitting.
    """
    with run_lock(context.folder):
        try:
            with context.store.server_lock():
                return interrupts.run(_sit_all(context, size))
        finally:
            context.close()


async def _sit_all(context: RunContext, size: int) -> list[SampleScore]:
    store, specs = context.store, context.candidates.specs
    exam = stages.exam_of(store, context.folder)
    latest = store.latest_result("scores")
    scores = Scores.model_validate(latest) if latest and latest["exam_id"] == exam.id else None
    shown = {each.item.id: each for each in exam.items}
    records = list[SampleRecord]()
    try:
        for spec in specs:
            context.candidates.of(spec)
        for spec in specs:
            record = _drawn(store, exam, scores, spec.examinee.id, size, context.settings.seed)
            records.append(record)
            part = exam.model_copy(update={"items": tuple(shown[i] for i in record.asked)})
            with context.times.timed("sit"):
                await stages.sit(context, spec, part)
    finally:
        await context.aclose_models()
    responses = store.responses_to(exam.items)
    return [
        _score(store, spec.examinee, record, exam, scores, responses)
        for spec, record in zip(specs, records, strict=True)
    ]


def _drawn(
    store: RunStore, exam: Exam, scores: Scores | None, examinee_id: str, size: int, seed: int
) -> SampleRecord:
    """The examinee's sample of this exam: a new one, or the one that it has, made larger where more is asked for."""
    from viva.metrics.sampled import drawn_ids

    record = kept(store, examinee_id)
    if record is None or record.exam_id != exam.id:
        own_seed = int(content_hash("sample", str(seed), exam.id, examinee_id), 16)
        record = SampleRecord(exam_id=exam.id, order=tuple(drawn_ids(exam, scores, size, own_seed)), size=0)
    record = record.model_copy(update={"size": min(max(size, record.size), len(exam.items))})
    store.add_result(_kind(examinee_id), record.model_dump(mode="json"))
    return record


def kept(store: RunStore, examinee_id: str) -> SampleRecord | None:
    """The examinee's latest sample, of whichever exam; None without one."""
    found = store.latest_result(_kind(examinee_id))
    return None if found is None else SampleRecord.model_validate(found)


def _kind(examinee_id: str) -> str:
    return f"sample {examinee_id}"


# --- the scores of who took a part --------------------------------------------------------------------------


def in_part(store: RunStore, exam: Exam, responses: Sequence[Response]) -> dict[str, SampleRecord | None]:
    """By id, who was asked a sample and has not responded to every question of this exam.

    None for a part that ended by its answers, in a gate or as an earlier version chose: its share misleads.
    """
    given = {response.id for response in responses}
    found: dict[str, SampleRecord | None] = {}
    for examinee_id in sorted({response.examinee_id for response in responses}):
        record = kept(store, examinee_id)
        chosen = (f"adaptive {examinee_id}", gate_kind(examinee_id))
        if record is None and all(store.latest_result(kind) is None for kind in chosen):
            continue
        if any(Response.id_of(examinee_id, shown) not in given for shown in exam.items):
            found[examinee_id] = record
    return found


def with_samples(
    store: RunStore,
    scores: Scores,
    exam: Exam,
    parts: Mapping[str, SampleRecord | None],
    responses: Sequence[Response],
) -> Scores:
    """The scores with those who took a part of the exam, who are on no leaderboard, and a note on each."""
    found, notes = list[SampleScore](), list(scores.notes)
    for examinee in sorted(store.examinees(), key=lambda each: each.name):
        if examinee.id not in parts:
            continue
        record = parts[examinee.id]
        if record is None or record.exam_id != exam.id:
            notes.append(Note(code=NoteCode.SAMPLED_UNFINISHED, examinees=(examinee.name,)))
            continue
        found.append(_score(store, examinee, record, exam, scores, responses))
        notes.append(_note(found[-1]))
    return scores.model_copy(update={"sampled": tuple(found), "notes": tuple(notes)})


def _score(
    store: RunStore,
    examinee: Examinee,
    record: SampleRecord,
    exam: Exam,
    scores: Scores | None,
    responses: Sequence[Response],
) -> SampleScore:
    from viva.metrics.sampled import sample_score

    asked = set(record.asked)
    own = [each for each in responses if each.examinee_id == examinee.id and each.item_id in asked]
    return sample_score(examinee, exam, scores, own, judged(store, own))


def _note(score: SampleScore) -> Note:
    share = score.accuracy
    return Note(
        code=NoteCode.SAMPLED if share else NoteCode.SAMPLED_UNGRADED,
        examinees=(score.examinee.name,),
        count=score.asked,
        of=score.items,
        figures={"accuracy": share.value, "low": share.low, "high": share.high} if share else score.failures,
    )
