"""Who is set beside a user's own system, and how they sit: only where too few have sat to measure questions by."""

from __future__ import annotations

from collections.abc import Sequence

from viva.core.errors import UsageError
from viva.core.ids import seeded_order
from viva.core.records import Exam, Examinee, ExamItem, Passage, Response
from viva.examinees.answering import ReadsPassages
from viva.examinees.interventions import Interventions
from viva.examinees.manufactured import (
    ENOUGH,
    OWN_CONTEXTS,
    Ablated,
    AblationSpec,
    ReferenceExaminee,
    ablation_specs,
    reference_specs,
)
from viva.examinees.specs.parse import PANEL, parse_spec
from viva.examinees.specs.records import ReaderName, RecordedSpec, ReferenceSpec, Spec
from viva.graphs import stages
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.record import diagnoses_of, kept_trials
from viva.graphs.sitting import administer

MOST_DIAGNOSED = 60
"""Wrong answers of one examinee that are diagnosed; of more, a random sample."""
MOST_PER_ANSWER = 6
"""Questions that the diagnosis of one wrong answer puts to a system that takes passages."""


# --- whom -------------------------------------------------------------------------------------------------


def own_specs(context: RunContext) -> list[Spec]:
    """The users' own systems among those asked for."""
    return [spec for spec in context.candidates.specs if not isinstance(spec, ReferenceSpec)]


def company_wanted(context: RunContext) -> bool:
    """Whether anybody is to be set beside those asked for: own systems, no panel, and too few who sat this exam."""
    settings = context.settings
    if not settings.manufactured or PANEL in settings.examinees or not own_specs(context):
        return False
    return len({spec.examinee.id for spec in context.candidates.specs} | _sat(context)) < ENOUGH


def _sat(context: RunContext) -> set[str]:
    """Who has sat the exam and was not manufactured; nobody where there is no run or exam yet."""
    exam = _exam(context)
    if exam is None:
        return set()
    sat = {response.examinee_id for response in context.store.responses([shown.item.id for shown in exam.items])}
    return {each.id for each in stages.as_asked_for(context.store) if each.id in sat and not each.manufactured}


def _exam(context: RunContext) -> Exam | None:
    try:
        return context.store.latest_exam()
    except UsageError:  # no run is there yet
        return None


def reference_examinees_of(context: RunContext, exam: Exam) -> list[ReferenceExaminee]:
    """Who is set beside those asked for; the same each time, once these have sat."""
    if exam.id not in context.reference_examinees:
        context.reference_examinees[exam.id] = _made_of(context, exam)
    return context.reference_examinees[exam.id]


def _made_of(context: RunContext, exam: Exam) -> list[ReferenceExaminee]:
    if not company_wanted(context):
        return []
    found: list[ReferenceExaminee] = list(reference_specs(context.settings))
    for spec in own_specs(context):
        answered = answers_of(context, spec.examinee, exam)
        if answered:
            shows = any(response.passages for response in answered.values())
            found += ablation_specs(spec, reads=reads(context, spec), shows=shows)
    asked_for = {spec.examinee.id for spec in context.candidates.specs}
    return [seat for seat in found if seat.examinee.id not in asked_for]


def call(context: RunContext) -> list[int]:
    """Register who is set beside those asked for; their places."""
    found = reference_examinees_of(context, stages.exam_of(context.store, context.folder))
    for seat in found:
        context.store.add_examinee(seat.examinee)
    return list(range(len(found)))


def budget(context: RunContext, *, diagnosis: bool) -> list[str]:
    """What will be asked beyond the exam, in sentences, before anybody is asked; none where all of it was asked."""
    company, told = company_wanted(context), list[str]()
    if company and not _references_sat(context):
        told.append(
            "Too few sit this exam for its questions to be measured: viva sets "
            f"{len(reference_specs(context.settings))} reference systems of its own beside them "
            "(--no-manufactured leaves them out)."
        )
    own = (spec for spec in own_specs(context) if not isinstance(spec, RecordedSpec))
    return told + [said for spec in own if (said := _budget_of(context, spec, company=company, diagnosis=diagnosis))]


def _references_sat(context: RunContext) -> bool:
    """Whether the reference systems have answered every question; not where there is no exam yet."""
    exam = _exam(context)
    if exam is None:
        return False
    answered = {response.id for response in context.store.responses([shown.item.id for shown in exam.items])}
    seats = reference_specs(context.settings)
    return all(Response.id_of(seat.examinee.id, shown) in answered for seat in seats for shown in exam.items)


def _ablations_begun(context: RunContext, spec: Spec) -> bool:
    """Whether its variants were put questions of this exam: what is left of them was announced then."""
    exam = _exam(context)
    given = context.store.responses([shown.item.id for shown in exam.items]) if exam else []
    variants = {seat.examinee.id for seat in ablation_specs(spec, reads=reads(context, spec), shows=True)}
    return any(response.examinee_id in variants for response in given)


