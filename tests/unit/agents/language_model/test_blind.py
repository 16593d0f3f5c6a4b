"""What a reader knows anyway is marked and accepted; what the options' wording gives away goes back, with the cue."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from by_hand import distractors, draft, source

from viva.agents.language_model.critics.blind_solver import BlindSolver
from viva.core.records import Draft, ItemKind, Recall, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
KEY = "35 minutes"
DRAFT = draft(HERE, FACT, "How long before low water does the lock gate close?", KEY)
WRONG = ("15 minutes", "45 minutes", "55 minutes")


class Solver:
    """Picks these options in turn, on this basis, by this cue."""

    def __init__(self, *picks: tuple[str, str, str]) -> None:
        self._picks = list(picks)
        self.orders: list[tuple[str, ...]] = []

    async def ask(self, role: str, signature: Any, /, **inputs: object) -> SimpleNamespace:
        assert role == "solver"
        assert set(inputs) == {"question", "options"}
        lines = [line for line in str(inputs["options"]).splitlines() if line[1:3] == ". "]
        letters = {line[3:]: line[0] for line in lines}
        self.orders.append(tuple(letters))
        text, basis, cue = self._picks.pop(0)
        assert set(signature.output_fields) == {"rationale", "best_option", "basis", "cue"}
        return SimpleNamespace(rationale="It stands out.", best_option=letters[text], basis=basis, cue=cue)


def recalled(answer: str, *, known: bool = True) -> Draft:
    return DRAFT.model_copy(update={"recall": Recall(known=known, answer=answer)})


def solved(model: Solver, of: Draft = DRAFT, seed: int = 0) -> Verdict:
    return asyncio.run(BlindSolver(model, Settings(seed=seed)).judge(of, distractors(*WRONG), HERE))


LONGER = (KEY, "cue", "B is the longest")
CHANCE = (KEY, "chance", "NONE")
SENSE = (KEY, "sense", "NONE")


def tried(verdict: Verdict) -> list[tuple[int, int]]:
    return [(trial.picked, trial.tried) for trial in verdict.trials]


@pytest.mark.parametrize("of", [DRAFT, recalled(KEY, known=False), recalled("15 minutes")])
def test_who_does_not_know_the_key_and_misses_it_leaves_the_item_as_it_is_in_one_call(of: Draft) -> None:
    model = Solver(("15 minutes", "cue", "A"))
    verdict = solved(model, of)
    assert (verdict.passed, verdict.known, tried(verdict)) == (True, False, [(0, 1)])
    assert len(model.orders) == 1


def test_what_rules_cannot_tell_to_be_the_key_a_pick_from_knowledge_settles() -> None:
    verdict = solved(Solver((KEY, "knowledge", "NONE")), recalled("a bit over half an hour"))
    assert (verdict.passed, verdict.known, tried(verdict)) == (True, True, [(1, 1)])


def test_a_cue_that_another_order_does_not_confirm_proves_nothing() -> None:
    verdict = solved(Solver(LONGER, ("45 minutes", "chance", "NONE")))
    assert (verdict.passed, verdict.known, tried(verdict)) == (True, False, [(1, 2)])


@pytest.mark.parametrize("guess", [CHANCE, SENSE], ids=["chance", "sense"])
def test_a_key_that_a_guess_hits_passes_with_the_trial_on_record_and_no_other_order_is_paid_for(
    guess: tuple[str, str, str],
) -> None:
    model = Solver(guess)
    verdict = solved(model)
    assert (verdict.passed, verdict.known, verdict.guessable) == (True, False, False)
    assert (tried(verdict), len(model.orders)) == ([(1, 1)], 1)


@pytest.mark.parametrize("second", [CHANCE, SENSE], ids=["chance", "sense"])
def test_a_cue_that_is_a_guess_in_another_order_is_none(second: tuple[str, str, str]) -> None:
    verdict = solved(Solver(LONGER, second))
    assert (verdict.passed, tried(verdict)) == (True, [(2, 2)])


def test_a_cue_that_shows_in_both_orders_goes_back_to_the_distractor_writer_by_name() -> None:
    model = Solver(LONGER, (KEY, "cue", "only one has a unit"))
    verdict = solved(model)
    assert (verdict.passed, verdict.code, verdict.blames, verdict.known) == (False, "guessable", "options", False)
    assert "B is the longest" in verdict.reason
    assert "only one has a unit" in verdict.reason
    assert tried(verdict) == [(2, 2)]


def test_a_cue_that_is_told_in_the_rationale_alone_is_named_all_the_same() -> None:
    assert "It stands out." in solved(Solver(*[(KEY, "cue", "NONE")] * 2)).reason


def test_a_cue_that_turns_out_to_be_knowledge_is_none() -> None:
    verdict = solved(Solver(LONGER, (KEY, "knowledge", "NONE")))
    assert (verdict.passed, verdict.known, tried(verdict)) == (True, True, [(1, 1)])


def test_orders_are_drawn_by_lot_and_the_key_stands_elsewhere_in_the_second() -> None:
    orders = []
    for seed in range(40):
        model = Solver(LONGER, LONGER)
        solved(model, seed=seed)
        assert model.orders[0].index(KEY) != model.orders[1].index(KEY)
        orders.append(tuple(model.orders))
    assert {first.index(KEY) for first, _ in orders} == {0, 1, 2, 3}
    # no rotation: neighbours in the first order are seldom neighbours in the second
    turned = [second in [first[n:] + first[:n] for n in range(4)] for first, second in orders]
    assert sum(turned) < 20


def test_an_unanswerable_item_is_not_tried_for_to_say_that_nothing_is_known_is_no_guess() -> None:
    model = Solver()
    absent = DRAFT.model_copy(update={"kind": ItemKind.UNANSWERABLE, "key": "The documents do not say."})
    verdict = solved(model, absent)
    assert (verdict.passed, verdict.trials, model.orders) == (True, (), [])
