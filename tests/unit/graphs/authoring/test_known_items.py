"""Questions known without documents keep to their share; further ones, and guessed ones, fill empty places only."""

from __future__ import annotations

import pytest
from by_hand import document, item

from viva.core.blueprint import Blueprint
from viva.core.records import Item, QuestionType
from viva.graphs.assembly.assemble import Assembly, assemble_exam

TEXTS = [document(f"Pump {n} moves water. " * 30, f"{n}.md") for n in range(8)]
KINDS = list(QuestionType)


def items(known: int, others: int) -> list[Item]:
    made = [item(n, of=TEXTS[n % 8], kind=KINDS[n % len(KINDS)]) for n in range(known + others)]
    return [each.model_copy(update={"known": n < known}) for n, each in enumerate(made)]


def made(of: list[Item], share: float, size: int = 10, examples: int = 0, blueprint: str = "") -> Assembly:
    found = assemble_exam(
        of, TEXTS, size=size, examples=examples, seed=0, max_known=share, blueprint=Blueprint.read(blueprint)
    )
    assert len(found.exam.items) + len(found.exam.examples) + sum(found.left_out.values()) == len(of)
    return found


def known_in(found: Assembly) -> int:
    return sum(shown.item.known for shown in found.exam.items)


@pytest.mark.parametrize(("share", "others", "known"), [(0.3, 10, 0), (0.3, 8, 2), (0.2, 8, 2), (0.0, 10, 0)])
def test_the_share_holds_and_known_questions_stand_only_where_others_are_lacking(
    share: float, others: int, known: int
) -> None:
    found = made(items(20, others), share)
    assert (len(found.exam.items), known_in(found)) == (10, known)
    assert found.left_out["known without documents"] == 20 - known
    assert not any("known" in note or "knows" in note for note in found.notes)


def test_with_no_bound_and_without_known_items_the_exam_is_the_one_it_was() -> None:
    plain = items(0, 30)
    assert made(plain, 0.0).exam == made(plain, 1.0).exam
    marked = items(20, 10)
    assert {s.item.id for s in made(marked, 1.0).exam.items} == {s.item.id for s in made(plain, 1.0).exam.items}


def test_what_is_in_reserve_fills_places_that_would_stay_empty_and_that_is_told() -> None:
    found = made(items(20, 6), 0.3)
    assert (len(found.exam.items), known_in(found)) == (10, 4)
    (note,) = [note for note in found.notes if "--max-known" in note]
    assert note.startswith("4 questions of 10 can be answered without any document")
    assert "1 more than --max-known 0.3 allows" in note


def test_an_exam_of_known_questions_alone_is_whole() -> None:
    found = made(items(12, 0), 0.3)
    assert known_in(found) == 10
    assert "7 more than" in "".join(found.notes)


def test_no_share_of_the_blueprint_takes_a_place_for_what_is_in_reserve() -> None:
    sorts = {True: KINDS[0], False: KINDS[1]}
    of = [each.model_copy(update={"question_type": sorts[each.known]}) for each in items(20, 12)]
    found = made(of, 0.2, blueprint=f"type.{KINDS[0].value}=0.9")
    assert known_in(found) == 2


def test_worked_examples_are_taken_from_the_reserve() -> None:
    found = made(items(10, 10), 0.0, examples=2)
    assert (known_in(found), len(found.exam.examples)) == (0, 2)


def guessable_in(found: Assembly) -> int:
    return sum(shown.item.guessable for shown in found.exam.items)


def reserve(guessable: int, others: int) -> list[Item]:
    return [each.model_copy(update={"known": False, "guessable": each.known}) for each in items(guessable, others)]


@pytest.mark.parametrize(("others", "guessable"), [(10, 0), (20, 0), (8, 2), (0, 10)])
def test_what_can_be_guessed_stands_only_where_others_are_lacking_and_that_is_told(
    others: int, guessable: int
) -> None:
    found = made(reserve(20, others), 0.3)
    assert (len(found.exam.items), guessable_in(found)) == (10, guessable)
    assert found.left_out["can be guessed"] == 20 - guessable
    told = [note for note in found.notes if "can be guessed" in note]
    assert [note.split(" ")[0] for note in told] == ([str(guessable)] if guessable else [])


def test_no_share_of_the_blueprint_takes_a_place_for_what_can_be_guessed() -> None:
    sorts = {True: KINDS[0], False: KINDS[1]}
    of = [each.model_copy(update={"question_type": sorts[each.guessable]}) for each in reserve(20, 12)]
    assert guessable_in(made(of, 0.3, blueprint=f"type.{KINDS[0].value}=0.9")) == 0


def test_of_questions_that_are_alike_otherwise_those_stand_in_the_exam_that_critics_doubted_least() -> None:
    of = [each.model_copy(update={"doubts": n % 4}) for n, each in enumerate(items(0, 20))]
    assert sorted(shown.item.doubts for shown in made(of, 0.3).exam.items) == [0] * 5 + [1] * 5


def test_sound_questions_that_are_known_go_before_those_that_nobody_knows_since_they_are_guessed() -> None:
    known, guessed = items(10, 10)[:10], items(10, 10)[10:]
    of = [*known, *(each.model_copy(update={"guessable": True}) for each in guessed)]
    found = made(of, 0.3)
    assert (known_in(found), guessable_in(found)) == (10, 0)
    assert "7 more than --max-known 0.3 allows" in "".join(found.notes)
    assert "exam of public knowledge: readers without documents may get some 100% of it" in "".join(found.notes)
