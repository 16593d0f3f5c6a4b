"""The exam is the same whatever order items came in, balanced, without repeats, and loses no item uncounted."""

from __future__ import annotations

from collections import Counter

from by_hand import document, item
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.core.records import Document, Exam, Item, QuestionType
from viva.graphs.assembly import assemble_exam

TEXTS = [document(f"Pump {n} moves water. " * 30, f"{n}.md") for n in range(8)]
KINDS = list(QuestionType)


def items(count: int, pattern: str = "ask-quantity", start: int = 0) -> list[Item]:
    numbers = range(start, start + count)
    return [item(n, of=TEXTS[n % len(TEXTS)], pattern=pattern, kind=KINDS[n % len(KINDS)]) for n in numbers]


def assembled(of: list[Item], *, size: int = 20, examples: int = 4, seed: int = 0) -> tuple[Exam, dict[str, int]]:
    return assemble_exam(of, TEXTS, size=size, examples=examples, seed=seed)


@settings(deadline=None, max_examples=25)
@given(st.permutations(range(30)), st.integers(0, 5))
def test_the_exam_does_not_depend_on_the_order_of_the_items(order: list[int], seed: int) -> None:
    given_items = items(24) + items(6, "completion", 24)
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
    twins = [item(n, of=TEXTS[n], stem=stem) for n, stem in enumerate(["What is it?", "what  is IT?", "Who is it?"])]
    exam, left = assembled(twins, examples=0)
    assert len(exam.items) == 2
    assert left == {"repeats another item": 1}


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
    exam, _ = assembled([*items(30), *items(30, "header-field", 30), *items(30, "completion", 60)], size=40)
    patterns = Counter(shown.item.provenance.pattern for shown in exam.items)
    assert patterns["header-field"] <= 6
    assert patterns["completion"] <= 10
    assert len(exam.items) == 40


def test_they_fill_up_what_others_leave() -> None:
    exam, _ = assembled([*items(10), *items(30, "completion", 10)], size=30, examples=0)
    assert len(exam.items) == 30
    assert Counter(s.item.provenance.pattern for s in exam.items) == {"ask-quantity": 10, "completion": 20}


def test_documents_and_question_types_are_covered_evenly() -> None:
    unequal = [*(item(n, of=TEXTS[0]) for n in range(40)), *items(10, start=40)]
    exam, _ = assembled(unequal, size=16, examples=0)
    documents = Counter(shown.item.evidence.document_id for shown in exam.items)
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
    evidence = base.evidence.model_copy(update={"start": at, "end": at + 20, "quote": "Pump 3 moves water."})
    inside = [item(n, of=long).model_copy(update={"evidence": evidence}) for n in range(5)]
    exam, _ = assemble_exam(inside, [Document(**long.model_dump())], size=4, examples=1, seed=0)
    (example,) = exam.examples
    assert len(example.context) <= 620
    assert "Pump 3 moves water." in example.context
