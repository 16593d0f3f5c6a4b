"""Exams of both formats: each format apart and both together, a judge's scores cut where the response model cuts."""

from __future__ import annotations

import pytest
from exams_by_hand import exam_item, sound_item

from viva.core.note_words import scores_notes
from viva.core.notes import Note, NoteCode
from viva.core.records import (
    Exam,
    Examinee,
    Failure,
    FailureKind,
    Grade,
    JudgeCard,
    Make,
    Quality,
    Response,
    Ungraded,
)
from viva.core.scores import Scores
from viva.metrics.exam import fixed_choice_baselines, grade, key_position_counts, longest_option_baseline
from viva.metrics.score import score_exam

CLOSED = [sound_item(n) for n in range(8)]
OPEN = [exam_item(f"How many litres does pump {n} hold?", [f"{n} litres"], document=f"log {n}") for n in range(8)]
EXAM = Exam.of([*CLOSED, *OPEN])
GOOD, POOR = (Examinee(id=n, name=n, spec=n) for n in ("good", "poor"))
CARD = JudgeCard(name="ear", judges=Quality.CORRECTNESS, make=Make.OFFLINE)


def answers(examinee: Examinee, right: int) -> list[Response]:
    return [
        Response(
            id=Response.id_of(examinee.id, shown),
            examinee_id=examinee.id,
            item_id=shown.item.id,
            text="said",
            choice=None if shown.item.is_open else (shown.key_position + (n >= right)) % 4,
        )
        for n, shown in enumerate(EXAM.items)
    ]


def graded(responses: list[Response], scores: list[float]) -> dict[str, Grade | Ungraded]:
    open_ones = [r for r in responses if r.item_id in {o.item.id for o in OPEN}]
    return {
        r.id: Grade(response_id=r.id, examinee_id=r.examinee_id, item_id=r.item_id, score=s, judge="ear")
        for r, s in zip(open_ones, scores, strict=True)
    }


MINE, OTHERS = answers(GOOD, 7), answers(POOR, 3)
JUDGED = {
    **graded(MINE, [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.1]),
    **graded(OTHERS, [0.6, 0.2, 0.1, 0, 0, 0, 0, 0]),
}


def scored(**more: object) -> Scores:
    return score_exam(EXAM, [GOOD, POOR], [*MINE, *OTHERS], seed=0, **{"judged": JUDGED, "judge": CARD, **more})


def test_both_formats_apart_and_together() -> None:
    best, worst = scored().examinees
    closed, asked_openly = best.formats
    assert (closed.format, closed.asked, closed.correct) == ("multiple choice", 8, 7)
    assert (asked_openly.format, asked_openly.graded, asked_openly.correct) == ("open", 8, 6)
    assert closed.mean_score is None
    assert asked_openly.mean_score is not None
    assert asked_openly.mean_score.value == pytest.approx(5.0 / 8)
    assert asked_openly.mean_score.low < 5.0 / 8 < asked_openly.mean_score.high
    assert (best.correct, best.graded, worst.correct) == (13, 16, 4)
    assert best.no_choice == 0


def test_the_judge_and_what_it_graded_stand_with_the_scores() -> None:
    found = scored().judge
    assert found is not None
    assert (found.card, found.graded, found.ungraded) == (CARD, 16, 0)
    assert Note(code=NoteCode.OPEN_CUT) in scored().notes


def test_pairs_are_compared_on_right_and_wrong() -> None:
    (pair,) = scored().comparisons
    assert pair.items == 16
    assert pair.difference == pytest.approx((13 - 4) / 16)


def test_open_questions_are_fitted_without_guessing_on_one_scale_with_the_others() -> None:
    found = scored()
    guessing = {item.item_id: item.parameters.guessing for item in found.items if item.parameters}
    assert all(guessing[each.item.id] == 0 for each in OPEN)
    assert all(guessing[each.item.id] > 0 for each in CLOSED)
    assert all(row.ability is not None for row in found.examinees)
    assert {group.level for group in found.groups if group.attribute == "format"} == {"multiple choice", "open"}


