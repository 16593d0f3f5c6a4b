"""Wrong options have the key's form, differ from it and from one another, and do not stand in the evidence."""

from __future__ import annotations

import asyncio
import re

import pytest
from by_hand import bank, draft, source

from viva.agents.offline.critics import same_option
from viva.agents.offline.distractors import OfflineDistractorWriter
from viva.core.records import Draft
from viva.llm.embeddings import SentenceTransformerEmbedder

FLEET = source(
    "The Sundray Heron carries 48 vehicles. The Morven Tern carries 30 vehicles. The Brannoch carries 12 vehicles. "
    "The Ellery Gannet carries 22 vehicles. The Quill Dunlin carries 64 vehicles.",
    "fleet.md",
    "Fleet",
)
CODE = source(
    "The `flush()` function empties every tank of the ferry. The `fill()` function opens the valve. The `drain()` "
    "function closes the valve. The `level()` function reads the gauge. The `stop()` function halts the pump.",
    "code.md",
    "Code",
)
WHY = source(
    "The bow door stays closed because spray damages the hydraulic seals. Deck lamps are shaded because glare blinds "
    "the night pilot. The winch drum is rinsed because salt water eats the bearings. Fuel hoses are capped because "
    "diesel fumes ignite near hot pipes. Life rafts are tested because old seams leak in cold weather.",
    "why.md",
    "Why",
)
ALL = (FLEET, CODE, WHY)
CASES = {
    "quantity": draft(
        FLEET,
        "The Sundray Heron carries 48 vehicles.",
        "How many vehicles does the Sundray Heron carry?",
        "48 vehicles",
        "quantity:vehicle",
    ),
    "code": draft(
        CODE,
        "The `flush()` function empties every tank of the ferry.",
        "Which function empties every tank of the ferry?",
        "flush()",
        "code:function:function",
        "which-subject",
    ),
    "clause": draft(
        WHY,
        "The bow door stays closed because spray damages the hydraulic seals.",
        "Why does the bow door stay closed?",
        "Because spray damages the hydraulic seals",
        "clause:because",
        "why",
    ),
}
FORMS = {"quantity": r"\d+ vehicles", "code": r"\w+\(\)", "clause": r"Because .+"}


def written(
    asked: Draft, minilm: SentenceTransformerEmbedder, *, seed: int = 0, attempt: int = 0, options: int = 4
) -> list[str] | None:
    source_of = next(s for s in ALL if s.document.id == asked.unit.evidence.document_id)
    writer = OfflineDistractorWriter(bank(*ALL), minilm, options=options, seed=seed)
    found = asyncio.run(writer.write(asked, source_of, attempt))
    return None if found is None else [d.text for d in found]


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("seed", [0, 5])
def test_three_options_of_the_keys_form_none_of_them_right(
    kind: str, seed: int, minilm: SentenceTransformerEmbedder
) -> None:
    asked = CASES[kind]
    found = written(asked, minilm, seed=seed)
    assert found is not None
    assert len(found) == 3
    for n, option in enumerate(found):
        assert re.fullmatch(FORMS[kind], option)
        assert option.lower() not in asked.unit.statement.lower()
        assert not any(same_option(option, other) for other in [asked.key, *found[:n]])


def test_as_many_options_are_written_as_the_exam_wants(minilm: SentenceTransformerEmbedder) -> None:
    found = written(CASES["quantity"], minilm, options=6)
    assert found is not None
    assert len(set(found)) == 5


def test_the_same_seed_writes_the_same_options(minilm: SentenceTransformerEmbedder) -> None:
    assert written(CASES["quantity"], minilm) == written(CASES["quantity"], minilm)
    several = {tuple(written(CASES["quantity"], minilm, seed=seed) or ()) for seed in range(6)}
    assert len(several) > 1


def test_a_later_attempt_takes_others(minilm: SentenceTransformerEmbedder) -> None:
    first, second = (written(CASES["quantity"], minilm, attempt=attempt) for attempt in (0, 1))
    assert first is not None
    assert second is not None
    assert set(first) != set(second)


def test_each_option_says_why_it_is_wrong(minilm: SentenceTransformerEmbedder) -> None:
    writer = OfflineDistractorWriter(bank(*ALL), minilm, options=4, seed=0)
    found = asyncio.run(writer.write(CASES["quantity"], FLEET, 0))
    assert found is not None
    assert all(d.reason for d in found)


def test_where_too_few_of_the_form_exist_there_are_none(minilm: SentenceTransformerEmbedder) -> None:
    lonely = source("The `flush()` function empties every tank of the ferry.", "lonely.md", "Lonely")
    asked = draft(
        lonely, lonely.document.text, "Which function empties every tank?", "flush()", "code:function:function"
    )
    writer = OfflineDistractorWriter(bank(lonely), minilm, options=4, seed=0)
    assert asyncio.run(writer.write(asked, lonely, 0)) is None


def test_a_number_alone_in_its_corpus_is_set_among_near_values(minilm: SentenceTransformerEmbedder) -> None:
    lonely = source("The Sundray Heron carries 48 vehicles.", "lonely.md", "Lonely")
    asked = draft(lonely, lonely.document.text, "How many does it carry?", "48 vehicles", "quantity:vehicle")
    writer = OfflineDistractorWriter(bank(lonely), minilm, options=4, seed=0)
    found = asyncio.run(writer.write(asked, lonely, 0))
    assert found is not None
    assert all(re.fullmatch(r"\d+ vehicles", d.text) and d.text != "48 vehicles" for d in found)
