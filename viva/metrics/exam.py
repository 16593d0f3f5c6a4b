"""Classical statistics of a sat exam: grades, accuracy, blind baselines, how each item behaved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.estimates import MOST_FAILED, Estimate
from viva.core.records import PASSAGES_ALONE, Exam, ExamItem, Grade, GradeResult, Response, Ungraded
from viva.metrics.clusters import QuestionClusters
from viva.metrics.intervals import INDEPENDENT, wilson
from viva.metrics.occasions import worth_of

MULTIPLE_CHOICE, OPEN = "multiple choice", "open"
NOT_GRADED = "not graded"
"""Code of an open answer that no judge was asked about yet."""
_GRADED: Mapping[str, GradeResult] = {}
# a correlation over fewer examinees is +1 or -1 whatever they answer
MIN_CORRELATED = 3


@dataclass(frozen=True)
class Accuracy:
    """Share of right answers among graded questions, with its interval (None: none graded), and the counts.

    The interval is that of answers `worth` as many independent ones; `freedom` as of intervals.ClusterDesign.
    """

    share: Estimate | None
    graded: int
    ungraded: int
    worth: float = 0.0
    freedom: int | None = None


@dataclass(frozen=True)
class ItemStatistics:
    """How one item behaved.

    `proportion_correct` is the classical difficulty index; `point_biserial` the correlation of the item with the
    examinee's share of right answers on the other items. None where undefined.
    """

    item_id: str
    graded: int
    ungraded: int
    proportion_correct: float | None
    point_biserial: float | None


@dataclass(frozen=True)
class OptionCounts:
    """How often each option of an item was chosen, in the order shown, and the responses that chose none."""

    item_id: str
    chosen: tuple[int, ...]
    key_position: int
    no_choice: int
    failed: int


def grade(exam_item: ExamItem, response: Response, judged: Mapping[str, GradeResult] = _GRADED) -> Grade | Ungraded:
    """1.0 for the key, 0.0 for another option or an answer that means none, Ungraded for a failure.

    An answer to an open question has the grade that a judge gave it, from `judged` (by response id), and is Ungraded
    without. A choice of an option that was not shown is Ungraded too. Raises UsageError for a response to another
    item.
    """
    if response.item_id != exam_item.item.id:
        raise UsageError(f"Response {response.id} answers item {response.item_id}, not {exam_item.item.id}.")
    if response.failure is not None:
        kind = response.failure.kind.value
        return ungraded(response, f"{kind}: {response.failure.detail}".rstrip(": "), kind)
    if response.is_retrieval:
        return ungraded(response, "a retriever by itself gives no answer", PASSAGES_ALONE)
    if exam_item.item.is_open:
        return judged.get(response.id) or ungraded(response, "no judge has graded it", NOT_GRADED)
    if response.choice is not None and not 0 <= response.choice < len(exam_item.options):
        return ungraded(response, f"chose option {response.choice} of 0-{len(exam_item.options) - 1}")
    return Grade(
        response_id=response.id,
        examinee_id=response.examinee_id,
        item_id=response.item_id,
        score=float(response.choice == exam_item.key_position),
    )


def ungraded(response: Response, reason: str, code: str = "") -> Ungraded:
    """The response with the reason why it has no grade."""
    return Ungraded(
        response_id=response.id,
        examinee_id=response.examinee_id,
        item_id=response.item_id,
        reason=reason,
        code=code,
    )


def right_or_wrong(result: GradeResult) -> GradeResult:
    """A judge's score as 1 or 0, cut where the response model cuts it (irt.binarised): right from .5 on."""
    if isinstance(result, Ungraded) or result.score in (0, 1):
        return result
    # the engine takes a second to import, and whoever looks at a run needs none of it
    from viva.metrics.irt import binarised

    return result.model_copy(update={"score": float(binarised(result.score))})


def failures_wrong(given: Sequence[tuple[Response, GradeResult]]) -> list[GradeResult]:
    """The grades that count for examinees: a failure is a wrong answer. What a judge left ungraded stays so.

    So do the failures of an examinee that answered and of which the judge graded nothing: nothing else would count.
    """
    graded = {result.examinee_id for _, result in given if isinstance(result, Grade)}
    unjudged = {response.examinee_id for response, _ in given if response.failure is None} - graded
    return [
        _wrong(result)
        if isinstance(result, Ungraded) and response.failure and result.examinee_id not in unjudged
        else result
        for response, result in given
    ]


