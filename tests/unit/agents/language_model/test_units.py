"""The unit extractor turns what a model calls facts into units that stand in the chunk, and loses none."""

from __future__ import annotations

import asyncio

import pytest
from asked import Says
from by_hand import source

from viva.agents.language_model.units import Fact, ModelUnitExtractor, Pair, has_evidence
from viva.agents.roles import Source
from viva.core.records import ItemKind, KnowledgeUnit
from viva.core.settings import Settings

HERE = source("The lock gate closes 35 minutes before low water.\nIt then stays shut for an hour.")
SHUT = Fact(statement="The lock gate stays shut for an hour.", quote="it then stays shut for an hour")
CLOSES = Fact(statement="The lock gate closes 35 minutes before low water.", quote="The lock gate closes 35 minutes")
INVENTED = Fact(statement="The lock gate is red.", quote="painted red all over by the harbour master")


def extracted(*facts: Fact, items_per_chunk: int = 2) -> tuple[list[KnowledgeUnit], Says]:
    model = Says(units={"facts": list(facts)})
    units = asyncio.run(ModelUnitExtractor(model, Settings(items_per_chunk=items_per_chunk)).extract(HERE))
    return units, model


def test_a_unit_quotes_the_document_and_not_the_model() -> None:
    (unit,), _ = extracted(SHUT)
    assert unit.statement == SHUT.statement
    assert unit.evidence.quote == "It then stays shut for an hour"
    assert unit.evidence.quote == HERE.document.text[unit.evidence.start : unit.evidence.end]


def test_facts_keep_the_models_order() -> None:
    units, _ = extracted(SHUT, CLOSES)
    assert [unit.statement for unit in units] == [SHUT.statement, CLOSES.statement]


def test_facts_that_ask_for_more_than_a_detail_come_before_details() -> None:
    why = Fact(sort="cause", statement="The gate is shut for an hour since the tide turns.", quote=SHUT.quote)
    units, _ = extracted(SHUT, why, CLOSES)
    assert [unit.statement for unit in units] == [why.statement, SHUT.statement, CLOSES.statement]


def test_a_fact_without_evidence_is_kept_and_comes_first_so_that_it_is_counted() -> None:
    units, _ = extracted(SHUT, INVENTED, CLOSES)
    assert [unit.statement for unit in units] == [INVENTED.statement, SHUT.statement, CLOSES.statement]
    assert [has_evidence(unit) for unit in units] == [False, True, True]
    assert units[0].evidence.quote == HERE.document.text[units[0].evidence.start : units[0].evidence.end] == ""


def test_a_fact_named_twice_is_one_unit() -> None:
    units, _ = extracted(SHUT, SHUT, INVENTED, INVENTED)
    assert len(units) == 2


def test_a_model_that_goes_on_and_on_costs_no_more_than_was_asked_for() -> None:
    facts = [Fact(statement=f"The lock gate has the number {n}.", quote="The lock gate closes 35") for n in range(99)]
    units, model = extracted(*facts, items_per_chunk=3)
    assert len(units) == 6
    assert model.heard("at_most") == "6"


def test_no_facts_are_no_units() -> None:
    assert extracted()[0] == []


def test_what_a_statement_hides_is_taken_out() -> None:
    (unit,), _ = extracted(Fact(statement="The lock\u200b gate\n closes\x07 early.", quote=CLOSES.quote))
    assert unit.statement == "The lock gate closes early."


def test_source_and_passage_are_fenced() -> None:
    _, model = extracted(SHUT)
    assert model.heard("source").startswith("<<<source ")
    assert model.heard("passage").startswith("<<<passage ")
    assert HERE.chunk.text in model.heard("passage")


def test_a_fact_to_go_beyond_is_asked_for_in_the_same_words_and_belongs_to_its_own_source() -> None:
    (fact,), model = extracted(SHUT)
    absent = Source(HERE.chunk, HERE.document, ItemKind.UNANSWERABLE)
    again = Says(units={"facts": [SHUT]})
    (unit,) = asyncio.run(ModelUnitExtractor(again, Settings(items_per_chunk=2)).extract(absent))
    assert again.asked == model.asked
    assert (unit.statement, unit.evidence) == (fact.statement, fact.evidence)
    assert unit.chunk_id == absent.id


# --- pairs of facts ------------------------------------------------------------------------------------------

BUILT = "The Grey Sandpiper was built in 2009."
FAST = "The Grey Sandpiper reaches a speed of 24 knots."
OTHER = source(f"{FAST} It is blue.", "boats.md", "Boats")
FIRST = source(f"Nine pilots work here. {BUILT}", "pilots.md", "Pilots")
BOTH = Source(FIRST.chunk, FIRST.document, ItemKind.MULTI_HOP, OTHER)
PAIR = Pair(statement="Built in 2009, it reaches 24 knots.", first_quote=BUILT, second_quote=FAST)


def paired(*pairs: Pair) -> tuple[list[KnowledgeUnit], Says]:
    model = Says(units={"pairs": list(pairs)})
    return asyncio.run(ModelUnitExtractor(model, Settings()).extract(BOTH)), model


@pytest.mark.parametrize("swapped", [False, True])
def test_a_pair_is_proved_by_a_quote_from_each_chunk_whichever_comes_first(swapped: bool) -> None:
    quotes = (FAST, BUILT) if swapped else (BUILT, FAST)
    (unit,), model = paired(Pair(statement=PAIR.statement, first_quote=quotes[0], second_quote=quotes[1]))
    assert [(span.document_id, span.quote) for span in unit.spans] == [
        (FIRST.document.id, BUILT),
        (OTHER.document.id, FAST),
    ]
    assert unit.chunk_id == BOTH.id
    assert "Part 2 of 2, from “boats.md > Boats”" in model.heard("passage")


@pytest.mark.parametrize(
    ("first", "second"), [(BUILT, "It was painted grey all over."), (BUILT, BUILT), (FAST, FAST), ("", "")]
)
def test_a_pair_of_which_one_chunk_proves_nothing_is_kept_and_counted(first: str, second: str) -> None:
    units, _ = paired(PAIR, Pair(statement="It is grey.", first_quote=first, second_quote=second))
    assert [has_evidence(unit) for unit in units] == [False, True]
    assert units[0].second is None
