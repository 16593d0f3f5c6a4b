"""The judges of a run asked again about some of the answers that they graded; what came of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viva.agents.judges.roles import Judge
from viva.core.ids import content_hash
from viva.core.records import Case, Exam, ExamItem, JudgeCard, Response
from viva.core.scores_open import RepeatsFinding, VarianceShare
from viva.core.settings import Settings
from viva.graphs.grading.graders import fingerprint
from viva.graphs.grading.judge_reliability import Repeats, judge_repeats
from viva.metrics.judges.pairs import Undefined
from viva.metrics.judges.variance import VarianceSplit
from viva.storage.runs import RunStore

REPEATS = "judge repeats"
"""The result of the run that holds what came of the last repeats."""


async def asked_again(
    judges: Sequence[Judge],
    graded: Sequence[tuple[ExamItem, Response, Case]],
    settings: Settings,
    progress: Callable[[int, int], None],
) -> RepeatsFinding:
    """What comes of asking as often as --judge-repeats says about a sample of these answers, which the judges graded.

    BudgetReached comes through: what was paid is in the ledger, and nothing is told of half a sample.
    """
    if not graded:
        nothing = "No open answer was graded, so that there is nothing to judge again."
        return RepeatsFinding(
            times=settings.judge_repeats, answers=0, judges=(), shares=(), left_out={}, reason=nothing
        )
    found = await judge_repeats(
        judges[0],
        [case for _, _, case in graded],
        settings.judge_repeats,
        seed=settings.seed,
        items=[shown.item.id for shown, _, _ in graded],
        systems=[response.examinee_id for _, response, _ in graded],
        others=judges[1:],
        progress=progress,
    )
    return _finding(found)


def keep_repeats(store: RunStore, settings: Settings, exam: Exam, card: JudgeCard, found: RepeatsFinding) -> None:
    """Make it what `repeats_finding` finds."""
    store.add_result(REPEATS, {"of": _key(settings, exam, card), "found": found.model_dump(mode="json")})


def repeats_finding(store: RunStore, settings: Settings, exam: Exam, card: JudgeCard) -> RepeatsFinding | None:
    """What came of repeats as they are wanted now, of this exam and this judge or jury; None where none were made."""
    kept = store.latest_result(REPEATS)
    if not settings.judge_repeats or kept is None or kept["of"] != _key(settings, exam, card):
        return None
    return RepeatsFinding.model_validate(kept["found"])


def _key(settings: Settings, exam: Exam, card: JudgeCard) -> str:
    return content_hash("judge repeats", exam.id, fingerprint(card), settings.judge_repeats, settings.seed)


def _finding(found: Repeats) -> RepeatsFinding:
    split = found.split
    told = RepeatsFinding(
        times=found.repeats, answers=found.cases, judges=found.judges, shares=_shares(split), left_out={}
    )
    if isinstance(split, Undefined):
        return told.model_copy(update={"reason": split.reason})
    return told.model_copy(update={"left_out": {name: why.reason for name, why in split.left_out.items()}})


def _shares(split: VarianceSplit | Undefined) -> tuple[VarianceShare, ...]:
    parts = () if isinstance(split, Undefined) else split.components
    return tuple(
        VarianceShare(
            source=part.name,
            levels=part.levels,
            share=part.share,
            variance=part.variance,
        )
        for part in parts
    )
