"""Before there are options somebody without documents says whether it knows the answer, and what it would guess."""

from __future__ import annotations

import asyncio

import pytest
from asked import Says
from by_hand import draft, source

from viva.agents.language_model.expert import ModelBlindReader
from viva.core.records import Recall

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
DRAFT = draft(HERE, FACT, "How long before low water does the lock gate close?", "35 minutes")


def recalled(*guesses: str, known: bool = False, answer: str = "NONE") -> tuple[Recall, Says]:
    model = Says(solver={"rationale": "Locks are alike.", "known": known, "answer": answer, "guesses": list(guesses)})
    return asyncio.run(ModelBlindReader(model).recall(DRAFT)), model


def test_it_reads_the_question_and_the_form_of_its_answer_and_nothing_else() -> None:
    _, model = recalled()
    assert set(model.asked[0][1]) == {"question", "answer_form"}
    assert FACT not in str(model.asked)


def test_what_it_guesses_is_kept_without_marks_each_once_and_three_at_most() -> None:
    said, _ = recalled("30 minutes.", "**60 minutes**", "30 minutes", "none", "", "90 minutes", "2 hours")
    assert said == Recall(known=False, answer="", guesses=("30 minutes", "60 minutes", "90 minutes"))


@pytest.mark.parametrize(("known", "answer", "kept"), [(True, "35 minutes.", "35 minutes"), (True, "NONE", "")])
def test_who_claims_to_know_and_names_no_answer_knows_nothing(*, known: bool, answer: str, kept: str) -> None:
    said, _ = recalled(known=known, answer=answer)
    assert (said.known, said.answer) == (bool(kept), kept)
