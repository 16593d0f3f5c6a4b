"""The blind solver: tries finished items with no document, several in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.critics.review_brief import LETTERS, lettered
from viva.agents.language_model.replies import one_each, reason
from viva.agents.roles import BlindAnswer, BlindOutcome
from viva.core.ids import seeded_order
from viva.core.records import Item
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

_LONGEST = 1200
"""Characters of a question with its conversation."""
Letter = Literal["A", "B", "C", "D", "E", "F", "G", "H"]
_BASES = {"knowledge": BlindOutcome.KNOWN, "cue": BlindOutcome.CUE}


class BlindPick(BaseModel):
    """What the model gives for one question."""

    question: int = Field(description="its number")
    why: str = Field(description="what tells for and against the options, in one sentence")
    best_option: Letter = Field(description="the letter of the best choice")
    basis: Literal["knowledge", "cue", "sense", "chance"] = Field(description="what the choice rests on")


BRIEF = Brief(
    role="solver",
    prompt="blind_solver",
    reads={"questions": "numbered, each with its options, one to a line, after their letters"},
    gives={"answers": (list[BlindPick], "one for each question, in their order")},
)


class ModelBlindSolver:
    """Picks an option of each item, in an order drawn for the item, and says what the pick rests on.

    A key that it picks by common sense or by chance is what this model takes for the likeliest in any order: one of
    four is, by luck. Whether a pick rests on knowledge or on a cue, the model says itself.
    """

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._seed = settings.seed

    async def solve(self, items: Sequence[Item]) -> list[BlindAnswer | None]:
        """Say how it fared with each item; None where it gave no letter of its options, or two."""
        orders = [self._order(item) for item in items]
        shown = (_shown(n, item, order) for n, (item, order) in enumerate(zip(items, orders, strict=True), 1))
        said = await BRIEF.ask(self._asks, {"questions": "\n\n".join(shown)})
        picks = one_each(((p.question, (p.best_option, p.basis, p.why)) for p in said.answers), len(items))
        return [_fared(item, order, pick) for item, order, pick in zip(items, orders, picks, strict=True)]

    def _order(self, item: Item) -> list[str]:
        options = [item.key, *(distractor.text for distractor in item.distractors)]
        return seeded_order(options, self._seed, "blind", item.id)


def _shown(number: int, item: Item, order: Sequence[str]) -> str:
    return f"Question {number}: {one_line(item.shown, _LONGEST)}\n{lettered(order)}"


def _fared(item: Item, order: Sequence[str], pick: tuple[str, str, str] | None) -> BlindAnswer | None:
    if pick is None or pick[0] not in LETTERS[: len(order)]:
        return None
    letter, basis, why = pick
    right = order[LETTERS.index(letter)] == item.key
    outcome = _BASES.get(basis, BlindOutcome.LIKELIEST) if right else BlindOutcome.MISSED
    return BlindAnswer(outcome, reason(why))
