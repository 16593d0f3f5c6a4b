"""A system that was asked each question more than once: means over the occasions, and how far it answers alike."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence

from viva.core.estimates import Stability
from viva.core.records import Grade, GradeResult, Response
from viva.metrics.intervals import wilson


def first_occasion(
    asked: Sequence[Response], grades: Sequence[GradeResult]
) -> tuple[list[Response], list[GradeResult]]:
    """The responses of the first time that each question was asked, and their grades."""
    first = [(each, result) for each, result in zip(asked, grades, strict=True) if not each.occasion]
    return [each for each, _ in first], [result for _, result in first]


def worth_of(scores: Sequence[float], occasions: int) -> float:
    """As many single answers, to a question each, vary as little as one of these scores: one where all are 1 or 0."""
    share = sum(scores) / max(len(scores), 1)
    if occasions == 1 or share in (0, 1):
        return 1.0
    variance = sum((score - share) ** 2 for score in scores) / len(scores)
    return min(share * (1 - share) / variance if variance else math.inf, occasions)


def over_occasions(results: Iterable[GradeResult]) -> list[GradeResult]:
    """One grade for each examinee and item: the mean over the occasions that were graded; ungraded without any."""
    found: dict[tuple[str, str], list[GradeResult]] = {}
    for result in results:
        found.setdefault((result.examinee_id, result.item_id), []).append(result)
    return [each[0] if len(each) == 1 else _mean_of(each) for each in found.values()]


def _mean_of(results: Sequence[GradeResult]) -> GradeResult:
    graded = [each for each in results if isinstance(each, Grade)]
    if not graded:
        return results[0]
    return graded[0].model_copy(update={"score": sum(each.score for each in graded) / len(graded)})


def stability(own: Sequence[tuple[Response, GradeResult]]) -> Stability | None:
    """How far one examinee's answers are graded alike, failures as wrong ones.

    None where it was asked once, or never answered.
    """
    if all(response.failure for response, _ in own):
        return None
    scores: dict[str, dict[int, float]] = {}
    for response, result in own:
        if isinstance(result, Grade):
            scores.setdefault(response.item_id, {})[response.occasion] = result.score
    again = [list(each.values()) for each in scores.values() if len(each) > 1]
    changed = wilson(sum(min(each) < max(each) for each in again), len(again))
    if changed is None:
        return None
    whole = [o for o in range(occasions_of(own)) if all(o in each for each in scores.values())]
    accuracies = [sum(each[o] for each in scores.values()) / len(scores) for o in whole]
    return Stability(
        occasions=occasions_of(own),
        questions=len(again),
        changed=changed,
        accuracy_sd=statistics.stdev(accuracies) if len(accuracies) > 1 else None,
    )


def steps_of(first: int, second: int) -> int:
    """Steps from 0 to 1 of the means of two systems that were asked so often, at most 1,000."""
    return min(math.lcm(first, second), 1000)


def occasions_of(own: Iterable[tuple[Response, GradeResult]]) -> int:
    """How often the examinee was asked, at most."""
    return 1 + max((response.occasion for response, _ in own), default=0)
