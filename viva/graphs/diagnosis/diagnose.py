"""Why answers were wrong: the same questions again with the passages exchanged, and what follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viva.core.errors import UsageError
from viva.core.ids import seeded_order
from viva.core.records import Exam, ExamItem, responses_to
from viva.core.scores import Estimate, Scores
from viva.core.scores_diagnosis import Diagnosis, WrongAnswer
from viva.core.settings import Settings
from viva.examinees.specs.records import ReaderName, Spec
from viva.graphs import stages
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.failure_modes import modes_told
from viva.graphs.diagnosis.peer_responses import keep_diagnosis
from viva.graphs.diagnosis.session import DiagnosisSession, answered_by, is_right
from viva.graphs.sitting.reference_examinees import MOST_DIAGNOSED, own_specs, reads
from viva.llm import interrupts
from viva.metrics.diagnosis import blame_rows, condition_rows, share_of, undecided_reasons
from viva.storage.lock import run_lock
from viva.storage.runs import RunStore

if TYPE_CHECKING:
    from viva.agents.language_model.failure_modes import FailureCritic

NOT_TOLD = "not told"


def diagnose_run(context: RunContext) -> list[Diagnosis]:
    """Diagnose the run context's examinees; what was asked is kept, whatever ends it.

    Raises RunLocked while another process works on the folder, UsageError for who has not sat the exam.
    """
    with run_lock(context.folder):
        try:
            with context.store.server_lock():
                return interrupts.run(_diagnose_all(context))
        finally:
            context.close()


async def _diagnose_all(context: RunContext) -> list[Diagnosis]:
    try:
        with context.times.timed("diagnose"):
            exam = stages.exam_of(context.store, context.folder)
            return [await diagnose(context, spec, exam) for spec in context.candidates.specs]
    finally:
        await context.aclose_models()


async def diagnose_own(context: RunContext) -> None:
    """The same of the users' own systems, within a run that is at work.

    Passed over are those with nothing wrong, and those that neither tell passages nor take any.
    """
    exam = stages.exam_of(context.store, context.folder)
    if not context.has_documents:
        return
    for spec in own_specs(context.candidates.specs):
        answered = answered_by(context.store, spec, exam)
        told = reads(context.candidates, spec) or any(response.passages for _, response in answered)
        if told and any(not is_right(shown, response) for shown, response in answered):
            await diagnose(context, spec, exam)


async def diagnose(context: RunContext, spec: Spec, exam: Exam) -> Diagnosis:
    """Ask one examinee's wrong answers again with its passages exchanged, and lay the blame. UsageError as above."""
    store, settings = context.store, context.settings
    answered = answered_by(store, spec, exam)
    if not answered:
        raise _nothing_to_diagnose(context, spec, exam)
    session = DiagnosisSession.of(context, spec, exam)
    wrong = [shown for shown, response in answered if not is_right(shown, response)]
    reader, agreement = await session.reader(answered)
    chosen = _drawn(settings, spec, wrong, own_reader=reader is None)
    scores = _scores(store, exam)
    told = await modes_told(await session.answers(chosen, reader, scores), session, _critic(context))
    diagnosis = _Sum(session, reader, agreement, len(answered), wrong, told.answers).diagnosis(
        [*_notes(session, reader, chosen, wrong, scores), *told.notes]
    )
    keep_diagnosis(store, diagnosis)
    return diagnosis


def _critic(context: RunContext) -> FailureCritic | None:
    """Who tells how answers went wrong; None without language models."""
    if not context.settings.model:
        return None
    from viva.agents.language_model.failure_modes import FailureCritic

    return FailureCritic(context.models.asker)


def _nothing_to_diagnose(context: RunContext, spec: Spec, exam: Exam) -> UsageError:
    """Why: it has not sat, all it said were failures, or its answers are to open questions."""
    name, who, folder = spec.examinee.name, spec.examinee.spec, context.folder
    given = responses_to(exam.items, context.store.responses_of(spec.examinee.id))
    if not given:
        return UsageError(
            f"{name} has no answer to this exam that could be diagnosed.{_edited(context.store, spec, exam)}",
            next_step=f"Let it sit first: viva sit {folder} --examinee {who}",
        )
    if all(response.failure for response in given):
        return UsageError(
            f"{name} failed on every question of this exam that it was asked: there is no answer to diagnose.",
            next_step=f"See what ails it: viva examinee check {who}",
        )
    return UsageError(
        f"Only multiple-choice questions are diagnosed, and {name} answered none of this exam.",
        next_step=f"To read its answers to open questions: viva view {folder}",
    )


