"""The exam is the same whatever order items came in, balanced, without repeats, and loses no item uncounted."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest
from by_hand import WordEmbedder, document, item
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.core.blueprint import Blueprint, asks_more
from viva.core.records import BloomLevel, Document, Exam, Item, QuestionType
from viva.graphs.assembly.assemble import Assembly, assemble_exam
from viva.metrics.exam import longest_option_baseline

TEXTS = [document(f"Pump {n} moves water. " * 30, f"{n}.md") for n in range(8)]
KINDS = list(QuestionType)


def items(count: int, pattern: str = "ask-quantity", start: int = 0) -> list[Item]:
    numbers = range(start, start + count)
    return [item(n, of=TEXTS[n % len(TEXTS)], pattern=pattern, kind=KINDS[n % len(KINDS)]) for n in numbers]


def made(of: list[Item], *, size: int = 20, examples: int = 0, seed: int = 0, **more: Any) -> Assembly:
    return assemble_exam(of, TEXTS, size=size, examples=examples, seed=seed, **more)


def assembled(of: list[Item], *, size: int = 20, examples: int = 4, seed: int = 0) -> tuple[Exam, dict[str, int]]:
    found = made(of, size=size, examples=examples, seed=seed)
    return found.exam, found.left_out


@settings(deadline=None, max_examples=25)
@given(st.permutations(range(30)), st.integers(0, 5))
def test_the_exam_does_not_depend_on_the_order_of_the_items(order: list[int], seed: int) -> None:
    given_items = items(24) + items(6, "closing-phrase", 24)
    assert assembled([given_items[n] for n in order], seed=seed) == assembled(given_items, seed=seed)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 40), st.integers(1, 40), st.integers(0, 6))
def test_every_accepted_item_is_in_the_exam_set_aside_or_left_out_for_a_reason(
    count: int, size: int, examples: int
) -> None:
    exam, left = assembled(items(count), size=size, examples=examples)
    assert len(exam.items) + len(exam.examples) + sum(left.values()) == count
    assert len(exam.items) <= size
    assert len(exam.examples) <= examples
    assert all(left.values())


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 40), st.integers(0, 50))
def test_the_key_stands_at_each_position_equally_often_to_within_one(count: int, seed: int) -> None:
    exam, _ = assembled(items(count), size=count, examples=0, seed=seed)
    positions = Counter(shown.key_position for shown in exam.items)
    assert max(positions[n] for n in range(4)) - min(positions[n] for n in range(4)) <= 1


def test_of_what_models_wrote_a_third_asks_for_more_than_remembering_where_no_level_is_wished() -> None:
    def more(cast: str, blueprint: str = "") -> int:
        given_items = []
        for number, plain in enumerate(items(80)):
            provenance = plain.provenance.model_copy(update={"cast": cast})
            bloom = (BloomLevel.UNDERSTAND if number % 10 == 0 else BloomLevel.REMEMBER,)
            given_items.append(plain.model_copy(update={"provenance": provenance, "bloom": bloom}))
        exam = made(given_items, blueprint=Blueprint.read(blueprint)).exam
        return sum(asks_more(shown.item) for shown in exam.items)

    assert more("language-model") == 7
    assert more("language-model", "bloom.create=0") == more("offline") < 7


def test_options_are_the_key_and_its_distractors_with_the_key_where_it_is_said_to_be() -> None:
    exam, _ = assembled(items(12))
    for shown in exam.items:
        assert shown.options[shown.key_position] == shown.item.key
        assert sorted(shown.options) == sorted([shown.item.key, *(d.text for d in shown.item.distractors)])


def test_items_of_fewer_options_keep_their_key_among_them() -> None:
    mixed = [*items(6), *(item(n, of=TEXTS[0], wrong=2) for n in range(50, 56))]
    exam, _ = assembled(mixed, examples=0)
    assert all(shown.options[shown.key_position] == shown.item.key for shown in exam.items)


def test_a_question_that_repeats_another_is_left_out_and_counted() -> None:
    stems = {"What is it?": 1, "what  is IT?": 1, "Who is it?": 2}
    twins = [item(key, of=TEXTS[n], stem=stem) for n, (stem, key) in enumerate(stems.items())]
    exam, left = assembled(twins, examples=0)
    assert len(exam.items) == 2
    assert left == {"repeats another item": 1}


def test_a_question_that_two_documents_answer_differently_is_left_out_and_counted() -> None:
    rivals = [item(n, of=TEXTS[n], stem=stem) for n, stem in enumerate(["What is it?", "what  is IT?", "Who is it?"])]
    exam, left = assembled(rivals, examples=0)
    assert [shown.item.stem for shown in exam.items] == ["Who is it?"]
    assert left == {"the documents give another answer too": 2}


def test_worked_examples_come_from_outside_the_exam_and_are_solved() -> None:
    exam, left = assembled(items(30), size=20, examples=4)
    assert len(exam.examples) == 4
    stems = {shown.item.stem for shown in exam.items}
    keys = {i.stem: i.key for i in items(30)}
    for example in exam.examples:
        assert example.stem not in stems
        assert example.options[example.key_position] == keys[example.stem]
        assert "Pump" in example.context
    assert left == {"no room": 6}


def test_a_small_harvest_gives_one_item_in_five_as_examples_at_most() -> None:
    exam, left = assembled(items(10), size=20, examples=4)
    assert (len(exam.items), len(exam.examples), left) == (8, 2, {})


def test_patterns_of_little_interest_keep_to_their_share() -> None:
    exam, _ = assembled([*items(30), *items(30, "header-field", 30), *items(30, "closing-phrase", 60)], size=40)
    patterns = Counter(shown.item.provenance.pattern for shown in exam.items)
    assert patterns["header-field"] <= 6
    assert patterns["closing-phrase"] <= 6
    assert len(exam.items) == 40


def test_they_fill_up_what_others_leave() -> None:
    exam, _ = assembled([*items(10), *items(30, "closing-phrase", 10)], size=30, examples=0)
    assert len(exam.items) == 30
    assert Counter(s.item.provenance.pattern for s in exam.items) == {"ask-quantity": 10, "closing-phrase": 20}


def test_documents_and_question_types_are_covered_evenly() -> None:
    unequal = [*(item(n, of=TEXTS[0]) for n in range(40)), *items(10, start=40)]
    exam, _ = assembled(unequal, size=16, examples=0)
    documents = Counter(shown.item.evidence[0].document_id for shown in exam.items)
    assert len(documents) == len(TEXTS)


def test_another_seed_makes_another_exam() -> None:
    assert assembled(items(40), seed=1)[0].id != assembled(items(40), seed=2)[0].id


def test_no_items_make_an_empty_exam() -> None:
    exam, left = assembled([])
    assert (exam.items, exam.examples, left) == ((), (), {})


def test_the_context_of_a_worked_example_is_cut_around_its_evidence() -> None:
    long = document("x" * 2000 + " Pump 3 moves water. " + "y" * 2000)
    at = long.text.index("Pump")
    base = item(3, of=long)
    evidence = base.evidence[0].model_copy(update={"start": at, "end": at + 20, "quote": "Pump 3 moves water."})
    inside = [item(n, of=long).model_copy(update={"evidence": (evidence,)}) for n in range(5)]
    exam = assemble_exam(inside, [Document(**long.model_dump())], size=4, examples=1, seed=0).exam
    (example,) = exam.examples
    assert len(example.context) <= 620
    assert "Pump 3 moves water." in example.context


def varied(count: int) -> list[Item]:
    """Items whose levels go round independently of each other."""
    blooms = list(BloomLevel)
    return [
        i.model_copy(update={"bloom": (blooms[n % 5],), "topic": f"topic {n % 3}"})
        for n, i in enumerate(items(count))
    ]


def test_shares_of_several_facets_are_met_together_where_there_are_items_enough() -> None:
    blueprint = Blueprint.read("bloom.apply=0.5,topic.topic 1=0.6,type.date=0.25,type.quantity=0.25")
    found = made(varied(400), size=40, blueprint=blueprint)
    assert {(level.facet, level.level): (level.wanted, level.got, level.reason) for level in found.fill} == {
        ("bloom", "apply"): (20, 20, ""),
        ("topic", "topic 1"): (24, 24, ""),
        ("type", "date"): (10, 10, ""),
        ("type", "quantity"): (10, 10, ""),
    }
    assert sum(i.item.topic == "topic 1" for i in found.exam.items) == 24


def test_a_share_that_cannot_be_met_is_told_with_its_reason_and_the_exam_is_still_full() -> None:
    found = made(varied(100), size=50, blueprint=Blueprint.read("bloom.apply=0.9,kind.multi-hop=0.1"))
    assert len(found.exam.items) == 50
    assert [(f.wanted, f.available, f.got, f.reason) for f in found.fill] == [
        (45, 20, 20, "Only 20 of them were accepted."),
        (5, 0, 0, "No such question was accepted."),
    ]


def test_a_share_whose_further_questions_can_be_guessed_is_told_so() -> None:
    asked = varied(100)
    applied = [each for each in asked if BloomLevel.APPLY in each.bloom]
    guessed = [each.model_copy(update={"guessable": True}) for each in applied[:12]]
    others = [each for each in asked if each.id not in {item.id for item in guessed}]
    (fill,) = made([*guessed, *others], size=40, blueprint=Blueprint.read("bloom.apply=0.4")).fill
    assert (fill.wanted, fill.available, fill.got) == (16, 20, 8)
    assert (
        fill.reason
        == "The others that were accepted can be guessed, disputed or were refused; sound questions go first."
    )


def test_more_than_a_share_is_told_too() -> None:
    (fill,) = made(varied(30), size=30, blueprint=Blueprint.read("topic.topic 1=0.1")).fill
    assert (fill.wanted, fill.got) == (3, 10)
    assert "too few other questions" in fill.reason


def test_a_share_of_nothing_keeps_a_level_out() -> None:
    found = made(varied(30), size=30, blueprint=Blueprint.read("topic.topic 1=0"))
    assert not [i for i in found.exam.items if i.item.topic == "topic 1"]
    assert found.left_out == {"excluded by the blueprint": 10}


def test_an_outlier_is_left_out_and_counted() -> None:
    given_items = items(10)
    found = made(given_items, outliers={given_items[0].id})
    assert found.left_out == {"options too alike": 1}


def keyed(numbers: range, key: str) -> list[Item]:
    """Items with this key among options of one length."""
    return [item(n, of=TEXTS[n % len(TEXTS)]).model_copy(update={"key": f"{key}{n:03d}"}) for n in numbers]


def longest_share(found: Assembly) -> float:
    share = longest_option_baseline(found.exam)
    assert share is not None
    return share


SHORT, LONG = "x", "the longest of all the options "


@pytest.mark.parametrize(("most", "some"), [(SHORT, LONG), (LONG, SHORT)])
def test_how_often_the_longest_option_is_the_key_is_held_by_choice(most: str, some: str) -> None:
    found = made([*keyed(range(100, 180), most), *keyed(range(40), some)], size=40)
    assert 0.15 <= longest_share(found) <= 0.35
    assert found.notes == ()


def test_where_no_choice_can_hold_it_that_is_said() -> None:
    found = made(keyed(range(100, 150), LONG), size=40)
    assert longest_share(found) == 1
    assert "In 100% of the questions the longest option is the key" in found.notes[0]


def test_two_thousand_candidates_take_seconds() -> None:
    many = varied(2000)
    before = time.perf_counter()
    blueprint = Blueprint.read("bloom.apply=0.4,topic.topic 1=0.5,type.date=0.1")
    found = made(many, size=400, examples=4, blueprint=blueprint, embed=WordEmbedder().embed)
    assert len(found.exam.items) + len(found.exam.examples) + sum(found.left_out.values()) == 2000
    assert time.perf_counter() - before < 20
