"""The proofreader lets an edited item stand where its key alone answers it, and nothing means anything else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asked import Says
from by_hand import distractors, draft, source

from viva.agents.language_model.critics.proofreader import Proofreader
from viva.core.ids import seeded_order
from viva.core.records import ItemKind, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
BEFORE = draft(HERE, FACT, "Before low water, how long does the gate close?", "35 minutes earlier")
AFTER = BEFORE.model_copy(update={"stem": "How long before low water does the gate close?", "key": "35 minutes"})
WRONG = ("15 minutes", "45 minutes", "55 minutes")
ORDER = seeded_order([AFTER.key, *WRONG], 0, "proofreading", AFTER.id)
LETTER = dict(zip(ORDER, "ABCD", strict=True))
FINE = {
    "quote": FACT,
    "rationale": "It is stated.",
    "best_option": LETTER[AFTER.key],
    "stated": True,
    "also_correct": [],
    "same_meaning": True,
    "better": True,
}


def read(kind: ItemKind = ItemKind.SINGLE_HOP, **said: Any) -> tuple[Verdict, Says]:
    model = Says(edits={**FINE, **said})
    before, after = (each.model_copy(update={"kind": kind}) for each in (BEFORE, AFTER))
    were = distractors(*(f"{text} earlier" for text in WRONG))
    asked = Proofreader(model, Settings()).read((after, distractors(*WRONG)), (before, were), HERE)
    return asyncio.run(asked), model


def test_it_reads_the_passage_and_both_wordings_under_the_same_letters_and_is_not_told_the_key() -> None:
    verdict, model = read()
    assert (verdict.passed, model.roles, verdict.score) == (True, ["judge.edits"], None)
    assert FACT in model.heard("passage")
    assert "key" not in model.asked[0][1]
    for text, letter in LETTER.items():
        assert f"{letter}. {text}\n" in f"{model.heard('options')}\n"
        assert f"{letter}. {text} earlier" in model.heard("before")
    assert BEFORE.stem in model.heard("before")


@pytest.mark.parametrize(
    "said",
    [
        {"best_option": LETTER["15 minutes"]},
        {"best_option": "N"},
        {"stated": False},
        {"also_correct": [LETTER["45 minutes"]]},
        {"same_meaning": False},
        {"better": False},
    ],
)
def test_another_key_a_second_one_another_meaning_and_worse_words_leave_the_wording_as_it_was(
    said: dict[str, Any],
) -> None:
    verdict, _ = read(**said)
    assert not verdict.passed


def test_that_the_documents_do_not_say_is_stated_by_no_passage() -> None:
    assert read(ItemKind.UNANSWERABLE, stated=False)[0].passed
