"""The option critic: solves the finished item from the passage, without having been told the key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

from viva.agents.language_model.asks import READS, Asks, Brief, passage
from viva.agents.roles import Source
from viva.core.ids import seeded_order
from viva.core.records import Distractor, Draft, Verdict
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

LETTERS = "ABCDEF"
NONE = "N"
_LONGEST_REASON = 600


@cache
def brief(options: int) -> Brief:
    """What the judge of so many options must give."""
    letters = (*LETTERS[:options], NONE)
    return Brief(
        role="judge.options",
        prompt="judge_options",
        reads={**READS, "question": "the stem", "options": "one to a line, each after its letter"},
        gives={
            "rationale": (str, "what the passage answers, and why each option is right or wrong"),
            "best_option": (Literal[letters], "the letter of the right option; N if there is none"),
            "also_correct": (bool, "True or False: another option could be defended as right too"),
        },
    )


class ModelOptionCritic:
    """Is the key, and nothing but the key, the right option by the passage?"""

    name = "options"

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._seed = settings.seed

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:
        """The judge sees the options in an order drawn for the draft, so that their place tells nothing."""
        options = seeded_order([draft.key, *(d.text for d in distractors)], self._seed, "judge", draft.id)
        shown = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))
        material = {**passage(source), "question": draft.stem, "options": shown}
        said = await brief(len(options)).ask(self._asks, material)
        code = self._defect(said.best_option, also=said.also_correct, key=LETTERS[options.index(draft.key)])
        reason = one_line(said.rationale, _LONGEST_REASON)
        return Verdict(critic=self.name, passed=not code, reason=reason, code=code)

    def _defect(self, chosen: str, *, also: bool, key: str) -> str:
        if chosen == NONE:
            return "no_key"
        if chosen != key:
            return "key_disputed"
        return "second_key" if also else ""
