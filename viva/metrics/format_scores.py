"""Multiple choice and open questions apart: shares of right answers, and the means of judges' scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from viva.core.estimates import Estimate
from viva.core.notes import Note, NoteCode
from viva.core.records import (
    WITHOUT_HISTORY,
    Exam,
    Examinee,
    ExamItem,
    Grade,
    GradeResult,
    Response,
    Ungraded,
    responses_to,
)
from viva.core.scores_open import FormatScore, QualityScore
from viva.metrics.clusters import QuestionClusters, source_of
from viva.metrics.exam import MULTIPLE_CHOICE, OPEN, accuracy, failures_wrong, format_of, grade, right_or_wrong
from viva.metrics.intervals import share_in_groups
from viva.metrics.occasions import occasions_of, over_occasions


def format_scores(
    exam: Exam,
    scored: Sequence[GradeResult],
    asked: Sequence[Response],
    seed: int,
    clusters: QuestionClusters | None = None,
) -> dict[str, tuple[FormatScore, ...]]:
    """By examinee id, its scores on each format that the exam has; empty where no question is open.

    `scored` are grades of the responses `asked` as they were given, a judge's from 0 to 1. The mean score is of
    graded answers; in all else a failure is a wrong answer. The interval of the mean score is the wider of
    Wilson's, which no scores in [0, 1] make too narrow, and of a bootstrap over documents.
    """
    shown = {each.item.id: each for each in exam.items}
    if not any(each.item.is_open for each in exam.items):
        return {}
    found: dict[str, dict[str, list[tuple[Response, GradeResult]]]] = {}
    for response, result in zip(asked, scored, strict=True):
        formats = found.setdefault(result.examinee_id, {})
        formats.setdefault(format_of(shown[result.item_id]), []).append((response, result))
    return {
        examinee: tuple(
            _of_format(name, own[name], shown, seed, clusters) for name in (MULTIPLE_CHOICE, OPEN) if name in own
        )
        for examinee, own in found.items()
    }


def _of_format(
    name: str,
    own: Sequence[tuple[Response, GradeResult]],
    shown: dict[str, ExamItem],
    seed: int,
    clusters: QuestionClusters | None,
) -> FormatScore:
    right = failures_wrong([(response, right_or_wrong(result)) for response, result in own])
    return FormatScore(
        format=name,
        asked=len(own),
        graded=sum(isinstance(each, Grade) for each in right),
        correct=round(sum(each.score for each in right if isinstance(each, Grade))),
        accuracy=accuracy(over_occasions(right), clusters, occasions_of(own)).share,
        mean_score=mean_score(over_occasions(result for _, result in own), shown, seed) if name == OPEN else None,
    )


def mean_score(scored: Sequence[GradeResult], shown: dict[str, ExamItem], seed: int) -> Estimate | None:
    """The mean of the scores with its 95% interval; None where nothing was graded."""
    graded = [each for each in scored if isinstance(each, Grade)]
    groups = [source_of(shown[each.item_id]) for each in graded]
    return share_in_groups([each.score for each in graded], groups, seed=seed)


def quality_scores(
    exam: Exam,
    examinee_ids: Iterable[str],
    responses: Iterable[Response],
    judged: Mapping[str, GradeResult],
    seed: int,
) -> tuple[QualityScore, ...]:
    """What the open answers of these examinees, in this order, came to by one judge; those without any are left out.

    `judged` are its grades, by response id. The interval is that of `format_scores`.
    """
    shown = {each.item.id: each for each in exam.items if each.item.is_open}
    given: dict[str, list[GradeResult]] = {}
    for each in responses_to(shown.values(), responses):
        given.setdefault(each.examinee_id, []).append(grade(shown[each.item_id], each, judged))
    return tuple(
        QualityScore(
            examinee_id=examinee_id,
            graded=sum(isinstance(each, Grade) for each in given[examinee_id]),
            ungraded=dict(sorted(Counter(e.code for e in given[examinee_id] if isinstance(e, Ungraded)).items())),
            mean_score=mean_score(given[examinee_id], shown, seed),
        )
        for examinee_id in examinee_ids
        if examinee_id in given
    )


def history_notes(exam: Exam, examinees: Sequence[Examinee], asked: Sequence[Response]) -> Iterator[Note]:
    """Note which systems were asked how many bare questions of conversations; not systems that viva added."""
    following = {shown.item.id for shown in exam.items if shown.item.history}
    bare = {each.examinee_id for each in asked if WITHOUT_HISTORY in each.meta and each.item_id in following}
    named = tuple(each.id for each in examinees if each.id in bare and not each.manufactured)
    if named:
        put = following & {each.item_id for each in asked if each.examinee_id in named}
        yield Note(code=NoteCode.HISTORY_NOT_GIVEN, examinees=named, count=len(put), of=len(exam.items))


def open_notes(
    exam: Exam, asked: Sequence[Response], scored: Sequence[GradeResult], examinees: Sequence[Examinee]
) -> Iterator[Note]:
    """What a reader of the scores must know of open answers.

    Where they are cut, which were not judged, and who was asked none.
    """
    open_ids = {shown.item.id for shown in exam.items if shown.item.is_open}
    sat = {response.examinee_id for response in asked if response.item_id in open_ids}
    if not sat:
        return
    yield Note(code=NoteCode.OPEN_CUT)
    given = [each for each, said in zip(scored, asked, strict=True) if said.item_id in open_ids and not said.failure]
    unjudged = [each for each in given if isinstance(each, Ungraded)]
    if unjudged:
        yield Note(code=NoteCode.OPEN_UNGRADED, count=len(unjudged), of=len(given), reason=unjudged[0].reason)
    without = sorted((each for each in examinees if each.id not in sat), key=lambda each: each.name)
    if without:
        yield Note(code=NoteCode.OPEN_NOT_ASKED, examinees=tuple(each.id for each in without), count=len(open_ids))
