"""Which questions can do without their options, and what becomes of an exam in which a share is put so."""

from __future__ import annotations

import pytest
from by_hand import document, item
from exams_by_hand import exam_item, sound_item

from viva.agents.offline.gaps.predicates import SAID_OF
from viva.core.records import Distractor, Item, ItemKind
from viva.exams.file import exam_lines, parse_exam
from viva.graphs.assembly.assemble import assemble_exam
from viva.graphs.assembly.open_items import can_be_open, with_open

TEXTS = [document(f"Pump {n} moves water. " * 30, f"{n}.md") for n in range(8)]


def asked(stem: str, key: str = "4 litres", **more: object) -> Item:
    return exam_item(stem, [key, "5 litres", "6 litres", "7 litres"], **more).item


@pytest.mark.parametrize(
    "stem",
    [
        "Which of the following does the pump deliver?",
        "Which statement is true of the pump?",
        SAID_OF.format(subject="the pump"),
        f"In the context of “Pumps”, {SAID_OF.format(subject='the pump').replace('W', 'w', 1)}",
        "Which one of these does the pump deliver?",
        "Welche dieser Mengen fördert die Pumpe?",
        "Which liquid does the pump NOT deliver?",
        "Welche der folgenden Mengen fördert die Pumpe?",
        "The pump delivers per minute",
    ],
)
def test_a_stem_that_leans_on_its_options_keeps_them(stem: str) -> None:
    assert not can_be_open(asked(stem, language="de" if stem.startswith("Welche ") else "en"))


def test_a_full_question_with_an_answer_of_its_own_can_be_open() -> None:
    assert can_be_open(asked("How much does the pump deliver per minute?"))
    assert not can_be_open(asked("How much does the pump deliver?", key="both of them"))
    assert not can_be_open(asked("Combien la pompe débite-t-elle ?", language="xx"))


@pytest.mark.parametrize("kind", [ItemKind.MULTI_HOP, ItemKind.UNANSWERABLE])
def test_only_single_hop_items_are_put_openly(kind: ItemKind) -> None:
    assert not can_be_open(asked("How much does the pump deliver per minute?", kind=kind))


def questions(count: int) -> list[Item]:
    return [item(n, of=TEXTS[n % 8]) for n in range(count)]


def test_an_open_item_is_another_item_without_wrong_options_and_a_larger_share_keeps_it() -> None:
    closed = [each for each in questions(20) if can_be_open(each)]
    few, many = with_open(closed, 0.2), with_open(closed, 0.6)
    opened = {each.id for each in few if each.is_open}
    assert len(opened) == round(0.2 * len(closed))
    assert opened < {each.id for each in many if each.is_open}
    assert opened.isdisjoint(each.id for each in closed)
    assert [each.stem for each in few] == [each.stem for each in closed]


def test_an_exam_holds_the_share_and_its_file_reads_back_the_same() -> None:
    items = [sound_item(n).item for n in range(24)]
    made = assemble_exam(items, [], size=20, examples=0, seed=0, open_share=0.3)
    shown = [each for each in made.exam.items if each.item.is_open]
    assert len(shown) == 6
    assert all(each.offered is None for each in shown)
    assert all(len(each.offered or ()) == 4 for each in made.exam.items if not each.item.is_open)
    assert parse_exam("\n".join(exam_lines(made.exam)), "exam").exam == made.exam
    assert not any(each.item.is_open for each in assemble_exam(items, [], size=20, examples=0, seed=0).exam.items)


def test_a_share_that_cannot_be_met_is_told() -> None:
    stuck = [each.model_copy(update={"kind": ItemKind.MULTI_HOP}) for each in questions(10)]
    made = assemble_exam(stuck, TEXTS, size=10, examples=0, seed=0, open_share=0.5)
    assert not any(each.item.is_open for each in made.exam.items)
    assert any("0 of the 5 open questions" in note for note in made.notes)


def test_an_open_question_offers_nothing_even_where_a_file_gives_its_key_as_an_option() -> None:
    shown = exam_item("How much does the pump deliver?", ["4 litres"])
    assert shown.item.is_open
    assert shown.options == ("4 litres",)
    assert shown.offered is None
    closed = shown.model_copy(
        update={"item": shown.item.model_copy(update={"distractors": (Distractor(text="5 litres"),)})}
    )
    assert closed.offered == ("4 litres",)