def _diagnosed(context: RunContext, spec: Spec) -> bool:
    """Whether there is a diagnosis of all that it has answered to this exam."""
    exam = _exam(context)
    found = (
        [each for each in diagnoses_of(context.store, exam) if each.examinee.id == spec.examinee.id] if exam else []
    )
    return exam is not None and any(each.graded + each.failures >= len(exam.items) for each in found)


def _budget_of(context: RunContext, spec: Spec, *, company: bool, diagnosis: bool) -> str:
    exam, settings = _exam(context), context.settings
    each = min(settings.ablation_questions, len(exam.items) if exam else settings.items)
    most, name, count = min(MOST_DIAGNOSED, each), spec.examinee.name, len(OWN_CONTEXTS)
    parts = []
    diagnosis = diagnosis and not _diagnosed(context, spec)
    company = company and not _ablations_begun(context, spec)
    if reads(context, spec):
        parts += [f"{count * each} questions with its passages exchanged ({count} times {each})"] if company else []
        parts += [f"{MOST_PER_ANSWER} for each of at most {most} wrong answers"] if diagnosis else []
    elif diagnosis:
        parts = [f"{most} questions again, where it tells its passages"]
    asked = ", and ".join(parts)
    return (
        f"{name} is asked, beyond the exam, at most {asked} (--ablation-questions N: fewer, 0: none)."
        if asked
        else ""
    )


# --- what they answer from --------------------------------------------------------------------------------


def reads(context: RunContext, spec: Spec) -> bool:
    """Whether the system can be handed passages."""
    candidate = context.candidates.of(spec)
    return isinstance(candidate, ReadsPassages) and candidate.takes_passages


def answers_of(context: RunContext, examinee: Examinee, exam: Exam) -> dict[str, Response]:
    """Its responses to this exam that are no failures, by item id."""
    shown = {each.item.id: each for each in exam.items}
    return {
        response.item_id: response
        for response in context.store.responses_of(examinee.id)
        if response.item_id in shown
        and response.failure is None
        and response.id == Response.id_of(examinee.id, shown[response.item_id])
    }


def interventions(context: RunContext, spec: Spec, exam: Exam) -> Interventions:
    """What can be handed instead of the system's own passages, as it told them when it sat."""
    own = {item_id: _read(spec, r.passages) for item_id, r in answers_of(context, spec.examinee, exam).items()}
    return Interventions(context.index, own, exam.items, context.settings.seed)


def _read(spec: Spec, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    # a reference system tells more of its ranking than it reads
    ranked = isinstance(spec, ReferenceSpec) and spec.retriever != "oracle"
    return tuple(passages[: spec.k] if ranked and isinstance(spec, ReferenceSpec) else passages)


def stand_in(context: RunContext, reader: ReaderName) -> ReadsPassages:
    """The reference reader by this name."""
    candidate = context.candidates.of(parse_spec(f"closed-book+{reader}", context.settings))
    if not isinstance(candidate, ReadsPassages):
        raise TypeError("the reference systems take passages")
    return candidate


def ablated(context: RunContext, spec: AblationSpec, handed: Interventions) -> Ablated:
    """The ablation, ready to be asked."""
    reader = stand_in(context, spec.reader) if spec.reader else context.candidates.of(spec.of)
    if not isinstance(reader, ReadsPassages):
        raise TypeError("only who reads passages is ablated")
    return Ablated(spec.examinee, reader, spec.context, handed)


# --- how they sit -----------------------------------------------------------------------------------------


def questions(context: RunContext, spec: AblationSpec, handed: Interventions, exam: Exam) -> tuple[ExamItem, ...]:
    """Those for which there is something to hand; where a user's own system reads, no more than it agreed to."""
    can = [shown for shown in exam.items if handed.can(spec.context, shown)]
    if spec.reader:
        return tuple(can)
    settings = context.settings
    drawn = seeded_order(can, settings.seed, "ablation", spec.examinee.id)[: settings.ablation_questions]
    chosen = {shown.item.id for shown in drawn}
    return tuple(shown for shown in can if shown.item.id in chosen)


async def sit(context: RunContext, place: int) -> None:
    """One of those set beside answers what it has not answered yet."""
    exam = stages.exam_of(context.store, context.folder)
    seat = reference_examinees_of(context, exam)[place]
    if isinstance(seat, ReferenceSpec):
        await stages.sit_exam(context, seat, exam)
        return
    handed = interventions(context, seat.of, exam)
    put = questions(context, seat, handed, exam)
    context.store.add_examinee(seat.examinee)
    # what a diagnosis has asked is not asked again
    planned = {Response.id_of(seat.examinee.id, shown) for shown in put}
    before = [response for response in kept_trials(context.store, seat.of.examinee) if response.id in planned]
    context.store.add_responses(before)
    answered = context.store.response_ids(seat.examinee.id)
    await administer.sit(
        administer.Invigilator(
            ablated(context, seat, handed),
            context.settings.timeout_s,
            manners=seat.manners,
            seed=context.settings.seed,
            choices=context.choice_reader,
        ),
        exam.model_copy(update={"items": put}),
        answered,
        record=context.store.add_responses,
        watch=lambda done: context.watch(f"sit {seat.examinee.name}", done, len(put)),
    )
