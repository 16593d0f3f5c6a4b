"""From one exam to another: every kind of change is told for what it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from exams_by_hand import TUGS, exam_item, sound_exam, sound_item

from viva.core.records import BloomLevel, Difficulty, Exam, ExamItem
from viva.exams.diff import ExamDiff, exam_diff

OPTIONS = ["35 tonnes", "42 tonnes", "28 tonnes", "51 tonnes"]
STEM = "What does the tug Bramble Jack pull at most?"
QUOTE = "The tug Bramble Jack pulls 35 tonnes."


def one(stem: str = STEM, options: list[str] = OPTIONS, key: int = 0, **more: object) -> ExamItem:
    return exam_item(stem, options, key, quote=QUOTE, **more)


def between(before: ExamItem, after: ExamItem) -> ExamDiff:
    return exam_diff(Exam.of([sound_item(2), before]), Exam.of([sound_item(2), after]))


def changes(found: ExamDiff) -> list[tuple[str, str, str]]:
    assert not found.added
    assert not found.removed
    return [(c.what, c.before, c.after) for change in found.changed for c in change.changes]


def test_an_exam_is_equal_to_itself() -> None:
    found = exam_diff(sound_exam(8), sound_exam(8))
    assert found.equal
    assert found.same == 8


def test_questions_that_come_and_go_are_told_by_their_numbers() -> None:
    found = exam_diff(sound_exam(3), Exam.of([sound_item(n) for n in (0, 2, 3)]))
    assert [item.number for item in found.removed] == [2]
    assert [item.number for item in found.added] == [3]
    assert not found.reordered
    assert (found.equal, found.same) == (False, 2)


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (one("At most, what can the Bramble Jack pull?"), ("stem", STEM, "At most, what can the Bramble Jack pull?")),
        (one(options=["36 tonnes", *OPTIONS[1:]], reference_answer="35 tonnes"), ("key", "35 tonnes", "36 tonnes")),
        (one(options=[*OPTIONS[:3], "60 tonnes"]), ("option", "51 tonnes", "60 tonnes")),
        (one(options=OPTIONS[:3]), ("option", "51 tonnes", "")),
        (one(options=[*OPTIONS, "7 tonnes"]), ("option", "", "7 tonnes")),
        (one(options=OPTIONS[::-1], key=3), ("option order", " | ".join(OPTIONS), " | ".join(OPTIONS[::-1]))),
        (one(topic="ropes"), ("topic", "tugs", "ropes")),
        (one(difficulty=Difficulty.HARD), ("difficulty", "", "hard")),
        (one(bloom=(BloomLevel.APPLY, BloomLevel.CREATE)), ("bloom", "remember", "apply, create")),
        (one(reference_answer="It pulls 35 tonnes."), ("reference answer", "35 tonnes", "It pulls 35 tonnes.")),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_one_change_is_one_change(after: ExamItem, told: tuple[str, str, str]) -> None:
    found = between(one(), after)
    assert told in changes(found)
    if told[0] != "option order":
        assert "option order" not in [what for what, _, _ in changes(found)] or told[0] not in {"key", "option"}
    assert len(changes(found)) == 1
    assert not found.equal


def test_a_key_that_became_a_distractor_is_a_key_changed_and_an_option_changed() -> None:
    found = between(one(), one(key=1, reference_answer="35 tonnes"))
    assert ("key", "35 tonnes", "42 tonnes") in changes(found)
    assert ("option", "42 tonnes", "35 tonnes") in changes(found)


def test_two_questions_of_one_evidence_are_not_taken_for_each_other() -> None:
    other = exam_item(
        "Which vessel is the strongest?", ["Bramble Jack", "Pike", "Old Tern", "Sable Hen"], quote=QUOTE
    )
    found = between(one(), other)
    assert [item.stem for item in found.removed] == [STEM]
    assert [item.stem for item in found.added] == [other.item.stem]


def test_near_stems_about_different_things_are_different_questions() -> None:
    stems = [f"What does the old harbour tug {name} pull at most in calm water?" for name in TUGS[:2]]
    before, after = (exam_item(s, [f"{n}5 tonnes", "1", "2", "3"], document=s) for n, s in enumerate(stems, 3))
    found = between(before, after)
    assert len(found.added) == len(found.removed) == 1


def test_an_imported_question_without_evidence_is_known_by_its_stem() -> None:
    found = between(one(), exam_item("What does tug Bramble Jack pull at the most?", OPTIONS, document=""))
    assert {what for what, _, _ in changes(found)} == {"stem", "evidence"}


@pytest.mark.parametrize(
    "place",
    [{"document": "log, edited"}, {"document": "", "contexts": ("The tug Bramble Jack pulls 35 tonnes.",)}],
    ids=["the same quote in an edited document", "the same context"],
)
def test_a_question_is_known_by_what_it_rests_on(place: dict[str, Any]) -> None:
    before = exam_item(STEM, OPTIONS, quote=QUOTE, **{**place, "document": place["document"] and "log"})
    after = exam_item("Which load can the tug Bramble Jack move?", ["30 t", "40 t"], quote=QUOTE, **place)
    found = between(before, after)
    assert len(found.changed) == 1
    assert "stem" in {what for what, _, _ in changes(found)}


def test_the_nearest_wording_is_paired_first() -> None:
    first = one("What does the tug Bramble Jack pull?")
    second = one("When does the tug Bramble Jack pull its most?", ["June", "May", "July", "Yule"])
    found = exam_diff(
        Exam.of([first, second]),
        Exam.of([one("When did the tug Bramble Jack pull its most?", ["June", "May", "July", "Yule"]), one()]),
    )
    assert [(c.before.number, c.after.number) for c in found.changed] == [(1, 2), (2, 1)]
    assert found.reordered


@pytest.mark.parametrize("order", [list, lambda items: list(reversed(items))], ids=["kept", "reversed"])
def test_order_is_told_of_the_whole_exam(order: Callable[[list[ExamItem]], list[ExamItem]]) -> None:
    items = [sound_item(n) for n in range(5)]
    found = exam_diff(Exam.of(items), Exam.of(order(items)))
    assert found.reordered == (order(items) != items)
    assert found.equal != found.reordered
