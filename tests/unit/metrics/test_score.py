"""From responses to scores: who was graded, who leads, what the reader of the numbers is told."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from by_hand import exam, response
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.core.notes import NoteCode
from viva.core.records import Distractor, Exam, Examinee, ExamItem, Failure, FailureKind, Passage, Response
from viva.core.scores import Scores
from viva.metrics.panel import varying_components
from viva.metrics.score import score_exam
from viva.reports.sections.systems import system_rows

EXAM = exam(12, documents=4)
GOOD, FAIR, POOR = (Examinee(id=n, name=n, spec=n, components={"reader": n}) for n in ("good", "fair", "poor"))
ALL = (POOR, GOOD, FAIR)
RAISED = Failure(kind=FailureKind.RAISED, detail="ValueError")


def sat(examinee: Examinee, right: int, of: Exam = EXAM) -> list[Response]:
    """The first `right` questions right, the others wrong."""
    return [
        response(examinee.id, shown, shown.key_position if n < right else (shown.key_position + 1) % 4)
        for n, shown in enumerate(of.items)
    ]


def failing(examinee: Examinee, failed: int, right: int) -> list[Response]:
    responses = sat(examinee, right)
    return [
        r if n < len(responses) - failed else r.model_copy(update={"choice": None, "text": "", "failure": RAISED})
        for n, r in enumerate(responses)
    ]


EVERYBODY = [*sat(GOOD, 11), *sat(FAIR, 7), *sat(POOR, 2)]
SCORES = score_exam(EXAM, ALL, EVERYBODY, seed=0)


def test_the_leaderboard_begins_with_the_best() -> None:
    assert [row.examinee.id for row in SCORES.examinees] == ["good", "fair", "poor"]
    assert [(row.asked, row.graded, row.correct) for row in SCORES.examinees] == [
        (12, 12, 11),
        (12, 12, 7),
        (12, 12, 2),
    ]
    thetas = [row.ability.theta for row in SCORES.examinees if row.ability]
    assert thetas == sorted(thetas, reverse=True)
    assert len(thetas) == 3


def test_accuracy_comes_with_an_interval_that_holds_it() -> None:
    for row in SCORES.examinees:
        assert row.accuracy is not None
        assert 0 <= row.accuracy.low < row.accuracy.value < row.accuracy.high <= 1
        assert row.accuracy.value == row.correct / row.graded


def test_every_pair_is_compared_once_the_higher_first() -> None:
    place = {row.examinee.id: n for n, row in enumerate(SCORES.examinees)}
    pairs = [(c.first_id, c.second_id) for c in SCORES.comparisons]
    assert pairs == list(combinations(place, 2))
    for pair in SCORES.comparisons:
        assert pair.difference > 0
        assert pair.low <= pair.difference <= pair.high
        assert pair.items == 12
        assert pair.probability_better is not None
        assert pair.probability_better > 0.5


def test_p_values_are_adjusted_over_all_pairs() -> None:
    alone = score_exam(EXAM, [GOOD, POOR], [*sat(GOOD, 11), *sat(POOR, 2)], seed=0)
    within = {(c.first_id, c.second_id): c.p_adjusted for c in SCORES.comparisons}
    assert within["good", "poor"] > alone.comparisons[0].p_adjusted


def test_company_that_was_manufactured_costs_the_comparison_of_those_asked_for_no_power() -> None:
    alone = score_exam(EXAM, [GOOD, POOR], [*sat(GOOD, 11), *sat(POOR, 2)], seed=0).comparisons[0]
    company = FAIR.model_copy(update={"manufactured": "k=1"})
    among = score_exam(EXAM, [GOOD, POOR, company], [*sat(GOOD, 11), *sat(POOR, 2), *sat(company, 7)], seed=0)
    found = {frozenset((c.first_id, c.second_id)): c for c in among.comparisons}
    own = found[frozenset(("good", "poor"))]
    assert (own.p_value, own.adjusted_over) == (alone.p_value, 1)
    assert {c.adjusted_over for pair, c in found.items() if company.id in pair} == {2}


def test_failures_count_as_wrong_answers_and_are_counted_and_told() -> None:
    scores = score_exam(EXAM, ALL, [*failing(GOOD, 2, 10), *sat(FAIR, 7), *sat(POOR, 2)], seed=0)
    row = scores.examinees[0]
    assert (row.examinee.id, row.asked, row.graded, row.correct) == ("good", 12, 12, 10)
    assert (row.failures, row.failing) == ({"raised": 2}, False)
    assert row.accuracy is not None
    assert row.accuracy_answered is not None
    assert (row.accuracy.value, row.accuracy_answered.value) == (pytest.approx(10 / 12), 1)
    (note,) = [note for note in scores.notes if note.code is NoteCode.FAILED_WRONG]
    assert (note.examinees, note.count, note.of) == (("good",), 2, 12)
    assert note.figures == {"accuracy": pytest.approx(10 / 12), "answered": 1.0}


def test_failures_are_wrong_in_comparisons_and_say_nothing_of_questions() -> None:
    scores = score_exam(EXAM, [GOOD, FAIR], [*failing(GOOD, 2, 10), *sat(FAIR, 11)], seed=0)
    (pair,) = scores.comparisons
    assert (pair.first_id, pair.items, pair.only_first, pair.only_second) == ("fair", 12, 1, 0)
    assert [item.graded for item in scores.items] == [2] * 10 + [1] * 2
    assert [item.proportion_correct for item in scores.items][9:] == [1, 1, 0]


def test_whoever_fails_on_wrong_answers_gains_nothing_by_it() -> None:
    draw = np.random.default_rng(5)
    systems = [Examinee(id=f"s{n:02}", name=f"s{n:02}", spec="") for n in range(12)]
    of = exam(40)
    right = draw.random((12, 40)) < np.linspace(0.45, 0.9, 12)[:, None]
    given = [
        response(one.id, shown, shown.key_position if right[n, j] else (shown.key_position + 1) % 4)
        for n, one in enumerate(systems)
        for j, shown in enumerate(of.items)
    ]
    lost = {each.id for each in given if not _right(of, each) and draw.random() < 0.3}
    failed = [
        each.model_copy(update={"choice": None, "failure": RAISED}) if each.id in lost else each for each in given
    ]
    before, after = (score_exam(of, systems, each, seed=0) for each in (given, failed))
    assert sum(sum(row.failures.values()) for row in after.examinees) > 20
    assert not any(row.failing for row in after.examinees)
    assert [(row.examinee.id, row.accuracy) for row in after.examinees] == [
        (row.examinee.id, row.accuracy) for row in before.examinees
    ]
    assert [row.ability for row in after.examinees] == [row.ability for row in before.examinees]
    assert after.comparisons == before.comparisons


def _right(of: Exam, given: Response) -> bool:
    return any(each.item.id == given.item_id and each.key_position == given.choice for each in of.items)


def test_a_system_that_fails_on_more_than_a_fifth_of_the_questions_is_not_ranked_and_a_note_says_so() -> None:
    scores = score_exam(EXAM, ALL, [*failing(GOOD, 3, 9), *sat(FAIR, 7), *sat(POOR, 2)], seed=0)
    (row,) = [row for row in system_rows(scores) if row.id == "good"]
    assert (row.place, row.reference, row.score.ability) == ("F1", "failing", None)
    assert [each.place for each in system_rows(scores)] == ["F1", "1", "2"]
    assert {c.adjusted_over for c in scores.comparisons if "good" not in (c.first_id, c.second_id)} == {1}
    (note,) = [note for note in scores.notes if note.code is NoteCode.FAILED_UNRANKED]
    assert (note.examinees, note.count, note.of) == (("good",), 3, 12)


def test_scores_of_an_earlier_version_say_that_they_left_failures_out() -> None:
    made = score_exam(EXAM, ALL, [*failing(GOOD, 2, 10), *sat(FAIR, 7), *sat(POOR, 2)], seed=0)
    stored = made.model_dump(mode="json")
    for row in stored["examinees"]:
        row["accuracy_failed_wrong"] = row.pop("accuracy_answered")
    stored["notes"] = [{"code": "failed_tells", "figures": {"accuracy": 1.0, "failed_wrong": 0.8}}]
    opened = Scores.model_validate(stored)
    assert [note.code for note in opened.notes] == [NoteCode.FAILURES_LEFT_OUT]
    assert Scores.model_validate(opened.model_dump(mode="json")) == opened
    assert Scores.model_validate(made.model_dump(mode="json")) == made


def test_an_answer_that_means_no_option_is_wrong_and_counted() -> None:
    silent = [response("poor", shown, None, text="I do not know") for shown in EXAM.items]
    scores = score_exam(EXAM, [GOOD, POOR], [*sat(GOOD, 11), *silent], seed=0)
    row = scores.examinees[1]
    assert (row.examinee.id, row.graded, row.correct, row.no_choice) == ("poor", 12, 0, 12)


def test_an_examinee_that_always_failed_has_nothing_right_no_ability_and_comes_last() -> None:
    last = score_exam(EXAM, ALL, [*sat(GOOD, 11), *sat(FAIR, 7), *failing(POOR, 12, 0)], seed=0).examinees[-1]
    assert last.accuracy is not None
    assert (last.examinee.id, last.accuracy.value, last.graded, last.failing) == ("poor", 0, 12, True)
    assert (last.accuracy_answered, last.usage, last.ability) == (None, None, None)


def test_a_single_examinee_has_an_accuracy_no_ability_and_the_reason() -> None:
    scores = score_exam(EXAM, [GOOD], sat(GOOD, 11), seed=0)
    assert scores.examinees[0].ability is None
    assert scores.examinees[0].accuracy is not None
    assert scores.notes[0].code is NoteCode.NO_ABILITIES
    assert scores.comparisons == ()


def test_responses_of_another_exam_are_not_counted() -> None:
    shuffled = [shown.model_copy(update={"options": shown.options[::-1]}) for shown in EXAM.items]
    others = [response("good", shown, 0) for shown in (*shuffled, *exam(30).items[20:])]
    assert score_exam(EXAM, ALL, [*EVERYBODY, *others], seed=0) == SCORES


def test_retrieval_is_scored_by_the_evidence_it_covers() -> None:
    with_evidence = [
        response(
            "good",
            shown,
            shown.key_position,
            passages=(
                Passage(text="soup"),
                Passage(
                    text=shown.item.evidence[0].quote,
                    document_id=shown.item.evidence[0].document_id,
                    start=shown.item.evidence[0].start,
                    end=shown.item.evidence[0].end,
                ),
            ),
        )
        for shown in EXAM.items
    ]
    row = score_exam(EXAM, [GOOD, POOR], [*with_evidence, *sat(POOR, 2)], seed=0).examinees[0]
    assert row.retrieval is not None
    assert row.retrieval.responses == 12
    assert {k: estimate.value for k, estimate in row.retrieval.recall_at.items()} == {1: 0, 3: 1, 5: 1}
    assert row.retrieval.mrr.value == 0.5


def test_one_passage_alone_says_little_of_the_share() -> None:
    only = response("good", EXAM.items[0], 0, passages=(Passage(text=EXAM.items[0].item.evidence[0].quote),))
    row = score_exam(EXAM, [GOOD], [only], seed=0).examinees[0]
    assert row.retrieval is not None
    assert (row.retrieval.mrr.value, row.retrieval.mrr.high) == (1, 1)
    assert row.retrieval.mrr.low < 0.25


def test_evidence_that_is_always_found_has_an_interval_all_the_same() -> None:
    found = [
        response("good", shown, 0, passages=(Passage(text=shown.item.evidence[0].quote),)) for shown in EXAM.items
    ]
    row = score_exam(EXAM, [GOOD], found, seed=0).examinees[0]
    assert row.retrieval is not None
    recall = row.retrieval.recall_at[5]
    assert recall.value == recall.high == 1
    assert 0.5 < recall.low < 0.9


def test_a_question_may_have_any_number_of_options() -> None:
    first = EXAM.items[0]
    many = tuple(Distractor(text=f"wrong {n}") for n in range(30))
    item = first.item.model_copy(update={"distractors": many})
    shown = ExamItem(item=item, options=(item.key, *[wrong.text for wrong in many]), key_position=0)
    of = EXAM.model_copy(update={"items": (shown, *EXAM.items[1:])})
    scores = score_exam(of, ALL, [r for n, e in enumerate(ALL) for r in sat(e, 3 + 2 * n, of)], seed=0)
    assert {"always A", "always Z", "always 31"} <= scores.baselines.keys()


def test_a_system_that_shows_passages_has_missed_where_it_found_none() -> None:
    only = response("good", EXAM.items[0], 0, passages=(Passage(text=EXAM.items[0].item.evidence[0].quote),))
    row = score_exam(EXAM, [GOOD], [only, *sat(GOOD, 11)[1:]], seed=0).examinees[0]
    assert row.retrieval is not None
    assert row.retrieval.responses == 1
    assert row.retrieval.mrr.value == pytest.approx(1 / 12)


def test_a_failure_of_a_system_that_shows_passages_has_found_nothing() -> None:
    found = [
        response("good", shown, 0, passages=(Passage(text=shown.item.evidence[0].quote),)) for shown in EXAM.items
    ]
    down = Failure(kind=FailureKind.RAISED, detail="down")
    failed = [each.model_copy(update={"choice": None, "failure": down}) for each in found[:2]]
    bare = failed[0].model_copy(update={"passages": ()})
    row = score_exam(EXAM, [GOOD], [bare, failed[1], *found[2:]], seed=0).examinees[0]
    assert row.retrieval is not None
    assert (row.retrieval.recall_at[1].value, row.retrieval.mrr.value) == pytest.approx((10 / 12, 10 / 12))


def test_who_shows_no_passages_has_no_retrieval_score() -> None:
    assert all(row.retrieval is None for row in SCORES.examinees)


def test_groups_add_up_to_the_whole() -> None:
    for attribute, levels in (("topic", 2), ("question type", 1), ("Bloom level", 1)):
        mine = [g for g in SCORES.groups if g.attribute == attribute and g.examinee_id == "good"]
        assert len(mine) == levels
        assert sum(g.items for g in mine) == 12
        assert round(sum(g.items * g.accuracy.value for g in mine)) == 11


def test_items_carry_their_statistics_in_the_exams_order() -> None:
    assert [item.item_id for item in SCORES.items] == [shown.item.id for shown in EXAM.items]
    assert [item.proportion_correct for item in SCORES.items][:3] == [1, 1, pytest.approx(2 / 3)]
    assert all(sum(item.option_counts) == 3 and item.parameters for item in SCORES.items)


def test_the_baselines_and_key_positions_are_those_of_the_exam() -> None:
    assert SCORES.key_positions == (3, 3, 3, 3)
    assert {SCORES.baselines[f"always {letter}"] for letter in "ABCD"} == {0.25}
    assert "longest option" in SCORES.baselines
    assert SCORES.exam_id == EXAM.id


@settings(deadline=None, max_examples=8)
@given(st.permutations(range(len(EVERYBODY))))
def test_the_order_in_which_responses_come_changes_nothing(order: list[int]) -> None:
    assert score_exam(EXAM, ALL, [EVERYBODY[n] for n in order], seed=0) == SCORES


def test_components_that_all_share_explain_nothing_and_are_left_out() -> None:
    own = varying_components([{"k": "1", "reader": "a"}, {"k": "1", "reader": "b"}, {"k": "1"}])
    assert own == [{"reader": "a"}, {"reader": "b"}, {}]


def test_what_is_said_of_several_examinees_alike_is_one_note() -> None:
    found = score_exam(EXAM, ALL, [*sat(GOOD, 12), *sat(FAIR, 12), *sat(POOR, 5)], seed=0)
    told = [note.examinees for note in found.notes if note.code is NoteCode.PERFECT_SCORE]
    assert told == [("good", "fair")]
