"""Who is set beside a user's own system, and how they sit: only where too few have sat to measure questions by."""

from __future__ import annotations

from collections.abc import Sequence

from viva.core.errors import UsageError
from viva.core.ids import seeded_order
from viva.core.records import Exam, Examinee, ExamItem, Passage, Response, responses_to
from viva.core.settings import Settings
from viva.core.wording import listed
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
from viva.examinees.retrievers import ChunkIndex
from viva.examinees.specs.parse import PANEL, parse_spec
from viva.examinees.specs.records import RecordedSpec, ReferenceSpec, Spec
from viva.graphs import stages
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.peer_responses import diagnoses_of, kept_trials
from viva.graphs.resources.candidates import Candidates
from viva.graphs.sitting import administer
from viva.storage.runs import RunStore

MOST_DIAGNOSED = 60
"""Wrong answers of one examinee that are diagnosed; of more, a random sample."""
MOST_PER_ANSWER = 6
"""Questions that the diagnosis of one wrong answer puts to a system that takes passages."""


# --- whom -------------------------------------------------------------------------------------------------


def own_specs(specs: Sequence[Spec]) -> list[Spec]:
    """The users' own systems among these."""
    return [spec for spec in specs if not isinstance(spec, ReferenceSpec)]


def company_wanted(context: RunContext, exam: Exam | None) -> bool:
    """Whether anybody is to be set beside those asked for: own systems, no panel, and too few who sat this exam."""
    settings = context.settings
    if not settings.manufactured or PANEL in settings.examinees or not own_specs(context.candidates.specs):
        return False
    if exam and not context.has_documents:
        return False
    if exam and all(_only_retrieves(context.store, spec) for spec in own_specs(context.candidates.specs)):
        return False
    sat = _sat(context.store, exam) if exam else set()
    return len({spec.examinee.id for spec in context.candidates.specs} | sat) < ENOUGH


def _only_retrieves(store: RunStore, spec: Spec) -> bool:
    """Tell whether it is known to be a retriever by itself, which no other system is needed to measure."""
    return any(response.is_retrieval for response in store.responses_of(spec.examinee.id))


def _sat(store: RunStore, exam: Exam) -> set[str]:
    """Who has sat the exam and was not manufactured."""
    sat = {response.examinee_id for response in store.responses_to(exam.items)}
    return {each.id for each in stages.as_asked_for(store) if each.id in sat and not each.manufactured}


def _exam(context: RunContext) -> Exam | None:
    try:
        return context.store.latest_exam()
    except UsageError:  # no run is there yet
        return None


def reference_examinees_of(context: RunContext, exam: Exam) -> list[ReferenceExaminee]:
    """Who is set beside those asked for; the same each time, once these have sat."""
    made = context.reference_examinees
    if exam.id not in made:
        wanted = company_wanted(context, exam)
        made[exam.id] = _made_of(context.store, context.settings, context.candidates, exam) if wanted else []
    return made[exam.id]


def _made_of(store: RunStore, settings: Settings, candidates: Candidates, exam: Exam) -> list[ReferenceExaminee]:
    found: list[ReferenceExaminee] = list(reference_specs(settings))
    for spec in own_specs(candidates.specs):
        answered = answers_of(store, spec.examinee, exam)
        if answered:
            shows = any(response.passages for response in answered.values())
            found += ablation_specs(spec, reads=reads(candidates, spec), shows=shows)
    asked_for = {spec.examinee.id for spec in candidates.specs}
    return [seat for seat in found if seat.examinee.id not in asked_for]


def call(context: RunContext) -> list[int]:
    """Register who is set beside those asked for; their places."""
    found = reference_examinees_of(context, stages.exam_of(context.store, context.folder))
    for seat in found:
        context.store.add_examinee(seat.examinee)
    return list(range(len(found)))


def budget(context: RunContext, *, diagnosis: bool) -> list[str]:
    """What will be asked beyond the exam, in sentences, before anybody is asked; none where all of it was asked."""
    settings, exam = context.settings, _exam(context)
    company, told = company_wanted(context, exam), list[str]()
    if company and not (exam and _references_sat(context.store, settings, exam)):
        told.append(
            "Too few sit this exam for its questions to be measured: viva sets "
            f"{len(reference_specs(settings))} reference systems of its own beside them "
            "(--no-manufactured leaves them out)."
        )
    told += _repeated(context, exam)
    questions_each = min(settings.ablation_questions, len(exam.items) if exam else settings.items)
    for spec in own_specs(context.candidates.specs):
        if isinstance(spec, RecordedSpec):
            continue
        takes_passages = reads(context.candidates, spec)
        asked = _asked_beyond(
            questions_each,
            takes_passages=takes_passages,
            ablation=company
            and questions_each > 0
            and not (exam and _ablations_begun(context.store, exam, spec, reads=takes_passages)),
            diagnosis=diagnosis and not (exam and _diagnosed(context.store, exam, spec)),
        )
        if asked:
            told.append(
                f"{spec.examinee.name} is asked, beyond the exam, at most {asked} "
                "(--ablation-questions N: fewer, 0: none)."
            )
    return told


def _repeated(context: RunContext, exam: Exam | None) -> list[str]:
    """Who is asked several times, and who is not."""
    times, questions = context.settings.repeats, len(exam.items) if exam else context.settings.items
    if times == 1:
        return []
    anew = {spec.examinee.name: stages.answers_anew(spec) for spec in context.candidates.specs}
    told = [
        f"{name} is asked each question {times} times, {times * questions} in all "
        f"(--repeats {times}, which the run keeps for later systems; --repeats 1: once)."
        for name, again in anew.items()
        if again
    ]
    if same := [name for name, again in anew.items() if not again]:
        told.append(f"--repeats has no effect on {listed(same)}: recorded answers and viva's systems stay the same.")
    return told


