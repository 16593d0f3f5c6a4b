"""The final reader: which of the chosen questions an editor would not print, several in one call."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.critics.question_reader import audience_of
from viva.agents.language_model.replies import one_each, reason, says_nothing
from viva.core.records import Item
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

_LONGEST, _LONGEST_PASSAGE = 1200, 1600
"""Characters of a question with its conversation, and of its passage."""


class FinalVerdict(BaseModel):
    """What the model gives for one question."""

    question: int = Field(description="its number")
    fault: str = Field(default="NONE", description="in one sentence, or NONE")
    printed: bool = Field(description="True or False")


BRIEF = Brief(
    role="judge.exam",
    prompt="final_reader",
    reads={"audience": "the user", "questions": "numbered, each with key, other options and passage"},
    gives={"verdicts": (list[FinalVerdict], "one for each question, in their order")},
)


class ModelFinalReader:
    """Reads question, conversation, key, other options and passage of each item; the key is marked."""

    def __init__(self, asks: Asks, settings: Settings, titles: Sequence[str] = ()) -> None:
        self._asks = asks
        self._audience = audience_of(settings, titles)

    async def read(self, items: Sequence[tuple[Item, str]]) -> list[str | None]:
        """Give the fault of each item, read with its passage: '' of one that is printed.

        None for an item without a verdict that can be read, or with two that differ.
        """
        shown = (_shown(n, item, passage) for n, (item, passage) in enumerate(items, 1))
        said = await BRIEF.ask(self._asks, {"audience": self._audience, "questions": "\n\n".join(shown)})
        return one_each(((each.question, _fault(each)) for each in said.verdicts), len(items))


def _fault(verdict: FinalVerdict) -> str | None:
    """Give what is wrong with a question; '' of one that is printed, None where it is refused without a fault."""
    if verdict.printed:
        return ""
    return None if says_nothing(verdict.fault) else reason(verdict.fault)


def _shown(number: int, item: Item, passage: str) -> str:
    options = "; ".join(distractor.text for distractor in item.distractors)
    lines = [f"Question {number}: {one_line(item.shown, _LONGEST)}", f"key: {item.key}"]
    lines += [f"other options: {options}"] if options else []
    return "\n".join([*lines, f"passage: {one_line(passage, _LONGEST_PASSAGE)}" if passage else "no passage"])
