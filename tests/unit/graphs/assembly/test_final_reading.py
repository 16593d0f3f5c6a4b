"""Chosen questions that the final reader would not print make way for others; each is read once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from by_hand import document, item
from by_id import by_id

from viva.agents.roles import ChosenItem
from viva.core.errors import BudgetReached, RoleFailed
from viva.core.records import Item, Span
from viva.graphs.assembly.assemble import assemble_exam
from viva.graphs.assembly.final_reading import ITEMS_PER_CALL, read_finally

PUMPS = document("Pump house rules. " * 40 + "Pump 1 moves 1 litres of water per minute." + " More rules." * 40)
ITEMS = [item(n, stem=f"How many litres does pump number {n} of hall {n} move?") for n in range(20)]
DOCUMENTS = by_id([document(f"Pump {n} moves {n} litres of water per minute.") for n in range(20)])


class Reader:
    """Refuses some, or fails; keeps what it was asked."""

    def __init__(self, *refused: Item, fails: Exception | None = None) -> None:
        self._refused, self._fails = {each.id for each in refused}, fails
        self.asked: list[list[tuple[str, str]]] = []

    async def read(self, chosen: Sequence[ChosenItem]) -> list[str | None]:
        self.asked.append([(each.item.id, each.passage) for each in chosen])
        self.guesses = {each.item.id: each.guess for each in chosen}
        if self._fails:
            raise self._fails
        return ["Padded." if each.item.id in self._refused else "" for each in chosen]


def test_items_are_read_with_their_passage_several_in_a_call_and_none_twice() -> None:
    reader = Reader(ITEMS[3])
    first = asyncio.run(read_finally(reader, ITEMS[:12], DOCUMENTS))
    assert sorted(map(len, reader.asked)) == [12 - ITEMS_PER_CALL, ITEMS_PER_CALL]
    assert dict(first.refused) == {ITEMS[3].id: "Padded."}
    both = asyncio.run(read_finally(reader, ITEMS, DOCUMENTS, before=first))
    assert sorted(each for call in reader.asked for each, _ in call) == sorted(each.id for each in ITEMS)
    assert both.refused == first.refused
    passages = dict(pair for call in reader.asked for pair in call)
    assert passages[ITEMS[5].id] == "Pump 5 moves 5 litres of water per minute."


def test_a_passage_is_the_evidence_with_some_text_around_it() -> None:
    words = "Pump 1 moves 1 litres of water per minute."
    start = PUMPS.text.index(words)
    evidence = Span(document_id=PUMPS.id, start=start, end=start + len(words), quote=words)
    reader, of = Reader(), item(1, of=PUMPS).model_copy(update={"evidence": (evidence,)})
    asyncio.run(read_finally(reader, [of], by_id([PUMPS])))
    ((_, passage),) = reader.asked[0]
    assert words in passage
    assert len(words) < len(passage) < len(PUMPS.text)


def test_it_is_told_why_a_key_was_picked_without_documents() -> None:
    reader = Reader()
    asyncio.run(read_finally(reader, ITEMS[:2], DOCUMENTS, {ITEMS[0].id: "Sense tells."}))
    assert reader.guesses == {ITEMS[0].id: "Sense tells.", ITEMS[1].id: ""}


def test_what_is_refused_takes_only_places_that_would_stay_empty_and_is_told_of() -> None:
    refused = [each.id for each in ITEMS[:4]]
    full = assemble_exam(ITEMS, [], size=12, examples=0, seed=0, refused=refused)
    assert not {shown.item.id for shown in full.exam.items} & set(refused)
    assert full.left_out["refused by the final reader"] == 4
    short = assemble_exam(ITEMS, [], size=18, examples=0, seed=0, refused=refused)
    assert len({shown.item.id for shown in short.exam.items} & set(refused)) == 2
    assert "The final reader would not print 2 questions of 18: no others were left." in short.notes


@pytest.mark.parametrize("fails", [RoleFailed("model_refused", "no"), BudgetReached("spent", next_step="more")])
def test_items_that_could_not_be_read_stay_and_are_told_of(fails: Exception) -> None:
    found = asyncio.run(read_finally(Reader(fails=fails), ITEMS[:3], DOCUMENTS))
    assert (found.refused, found.failed) == ({}, 3)
    assert found.notes[0].startswith("3 questions of 3 could not be read by the final reader")
