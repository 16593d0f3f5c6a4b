"""Without documents several items are tried in one call: how each fared, and what the pick rests on."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from by_hand import distractors, item

from viva.agents.language_model.critics.blind_solver import ModelBlindSolver
from viva.agents.roles import BlindAnswer, BlindOutcome
from viva.core.records import Item
from viva.core.settings import Settings

KEY = "35 minutes"
WRONG = ("15 minutes", "45 minutes", "55 minutes")
ITEMS = [
    item(n, stem=f"How long before low water does lock gate {n} close?").model_copy(
        update={"key": KEY, "distractors": distractors(*WRONG)}
    )
    for n in range(3)
]


class Solver:
    """Picks an option for each question, on a basis: (text or letter, basis)."""

    def __init__(self, *picks: tuple[str, str]) -> None:
        self._picks = picks
        self.orders: list[list[str]] = []

    async def ask(self, role: str, signature: Any, /, **inputs: object) -> SimpleNamespace:
        assert (role, set(inputs)) == ("solver", {"questions"})
        lines = str(inputs["questions"]).splitlines()
        heads = [n for n, line in enumerate(lines) if line.startswith("Question ")]
        self.orders = [[line[3:] for line in lines[n + 1 : n + 5]] for n in heads]
        given = []
        for number, ((pick, basis), order) in enumerate(zip(self._picks, self.orders, strict=False), 1):
            letter = "ABCD"[order.index(pick)] if pick in order else pick
            given.append(SimpleNamespace(question=number, why="It stands out.", best_option=letter, basis=basis))
        return SimpleNamespace(answers=given)


def solved(model: Solver, items: list[Item], seed: int = 0) -> list[BlindAnswer | None]:
    return asyncio.run(ModelBlindSolver(model, Settings(seed=seed)).solve(items))


@pytest.mark.parametrize(
    ("basis", "outcome"),
    [
        ("knowledge", BlindOutcome.KNOWN),
        ("cue", BlindOutcome.CUE),
        ("sense", BlindOutcome.LIKELIEST),
        ("chance", BlindOutcome.LIKELIEST),
    ],
)
def test_a_picked_key_is_told_with_what_the_pick_rests_on_and_another_option_is_a_miss(
    basis: str, outcome: BlindOutcome
) -> None:
    found = solved(Solver((KEY, basis), ("15 minutes", basis)), ITEMS[:2])
    assert found == [BlindAnswer(outcome, "It stands out."), BlindAnswer(BlindOutcome.MISSED, "It stands out.")]


def test_a_question_without_an_answer_or_with_a_letter_that_is_no_option_is_not_judged() -> None:
    assert solved(Solver((KEY, "chance"), ("H", "chance")), ITEMS)[1:] == [None, None]


def test_the_order_of_options_is_drawn_by_seed_and_item_and_the_key_is_not_marked() -> None:
    places = set()
    for seed in range(40):
        model = Solver((KEY, "chance"))
        solved(model, ITEMS, seed)
        assert [sorted(order) for order in model.orders] == [sorted([KEY, *WRONG])] * 3
        places.add(tuple(order.index(KEY) for order in model.orders))
    assert {place for row in places for place in row} == {0, 1, 2, 3}
    assert len(places) > 20
