"""The expert answers from the chunk alone, or says that it cannot."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import bank, source

from viva.agents.offline.expert import OfflineExpert
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


@pytest.mark.parametrize(
    ("stem", "form", "said"),
    [
        ("How many vehicles does the Sundray Heron carry?", "quantity:vehicle", "48 vehicles"),
        ("On which form is lost property recorded?", "id:Form LP-", "Form LP-31"),
        ("Which function empties the tank of the ferry?", "code:function", "flush()"),
        ("Why does the bow door stay closed?", "clause:because", "because spray damages rubber seals"),
        ("What is the author of “Fleet list”?", "field:author", "Ada Brannoch"),
    ],
)
def test_the_answer_is_read_off_the_matching_sentence(stem: str, form: str, said: str) -> None:
    found = answer(stem, form)
    assert found is not None
    assert found.text == said
    (span,) = found.evidence
    assert said in span.quote.replace("`", "")
    assert HERE.document.text[span.start : span.end] == span.quote


@pytest.mark.parametrize(
    ("stem", "form"),
    [
        ("When was the Morven Tern launched?", "date:year"),
        ("What is the editor of “Fleet list”?", "field:editor"),
        ("How deep is the Corran drydock in metres?", "quantity:metre"),
    ],
)
def test_what_the_chunk_does_not_say_is_not_answered(stem: str, form: str) -> None:
    assert answer(stem, form) is None


def test_disputed_it_has_no_second_opinion() -> None:
    doubt = Verdict(critic="solvable", passed=False, reason="No reader picks it.", code="not_solvable", blames="key")
    asked = ("How many vehicles does the Sundray Heron carry?", "quantity:vehicle")
    assert answer(*asked, doubt) == answer(*asked)


def test_the_sentence_that_defines_is_read_though_others_name_the_term_too() -> None:
    told = (
        "Rust spreads where rust is seldom scraped. Rust is a brown layer that eats iron and rust. "
        "Rust is present at launch, and rust returns in spring.\n"
    )
    here = source(told, "rust.md", "Rust in ships")
    expert = OfflineExpert(bank(here, HERE, OTHER))
    found = asyncio.run(expert.answer("In the context of “Rust in ships”, what is rust?", "definition:a", here))
    assert found is not None
    assert found.text == "a brown layer that eats iron and rust"
