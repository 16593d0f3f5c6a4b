"""Answers in which no option can be read are noted where they are many, with examples that can be shown."""

from __future__ import annotations

from by_hand import exam, response

from viva.core.note_words import note_sentence
from viva.core.notes import Note, NoteCode
from viva.core.records import Examinee, Failure, FailureKind, Response
from viva.metrics.score import score_exam
from viva.metrics.unread_choices import examples_of, unread_choice_notes

EXAM = exam(20, documents=4)
WHO = Examinee(id="one", name="one", spec="one")


def responses(unread: int, failed: int = 0) -> list[Response]:
    given = [response("one", shown, None if n < unread else 0) for n, shown in enumerate(EXAM.items)]
    lost = Failure(kind=FailureKind.RAISED, detail="ValueError")
    return [
        each.model_copy(
            update={
                "text": f"Hm {n}.",
                "meta": {"no_choice": "a refusal"} if each.choice is None else {},
                "failure": lost if n >= len(given) - failed else None,
            }
        )
        for n, each in enumerate(given)
    ]


def notes(unread: int, failed: int = 0) -> list[Note]:
    return list(unread_choice_notes(EXAM, [WHO], responses(unread, failed)))


def test_a_tenth_of_the_answers_is_noted_and_less_is_not() -> None:
    assert notes(0) == []
    assert notes(1) == []
    (note,) = notes(2)
    assert (note.code, note.examinees, note.count, note.of) == (NoteCode.CHOICES_UNREAD, ("one",), 2, 20)
    assert (note.examples, note.reason) == (("Hm 0.", "Hm 1."), "a refusal")


def test_failures_are_no_answers() -> None:
    (note,) = notes(1, failed=10)
    assert (note.count, note.of) == (1, 10)


def test_the_note_is_among_those_of_the_scores() -> None:
    scores = score_exam(EXAM, [WHO], responses(5), seed=0)
    (note,) = [note for note in scores.notes if note.code is NoteCode.CHOICES_UNREAD]
    assert note_sentence(note) == (
        "one: no option could be read in 5 of 20 answers, which count as wrong (most often: a refusal). For example: "
        "“Hm 0.”; “Hm 1.”."
    )


def test_examples_are_short_different_and_without_characters_that_hide_or_reorder_text() -> None:
    assert examples_of(["a\u202eb\x1b[31m\nc", "a\u202eb\x1b[31m\nc", "x" * 500, "d"]) == ("ab[31m c", "x" * 79 + "…")
