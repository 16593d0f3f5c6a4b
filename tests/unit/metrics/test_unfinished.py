"""A system that was asked a part of the exam only: what is said of it, and of the questions."""

from __future__ import annotations

import pytest
from by_hand import exam, response

from viva.core.note_words import nothing_separates, scores_notes
from viva.core.notes import Note, NoteCode
from viva.core.records import WITHOUT_HISTORY, Examinee, Failure, FailureKind, Response, Turn
from viva.core.scores import Scores
from viva.metrics.score import score_exam
from viva.reports.sections.sampling import pass_cells, pass_sentence

EXAM = exam(30)
ALL = tuple(Examinee(id=name, name=name.title(), spec=name) for name in ("quick", "half"))
ALL_RIGHT = "Every system is right on {} of 30 questions: they tell none apart."
UNFINISHED = (
    "Half was asked 9 of 30 questions: the sitting is not finished, and the accuracy is of these alone "
    "(viva sit RUN goes on)."
)


def right(name: str, count: int = 30) -> list[Response]:
    return [response(name, shown, shown.key_position) for shown in EXAM.items[:count]]


def scored(asked: int, examinees: tuple[Examinee, ...] = ALL, wrong: int = 0, pass_mark: float = 0.0) -> Scores:
    missed = [response("half", shown, (shown.key_position + 1) % 4) for shown in EXAM.items[:wrong]]
    return score_exam(
        EXAM, examinees, [*right("quick"), *missed, *right("half", asked)[wrong:]], seed=0, pass_mark=pass_mark
    )


def test_a_note_says_of_a_sitting_that_is_not_finished_how_far_it_went() -> None:
    assert UNFINISHED in scores_notes(scored(9))
    assert not [note for note in scored(30).notes if note.code is NoteCode.SITTING_UNFINISHED]


def test_questions_that_all_have_right_are_those_that_all_were_asked() -> None:
    assert ALL_RIGHT.format(6) in scores_notes(scored(9, wrong=3))
    assert ALL_RIGHT.format(27) in scores_notes(scored(30, wrong=3))


def test_questions_that_one_has_still_to_be_asked_may_tell_systems_apart() -> None:
    assert nothing_separates(scored(30))
    assert not nothing_separates(scored(9))


def test_a_question_on_which_a_system_failed_was_asked() -> None:
    failure = Failure(kind=FailureKind.RAISED, detail="ValueError")
    failed = [response("half", shown, None, failure=failure) for shown in EXAM.items[28:]]
    found = score_exam(EXAM, ALL, [*right("quick"), *right("half", 28), *failed], seed=0)
    assert not [note for note in found.notes if note.code is NoteCode.SITTING_UNFINISHED]


@pytest.mark.parametrize("asked", [0, 9])
def test_no_note_is_on_a_system_that_viva_added_or_that_has_not_sat(asked: int) -> None:
    added = ALL[1].model_copy(update={"manufactured": "a reader without documents" if asked else ""})
    found = scored(asked, (ALL[0], added))
    assert not [note for note in found.notes if note.code is NoteCode.SITTING_UNFINISHED]


def test_systems_that_were_asked_as_many_questions_share_a_note() -> None:
    third = Examinee(id="again", name="Again", spec="again")
    found = score_exam(EXAM, (*ALL, third), [*right("quick"), *right("half", 9), *right("again", 9)], seed=0)
    assert Note(code=NoteCode.SITTING_UNFINISHED, examinees=("again", "half"), count=9, of=30) in found.notes


def test_a_system_whose_sitting_is_not_finished_neither_passes_nor_fails() -> None:
    left, done = scored(25, pass_mark=0.8), scored(30, pass_mark=0.8)
    assert {place[0] for place in pass_cells(done).values()} == {"pass"}
    assert {name: cells[0] for name, cells in pass_cells(left).items()} == {"quick": "pass", "half": "not sure"}
    assert "not decided on" in pass_sentence(left)
    assert "not decided on" not in pass_sentence(done)
    assert pass_cells(scored(9, wrong=9, pass_mark=0.8))["half"][0] == "not sure"


def test_of_bare_questions_of_conversations_those_are_counted_that_were_asked() -> None:
    said = (Turn(role="user", text="Which tank?"),)
    items = [s.model_copy(update={"item": s.item.model_copy(update={"history": said})}) for s in EXAM.items]
    bare = [r.model_copy(update={"meta": {WITHOUT_HISTORY: "yes"}}) for r in right("half", 9)]
    found = score_exam(EXAM.model_copy(update={"items": tuple(items)}), ALL, [*right("quick"), *bare], seed=0)
    assert Note(code=NoteCode.HISTORY_NOT_GIVEN, examinees=("half",), count=9, of=30) in found.notes
