"""A person's decisions: kept line by line, replayed on any exam that holds the item, and what comes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from exams_by_hand import exam_item, sound_exam, sound_item

from viva.core.errors import UsageError
from viva.core.records import Difficulty, Distractor, Exam, ExamItem, Trial
from viva.exams.review import (
    Decision,
    Edit,
    EditedField,
    ReviewLog,
    ReviewProgress,
    edited,
    reviewed_exam,
    reviewed_items,
    standings,
)

AT = "2026-01-02T03:04:05+00:00"
TRIED = {"trials": (Trial(reader="lexical", with_evidence=False, picked=1, tried=3),), "difficulty": Difficulty.EASY}


def decision(of: ExamItem, what: str, note: str = "", edit: Edit | None = None) -> Decision:
    return Decision(item=of.item.id, decision=what, by="ada", at=AT, note=note, edit=edit)  # type: ignore[arg-type]


def edit(field: EditedField, before: str, after: str) -> Edit:
    return Edit(field=field, before=before, after=after)


def test_an_edited_stem_makes_another_item_and_what_readers_said_of_it_is_gone() -> None:
    shown = sound_item(0, **TRIED)
    after = edited(shown, edit("stem", shown.item.stem, "  How much does the tug pull? "))
    assert after.item.stem == "How much does the tug pull?"
    assert after.item.question_word == "how"
    assert after.item.id != shown.item.id
    assert (after.item.trials, after.item.difficulty) == ((), None)
    assert after.options == shown.options


def test_an_edited_option_stays_in_its_place_and_loses_the_reason_why_it_was_wrong() -> None:
    shown = sound_item(1)
    told = tuple(
        d.model_copy(update={"reason": "another ferry", "mistake": "mixed up"}) for d in shown.item.distractors
    )
    shown = shown.model_copy(update={"item": shown.item.model_copy(update={"distractors": told})})
    before = shown.options[3]
    after = edited(shown, edit("option", before, "1999"))
    assert after.options == (*shown.options[:3], "1999")
    assert after.item.distractors[-1] == Distractor(text="1999")
    assert after.item.distractors[:2] == told[:2]


def test_an_edited_key_stays_the_key() -> None:
    shown = sound_item(2)
    after = edited(shown, edit("key", shown.item.key, "Ellen Voss"))
    assert after.item.key == after.options[after.key_position] == "Ellen Voss"
    assert after.key_position == shown.key_position
    assert after.item.distractors == shown.item.distractors


def test_a_corrected_key_is_the_reference_answer_too_where_the_old_one_was() -> None:
    shown = sound_item(2)
    alike, told = (
        shown.model_copy(update={"item": shown.item.model_copy(update={"reference_answer": reference})})
        for reference in (f"{shown.item.key} ", "In words of its own.")
    )
    corrected = edit("key", shown.item.key, "Ellen Voss")
    assert edited(alike, corrected).item.reference_answer == "Ellen Voss"
    assert edited(told, corrected).item.reference_answer == "In words of its own."


def test_a_reference_answer_that_was_corrected_after_the_key_holds() -> None:
    shown = sound_item(2)
    alike = shown.model_copy(update={"item": shown.item.model_copy(update={"reference_answer": shown.item.key})})
    corrected = edited(alike, edit("key", shown.item.key, "Ellen Voss"))
    told = edit("reference", shown.item.key, "Ellen Voss repaired it.")
    assert not ReviewProgress(corrected).lacks(told)
    assert edited(corrected, told).item.reference_answer == "Ellen Voss repaired it."


def test_an_edited_reference_answer_leaves_the_item_what_it_is() -> None:
    shown = sound_item(0, **TRIED)
    after = edited(shown, edit("reference", shown.item.reference_answer, "It pulls 20 tonnes."))
    assert after.item.reference_answer == "It pulls 20 tonnes."
    assert (after.item.id, after.item.trials) == (shown.item.id, shown.item.trials)


@pytest.mark.parametrize(
    ("field", "before", "after", "said"),
    [
        ("stem", "another stem", "What?", "no longer"),
        ("option", "no such option", "7", "has no option"),
        ("option", "20 tonnes", "7", "has no option"),
        ("key", "20 tonnes", "29 tonnes", "another option"),
        ("option", "29 tonnes", " ", "empty"),
        ("option", "29 tonnes", "4\x1b[2J", "control characters"),
        ("option", "29 tonnes", "4\udc80", "control characters"),
    ],
)
def test_an_edit_that_cannot_be_is_refused(field: EditedField, before: str, after: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        edited(sound_item(0), edit(field, before, after))


def test_a_rejected_item_is_gone_an_accepted_one_carries_its_review_an_undecided_one_stays() -> None:
    exam = sound_exam(3)
    first, second, third = exam.items
    made = reviewed_exam(
        exam, standings(exam, [decision(first, "accept", "sound"), decision(second, "reject", "two keys")])
    )
    assert [shown.item.id for shown in made.items] == [first.item.id, third.item.id]
    (review,) = made.items[0].item.provenance.reviews
    assert (review.decision, review.by, review.at, review.note) == ("accept", "ada", AT, "sound")
    assert made.items[1] == third
    assert made.id == Exam.of(made.items).id != exam.id


def test_an_edit_is_followed_from_item_to_item_and_settles_nothing() -> None:
    exam = sound_exam(2)
    before = exam.items[0]
    wording = edit("stem", before.item.stem, "What can the tug pull?")
    after = edited(before, wording)
    made = decision(before, "edit", edit=wording)
    (standing, _) = standings(exam, [made])
    assert standing.settled is None
    assert standing.is_edited
    (standing, _) = standings(exam, [made, decision(after, "accept")])
    assert standing.settled == "accept"
    assert [review.decision for review in standing.reviews] == ["edit", "accept"]
    assert standing.reviews[0].before == before.item.id
    assert before.item.stem in standing.reviews[0].note


@pytest.mark.parametrize("field", ["stem", "key", "option", "reference"])
def test_of_two_edits_of_one_wording_the_first_stands_and_the_second_is_passed_over(field: EditedField) -> None:
    exam = sound_exam(1)
    (shown,) = exam.items
    before = {
        "stem": shown.item.stem,
        "key": shown.item.key,
        "option": shown.item.distractors[0].text,
        "reference": shown.item.reference_answer,
    }[field]
    first, second = (
        decision(shown, "edit", edit=edit(field, before, after)).model_copy(update={"unit": "u", "by": by})
        for by, after in (("ada", "77 tonnes or so"), ("ben", "88 tonnes or so"))
    )
    provenance = shown.item.provenance.model_copy(update={"unit_id": "u"})
    of_unit = shown.model_copy(update={"item": shown.item.model_copy(update={"provenance": provenance})})
    (standing,) = standings(Exam.of([of_unit]), [first, second])
    assert [review.by for review in standing.reviews] == ["ada"]


def test_decisions_are_not_taken_twice_by_the_exam_that_came_of_them() -> None:
    exam = sound_exam(2)
    before = exam.items[0]
    there = edit("stem", before.item.stem, "What can the tug pull?")
    back = edit("stem", "What can the tug pull?", before.item.stem)
    after = edited(before, there)
    made = [
        decision(before, "edit", edit=there),
        decision(after, "edit", edit=back),
        decision(before, "accept"),
        decision(exam.items[1], "accept"),
    ]
    first = reviewed_exam(exam, standings(exam, made))
    assert [len(shown.item.provenance.reviews) for shown in first.items] == [3, 1]
    assert reviewed_exam(first, standings(first, made)) == first
    assert all(standing.settled for standing in standings(first, made))


def test_a_decision_about_an_item_of_another_exam_changes_nothing() -> None:
    exam = sound_exam(2)
    (*_, stranger) = sound_exam(3).items
    assert [s.shown for s in standings(exam, [decision(stranger, "reject")])] == list(exam.items)


def test_an_exam_whose_items_were_all_rejected_is_none() -> None:
    exam = sound_exam(1)
    with pytest.raises(UsageError, match="no exam left"):
        reviewed_exam(exam, standings(exam, [decision(exam.items[0], "reject")]))


def test_the_log_gives_back_what_was_recorded(tmp_path: Path) -> None:
    log = ReviewLog(tmp_path / "reviews.jsonl")
    assert log.read() == []
    shown = sound_item(0)
    made = [
        decision(shown, "edit", edit=edit("stem", shown.item.stem, "Wie viel zieht der Schlepper “Übermut”?")),
        decision(shown, "reject", "two are right"),
    ]
    for each in made:
        log.append(each)
    assert ReviewLog(log.path).read() == made


def test_half_a_line_that_a_kill_left_is_no_decision_and_spoils_none(tmp_path: Path) -> None:
    log = ReviewLog(tmp_path / "reviews.jsonl")
    first, second = (decision(sound_item(n), "accept") for n in range(2))
    log.append(first)
    with log.path.open("ab") as file:
        file.write(b'{"item": "ab')
    assert log.read() == [first]
    log.append(second)
    assert log.read() == [first, second]


def test_a_line_that_is_no_decision_is_named(tmp_path: Path) -> None:
    log = ReviewLog(tmp_path / "reviews.jsonl")
    log.append(decision(sound_item(0), "accept"))
    with log.path.open("ab") as file:
        file.write(b'{"item": "ab"}\n')
    with pytest.raises(UsageError, match="Line 2"):
        log.read()


def test_a_log_that_cannot_be_written_stops_the_review(tmp_path: Path) -> None:
    (tmp_path / "reviews.jsonl").mkdir()
    with pytest.raises(UsageError, match="cannot be"):
        ReviewLog(tmp_path / "reviews.jsonl").append(decision(exam_item("What?", ["a", "b"]), "accept"))


def test_what_a_person_rejected_stays_out_of_later_exams_and_an_edit_goes_into_them() -> None:
    exam = sound_exam(3)
    first, second, third = (shown.item for shown in exam.items)
    edit = Edit(field="reference", before=second.reference_answer, after="As the notice says.")
    decisions = [
        Decision(item=first.id, decision="reject", by="ann", at="2026-01-01T00:00:00Z"),
        Decision(item=second.id, decision="edit", by="ann", at="2026-01-01T00:00:01Z", edit=edit),
    ]
    kept = reviewed_items([first, second, third], decisions)
    assert [item.reference_answer for item in kept] == ["As the notice says.", third.reference_answer]
    assert reviewed_items([first, second, third], []) == [first, second, third]


def test_a_decision_holds_for_the_same_question_shown_with_another_wrong_option() -> None:
    written = [
        shown.item.model_copy(
            update={"provenance": shown.item.provenance.model_copy(update={"unit_id": f"unit {n}"})}
        )
        for n, shown in enumerate(sound_exam(2).items)
    ]
    decision = Decision(item="as it stood then", unit="unit 0", decision="reject", by="ann", at="2026")
    assert reviewed_items(written, [decision]) == written[1:]


def test_an_undo_takes_back_the_last_decision_about_its_item_and_no_other() -> None:
    exam = sound_exam(2)
    first, second = exam.items
    log = [decision(first, "reject"), decision(second, "accept"), decision(first, "undo")]
    assert [each.settled for each in standings(exam, log)] == [None, "accept"]
    # a second one finds nothing more
    assert [each.settled for each in standings(exam, [*log, decision(first, "undo")])] == [None, "accept"]


def test_an_edit_that_was_taken_back_leaves_the_wording_of_before() -> None:
    exam = sound_exam(1)
    (shown,) = exam.items
    reworded = decision(shown, "edit", edit=edit("stem", shown.item.stem, "How long is the other quay?"))
    (changed,) = standings(exam, [reworded])
    assert changed.is_edited
    (again,) = standings(exam, [reworded, decision(shown, "undo")])
    assert (again.shown.item.stem, again.reviews) == (shown.item.stem, ())


def test_an_undo_that_knows_the_unit_finds_a_decision_that_did_not() -> None:
    exam = sound_exam(1)
    (shown,) = exam.items
    without = decision(shown, "accept").model_copy(update={"unit": None})
    back = decision(shown, "undo").model_copy(update={"unit": "u1"})
    assert [each.settled for each in standings(exam, [without, back])] == [None]
