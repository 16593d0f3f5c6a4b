"""Classical statistics of a small exam, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from viva.core.errors import UsageError
from viva.core.records import (
    BloomLevel,
    Distractor,
    Exam,
    ExamItem,
    Failure,
    FailureKind,
    Grade,
    Item,
    Provenance,
    QuestionType,
    Response,
    Span,
    Ungraded,
)
from viva.metrics import exam as stats


def shown(name: str, options: tuple[str, ...], key: int, topic: str = "pumps") -> ExamItem:
    item = Item(
        id=name,
        stem=f"Question {name}?",
        key=options[key],
        distractors=tuple(Distractor(text=o, reason="wrong") for i, o in enumerate(options) if i != key),
        reference_answer=options[key],
        evidence=(Span(document_id="d", start=0, end=1, quote="x"),),
        question_type=QuestionType.NAME,
        bloom=(BloomLevel.REMEMBER,),
        topic=topic,
        provenance=Provenance(chunk_id="c", unit_id="u", cast="offline", pattern="p", attempts=1),
    )
    return ExamItem(item=item, options=options, key_position=key)


EXAM = Exam(
    id="exam",
    items=(
        shown("q1", ("long key", "b", "c", "d"), 0),
        shown("q2", ("aaa", "bbb", "c", "d"), 1),
        shown("q3", ("a", "b", "c", "longest"), 2, topic="valves"),
    ),
)
EMPTY = Exam(id="empty", items=())


def answer(examinee: str, item: str, choice: int | None, failure: FailureKind | None = None) -> Response:
    return Response(
        id=f"{examinee}-{item}",
        examinee_id=examinee,
        item_id=item,
        choice=choice,
        failure=Failure(kind=failure, detail="after 30 s") if failure else None,
    )


RESPONSES = [
    *(answer("ann", item, choice) for item, choice in (("q1", 0), ("q2", 1), ("q3", 2))),
    *(answer("bob", item, choice) for item, choice in (("q1", 0), ("q2", None), ("q3", 3))),
    answer("cy", "q1", 2),
    answer("cy", "q2", None, FailureKind.TIMED_OUT),
    answer("cy", "q3", 3),
]
BY_ID = {shown.item.id: shown for shown in EXAM.items}
GRADES = [stats.grade(BY_ID[response.item_id], response) for response in RESPONSES]


def test_the_key_is_right_and_another_option_wrong() -> None:
    for choice, score in ((0, 1.0), (1, 0.0)):
        found = stats.grade(EXAM.items[0], answer("ann", "q1", choice))
        assert isinstance(found, Grade)
        assert (found.score, found.response_id, found.examinee_id) == (score, "ann-q1", "ann")


def test_an_answer_that_means_no_option_is_wrong_and_graded() -> None:
    found = stats.grade(EXAM.items[0], answer("ann", "q1", None))
    assert isinstance(found, Grade)
    assert found.score == 0.0


@pytest.mark.parametrize("kind", list(FailureKind))
def test_a_failure_is_ungraded_and_names_its_kind(kind: FailureKind) -> None:
    found = stats.grade(EXAM.items[0], answer("ann", "q1", 0, kind))
    assert isinstance(found, Ungraded)
    assert found.reason == f"{kind.value}: after 30 s"


@pytest.mark.parametrize("choice", [-1, 4])
def test_an_option_that_was_not_shown_is_ungraded(choice: int) -> None:
    found = stats.grade(EXAM.items[0], answer("ann", "q1", choice))
    assert isinstance(found, Ungraded)
    assert str(choice) in found.reason


def test_a_response_to_another_item_is_refused() -> None:
    with pytest.raises(UsageError, match="q2"):
        stats.grade(EXAM.items[0], answer("ann", "q2", 0))


def test_accuracy_counts_ungraded_apart() -> None:
    found = stats.accuracy(grade for grade in GRADES if grade.examinee_id == "cy")
    assert (found.graded, found.ungraded) == (2, 1)
    assert found.share is not None
    assert found.share.value == 0


def test_accuracy_of_nothing_graded_is_absent() -> None:
    only = [g for g in GRADES if isinstance(g, Ungraded)]
    assert stats.accuracy(only) == stats.Accuracy(share=None, graded=0, ungraded=1)


def test_accuracy_is_split_by_any_attribute() -> None:
    table = stats.accuracy_by(EXAM, GRADES, lambda shown: [shown.item.topic])
    assert {who: list(row) for who, row in table.items()} == {w: ["pumps", "valves"] for w in ("ann", "bob", "cy")}
    assert (table["cy"]["pumps"].graded, table["cy"]["pumps"].ungraded) == (1, 1)
    share = table["bob"]["pumps"].share
    assert share is not None
    assert share.value == 0.5


def test_the_response_matrix_keeps_holes() -> None:
    matrix = stats.response_matrix(EXAM, ["cy", "ann", "dan"], [g for g in GRADES if g.examinee_id != "bob"])
    np.testing.assert_array_equal(matrix, [[0, np.nan, 0], [1, 1, 1], [np.nan] * 3])


def test_grades_from_elsewhere_are_refused() -> None:
    stray = Grade(response_id="r", examinee_id="ann", item_id="q9", score=1.0)
    for call in (
        lambda: stats.accuracy_by(EXAM, [stray], lambda shown: [shown.item.topic]),
        lambda: stats.item_statistics(EXAM, [stray]),
        lambda: stats.response_matrix(EXAM, ["bob"], [GRADES[0]]),
        lambda: stats.option_counts(EXAM, [answer("ann", "q9", 0)]),
    ):
        with pytest.raises(UsageError, match="does not know"):
            call()


def test_blind_baselines_follow_the_keys_and_the_lengths() -> None:
    assert stats.key_position_counts(EXAM) == (1, 1, 1, 0)
    assert stats.fixed_choice_baselines(EXAM) == pytest.approx((1 / 3, 1 / 3, 1 / 3, 0))
    # q1 is given away by its length, q2 is a tie of two, q3 misleads
    assert stats.longest_option_baseline(EXAM) == pytest.approx((1 + 1 / 2 + 0) / 3)


def test_an_empty_exam_has_no_baselines() -> None:
    assert stats.longest_option_baseline(EMPTY) is None
    assert stats.fixed_choice_baselines(EMPTY) == ()
    assert stats.item_statistics(EMPTY, []) == ()


def test_item_statistics_are_those_counted_by_hand() -> None:
    first, second, third = stats.item_statistics(EXAM, GRADES)
    assert (first.graded, first.ungraded) == (3, 0)
    assert first.proportion_correct == pytest.approx(2 / 3)
    # item (1, 1, 0) against rest scores (1, 0, 0)
    assert first.point_biserial == pytest.approx(0.5)
    assert (second.graded, second.ungraded) == (2, 1)
    assert second.point_biserial is None
    assert third.proportion_correct == pytest.approx(1 / 3)


def test_an_item_nobody_was_graded_on_has_no_statistics() -> None:
    nobody = stats.item_statistics(EXAM, [])
    assert [(s.proportion_correct, s.point_biserial) for s in nobody] == [(None, None)] * 3


def test_a_constant_item_correlates_with_nothing() -> None:
    grades = [
        Grade(response_id=f"{e}{i}", examinee_id=e, item_id=i, score=float(i == "q1" or e == "ann"))
        for e in ("ann", "bob", "cy", "dan")
        for i in ("q1", "q2", "q3")
    ]
    constant, telling, _ = stats.item_statistics(EXAM, grades)
    assert constant.point_biserial is None
    assert telling.point_biserial == pytest.approx(1.0)


def test_option_counts_add_up_to_the_responses() -> None:
    q1, q2, q3 = stats.option_counts(EXAM, [*RESPONSES, answer("dan", "q1", 7)])
    assert (q1.chosen, q1.no_choice, q1.failed) == ((2, 0, 1, 0), 0, 1)
    assert (q2.chosen, q2.no_choice, q2.failed) == ((0, 1, 0, 0), 1, 1)
    assert (q3.chosen, q3.key_position) == ((0, 0, 1, 2), 2)
