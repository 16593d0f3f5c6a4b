"""The pair judge: which questions cannot be in one exam, several pairs in one call."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.replies import one_each
from viva.agents.roles import ItemPairVerdict
from viva.core.records import Item
from viva.llm.untrusted import one_line

_VERDICTS = {
    "none": ItemPairVerdict.NONE,
    "a_tells_b": ItemPairVerdict.GIVES_AWAY,
    "b_tells_a": ItemPairVerdict.GIVES_AWAY,
    "same_fact": ItemPairVerdict.SAME_FACT,
    "same_event": ItemPairVerdict.SAME_EVENT,
}
_LONGEST = 1200
"""Characters of a question, with its conversation."""


class Judged(BaseModel):
    """What the model gives for one pair."""

    pair: int = Field(description="its number")
    why: str = Field(default="", description="in a few words")
    verdict: str = Field(description="one of: none, A_tells_B, B_tells_A, same_fact, same_event")


BRIEF = Brief(
    role="judge.pairs",
    prompt="judge_pairs",
    reads={"pairs": "pairs of questions, numbered"},
    gives={"verdicts": (list[Judged], "one for each pair, in their order")},
)


class PairJudge:
    """Reads question, conversation, options and key of both; it sees no document."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def judge(self, pairs: Sequence[tuple[Item, Item]]) -> list[ItemPairVerdict | None]:
        """Give one verdict for each pair; None for a pair without one that can be read, or with two that differ."""
        shown = (f"Pair {n}\n{_shown('A', a)}\n{_shown('B', b)}" for n, (a, b) in enumerate(pairs, 1))
        said = await BRIEF.ask(self._asks, {"pairs": "\n\n".join(shown)})
        found = ((each.pair, _VERDICTS.get(each.verdict.strip().casefold())) for each in said.verdicts)
        return one_each(found, len(pairs))


def _shown(letter: str, item: Item) -> str:
    options = "; ".join(distractor.text for distractor in item.distractors)
    lines = [f"{letter}: {one_line(item.shown, _LONGEST)}", f"key: {item.key}", f"other options: {options}"]
    return "\n".join(lines[: 3 if options else 2])
