"""Adaptive sittings: an examinee is asked a part of a calibrated exam, chosen for it or drawn at random.

The engine (viva.metrics.irt.adaptive.sitting) names the next question from a bank, a plan and the answers so far.
Bank and answers are kept in the run, so an interrupted sitting is the same engine led over the answers that are
there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Exam, Examinee, Grade, Response
from viva.core.scores import AdaptiveScore, AdaptiveStep, Estimate
from viva.graphs import results, stages
from viva.graphs.context import RunContext
from viva.graphs.sitting.adaptive_record import AdaptiveRecord, keep, kept
from viva.graphs.sitting.administer import WITHDRAWN_AFTER, Invigilator
from viva.llm import interrupts
from viva.metrics.exam import closed_items, grade, response_matrix
from viva.metrics.intervals import Interval
from viva.metrics.irt import NothingToCompare, binarised
from viva.metrics.irt.adaptive.bank import AdaptivePlan, Bank, chosen_items
from viva.metrics.irt.adaptive.sitting import Ask, Sitting, answered, begin, next_item, result
from viva.metrics.irt.checks.duplicate_examinees import witnesses
from viva.metrics.panel import fit_panel
from viva.storage.lock import run_lock
from viva.storage.runs import RunStore

FEWEST_EXAMINEES = 5
"""With fewer, items are hardly known, and neither is how far abilities lie apart."""
LEAST_PRIOR_SD = 0.5
"""Examinees that are all alike do not make sure that the next one is like them."""
_SMALL = "small topics"


@dataclass(frozen=True)
class Aims:
    """When an adaptive sitting ends: the standard error of the ability, or the number of questions."""

    target_se: float = 0.3
    budget: int = 20


@dataclass(frozen=True)
class AdaptiveOutcome:
    """How one examinee's sitting went. `responses` are in the order of the engine; `asked_now` of them are new.

    `path` is the ability and its standard error after each; None while nothing could be graded, nothing measured.
    """

    score: AdaptiveScore
    record: AdaptiveRecord
    responses: tuple[Response, ...]
    right: tuple[bool | None, ...]
    phases: tuple[str, ...]
    path: tuple[tuple[float, float] | None, ...]
    asked_now: int


def sit_adaptively(context: RunContext, aims: Aims) -> list[AdaptiveOutcome]:
    """Let the run context's examinees sit, one after the other.

    Raises UsageError, before anybody is asked, where the exam is not calibrated; RunLocked while another process
    works on the folder. What was answered is kept, whatever ends the sitting.
    """
    with run_lock(context.folder), threadpool_limits(limits=1, user_api="blas"):
        try:
            with context.store.server_lock():
                return interrupts.run(_sit_all(context, aims))
        finally:
            context.close()


async def _sit_all(context: RunContext, aims: Aims) -> list[AdaptiveOutcome]:
    store, folder, settings = context.store, context.folder, context.settings
    exam, specs = _with_options(stages.exam_of(store, folder)), context.candidates.specs
    records = [calibrated(store, folder, exam, spec.examinee) for spec in specs]
    seated = [
        Invigilator(
            context.candidates.of(spec), settings.timeout_s, spec.manners, settings.seed, context.choice_reader
        )
        for spec in specs
    ]
    plans = [plan_of(exam, record, spec.examinee.id, aims) for spec, record in zip(specs, records, strict=True)]
    outcomes = []
    try:
        for spec, invigilator, record, plan in zip(specs, seated, records, plans, strict=True):
            with context.times.timed("sit"):
                outcomes.append(await _sit(store, context.watch, exam, spec.examinee, invigilator, record, plan))
    finally:
        await context.aclose_models()
    return outcomes


def _with_options(exam: Exam) -> Exam:
    """The exam without its open questions: the next one waits for the grade of the last, and no judge sits by."""
    closed = closed_items(exam)
    if not closed:
        raise UsageError(
            "Every question of this exam is open.",
            allowed="An adaptive sitting takes multiple choice.",
            next_step="Let them sit the whole exam: viva sit RUN",
        )
    return exam.model_copy(update={"items": tuple(closed)})


# --- the bank ---------------------------------------------------------------------------------------------


def calibrated(store: RunStore, folder: Path, exam: Exam, examinee: Examinee) -> AdaptiveRecord:
    """The sitting the examinee has begun on this exam, or a new one. UsageError where the exam is not calibrated."""
    found = kept(store, examinee.id)
    if found and found.exam_id == exam.id:
        return found
    scores = results.scores_of(store, folder)
    if scores.exam_id != exam.id:
        raise UsageError(
            "The scores are of another exam: nobody's answers calibrate this one yet.",
            next_step=f"Let systems sit it, then score: viva sit {folder} -e panel, viva score {folder}",
        )
    # its own answers must not say how hard the questions are that it is measured by
    panel = sorted(
        (row.examinee for row in scores.examinees if row.ability and row.examinee.id != examinee.id),
        key=lambda each: each.id,
    )
    return _calibration(store, folder, exam, panel)


def _calibration(store: RunStore, folder: Path, exam: Exam, panel: Sequence[Examinee]) -> AdaptiveRecord:
    more = f"Let more systems sit, then score: viva sit {folder} -e panel, viva score {folder}"
    if len(panel) < FEWEST_EXAMINEES:
        raise UsageError(
            f"{len(panel)} other examinees with an ability sat this exam: too few to say what its questions tell.",
            allowed=f"An adaptive sitting takes {FEWEST_EXAMINEES} or more.",
            next_step=more,
        )
    ids = {each.id for each in panel}
    shown = {each.item.id: each for each in exam.items}
    grades = [grade(shown[r.item_id], r) for r in store.responses_to(exam.items) if r.examinee_id in ids]
    matrix = response_matrix(exam, [each.id for each in panel], grades)
    fit = fit_panel(exam, panel, matrix)
    if isinstance(fit, NothingToCompare):
        raise UsageError(f"The exam cannot be calibrated: {fit.problem}.", next_step=more)
    if not fit.converged:
        raise UsageError(
            f"The fit to those who have sat this exam did not converge ({fit.message}).",
            allowed="An adaptive sitting needs questions whose parameters are known.",
            next_step=more,
        )
    return AdaptiveRecord(
        exam_id=exam.id,
        calibrated_by=tuple(each.name for each in panel),
        witnesses=len(witnesses(matrix, fit.predict()).rows),
        a=tuple(map(float, fit.a)),
        b=tuple(map(float, fit.b)),
        c=tuple(map(float, fit.c)),
        prior_mean=float(fit.theta.mean()),
        prior_sd=max(float(np.std(fit.theta, ddof=1)), LEAST_PRIOR_SD),
    )


def plan_of(exam: Exam, record: AdaptiveRecord, examinee_id: str, aims: Aims) -> AdaptivePlan:
    """How this examinee is examined: topics in the exam's shares, drawn questions of its own.

    Raises UsageError for a standard error that is met before the first question.
    """
    if aims.target_se >= record.prior_sd:
        raise UsageError(
            f"A standard error of {aims.target_se:g} needs no question: abilities of those who have sat lie "
            f"{record.prior_sd:.2f} apart.",
            allowed=f"--se-target below {record.prior_sd:.2f}.",
        )
    chosen = chosen_items(aims.budget, record.told_by)
    counts = Counter(topics(exam, chosen or aims.budget))
    return AdaptivePlan(
        target_se=aims.target_se,
        budget=aims.budget,
        chosen=chosen,
        topic_shares={topic: count / len(exam.items) for topic, count in sorted(counts.items())},
        prior_mean=record.prior_mean,
        prior_sd=record.prior_sd,
        seed=int(content_hash("adaptive", exam.id, examinee_id), 16),
    )


def topics(exam: Exam, asked: int) -> tuple[str, ...]:
    """The topic of each item, to be balanced over so many questions.

    Topics too small for one question of their own are one: else they, and not what a question tells, would choose.
    """
    counts = Counter(shown.item.topic for shown in exam.items)
    small = {topic for topic, count in counts.items() if count * asked < len(exam.items)}
    return tuple(_SMALL if shown.item.topic in small else shown.item.topic for shown in exam.items)


# --- the sitting ------------------------------------------------------------------------------------------


async def _sit(
    store: RunStore,
    watch: Callable[[str, int, int, str], None],
    exam: Exam,
    examinee: Examinee,
    invigilator: Invigilator,
    record: AdaptiveRecord,
    plan: AdaptivePlan,
) -> AdaptiveOutcome:
    stored = {r.id: r for r in store.responses_to(exam.items)}
    store.add_examinee(examinee)
    # before the first question: who is interrupted must not be taken for one who sat the exam as it is
    keep(store, examinee.id, record)
    bank = Bank(
        np.array(record.a),
        np.array(record.b),
        np.array(record.c),
        topics(exam, plan.chosen or plan.budget),
    )
    state, responses, asked_now = begin(bank, plan), list[Response](), 0
    reason: str | None = None
    while isinstance(step := next_item(state), Ask):
        if _given_up(responses):
            reason = f"{WITHDRAWN_AFTER} failures in a row"
            break
        shown = exam.items[step.item]
        response = stored.get(Response.id_of(examinee.id, shown))
        if response is None:
            response = await invigilator.ask(shown)
            store.add_responses([response])
            asked_now += 1
        responses.append(response)
        graded = grade(shown, response)
        state = answered(state, step, float(binarised(graded.score)) if isinstance(graded, Grade) else None)
        _tell(watch, examinee.name, state)
    outcome = _outcome(examinee, exam, state, responses, reason)
    record = record.model_copy(update={"outcome": outcome})
    keep(store, examinee.id, record)
    return AdaptiveOutcome(
        outcome,
        record,
        tuple(responses),
        tuple(None if answer.value is None else answer.value == 1 for answer in state.answers),
        tuple(answer.phase for answer in state.answers),
        _measured(state),
        asked_now,
    )


def _given_up(responses: Sequence[Response]) -> bool:
    """As in a whole sitting: a system that fails on and on is not asked on."""
    last = [response.failure for response in responses[-WITHDRAWN_AFTER:]]
    kinds = {failure.kind if failure else None for failure in last}
    return len(last) == WITHDRAWN_AFTER and len(kinds) == 1 and None not in kinds


def _measured(state: Sitting) -> tuple[tuple[float, float] | None, ...]:
    """The path from the first graded answer on: before it there is the prior, which says nothing of the examinee."""
    graded = [answer.value is not None for answer in state.answers]
    first = graded.index(True) if any(graded) else len(graded)
    return (None,) * first + result(state).path[first:]


def _tell(watch: Callable[[str, int, int, str], None], name: str, state: Sitting) -> None:
    known, failed = _measured(state)[-1], sum(answer.value is None for answer in state.answers)
    ability = f"ability {known[0]:+.2f} ± {known[1]:.2f}" if known else "nothing measured"
    watch(
        f"sit {name}",
        len(state.answers),
        state.plan.budget,
        f"{ability}, {failed} failed" if failed else ability,
    )


def _outcome(
    examinee: Examinee, exam: Exam, state: Sitting, responses: Sequence[Response], reason: str | None
) -> AdaptiveScore:
    found = result(state)
    # without a graded answer both would be the prior's
    known = found.ungraded < found.asked
    return AdaptiveScore(
        examinee=examinee,
        asked=found.asked,
        items=len(exam.items),
        ungraded=found.ungraded,
        failures=dict(sorted(Counter(r.failure.kind.value for r in responses if r.failure).items())),
        no_choice=sum(r.failure is None and r.choice is None for r in responses),
        drawn=len(state.asked("random")),
        reason=reason or found.reason or "",
        ability=_estimate(found.ability) if known else None,
        ability_se=found.ability_se if known else None,
        accuracy=_estimate(found.score) if known else None,
        path=tuple(
            AdaptiveStep(
                item_id=exam.items[answer.item].item.id,
                phase=answer.phase,
                right=None if answer.value is None else answer.value == 1,
                ability=theta,
                se=se,
            )
            for answer, (theta, se) in zip(state.answers, found.path, strict=True)
        ),
    )


def _estimate(interval: Interval) -> Estimate:
    return Estimate(value=interval.estimate, low=interval.low, high=interval.high)