def check_repeats(context: RunContext) -> None:
    """UsageError where no system would be asked again."""
    if context.settings.repeats > 1 and not any(map(stages.answers_anew, context.candidates.specs)):
        raise UsageError(
            "--repeats has no effect: recorded answers and viva's own systems answer the same each time.",
            next_step="Name a system of yours that is asked now, or leave --repeats out.",
        )


def _references_sat(store: RunStore, settings: Settings, exam: Exam) -> bool:
    """Whether the reference systems have answered every question."""
    answered = {response.id for response in store.responses_to(exam.items)}
    seats = reference_specs(settings)
    return all(Response.id_of(seat.examinee.id, shown) in answered for seat in seats for shown in exam.items)


def _ablations_begun(store: RunStore, exam: Exam, spec: Spec, *, reads: bool) -> bool:
    """Whether its variants were put questions of this exam: what is left of them was announced then."""
    variants = {seat.examinee.id for seat in ablation_specs(spec, reads=reads, shows=True)}
    given = store.responses_to(exam.items)
    return any(response.examinee_id in variants for response in given)


def _diagnosed(store: RunStore, exam: Exam, spec: Spec) -> bool:
    """Whether there is a diagnosis of all that it has answered to this exam."""
    found = (each for each in diagnoses_of(store, exam) if each.examinee.id == spec.examinee.id)
    return any(each.graded + each.failures >= len(exam.items) for each in found)


def _asked_beyond(each: int, *, takes_passages: bool, ablation: bool, diagnosis: bool) -> str:
    """What a system is asked beyond the exam; "" where that is nothing."""
    most, count = min(MOST_DIAGNOSED, each), len(OWN_CONTEXTS)
    parts = []
    if takes_passages:
        parts += [f"{count * each} questions with its passages exchanged ({count} times {each})"] if ablation else []
        parts += [f"{MOST_PER_ANSWER} for each of at most {most} wrong answers"] if diagnosis else []
    elif diagnosis:
        parts = [f"{most} questions again, where it tells its passages"]
    return ", and ".join(parts)


# --- what they answer from --------------------------------------------------------------------------------


def reads(candidates: Candidates, spec: Spec) -> bool:
    """Whether the system can be handed passages."""
    candidate = candidates.of(spec)
    return isinstance(candidate, ReadsPassages) and candidate.takes_passages


def answers_of(store: RunStore, examinee: Examinee, exam: Exam) -> dict[str, Response]:
    """Its answers to this exam, by item id: neither failures nor what a retriever by itself found."""
    given = responses_to(exam.items, store.responses_of(examinee.id))
    return {r.item_id: r for r in given if r.failure is None and not r.is_retrieval}


def interventions(store: RunStore, index: ChunkIndex, spec: Spec, exam: Exam, seed: int) -> Interventions:
    """What can be handed instead of the system's own passages, as it told them when it sat."""
    own = {item_id: _read(spec, r.passages) for item_id, r in answers_of(store, spec.examinee, exam).items()}
    return Interventions(index, own, exam.items, seed)


def _read(spec: Spec, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    # a reference system tells more of its ranking than it reads
    ranked = isinstance(spec, ReferenceSpec) and spec.retriever != "oracle"
    return tuple(passages[: spec.k] if ranked and isinstance(spec, ReferenceSpec) else passages)


def ablated(candidates: Candidates, settings: Settings, spec: AblationSpec, handed: Interventions) -> Ablated:
    """The ablation, ready to be asked; a reference reader stands in for a system that cannot be handed passages."""
    read_by = parse_spec(f"closed-book+{spec.reader}", settings) if spec.reader else spec.of
    reader = candidates.of(read_by)
    if not isinstance(reader, ReadsPassages):
        raise TypeError("only who reads passages is ablated")
    return Ablated(spec.examinee, reader, spec.context, handed)


# --- how they sit -----------------------------------------------------------------------------------------


def questions(settings: Settings, spec: AblationSpec, handed: Interventions, exam: Exam) -> tuple[ExamItem, ...]:
    """Those for which there is something to hand; where a user's own system reads, no more than it agreed to."""
    can = [shown for shown in exam.items if handed.can(spec.context, shown)]
    if spec.reader:
        return tuple(can)
    drawn = seeded_order(can, settings.seed, "ablation", spec.examinee.id)[: settings.ablation_questions]
    chosen = {shown.item.id for shown in drawn}
    return tuple(shown for shown in can if shown.item.id in chosen)


async def sit(context: RunContext, seat: ReferenceExaminee, exam: Exam) -> None:
    """One of those set beside answers what it has not answered yet."""
    store, settings = context.store, context.settings
    if isinstance(seat, ReferenceSpec):
        await stages.sit(context, seat, exam)
        return
    handed = interventions(store, context.index, seat.of, exam, settings.seed)
    put = questions(settings, seat, handed, exam)
    store.add_examinee(seat.examinee)
    # what a diagnosis has asked is not asked again
    planned = {Response.id_of(seat.examinee.id, shown) for shown in put}
    before = [response for response in kept_trials(store, seat.of.examinee) if response.id in planned]
    store.add_responses(before)
    answered = store.response_ids(seat.examinee.id)
    candidate = ablated(context.candidates, settings, seat, handed)
    await administer.sit(
        administer.Invigilator(candidate, settings.timeout_s, seat.manners, settings.seed, context.choice_reader),
        exam.model_copy(update={"items": put}),
        answered,
        record=store.add_responses,
        watch=lambda done: context.watch(f"sit {seat.examinee.name}", done, len(put)),
    )
