"""The expert answers with words that stand in the chunk, or not at all."""

from __future__ import annotations

import asyncio

import pytest
from asked import Says
from by_hand import source

from viva.agents.language_model.expert import ModelExpert

HERE = source("The lock gate closes 35 minutes before low water. It then stays shut for an hour.")
QUOTE = "The lock gate closes 35 minutes before low water."


def answered(quote: str = QUOTE, answer: str = "35 minutes", *, answerable: bool = True) -> str | None:
    model = Says(expert={"quote": quote, "answerable": answerable, "answer": answer})
    return asyncio.run(ModelExpert(model).answer("How long?", "a number of minutes", HERE))


def test_an_answer_whose_quote_stands_in_the_chunk_is_an_answer() -> None:
    assert answered() == "35 minutes"


def test_a_quote_in_other_marks_and_white_space_still_stands_in_the_chunk() -> None:
    assert answered(quote="“the lock gate  closes 35 minutes before low water”", answer="35 minutes.") == "35 minutes"


@pytest.mark.parametrize("quote", ["NONE", "", "The gate opens at noon on every other Sunday."])
def test_an_answer_without_words_of_the_chunk_is_none(quote: str) -> None:
    assert answered(quote=quote) is None


def test_what_cannot_be_answered_is_none_whatever_else_is_said() -> None:
    assert answered(answerable=False) is None
    assert answered(answer="NONE") is None
    assert answered(answer=" ") is None


@pytest.mark.parametrize("stem", ["What does the passage say?", "The gate closes.", ""])
def test_a_stem_that_breaks_a_rule_is_not_worth_a_call(stem: str) -> None:
    model = Says()
    assert asyncio.run(ModelExpert(model).answer(stem, "a number of minutes", HERE)) is None
    assert model.asked == []


def test_the_expert_sees_neither_key_nor_options() -> None:
    model = Says(expert={"quote": QUOTE, "answerable": True, "answer": "35 minutes"})
    asyncio.run(ModelExpert(model).answer("How long?", "a number of minutes", HERE))
    assert set(model.asked[0][1]) == {"title", "passage", "question", "answer_form"}
