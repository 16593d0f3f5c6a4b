"""`viva oral`: the examinees of a run context are examined one after the other, and what came of it is kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from viva.agents.language_model.oral.cast import language_model_oral_cast
from viva.agents.roles import Source
from viva.core.calls import Entry, uncounted_tokens
from viva.core.errors import BudgetReached
from viva.core.ids import seeded_order
from viva.core.records import Chunk, Exam, Grade, OralPlan, OralTurn, OralUnit
from viva.core.scores_oral import OralScore, RoleUse
from viva.core.text.language_detection import detect_language
from viva.examinees.specs.records import Spec
from viva.graphs.authoring.account import calls_of
from viva.graphs.context import RunContext
from viva.graphs.grading.grade_open import judged
from viva.graphs.oral import examine
from viva.graphs.oral_exam.record import (
    keep_plan,
    keep_problem,
    keep_score,
    keep_turn,
    kept_plan,
    kept_scores,
    kept_turns,
)
from viva.graphs.oral_exam.session import OralSession
from viva.graphs.oral_exam.state import Limits, OralProgress
from viva.graphs.sitting import sample
from viva.llm import interrupts
from viva.metrics.exam import failing, failures_wrong, grade, right_or_wrong
from viva.metrics.irt import NothingToCompare
from viva.metrics.oral.figures import oral_score
from viva.metrics.oral.irt import FEWEST_EXAMINED, oral_abilities
from viva.storage.lock import run_lock
from viva.storage.runs import RunStore

BUDGET_OF_MODELS = "the budget of model calls is spent"


@dataclass(frozen=True)
class Examination:
    """How one examinee's oral examination went. `asked_now` of the questions are new."""

    plan: OralPlan
    score: OralScore
    asked_now: int


def examine_orally(context: RunContext, limits: Limits) -> list[Examination]:
    """Examine the run's examinees, one after the other; `context.stopped` says whether a budget of models ended it.

    Raises RunLocked while another process works on the folder, UsageError where nothing can be asked, BudgetReached
    where there is not even a plan. What was answered is kept, whatever ends it.
    """
    with run_lock(context.folder):
        try:
            with context.store.server_lock():
                return interrupts.run(_examine_all(context, limits))
        finally:
            context.close()


async def _examine_all(context: RunContext, limits: Limits) -> list[Examination]:
    specs = context.candidates.specs
    for spec in specs:
        # one that cannot be loaded stops the command before anybody is asked
        context.candidates.of(spec)
    try:
        found = await examine_each(context, specs, limits)
    finally:
        await context.aclose_models()
    if not found and context.stopped is not None:
        raise context.stopped
    return found


async def examine_each(context: RunContext, specs: Sequence[Spec], limits: Limits) -> list[Examination]:
    """The same of these examinees, within a run that is at work."""
    with context.times.timed("oral"):
        found = [done for spec in specs if (done := await _examined(context, spec, limits)) is not None]
        with_ability = await asyncio.to_thread(_with_abilities, context.store, [each.score for each in found])
    for score in with_ability:
        keep_score(context.store, score)
    if context.stopped is None:
        # what stood in the way of an earlier one does so no more
        keep_problem(context.store, "")
    return [replace(each, score=score) for score, each in zip(with_ability, found, strict=True)]


async def _examined(context: RunContext, spec: Spec, limits: Limits) -> Examination | None:
    """One examinee's; None where a budget had ended all before its turn."""
    if context.stopped is not None:
        return None
    context.store.add_examinee(spec.examinee)
    session = _room(context, spec, limits)
    before = kept_turns(context.store, spec.examinee.id)
    try:
        _, reason = await examine(session, before)
    except BudgetReached as reached:
        context.stopped = reached
        reason = BUDGET_OF_MODELS
    if session.plan is None:
        return None
    turns = kept_turns(context.store, spec.examinee.id)
    standing = OralProgress.of(session.plan, limits, turns).concluded()
    roles = role_use(turns, _entries(context, [call for turn in turns for call in turn.calls]))
    score = oral_score(
        spec.examinee,
        session.plan,
        turns,
        standing.outcomes(),
        reason=reason,
        complete=standing.complete,
        roles=roles,
        seed=context.settings.seed,
    )
    keep_score(context.store, score)
    return Examination(session.plan, score, len(turns) - len(before))


