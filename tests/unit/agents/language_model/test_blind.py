"""An item whose key is picked without any document, in whatever order, is guessable; one miss and it is not."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from by_hand import distractors, draft, source

from viva.agents.language_model.blind import BlindSolver
from viva.core.records import ItemKind, Trial, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
KEY = "35 minutes"
DRAFT = draft(HERE, FACT, "How long before low water does the lock gate close?", KEY)


class Picks:
    """Picks these options in turn, whatever letter they stand under."""

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)
        self.orders: list[tuple[str, ...]] = []
        self.read: list[set[str]] = []

    async def ask(self, role: str, signature: Any, /, **inputs: object) -> SimpleNamespace:
        assert role == "solver"
        self.read.append(set(inputs))
        lines = [line for line in str(inputs["options"]).splitlines() if line[1:3] == ". "]
        letters = {line[3:]: line[0] for line in lines}
        self.orders.append(tuple(letters))
        return SimpleNamespace(rationale="It is the longest.", best_option=letters[self._texts.pop(0)])


def solved(model: Picks) -> Verdict:
    solver = BlindSolver(model, Settings())
    return asyncio.run(solver.judge(DRAFT, distractors("15 minutes", "45 minutes", "55 minutes"), HERE))


def test_the_first_other_pick_ends_it() -> None:
    model = Picks("15 minutes")
    verdict = solved(model)
    assert (verdict.passed, len(model.orders)) == (True, 1)
    assert verdict.trials == (Trial(reader="language model", with_evidence=False, picked=0, tried=1),)


def test_luck_twice_is_not_yet_knowledge() -> None:
    verdict = solved(Picks(KEY, KEY, "45 minutes"))
    assert verdict.passed
    assert verdict.trials[0].picked == verdict.trials[0].tried == 1


def test_the_key_in_all_three_orders_is_a_giveaway_and_the_distractor_writer_learns_why() -> None:
    model = Picks(KEY, KEY, KEY)
    verdict = solved(model)
    assert (verdict.passed, verdict.code, verdict.blames) == (False, "guessable", "options")
    assert "It is the longest." in verdict.reason
    assert verdict.trials[0].picked == verdict.trials[0].tried == 1
    assert len({order.index(KEY) for order in model.orders}) == 3


def test_an_unanswerable_item_is_not_tried_for_to_say_that_nothing_is_known_is_no_guess() -> None:
    model = Picks()
    absent = DRAFT.model_copy(update={"kind": ItemKind.UNANSWERABLE, "key": "The documents do not say."})
    solver = BlindSolver(model, Settings())
    verdict = asyncio.run(solver.judge(absent, distractors("15 minutes", "45 minutes", "55 minutes"), HERE))
    assert (verdict.passed, verdict.trials, model.orders) == (True, (), [])


def test_the_solver_sees_question_and_options_and_nothing_else() -> None:
    model = Picks("15 minutes")
    solved(model)
    assert model.read == [{"question", "options"}]
