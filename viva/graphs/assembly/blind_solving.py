"""The chosen questions are tried without documents: what a cue tells, and what is known, makes way for others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from viva.agents.roles import BlindAnswer, BlindOutcome, BlindSolver
from viva.core.records import Item, ItemKind, Trial
from viva.core.wording import counted
from viva.graphs.assembly.asking_in_groups import ask_in_groups

ITEMS_PER_CALL = 8


@dataclass(frozen=True)
class BlindSolving:
    """How a model without documents fared with chosen items."""

    answers: Mapping[str, BlindAnswer] = field(default_factory=dict)
    """by id of the item"""
    tried: frozenset[str] = frozenset()
    """ids of the items that the solver was asked about, also where it gave no readable answer"""

    def marked(self, items: Iterable[Item]) -> list[Item]:
        """Give the items with the trial on record; one whose key was known, or given away by a cue, is marked so."""
        return [_marked(item, self.answers[item.id]) if item.id in self.answers else item for item in items]

    @property
    def guesses(self) -> dict[str, str]:
        """By id of the item, why the key was picked; without the items whose key was missed."""
        return {i: answer.why for i, answer in self.answers.items() if answer.outcome is not BlindOutcome.MISSED}

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about items that were not tried; none where all were."""
        failed = len(self.tried) - len(self.answers)
        note = (
            f"{counted(failed, 'question')} of {len(self.tried)} could not be tried without documents, and may be "
            "easy to guess. The same command asks again."
        )
        return (note,) if failed else ()


_NONE = BlindSolving()


async def solve_blind(solver: BlindSolver, items: Sequence[Item], before: BlindSolving = _NONE) -> BlindSolving:
    """Ask about those of these items that were not tried before, several in a call, in the order of their ids.

    What is known or guessed anyway is not tried; nor is an unanswerable item: a model that knows nothing picks "the
    documents do not say" wherever it is an option, which tells its caution and nothing of the item.
    A spent budget leaves items untried. Gives what was found before, too.
    """
    untried = sorted((item for item in items if _can_tell(item) and item.id not in before.tried), key=lambda i: i.id)
    found = await ask_in_groups(solver.solve, untried, ITEMS_PER_CALL, lambda item: item.provenance.chunk_id)
    answers = {item.id: answer for item, answer in zip(untried, found, strict=True) if answer is not None}
    tried = before.tried.union(item.id for item in untried)
    return BlindSolving({**before.answers, **answers}, tried)


def _can_tell(item: Item) -> bool:
    settled = item.without_documents or item.is_open
    return item.kind is not ItemKind.UNANSWERABLE and not settled


def _marked(item: Item, answer: BlindAnswer) -> Item:
    outcome = answer.outcome
    picked = int(outcome is not BlindOutcome.MISSED)
    trial = Trial(reader="language model", with_evidence=False, picked=picked, tried=1)
    return item.model_copy(
        update={
            "trials": (*item.trials, trial),
            "known": item.known or outcome is BlindOutcome.KNOWN,
            "guessable": item.guessable or outcome is BlindOutcome.CUE,
        }
    )
