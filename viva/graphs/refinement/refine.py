"""Refining the exam of a scored run: items that tell nothing go, others come, for some rounds.

scores -> drop -> (write -> sit) -> adopt -> score -> drop ...

The exam before, its responses and its scores stay in the run. Each round is kept when it ends: an interrupted
refinement, begun again, goes on with the round in which it was stopped, and does the same.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from statistics import median

from viva.core.blueprint import LevelFill
from viva.core.errors import UsageError
from viva.core.records import Exam
from viva.core.records.refinement import REFINEMENT, Refinement, RefinementStep, ReplacedItem
from viva.core.scores import ItemScore, Scores
from viva.examinees.specs.records import Spec
from viva.exams.file import write_exam
from viva.graphs import results, stages
from viva.graphs.assembly.assemble import reassembled
from viva.graphs.context import RunContext
from viva.graphs.refinement.replenish import FEWEST, askable, left_out, new_items
from viva.llm import interrupts
from viva.storage.lock import run_lock

LEAST_INFORMATION = 0.35
"""Of the median item's: an item that tells less goes."""
LEAST_CORRELATION_Z = -1.0
"""An item goes whose correlation with the score on the others, in standard errors, is below this."""
FAULTS = ("wrong key", "unanswerable", "leaked")
"""Kinds of flags for which an item goes."""
MOST_AT_ONCE = 0.1
"""The largest share of the exam that goes in one round, the worst first."""
LEAST_ITEMS = 10
"""Items that an exam keeps."""
_NOTE = "This exam was refined by the answers of those who sat it: it tells them apart a little better than others."


def refine_run(context: RunContext, rounds: int, *, replenish: bool) -> Refinement:
    """Refine the run's exam in so many rounds at most; with `replenish`, write as many items as go.

    Raises UsageError where the run has no scores of its exam or too few examinees, RunLocked while another process
    works on the folder, BudgetReached where new items end the budget: what was written and answered is kept.
    """
    with run_lock(context.folder):
        try:
            with context.store.server_lock():
                return interrupts.run(_refined(context, rounds, replenish=replenish))
        finally:
            context.close()


async def _refined(context: RunContext, rounds: int, *, replenish: bool) -> Refinement:
    try:
        exam, made = await _begun(context)
        panel = _panel(context, exam)
        specs, notes = askable(context, panel) if replenish else ((), ())
        made = made.model_copy(update={"notes": tuple(dict.fromkeys([*made.notes, *notes]))})
        while not made.end:
            context.watch("Refining", len(made.steps), rounds)
            if len(made.steps) >= rounds:
                made = made.model_copy(update={"end": "the rounds that were allowed are done"})
            else:
                exam, made = await _round(context, exam, made, specs)
        if made.steps:
            context.store.add_result(REFINEMENT, made.model_dump(mode="json"))
        context.watch("Refining", rounds, rounds)
        return made
    finally:
        await context.aclose_models()


async def _begun(context: RunContext) -> tuple[Exam, Refinement]:
    """The run's exam, and the refinement that is at work on it or begins."""
    store = context.store
    exam = stages.exam_of(store, context.folder)
    under_way = results.refinement_of(store, exam)
    if under_way and not under_way.end:
        # a kill may have come between the exam and its scores
        await _adopt(context, exam, under_way)
        return exam, under_way
    store.add_result("left_out", left_out(store, exam))
    past = store.latest_result(REFINEMENT)
    gone = Refinement.model_validate(past).gone if past else ()
    return exam, Refinement(exam_before=exam.id, exam_after=exam.id, gone=gone)


def _panel(context: RunContext, exam: Exam) -> list[str]:
    """Ids of those who sat this exam and were graded. UsageError where it is not scored, or by too few."""
    folder, scores = context.folder, results.scores_of(context.store, context.folder)
    if scores.exam_id != exam.id:
        raise UsageError(
            "The scores are of another exam.",
            next_step=f"Let systems sit it, then score: viva sit {folder}, viva score {folder}",
        )
    found = [row.examinee.id for row in scores.examinees if row.graded and not row.failing]
    if len(found) < FEWEST or scores.measurement is None:
        raise UsageError(
            f"{len(found)} examinees sat this exam: too few to judge its questions by.",
            allowed=f"Refining takes {FEWEST} or more that answer differently.",
            next_step=f"Let others sit, then score: viva sit {folder} -e SPEC, viva score {folder}",
        )
    return found


