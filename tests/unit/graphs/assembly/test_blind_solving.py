"""Chosen items are tried without documents, once each; the trial is on record, cues and knowledge mark the item."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from by_hand import item

from viva.agents.roles import BlindAnswer, BlindOutcome
from viva.core.errors import BudgetReached, RoleFailed
from viva.core.records import Item, ItemKind
from viva.graphs.assembly.assemble import assemble_exam
from viva.graphs.assembly.blind_solving import ITEMS_PER_CALL, BlindSolving, solve_blind

ITEMS = [item(n, stem=f"How many litres does pump number {n} of hall {n} move?") for n in range(20)]


class Solver:
    """Fares with items as told, by id; misses others; keeps what it was asked."""

    def __init__(self, outcomes: dict[str, BlindOutcome], fails: Exception | None = None) -> None:
        self._outcomes, self._fails = outcomes, fails
        self.asked: list[list[str]] = []

    async def solve(self, items: Sequence[Item]) -> list[BlindAnswer | None]:
        self.asked.append([each.id for each in items])
        if self._fails:
            raise self._fails
        return [BlindAnswer(self._outcomes.get(each.id, BlindOutcome.MISSED), "Because.") for each in items]


def solved(outcomes: dict[str, BlindOutcome], items: Sequence[Item] = ITEMS) -> BlindSolving:
    return asyncio.run(solve_blind(Solver(outcomes), items))


def test_items_are_tried_several_in_a_call_and_none_twice() -> None:
    solver = Solver({})
    first = asyncio.run(solve_blind(solver, ITEMS[:12]))
    asyncio.run(solve_blind(solver, ITEMS, first))
    assert max(map(len, solver.asked)) == ITEMS_PER_CALL
    assert sorted(each for call in solver.asked for each in call) == sorted(each.id for each in ITEMS)


def test_the_trial_goes_on_record_and_only_a_cue_or_knowledge_marks_the_item() -> None:
    outcomes = dict(zip((each.id for each in ITEMS), BlindOutcome, strict=False))
    found = solved(outcomes)
    marked = {outcomes[each.id]: each for each in found.marked(ITEMS) if each.id in outcomes}
    for outcome, each in marked.items():
        (trial,) = each.trials
        assert (trial.with_evidence, trial.picked) == (False, int(outcome is not BlindOutcome.MISSED))
        assert (each.known, each.guessable) == (outcome is BlindOutcome.KNOWN, outcome is BlindOutcome.CUE)
    assert set(found.guesses) == {i for i, outcome in outcomes.items() if outcome is not BlindOutcome.MISSED}


def test_what_is_known_guessed_or_unanswerable_is_not_tried() -> None:
    updates = [{"known": True}, {"guessable": True}, {"kind": ItemKind.UNANSWERABLE}]
    settled = [one.model_copy(update=update) for one, update in zip(ITEMS, updates, strict=False)]
    solver = Solver({})
    found = asyncio.run(solve_blind(solver, settled))
    assert (solver.asked, found.tried, found.marked(settled)) == ([], frozenset(), settled)


def test_an_exam_prefers_what_was_missed_and_says_how_often_the_key_was_picked() -> None:
    picked = {each.id: BlindOutcome.LIKELIEST for each in ITEMS[:12]}
    marked = solved(picked).marked(ITEMS)
    made = assemble_exam(marked, [], size=10, examples=0, seed=0, max_known=0.2)
    assert sum(shown.item.id in picked for shown in made.exam.items) == 2
    (note,) = [note for note in made.notes if "Without documents" in note]
    assert "picked the key of 2 of 10 questions" in note
    assert "public knowledge" not in note


def test_an_exam_most_of_which_is_picked_without_documents_is_called_one_of_public_knowledge() -> None:
    marked = solved({each.id: BlindOutcome.LIKELIEST for each in ITEMS[:16]}).marked(ITEMS)
    made = assemble_exam(marked, [], size=20, examples=0, seed=0)
    assert any("exam of public knowledge: readers without documents may get some 80% of it" in n for n in made.notes)


@pytest.mark.parametrize("fails", [RoleFailed("model_refused", "no"), BudgetReached("spent", next_step="more")])
def test_items_that_could_not_be_tried_stay_and_are_told_of(fails: Exception) -> None:
    found = asyncio.run(solve_blind(Solver({}, fails), ITEMS[:3]))
    assert (found.answers, len(found.tried)) == ({}, 3)
    assert found.notes[0].startswith("3 questions of 3 could not be tried without documents")
