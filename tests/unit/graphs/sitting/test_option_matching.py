"""How an answer became a choice is told with it, and nobody ever guesses."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from viva.core.errors import BudgetReached, RoleFailed
from viva.examinees.answering import Answer
from viva.graphs.sitting.option_matching import CHOICE_BY, NO_CHOICE, with_choice

OPTIONS = ("30 litres", "40 litres", "50 litres", "60 litres")


class Critic:
    def __init__(self, says: int | Exception | None) -> None:
        self._says = says
        self.read_texts: list[str] = []

    async def read(self, question: str, options: Sequence[str], answer: str) -> int | None:
        self.read_texts.append(answer)
        if isinstance(self._says, Exception):
            raise self._says
        return self._says


def told(answer: Answer, critic: Critic | None = None) -> tuple[int | None, str]:
    found = asyncio.run(with_choice(answer, "How much?", OPTIONS, critic))
    return found.choice, found.meta[CHOICE_BY]


@pytest.mark.parametrize(
    ("text", "choice", "by"),
    [
        ("B", 1, "letter"),
        ("C) 50 litres", 2, "letter"),
        ("The answer is D.", 3, "letter"),
        ("It holds 40 litres.", 1, "text"),
        ("30 litres", 0, "text"),
    ],
)
def test_a_letter_or_an_options_words_need_no_critic(text: str, choice: int, by: str) -> None:
    critic = Critic(3)
    assert told(Answer(text), critic) == (choice, by)
    assert critic.read_texts == []


def test_a_choice_that_the_system_gives_itself_is_told_as_its_own() -> None:
    assert told(Answer("the second one", choice=1)) == (1, "system")


def test_the_critic_reads_what_names_no_option() -> None:
    critic = Critic(1)
    assert told(Answer("<think>30 litres</think>forty"), critic) == (1, "critic")
    assert critic.read_texts == ["forty"]


@pytest.mark.parametrize(
    ("critic", "by"),
    [
        (None, "nobody"),
        (Critic(None), "nobody: the critic saw no option in it"),
        (Critic(RoleFailed("model_refused", "no")), "nobody: the critic failed (model_refused)"),
    ],
)
def test_what_nobody_can_read_is_no_choice(critic: Critic | None, by: str) -> None:
    assert told(Answer("forty"), critic) == (None, by)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("forty", "no option in it"),
        ("B or C", "several options"),
        ("I cannot answer this.", "a refusal"),
        ("<think>B", "only thoughts"),
        ("", "empty"),
    ],
)
def test_why_an_answer_means_no_option_is_kept_with_it(text: str, why: str) -> None:
    found = asyncio.run(with_choice(Answer(text), "How much?", OPTIONS, None))
    assert (found.choice, found.meta) == (None, {CHOICE_BY: "nobody", NO_CHOICE: why})


def test_an_empty_answer_is_not_sent_to_the_critic() -> None:
    critic = Critic(1)
    assert told(Answer("  "), critic) == (None, "nobody")
    assert told(Answer("<think>40 litres"), critic) == (None, "nobody")
    assert critic.read_texts == []


def test_a_budget_that_is_spent_is_no_missing_choice() -> None:
    with pytest.raises(BudgetReached):
        told(Answer("forty"), Critic(BudgetReached("spent")))


def test_an_open_question_has_no_choice_to_tell_of() -> None:
    answer = Answer("forty", meta={"capped": "no"})
    assert asyncio.run(with_choice(answer, "How much?", None, Critic(1))) == answer


def test_what_the_adapter_told_stays() -> None:
    found = asyncio.run(with_choice(Answer("B", meta={"capped": "text"}), "How much?", OPTIONS, None))
    assert found.meta == {"capped": "text", CHOICE_BY: "letter"}