def _wrong(failed: Ungraded) -> Grade:
    return Grade(
        response_id=failed.response_id,
        examinee_id=failed.examinee_id,
        item_id=failed.item_id,
        score=0.0,
        reason=failed.reason,
    )


def failing(responses: Iterable[Response]) -> frozenset[str]:
    """Ids of the examinees that failed on so many of these responses that they are not ranked."""
    asked, failed = Counter[str](), Counter[str]()
    for response in responses:
        asked[response.examinee_id] += 1
        failed[response.examinee_id] += response.failure is not None
    return frozenset(each for each, count in asked.items() if failed[each] > MOST_FAILED * count)


def format_of(exam_item: ExamItem) -> str:
    """Whether options are shown."""
    return OPEN if exam_item.item.is_open else MULTIPLE_CHOICE


def accuracy(grades: Iterable[GradeResult], clusters: QuestionClusters | None = None, occasions: int = 1) -> Accuracy:
    """Accuracy over the grades given, one of each question, with a Wilson interval.

    It is that of the effective number of questions: fewer where they hang together in `clusters`, more where grades
    are means over as many as so many `occasions`, which vary less between questions than single answers do.
    """
    results = list(grades)
    scores = {result.item_id: result.score for result in results if isinstance(result, Grade)}
    count, total = len(scores), sum(scores.values())
    design = clusters.design(scores) if clusters else INDEPENDENT
    each = worth_of(list(scores.values()), occasions) / design.effect
    share = wilson(total * each, count * each, freedom=design.freedom)
    return Accuracy(
        share=share and replace(share, value=total / count),
        graded=count,
        ungraded=len(results) - count,
        worth=count * each,
        freedom=design.freedom,
    )


def accuracy_by(
    exam: Exam,
    grades: Iterable[GradeResult],
    attribute: Callable[[ExamItem], Sequence[str]],
    clusters: QuestionClusters | None = None,
) -> dict[str, dict[str, Accuracy]]:
    """Accuracy of each examinee on the items that share a value: {examinee id: {value: Accuracy}}.

    `attribute` reads off an item all its values, for example `lambda shown: [shown.item.topic]`. Values come sorted.
    Raises UsageError for a grade on an item that is not in the exam.
    """
    values_of = {shown.item.id: attribute(shown) for shown in exam.items}
    table: dict[str, dict[str, Accuracy]] = {}
    for examinee, own in _grouped(grades, lambda result: result.examinee_id).items():
        groups: dict[str, list[GradeResult]] = {}
        for result in own:
            for value in _looked_up(values_of, result.item_id):
                groups.setdefault(value, []).append(result)
        table[examinee] = {value: accuracy(groups[value], clusters) for value in sorted(groups)}
    return table


def response_matrix(exam: Exam, examinee_ids: Sequence[str], grades: Iterable[GradeResult]) -> NDArray[np.float64]:
    """Scores of shape (examinees, items) in the order given and the exam's; nan where there is no grade.

    Raises UsageError for a grade of an examinee or an item that has no row or column.
    """
    rows = {examinee: row for row, examinee in enumerate(examinee_ids)}
    columns = {shown.item.id: column for column, shown in enumerate(exam.items)}
    matrix = np.full((len(rows), len(columns)), np.nan)
    for result in grades:
        row, column = _looked_up(rows, result.examinee_id), _looked_up(columns, result.item_id)
        if isinstance(result, Grade):
            matrix[row, column] = result.score
    return matrix


# --- what can be had without reading a document ----------------------------------------------------------


def key_position_counts(exam: Exam) -> tuple[int, ...]:
    """How often the key stands at each position, of the questions that show options."""
    counts = Counter(shown.key_position for shown in closed_items(exam))
    return tuple(counts[position] for position in range(_widest(exam)))


def fixed_choice_baselines(exam: Exam) -> tuple[float, ...]:
    """Accuracy of always choosing the first option, always the second, and so on; empty where none are shown.

    Over the questions that show options: to an open one no choice is an answer.
    """
    return tuple(count / len(closed_items(exam)) for count in key_position_counts(exam))


