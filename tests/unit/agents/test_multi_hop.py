"""A multi-hop question names nothing that it asks about, and neither of its chunks is enough."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import WordEmbedder, bank, document

from viva.agents.offline.bank import Bank
from viva.agents.offline.bridges import bridged_pairs, bridges, unit_of
from viva.agents.offline.descriptions import descriptions
from viva.agents.offline.distractors import OfflineDistractorWriter
from viva.agents.offline.expert import OfflineExpert
from viva.agents.offline.multi_hop import (
    BridgeCritic,
    MultiHopDistractors,
    MultiHopUnits,
    MultiHopWriter,
    TwoHopSolvable,
)
from viva.agents.offline.readers import LexicalReader
from viva.agents.offline.two_hop_reading import TwoHopExpert, TwoHopReader
from viva.agents.roles import Source
from viva.core.records import Chunk, Distractor, Draft, ItemKind

FLEET = "The Corran Wren is a tug that tows the coal barges of Ardle Quay. Two cooks share one galley."
ENGINES = (
    "The Corran Wren carries 46 passengers. The Ellery Gull carries 75 passengers."
    " The Tarsay Rook carries 80 passengers. The Varn Skua carries 58 passengers."
)
OTHERS = "The Ellery Gull is a ferry that calls at Skerrow. The Tarsay Rook is a ferry that calls at Quill Sound."


def chunk(text: str, path: str) -> Source:
    whole = document(text, path, path.partition(".")[0].title())
    return Source(Chunk.of(whole, 0, len(text), len(text.split())), whole)


A, B, C = chunk(FLEET, "fleet.md"), chunk(ENGINES, "particulars.md"), chunk(OTHERS, "calls.md")
KNOWN = bank(A, B, C)
PAIR = Source(A.chunk, A.document, ItemKind.MULTI_HOP, Source(B.chunk, B.document))
STEM = "How many passengers does the tug that tows the coal barges of Ardle Quay carry?"
OPTIONS = ("46 passengers", "75 passengers", "80 passengers", "58 passengers")


def written(pair: Source = PAIR, known: Bank = KNOWN) -> Draft:
    units = asyncio.run(MultiHopUnits(known).extract(pair))
    draft = asyncio.run(MultiHopWriter(known).write(units[0], pair, None, None))
    assert draft is not None
    return draft


def solved(first: str, second: str, draft: Draft, wrong: tuple[str, ...] = OPTIONS[1:]) -> tuple[bool, str, str]:
    one, two = chunk(first, "one.md"), chunk(second, "two.md")
    pair = Source(one.chunk, one.document, ItemKind.MULTI_HOP, Source(two.chunk, two.document))
    reader = LexicalReader(KNOWN.weight)
    judge = TwoHopSolvable((reader,), TwoHopReader(KNOWN.weight), 0)
    verdict = asyncio.run(judge.judge(draft, [Distractor(text=text) for text in wrong], pair))
    return verdict.passed, verdict.code, verdict.blames


def test_the_description_takes_the_place_of_the_name() -> None:
    draft = written()
    assert (draft.stem, draft.key, draft.kind) == (STEM, "46 passengers", ItemKind.MULTI_HOP)
    assert "Corran" not in draft.stem


def test_both_facts_are_recorded_where_they_stand() -> None:
    unit = written().unit
    assert [span.quote for span in unit.spans] == [FLEET.partition(". ")[0] + ".", ENGINES.partition(". ")[0] + "."]
    assert [span.document_id for span in unit.spans] == [A.document.id, B.document.id]
    assert unit.chunk_id == PAIR.id


def test_a_chunk_alone_makes_no_bridge() -> None:
    assert bridges(Source(A.chunk, A.document, ItemKind.MULTI_HOP), KNOWN) == []


def test_a_description_that_fits_another_thing_too_is_not_used() -> None:
    twin = chunk("The Old Plover is a tug that tows the coal barges of Ardle Quay.", "twin.md")
    assert bridges(PAIR, bank(A, B, C, twin)) == []


def test_nothing_is_bridged_into_a_chunk_that_holds_the_description() -> None:
    told = chunk(ENGINES + " A tug tows the coal barges of Ardle Quay.", "told.md")
    pair = Source(A.chunk, A.document, ItemKind.MULTI_HOP, Source(told.chunk, told.document))
    assert bridges(pair, bank(A, told, C)) == []


def test_a_revision_asks_otherwise_or_not_at_all() -> None:
    draft = written()
    again = asyncio.run(MultiHopWriter(KNOWN).write(draft.unit, PAIR, draft, None))
    assert again is None or (again.stem, again.key) != (draft.stem, draft.key)


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (
            "Codeine is an opioid with relatively low potency in adults.",
            ["the opioid with relatively low potency in adults"],
        ),
        ("Dysgraphia is a rare disorder that affects writing in many children.", []),
        ("The Corran Wren is a tug.", []),
    ],
)
def test_only_what_sets_a_thing_apart_describes_it(sentence: str, words: list[str]) -> None:
    assert [found.words for found in descriptions(chunk(sentence, "one.md"), KNOWN)] == words


def test_a_labelled_documents_header_describes_it_by_its_date() -> None:
    text = (
        "PEP: 905\nTitle: Soft keywords\nStatus: Final\nCreated: 14-Jul-2000\n\nAbstract\n========\n\nNothing more.\n"
    )
    whole = document(text, "pep-0905.rst", "PEP 905: Soft keywords")
    found = descriptions(Source(Chunk.of(whole, 0, len(text), 20), whole), KNOWN)
    assert [(d.name, d.words) for d in found] == [("PEP 905", "the PEP that was created on 14-Jul-2000")]
    assert whole.text[found[0].start : found[0].end] == "Created: 14-Jul-2000"


def test_who_reads_both_chunks_as_one_finds_the_key() -> None:
    answer = TwoHopReader(KNOWN.weight).read(STEM, OPTIONS, (FLEET, ENGINES))
    assert OPTIONS[answer.choice] == "46 passengers"
    assert max(TwoHopReader(KNOWN.weight).read(STEM, OPTIONS, (ENGINES,)).scores) == 0


def test_the_expert_finds_out_the_name_and_then_the_answer() -> None:
    expert = TwoHopExpert(OfflineExpert(KNOWN), KNOWN.weight)
    answer = asyncio.run(expert.answer(STEM, "quantity:passenger", PAIR))
    assert answer is not None
    assert answer.text == "46 passengers"


def test_an_item_that_needs_both_chunks_is_solvable() -> None:
    assert solved(FLEET, ENGINES, written()) == (True, "", "question")


@pytest.mark.parametrize(
    ("second", "code", "blames"),
    [
        ("Nobody has counted the passengers of any ship.", "not_solvable", "key"),
        (
            "The Corran Wren carries 46 passengers. A tug that tows coal barges of Ardle Quay carries 46 passengers.",
            "one_chunk_decides",
            "options",
        ),
    ],
)
def test_an_item_that_both_do_not_answer_or_one_does_is_refused(second: str, code: str, blames: str) -> None:
    assert solved(FLEET, second, written()) == (False, code, blames)


def test_a_sentence_that_holds_key_and_question_is_found() -> None:
    whole = chunk("The tug that tows the coal barges of Ardle Quay carries 46 passengers to Ardle.", "whole.md")
    verdict = asyncio.run(BridgeCritic(bank(A, B, C, whole)).judge(written(), None, PAIR))
    assert (verdict.passed, verdict.code) == (False, "one_hop")
    assert asyncio.run(BridgeCritic(KNOWN).judge(written(), None, PAIR)).passed


def test_values_beside_the_key_come_first_among_the_wrong_options() -> None:
    single = OfflineDistractorWriter(KNOWN, WordEmbedder(), options=4, seed=0)
    writer = MultiHopDistractors(KNOWN, single, options=4, seed=0)
    wrong = asyncio.run(writer.write(written(), PAIR, 0, None))
    assert wrong is not None
    assert {d.text for d in wrong} <= set(OPTIONS[1:])
    assert all(d.reason and d.mistake for d in wrong)


def test_pairs_that_can_be_bridged_are_listed() -> None:
    documents, chunks = [s.document for s in (A, B, C)], [s.chunk for s in (A, B, C)]
    assert (A.chunk.id, B.chunk.id) in bridged_pairs(documents, chunks, KNOWN)
    assert all(unit_of(bridge, PAIR).second for bridge in bridges(PAIR, KNOWN))