def test_failures_count_nowhere_if_no_judge_graded_an_answer() -> None:
    exam = Exam.of(OPEN)
    failed = Failure(kind=FailureKind.RAISED, detail="ValueError")
    mine = [r.model_copy(update={"text": "", "failure": failed}) if n == 0 else r for n, r in enumerate(MINE[8:])]
    of_others = {r.id: JUDGED[r.id] for r in OTHERS if r.id in JUDGED}
    found = score_exam(exam, [GOOD, POOR], [*mine, *OTHERS], seed=0, judged=of_others, judge=CARD)
    (unjudged,) = [row for row in found.examinees if row.examinee.id == "good"]
    assert (unjudged.accuracy, unjudged.graded) == (None, 0)
    assert [(each.graded, each.accuracy) for each in unjudged.formats] == [(0, None)]
    assert found.comparisons == ()
    assert {group.examinee_id for group in found.groups} == {"poor"}
    assert not [told for told in scores_notes(found) if "good failed" in told]


def test_what_no_judge_graded_is_counted_and_left_out_never_wrong() -> None:
    gone = {r.id: Ungraded(response_id=r.id, examinee_id="good", item_id=r.item_id, reason="judge ear: refused")
            for r in MINE if r.item_id == OPEN[0].item.id}  # fmt: skip
    found = scored(judged={**JUDGED, **gone})
    (best,) = [row for row in found.examinees if row.examinee.id == "good"]
    assert (best.formats[1].asked, best.formats[1].graded, best.graded) == (8, 7, 15)
    assert found.judge is not None
    assert found.judge.ungraded == 1
    told = Note(code=NoteCode.OPEN_UNGRADED, count=1, of=16, reason="judge ear: refused")
    assert told in found.notes


def test_a_failure_is_a_failure_whatever_the_format() -> None:
    lost = MINE[8].model_copy(update={"failure": Failure(kind=FailureKind.TIMED_OUT, detail="30 s")})
    assert isinstance(grade(OPEN[0], lost, JUDGED), Ungraded)
    found = score_exam(EXAM, [GOOD], [*MINE[:8], lost, *MINE[9:]], seed=0, judged=JUDGED, judge=CARD)
    assert found.examinees[0].failures == {"timed out": 1}
    assert NoteCode.OPEN_UNGRADED not in {note.code for note in found.notes}


def test_a_choice_made_of_an_open_question_is_no_answer() -> None:
    chosen = MINE[8].model_copy(update={"choice": 0})
    assert isinstance(grade(OPEN[0], chosen), Ungraded)


def test_an_exam_of_one_format_says_nothing_of_formats() -> None:
    closed = Exam.of(CLOSED)
    found = score_exam(closed, [GOOD, POOR], [*MINE[:8], *OTHERS[:8]], seed=0, judge=CARD)
    assert all(row.formats == () for row in found.examinees)
    assert found.judge is None
    assert "format" not in {group.attribute for group in found.groups}


def test_what_needs_no_reading_is_over_multiple_choice_questions_alone() -> None:
    assert len(EXAM.items) > len(CLOSED)
    assert key_position_counts(EXAM) == (2, 2, 2, 2)
    assert fixed_choice_baselines(EXAM) == fixed_choice_baselines(Exam.of(CLOSED)) == (2 / 8,) * 4
    assert longest_option_baseline(EXAM) == longest_option_baseline(Exam.of(CLOSED))
    shown = scored().baselines
    assert {name: share for name, share in shown.items() if name.startswith("always")} == {
        f"always {letter}": 2 / 8 for letter in "ABCD"
    }
    assert fixed_choice_baselines(Exam.of(OPEN)) == ()
    assert longest_option_baseline(Exam.of(OPEN)) is None
    assert key_position_counts(Exam.of(OPEN)) == ()


def test_a_system_that_was_asked_all_but_the_open_questions_has_a_note_on_these_alone() -> None:
    closed = {shown.item.id for shown in CLOSED}
    found = score_exam(
        EXAM, [GOOD, POOR], [*MINE, *(r for r in OTHERS if r.item_id in closed)], seed=0, judged=JUDGED
    )
    codes = [note.code for note in found.notes]
    assert NoteCode.OPEN_NOT_ASKED in codes
    assert NoteCode.SITTING_UNFINISHED not in codes