def longest_option_baseline(exam: Exam) -> float | None:
    """Accuracy of always choosing the longest option, ties decided by lot; None where no item has options.

    It is the share of the items with options whose longest one is the key, a tie of n options counting 1/n.
    """
    closed = closed_items(exam)
    return sum(_longest_is_key(shown) for shown in closed) / len(closed) if closed else None


def closed_items(exam: Exam) -> list[ExamItem]:
    """The questions that show options, in the exam's order."""
    return [shown for shown in exam.items if not shown.item.is_open]


def _longest_is_key(shown: ExamItem) -> float:
    lengths = [len(option) for option in shown.options]
    longest = max(lengths)
    return 1 / lengths.count(longest) if lengths[shown.key_position] == longest else 0.0


def _widest(exam: Exam) -> int:
    return max((len(shown.options) for shown in closed_items(exam)), default=0)


# --- how items behaved -----------------------------------------------------------------------------------


def item_statistics(exam: Exam, grades: Iterable[GradeResult]) -> tuple[ItemStatistics, ...]:
    """Classical statistics of each item, in the exam's order.

    Raises UsageError for a grade on an item that is not in the exam.
    """
    results = list(grades)
    examinees = sorted({result.examinee_id for result in results})
    matrix = response_matrix(exam, examinees, results)
    given = Counter(result.item_id for result in results)
    right, answered = np.nansum(matrix, axis=1), (~np.isnan(matrix)).sum(axis=1)
    found = []
    for shown, scores in zip(exam.items, matrix.T, strict=True):
        known = ~np.isnan(scores)
        graded, others = int(known.sum()), answered - known
        found.append(
            ItemStatistics(
                item_id=shown.item.id,
                graded=graded,
                ungraded=given[shown.item.id] - graded,
                proportion_correct=float(scores[known].mean()) if graded else None,
                point_biserial=_point_biserial(scores, right - np.nan_to_num(scores), others),
            )
        )
    return tuple(found)


def _point_biserial(
    scores: NDArray[np.float64], rest: NDArray[np.float64], answered: NDArray[np.int64]
) -> float | None:
    """Of the scores on an item and, of each examinee, the sum over the `answered` others."""
    usable = ~np.isnan(scores) & (answered > 0)
    if usable.sum() < MIN_CORRELATED:
        return None
    item = scores[usable]
    rest_score = rest[usable] / answered[usable]
    if np.ptp(item) == 0 or np.ptp(rest_score) == 0:
        return None
    return float(np.corrcoef(item, rest_score)[0, 1])


def option_counts(exam: Exam, responses: Iterable[Response]) -> tuple[OptionCounts, ...]:
    """How often each option was chosen, in the exam's order: a distractor nobody chooses does no work.

    An open question shows none: nothing is chosen there, and nothing left unchosen. `failed` counts failures and
    choices of an option that was not shown. Raises UsageError for a response to an item that is not in the exam.
    """
    shown_by_id = {shown.item.id: shown for shown in exam.items}
    own: dict[str, list[Response]] = {item_id: [] for item_id in shown_by_id}
    for response in responses:
        _looked_up(own, response.item_id).append(response)
    return tuple(_counts(shown, own[item_id]) for item_id, shown in shown_by_id.items())


def _counts(shown: ExamItem, responses: list[Response]) -> OptionCounts:
    answers = [response.choice for response in responses if response.failure is None]
    if shown.item.is_open:
        return OptionCounts(shown.item.id, (), shown.key_position, 0, len(responses) - len(answers))
    chosen = tuple(answers.count(position) for position in range(len(shown.options)))
    no_choice = answers.count(None)
    return OptionCounts(
        item_id=shown.item.id,
        chosen=chosen,
        key_position=shown.key_position,
        no_choice=no_choice,
        failed=len(responses) - sum(chosen) - no_choice,
    )


def _grouped(grades: Iterable[GradeResult], key: Callable[[GradeResult], str]) -> dict[str, list[GradeResult]]:
    groups: dict[str, list[GradeResult]] = {}
    for result in grades:
        groups.setdefault(key(result), []).append(result)
    return groups


_Value = TypeVar("_Value")


def _looked_up(table: Mapping[str, _Value], name: str) -> _Value:
    if name not in table:
        raise UsageError(f"A grade or response names '{name}', which this exam does not know.")
    return table[name]