def _edited(store: RunStore, spec: Spec, exam: Exam) -> str:
    """Whether it sat as it was before somebody changed it, in a sentence."""
    sat = {response.examinee_id for response in store.responses_to(exam.items)}
    before = (each for each in store.examinees() if each.spec == spec.examinee.spec and each.id in sat)
    found = next((each.name for each in before if each.id != spec.examinee.id), None)
    return f" It was changed since it sat: what sat is “{found}”." if found else ""


def _drawn(settings: Settings, spec: Spec, wrong: Sequence[ExamItem], *, own_reader: bool) -> list[ExamItem]:
    """The wrong answers that are diagnosed, in the exam's order."""
    most = min(MOST_DIAGNOSED, settings.ablation_questions) if own_reader else MOST_DIAGNOSED
    drawn = seeded_order(wrong, settings.seed, "diagnosis", spec.examinee.id)[:most]
    ids = {shown.item.id for shown in drawn}
    return [shown for shown in wrong if shown.item.id in ids]


def _scores(store: RunStore, exam: Exam) -> Scores | None:
    found = store.latest_result("scores")
    scores = None if found is None else Scores.model_validate(found)
    return scores if scores and scores.exam_id == exam.id else None


# --- in all -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sum:
    """What the diagnosis is summed from. `agreement` is of the stand-in: same (1, 0), and the document of each."""

    session: DiagnosisSession
    reader: ReaderName | None
    agreement: tuple[list[float], list[str]]
    graded: int
    wrong: Sequence[ExamItem]
    answers: Sequence[WrongAnswer]

    def diagnosis(self, notes: Sequence[str]) -> Diagnosis:
        """All of it, with what the reader of the numbers must know."""
        seed, examinee = self.session.settings.seed, self.session.spec.examinee
        again = [answer.changed for answer in self.answers if answer.changed is not None]
        return Diagnosis(
            examinee=examinee,
            exam_id=self.session.exam.id,
            reader=examinee.name if self.reader is None else f"the {self.reader} reference reader",
            own_reader=self.reader is None,
            agreement=self._agreement(seed),
            graded=self.graded,
            failures=self.session.failures,
            wrong=len(self.wrong),
            diagnosed=len(self.answers),
            beyond=len(self.wrong) - len(self.answers),
            rows=blame_rows(self.answers, seed),
            conditions=condition_rows(self.answers, seed),
            undecided=undecided_reasons(self.answers),
            asked_again=len(again),
            changed=sum(again),
            modes=dict(Counter(a.mode.mode.value if a.mode.mode else NOT_TOLD for a in self.answers).most_common()),
            by_luck=self._by_luck(),
            notes=tuple(notes),
            answers=tuple(self.answers),
        )

    def _agreement(self, seed: int) -> Estimate | None:
        return share_of(*self.agreement, seed)

    def _by_luck(self) -> float | None:
        ids = {answer.item_id for answer in self.answers}
        chances = [1 / len(shown.options) for shown in self.wrong if shown.item.id in ids]
        return sum(chances) / len(chances) if chances else None


def _notes(
    session: DiagnosisSession,
    reader: ReaderName | None,
    chosen: Sequence[ExamItem],
    wrong: Sequence[ExamItem],
    scores: Scores | None,
) -> list[str]:
    name, notes = session.spec.examinee.name, list[str]()
    if reader is not None:
        notes.append(
            f"{name} cannot be handed passages. The {reader} reference reader stood in for it: what it can or cannot "
            "read says little of what the system itself could, so blame laid on reading or distraction is weak."
        )
    if len(chosen) < len(wrong):
        notes.append(f"{len(chosen)} of {len(wrong)} wrong answers were diagnosed, drawn at random.")
    if scores is None or scores.measurement is None:
        notes.append("Without scores of the response model no question could be suspected by it.")
    if not any(shown.item.evidence for shown in chosen) and chosen:
        notes.append("No question has evidence that could be handed, so nothing could be decided.")
    return notes
