"""The final reader: which of the chosen questions an editor would not print, several in one call."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.critics.question_reader import audience_of
from viva.agents.language_model.replies import one_each, reason, says_nothing
from viva.agents.roles import ChosenItem
from viva.core.records import Item
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

_LONGEST, _LONGEST_PASSAGE, _LONGEST_ELSEWHERE = 1200, 1600, 600
"""Characters of a question with its conversation, of its passage, and of a passage from elsewhere."""
_ELSEWHERE = 2
"""Passages of other places that are read with a question."""


class FinalVerdict(BaseModel):
    """What the model gives for one question."""

    question: int = Field(description="its number")
    fault: str = Field(default="NONE", description="in one sentence, or NONE")
    printed: bool = Field(description="True or False")


BRIEF = Brief(
    role="judge.exam",
    prompt="final_reader",
    reads={
        "audience": "the user",
        "questions": "numbered, each with key, other options, guess and passages",
    },
    gives={"verdicts": (list[FinalVerdict], "one for each question, in their order")},
)


class ModelFinalReader:
    """Reads question, conversation, key, other options, guess and passage of each item; the key is marked.

    It reads what a search for the question and its options finds in other places too: another option may be right by
    these.
    """

    def __init__(self, asks: Asks, settings: Settings, corpus: CorpusSearch, titles: Sequence[str] = ()) -> None:
        self._asks = asks
        self._corpus = corpus
        self._audience = audience_of(settings, titles)

    async def read(self, chosen: Sequence[ChosenItem]) -> list[str | None]:
        """Give the fault of each item, read with its passage: '' of one that is printed.

        None for an item without a verdict that can be read, or with two that differ.
        """
        elsewhere = await asyncio.gather(*(self._elsewhere(each.item) for each in chosen))
        shown = (_shown(n, each, found) for n, (each, found) in enumerate(zip(chosen, elsewhere, strict=True), 1))
        said = await BRIEF.ask(self._asks, {"audience": self._audience, "questions": "\n\n".join(shown)})
        return one_each(((each.question, _fault(each)) for each in said.verdicts), len(chosen))

    async def _elsewhere(self, item: Item) -> list[str]:
        query = " ".join((item.asked, item.key, *(distractor.text for distractor in item.distractors)))
        return await self._corpus.apart(lambda: self._corpus.besides(query, item.evidence, _ELSEWHERE), (query,))


def _fault(verdict: FinalVerdict) -> str | None:
    """Give what is wrong with a question; '' of one that is printed, None where it is refused without a fault."""
    if verdict.printed:
        return ""
    return None if says_nothing(verdict.fault) else reason(verdict.fault)


def _shown(number: int, chosen: ChosenItem, elsewhere: Sequence[str]) -> str:
    item, passage = chosen.item, chosen.passage
    options = "; ".join(distractor.text for distractor in item.distractors)
    lines = [f"Question {number}: {one_line(item.shown, _LONGEST)}", f"key: {item.key}"]
    lines += [f"other options: {options}"] if options else []
    lines += [f"guessed: {chosen.guess}"] if chosen.guess else []
    lines.append(f"passage: {one_line(passage, _LONGEST_PASSAGE)}" if passage else "no passage")
    return "\n".join([*lines, *(f"elsewhere: {one_line(text, _LONGEST_ELSEWHERE)}" for text in elsewhere)])