async def _round(context: RunContext, exam: Exam, made: Refinement, specs: Sequence[Spec]) -> tuple[Exam, Refinement]:
    """Drop, add, adopt and score; or end with the reason why nothing more is done."""
    dropped = to_drop(exam, results.scores_of(context.store, context.folder))
    if not dropped:
        return exam, made.model_copy(update={"end": "no item was left that had to go"})
    found = await new_items(context, exam, specs, [each.item_id for each in dropped], made.gone)
    lost = {each.item_id for each in dropped}
    kept = [shown for shown in exam.items if shown.item.id not in lost]
    items = sorted([*kept, *found.items], key=lambda shown: shown.item.id) if found.items else kept
    if len(items) < LEAST_ITEMS:
        return exam, made.model_copy(update={"end": "another round would leave too few items"})
    after = Exam.of(items, exam.examples)
    added = [ReplacedItem(item_id=shown.item.id, stem=shown.item.stem) for shown in found.items]
    gone = {*made.gone, *found.passed_over, *(each.stem for each in dropped)}
    update = {
        "exam_after": after.id,
        "steps": (*made.steps, RefinementStep(dropped=tuple(dropped), added=tuple(added))),
        "gone": tuple(sorted(gone)),
        "notes": tuple(dict.fromkeys([*made.notes, *found.notes])),
        "left_out": left_out(context.store, after, went=len(dropped)),
    }
    if not made.steps:
        write_exam(exam, context.folder / f"exam.{exam.id}.jsonl")
    made = made.model_copy(update=update)
    context.store.add_result(REFINEMENT, made.model_dump(mode="json"))
    await _adopt(context, after, made)
    return after, made


def to_drop(exam: Exam, scores: Scores) -> list[ReplacedItem]:
    """The items that have to go, the worst first: answers speak against them, or they tell little."""
    aside = {each.item_id: each.reason for each in scores.set_aside}
    flags = scores.measurement.flags if scores.measurement else ()
    faults = {flag.item_id: f"{flag.kind}: {flag.reason}" for flag in reversed(flags) if flag.kind in FAULTS}
    measured = {item.item_id: item for item in scores.items}
    known = [item.information for item in scores.items if item.information is not None]
    bound = LEAST_INFORMATION * median(known) if known else 0.0
    found = list[tuple[tuple[int, float], ReplacedItem]]()
    for shown in exam.items:
        identity = shown.item.id
        item = measured.get(identity)
        z = _correlation_z(item) if item else 0.0
        information = item.information if item else None
        if reason := aside.get(identity) or faults.get(identity):
            rank = (0, z)
        elif item and z < LEAST_CORRELATION_Z:
            rank, reason = (0, z), f"abler examinees do worse: correlation {item.point_biserial:.2f}"
        elif information is not None and information < bound:
            rank, reason = (1, information), f"tells little: information {information:.3f}, bound {bound:.3f}"
        else:
            continue
        found.append((rank, ReplacedItem(item_id=identity, stem=shown.item.stem, reason=reason)))
    found.sort(key=lambda pair: pair[0])
    return [each for _, each in found[: max(1, int(MOST_AT_ONCE * len(exam.items)))]]


def _correlation_z(item: ItemScore) -> float:
    return 0.0 if item.point_biserial is None else item.point_biserial * math.sqrt(item.graded)


async def _adopt(context: RunContext, after: Exam, made: Refinement) -> None:
    """Make it the run's exam, and score it. Done again it changes nothing."""
    before = [LevelFill.model_validate(row) for row in context.store.latest_result("blueprint") or ()]
    found = reassembled(after, before, "Items went or came when it was refined.", _NOTE)
    stages.adopt(context, found, made.left_out)
    scores = context.store.latest_result("scores")
    if scores is None or scores["exam_id"] != after.id:
        await asyncio.to_thread(results.score, context)
