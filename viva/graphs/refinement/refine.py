"""Refining the exam of a scored run: items that tell nothing go, what is lacking comes, as long as it helps.

calibrate <- exam, answers -> (drop, replenish -> sit) -> judge -> adopt -> score

The control is `viva.optimizers.refinement`; here are its callables, over the run's facts, and what is kept of it. The
exam before, its responses and its scores stay in the run.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from viva.core.blueprint import LevelFill
from viva.core.errors import UsageError
from viva.core.records import Exam, Examinee
from viva.core.refinement import REFINEMENT, Refinement, RefinementPlan
from viva.exams.file import write_exam
from viva.graphs import results, stages
from viva.graphs.assembly.assemble import reassembled
from viva.graphs.context import RunContext
from viva.graphs.refinement.notes import notes_on_exam
from viva.graphs.refinement.replenish import count_left_out
from viva.graphs.refinement.work import Work, too_few
from viva.optimizers.panel import FEWEST
from viva.storage.lock import run_lock
from viva.storage.runs import RunStore

ROUNDS, ROUNDS_REPLENISHING = 10, 3
"""Rounds at most, where nothing is said: with new items each asks systems again."""


@dataclass(frozen=True)
class RefinementOutcome:
    """A refinement and the exam it made. `new` is False where it was made before, and nothing was done."""

    refinement: Refinement
    exam: Exam
    new: bool


def plan_of(rounds: int | None, *, replenish: bool) -> RefinementPlan:
    """The plan, with the usual number of rounds where none is given."""
    return RefinementPlan(rounds=rounds or (ROUNDS_REPLENISHING if replenish else ROUNDS), replenish=replenish)


def refine_run(context: RunContext, plan: RefinementPlan, *, dry_run: bool = False) -> RefinementOutcome:
    """Refine the run's exam; a dry run records nothing and asks nobody.

    Raises UsageError where the run has no scores of its exam or too few examinees, RunLocked while another process
    works on the folder, BudgetReached where new items end the budget: what was written and answered is kept.
    """
    with run_lock(context.folder), threadpool_limits(limits=1, user_api="blas"):
        try:
            with context.store.server_lock():
                return _refined(context, plan, dry_run=dry_run)
        finally:
            context.close()


def _refined(context: RunContext, plan: RefinementPlan, *, dry_run: bool) -> RefinementOutcome:
    exam = stages.exam_of(context.store, context.folder)
    earlier = results.refinement_of(context.store, exam)
    if earlier and earlier.changed and not dry_run:
        # a kill may have come between the exam and what is told of it
        _adopt(context, exam, earlier)
    if not dry_run:
        count_left_out(context.store, exam)
    examinees = _panel(context.store, context.folder, exam)
    if earlier and earlier.plan == plan and set(earlier.panel) == {each.id for each in examinees}:
        return RefinementOutcome(earlier, exam, new=False)
    past = context.store.latest_result(REFINEMENT)
    with asyncio.Runner() as runner:
        try:
            work = Work(
                context, exam, plan, examinees, Refinement.model_validate(past) if past else None, runner, dry_run
            )
            made, after = work.done()
        finally:
            runner.run(context.aclose_models())
    if not dry_run:
        _keep_before(context.store, context.folder, exam, made)
        context.store.add_result(REFINEMENT, made.model_dump(mode="json"))
        if made.changed:
            _adopt(context, after, made)
    return RefinementOutcome(made, after, new=True)


def _panel(store: RunStore, folder: Path, exam: Exam) -> list[Examinee]:
    """Who sat the whole of this exam and was graded. UsageError where it is not scored, or by too few."""
    scores = results.scores_of(store, folder)
    if scores.exam_id != exam.id:
        raise UsageError(
            "The scores are of another exam: they say nothing of these questions.",
            next_step=f"Let systems sit it, then score: viva sit {folder}, viva score {folder}",
        )
    found = sorted((row.examinee for row in scores.examinees if row.graded), key=lambda each: each.id)
    if len(found) < FEWEST:
        raise too_few(folder, len(found), len(found))
    return found


def _keep_before(store: RunStore, folder: Path, exam: Exam, made: Refinement) -> None:
    """The exam before as a file, and its scores under its own name: the run's latest will be others."""
    if made.changed:
        store.add_result(f"scores of {exam.id}", store.latest_result("scores"))
        write_exam(exam, folder / f"exam.{exam.id}.jsonl")


def _adopt(context: RunContext, after: Exam, made: Refinement) -> None:
    """Make it the run's exam, and score it. Done again it changes nothing."""
    before = [LevelFill.model_validate(row) for row in context.store.latest_result("blueprint") or ()]
    found = reassembled(after, before)
    fill = tuple(
        row if row.got == old.got else row.model_copy(update={"reason": "Items went or came when it was refined."})
        for row, old in zip(found.fill, before, strict=True)
    )
    stages.adopt(context, replace(found, fill=fill, notes=(*found.notes, *notes_on_exam(made))), made.left_out)
    scores = context.store.latest_result("scores")
    if scores is None or scores["exam_id"] != after.id:
        results.score(context)