def _room(context: RunContext, spec: Spec, limits: Limits) -> OralSession:
    from viva.examinees.adapters.langchain import as_tool

    settings, chunks = context.settings, list(context.chunks.values())
    drawn = _drawn(chunks, limits.chunks, settings.seed)
    of_all = len(drawn) == len(chunks)
    return OralSession(
        examinee=spec.examinee,
        target=as_tool(context.candidates.of(spec)),
        cast=language_model_oral_cast(context.models.asker, _speaks_english(context)),
        sources=[Source(chunk, context.documents[chunk.document_id]) for chunk in drawn],
        drawn_from="" if of_all else f"They are of {len(drawn)} of {len(chunks)} chunks, drawn at random.",
        embed=context.embedder.embed,
        seed=settings.seed,
        timeout_s=spec.manners.timeout_s or settings.timeout_s,
        limits=limits,
        chunks_at_once=settings.concurrency,
        keep_plan=lambda plan: keep_plan(context.store, plan),
        keep_turn=lambda turn: keep_turn(context.store, spec.examinee.id, turn),
        counted=lambda calls: _tokens(_entries(context, calls)),
        watch=context.watch,
        plan=kept_plan(context.store),
    )


def _speaks_english(context: RunContext) -> Callable[[OralUnit], bool]:
    language = cache(lambda document_id: detect_language(context.documents[document_id].text))
    return lambda unit: language(unit.evidence.document_id) == "en"


def _drawn(chunks: Sequence[Chunk], most: int | None, seed: int) -> list[Chunk]:
    """In the order of the corpus."""
    ids = {chunk.id for chunk in seeded_order(chunks, seed, "oral chunks")[:most]}
    return [chunk for chunk in chunks if chunk.id in ids]


# --- what it took -----------------------------------------------------------------------------------------


def _entries(context: RunContext, calls: Sequence[str]) -> list[Entry]:
    """The answered requests with these keys, each once."""
    ledger = calls_of(context.models) if calls else None
    if ledger is None:
        return []
    with ledger:
        found = {entry.call.key: entry for entry in ledger.entries(keys=set(calls)) if entry.reply is not None}
    return list(found.values())


def _tokens(entries: Iterable[Entry]) -> dict[str, int]:
    counted = Counter[str]()
    for entry in entries:
        if entry.reply is not None:
            usage = entry.reply.usage
            known = (usage.input_tokens or 0) + (usage.output_tokens or 0)
            counted[entry.role] += known + uncounted_tokens(entry.call, entry.reply)
    return dict(sorted(counted.items()))


def role_use(turns: Sequence[OralTurn], entries: Sequence[Entry]) -> list[RoleUse]:
    """What each role took: of models what the ledger says, of the examinee how often it was asked."""
    put = [turn for turn in turns if turn.question]
    told = [turn.tokens["examinee"] for turn in put if "examinee" in turn.tokens]
    examinee = RoleUse(role="examinee", calls=len(put), tokens=sum(told) if told else None)
    tokens, calls, costs = _tokens(entries), Counter(entry.role for entry in entries), dict[str, list[float | None]]()
    for entry in entries:
        costs.setdefault(entry.role, []).append(entry.reply.cost if entry.reply else None)
    rows = [
        RoleUse(role=role, calls=calls[role], tokens=tokens[role], cost=_summed(costs[role]))
        for role in sorted(calls)
    ]
    return [*rows, examinee]


def _summed(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


# --- one scale with the exam ------------------------------------------------------------------------------


def _with_abilities(store: RunStore, scores: Sequence[OralScore]) -> list[OralScore]:
    """The scores with the abilities that exam and oral examinations together give; without where they give none.

    Finished examinations alone count: what is known is settled first, so that half of one would flatter. And units
    that few have been asked about are placed by the prior alone, and with them who was asked.
    """
    plan, exam = kept_plan(store), store.latest_exam()
    if plan is None:
        return list(scores)
    everybody = {each.examinee.id: each for each in kept_scores(store) if each.plan_id == plan.id}
    statuses = {i: {o.unit_id: o.status for o in each.outcomes} for i, each in everybody.items() if each.complete}
    if len(statuses) < FEWEST_EXAMINED:
        return list(scores)
    grades = _grades(store, exam) if exam else []
    found = oral_abilities(exam, plan, store.examinees(), grades, statuses)
    if isinstance(found, NothingToCompare):
        return list(scores)
    return [score.model_copy(update={"ability": found.get(score.examinee.id)}) for score in scores]


def _grades(store: RunStore, exam: Exam) -> list[Grade]:
    """Of those who sat the whole exam, as abilities on the leaderboard take them."""
    shown = {each.item.id: each for each in exam.items}
    responses = store.responses_to(exam.items)
    parts = sample.in_part(store, exam, responses)
    unranked = failing(responses)
    own = [r for r in responses if r.examinee_id not in parts and r.examinee_id not in unranked]
    graded_open = judged(store, own)
    given = failures_wrong([(r, right_or_wrong(grade(shown[r.item_id], r, graded_open))) for r in own])
    return [each for each in given if isinstance(each, Grade)]
