"""What is wrong with an exam, and what is not: each finding by an exam that has it and one that has not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from exams_by_hand import TUGS, exam_item, sound_exam, sound_item

from viva.core.records import Exam, ExamItem
from viva.exams.lint import Lint, lint_exam, near_pairs
from viva.llm.embeddings import Vectors


def codes(found: Lint, level: str = "") -> set[str]:
    return {finding.code for finding in found.findings if level in {"", finding.level}}


def numbers(found: Lint, code: str) -> list[tuple[int, ...]]:
    return [finding.numbers for finding in found.findings if finding.code == code]


def test_a_sound_exam_has_no_findings() -> None:
    found = lint_exam(sound_exam(32))
    assert found.findings == ()
    assert found.errors == 0
    assert found.skipped == ()


@pytest.mark.parametrize(
    "item",
    [
        exam_item("According to the passage, what does the tug Pike pull?", ["35 tonnes", "42 tonnes", "28 tonnes"]),
        exam_item("What does the tug Pike pull?", ["35 tonnes", "42 tonnes", "28 tonnes", "All of the above"], 0),
        exam_item("What does the tug Pike pull?", ["35 tonnes", "42 tonnes", "42 tonnes.", "28 tonnes"]),
    ],
    ids=["refers to the document", "catch-all", "same option twice"],
)
def test_a_rule_that_an_item_breaks_is_an_error_of_that_item(item: ExamItem) -> None:
    found = lint_exam(Exam.of([sound_item(0), item]))
    assert found.errors >= 1
    assert {finding.numbers for finding in found.findings} == {(2,)}
    assert {finding.items for finding in found.findings} == {(item.item.id,)}


def test_the_same_question_twice_is_an_error_and_nearly_the_same_a_warning() -> None:
    stem = "In which year was the ferry Old Tern launched from the northern yard?"
    again = "In which year was the ferry Old Tern launched from the northern yard again?"
    options = ["1968", "1954", "1971", "1983"]
    same = lint_exam(Exam.of([exam_item(stem, options), exam_item(stem.upper(), options[::-1], 3)]))
    near = lint_exam(Exam.of([exam_item(stem, options), sound_item(0), exam_item(again, options)]))
    assert numbers(same, "repeated question") == [(1, 2)]
    assert "repeated question" in codes(same, "error")
    assert numbers(near, "repeated question") == [(1, 3)]
    assert "repeated question" in codes(near, "warning")


def test_stems_that_name_other_numbers_are_other_questions() -> None:
    stems = [f"What is the greatest depth in metres of the northern channel at berth {n}?" for n in (3, 4)]
    assert list(near_pairs(stems)) == []
    assert list(near_pairs([stems[0], stems[0]])) == [((0, 1), 1.0)]


def test_meanings_are_compared_where_there_is_somebody_to_compare_them() -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> Vectors:
        asked.extend(texts)
        return np.array([[1.0, 0.0] if "strong" in t or "pull" in t else [0.0, 1.0] for t in texts], dtype=np.float32)

    exam = Exam.of([
        exam_item("How strong is the tug Pike?", ["35 tonnes", "42 tonnes"]),
        exam_item("What can the tug Pike pull?", ["35 tonnes", "28 tonnes"]),
        sound_item(1),
    ])  # fmt: skip
    assert numbers(lint_exam(exam), "repeated question") == []
    assert numbers(lint_exam(exam, embed), "repeated question") == [(1, 2)]
    assert asked == [shown.item.stem for shown in exam.items]


def keyed(position: int, number: int) -> ExamItem:
    options = ["35 tonnes", "42 tonnes", "28 tonnes", "51 tonnes"]
    return exam_item(f"What does the tug {TUGS[number % 8]} pull on day {number}?", options, position)


def test_a_key_that_stands_too_often_in_one_place_is_told_with_the_odds() -> None:
    found = lint_exam(Exam.of([keyed(2 if n % 3 else n % 4, n) for n in range(24)]))
    (finding,) = [f for f in found.findings if f.code == "key position"]
    assert finding.level == "warning"
    assert "The key is C in 18 of 24 questions with 4 options; 6 are expected" in finding.reason
    assert "key position" not in codes(lint_exam(Exam.of([keyed(n % 4, n) for n in range(24)])))
    # three of three is no proof of anything
    assert "key position" not in codes(lint_exam(Exam.of([keyed(2, n) for n in range(3)])))


@pytest.mark.parametrize(("longest", "told"), [(0, True), (6, False), (24, True)])
def test_keys_that_are_the_longest_option_too_often_or_too_seldom_are_told(longest: int, told: bool) -> None:
    def item(n: int) -> ExamItem:
        wrong = ["Holm", "Ness", "Sandy Pool of Carrick"] if n >= longest else ["Holm", "Ness", "Sand"]
        options = [*wrong]
        options.insert(n % 4, f"Pier {n:02d}")
        return exam_item(f"Where does the boat {TUGS[n % 8]} lie on day {n}?", options, n % 4)

    found = lint_exam(Exam.of([item(n) for n in range(24)]))
    assert ("longest option" in codes(found)) == told


def test_a_wrong_option_that_serves_everywhere_is_told() -> None:
    def item(n: int, worn: str) -> ExamItem:
        options = [f"Wharf {n}x", f"Mole {n}y", worn]
        options.insert(n % 4, f"Pier {n}z")
        return exam_item(f"Where does the boat {TUGS[n % 8]} lie on day {n}?", options, n % 4)

    found = lint_exam(Exam.of([item(n, "Holm Quay" if n < 5 else f"Quay {n}") for n in range(24)]))
    assert numbers(found, "repeated option") == [(1, 2, 3, 4, 5)]
    found = lint_exam(Exam.of([item(n, "Holm Quay" if n < 2 else f"Quay {n}") for n in range(24)]))
    assert "repeated option" not in codes(found)


def test_a_small_exam_says_what_was_not_checked() -> None:
    found = lint_exam(sound_exam(8))
    assert found.skipped
    assert "8 questions" in found.skipped[0]


def test_a_language_without_rules_says_which_did_not_run() -> None:
    found = lint_exam(Exam.of([sound_item(0), sound_item(1, language="cy")]))
    assert set(found.unchecked) == {"cy"}
    assert found.unchecked["cy"]
