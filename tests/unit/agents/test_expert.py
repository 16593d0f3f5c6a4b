"""The expert answers from the chunk alone, or says that it cannot."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import bank, source

from viva.agents.offline.writer import OfflineExpert
from viva.core.records import ExpertAnswer, Verdict

TEXT = (
    "Author: Ada Brannoch\nStatus: Final\n\n"
    "The Sundray Heron carries 48 vehicles. The bow door stays closed because spray damages rubber seals. "
    "Lost property is recorded on Form LP-31. The `flush()` function empties the tank of the ferry.\n"
)
HERE = source(TEXT, title="Fleet list")
OTHER = source("Rust eats old pipes. The Morven Tern was launched in 1987.", "rust.md", "Rust")
EXPERT = OfflineExpert(bank(HERE, OTHER))


def answer(stem: str, form: str, dispute: Verdict | None = None) -> ExpertAnswer | None:
    return asyncio.run(EXPERT.answer(stem, form, HERE, dispute))


def test_the_blank_of_a_statement_is_no_word_that_a_place_must_hold() -> None:
    here = source(
        "A stable ABI lets old wheels run. Wheels are zip archives.", "abi.rst", "Wheels and the stable ABI"
    )
    asked = OfflineExpert(bank(here)).answer("Which words complete this: “A stable ABI lets ____”?", "", here)
    found = asyncio.run(asked)
    assert found is not None
    assert found.text == "A stable ABI lets old wheels run."


@pytest.mark.parametrize(
    ("stem", "said"),
    [
        ("How many vehicles does the Sundray Heron carry?", "The Sundray Heron carries 48 vehicles."),
        ("On which form is lost property recorded?", "Lost property is recorded on Form LP-31."),
        ("Which words complete this: “The `flush()` function empties ____”?", "`flush()` function empties the tank"),
        ("What is the author of “Fleet list”?", "Author: Ada Brannoch"),
    ],
)
def test_the_answer_is_the_place_that_the_stem_leads_to(stem: str, said: str) -> None:
    found = answer(stem, "")
    assert found is not None
    (span,) = found.evidence
    assert said in span.quote
    assert HERE.document.text[span.start : span.end] == span.quote


@pytest.mark.parametrize(
    "stem",
    [
        "When was the Morven Tern launched?",
        "What is the editor of “Fleet list”?",
        "How deep is the Corran drydock in metres?",
    ],
)
def test_what_the_chunk_does_not_say_is_not_answered(stem: str) -> None:
    assert answer(stem, "") is None


def test_disputed_it_has_no_second_opinion() -> None:
    doubt = Verdict(critic="solvable", passed=False, reason="No reader picks it.", code="not_solvable", blames="key")
    asked = ("How many vehicles does the Sundray Heron carry?", "quantity:vehicle")
    assert answer(*asked, doubt) == answer(*asked)
