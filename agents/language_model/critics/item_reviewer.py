"""The item reviewer: reads the finished item as an outsider meets it, knowing the key, and says what leads to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from viva.agents.language_model.asks import Asks, Brief, some_of
from viva.agents.language_model.critics.options import LETTERS
from viva.agents.language_model.replies import reason, says_nothing
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.ids import seeded_order
from viva.core.records import Distractor, Draft, ItemKind, Verdict
from viva.core.settings import Settings

GIVEN_AWAY = "given_away"
_LEAST_HIDDEN, _TOO_MANY_ODD = 4, 2


@cache
def brief(options: int) -> Brief:
    """What the reviewer of so many options must give."""
    return Brief(
        role="judge.item",
        prompt="judge_item",
        reads={
            "question": "the stem",
            "options": "one to a line, each after its letter",
            "key": "the letter of the right option",
        },
        gives={
            "rationale": (str, "which option an outsider would lean to, and why; two or three sentences"),
            "hidden": (Annotated[int, Field(ge=1, le=5)], "whole number from 1 to 5"),
            "odd": (some_of(LETTERS[:options]), "letters of wrong options that nobody would choose; mostly empty"),
            "change": (str, "where hidden is 3 or lower, or two are odd: what would help, in one sentence; or NONE"),
        },
    )


class ItemReviewer:
    """Finds what gives a key away that a guess may miss: whoever guesses once hits or misses by luck too.

    The options are mended once. What still leads to the key then is borne, and the item is marked as one that can be
    guessed. Of an unanswerable item the key is shown with every question, and of what is known nothing is hidden.
    """

    name = "item review"

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._seed = settings.seed

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Verdict.slight where an outsider is led to the key. RoleFailed where the model leaves the scale."""
        if draft.kind is ItemKind.UNANSWERABLE:
            return self._verdict("Not reviewed: its key stands beside every question of its kind.")
        options = seeded_order([draft.key, *(d.text for d in distractors)], self._seed, "review", draft.id)
        shown = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))
        key = LETTERS[options.index(draft.key)]
        material = {"question": draft.stem, "options": shown, "key": key}
        said: Any = await brief(len(options)).ask(self._asks, material)
        if not 1 <= said.hidden <= 5:
            raise RoleFailed("rating_off_scale", f"The item reviewer left the scale: hidden {said.hidden}.")
        odd = [text for letter, text in zip(LETTERS, options, strict=False) if letter in said.odd and letter != key]
        told = reason(said.rationale)
        if said.hidden >= _LEAST_HIDDEN and len(odd) < _TOO_MANY_ODD:
            return self._verdict(f"{said.hidden} of 5. {told}", score=(said.hidden - 1) / 4)
        change = "" if says_nothing(said.change) else f" {reason(said.change)}"
        named = f" Nobody would choose {', '.join(f'“{text}”' for text in odd)}." if odd else ""
        return self._verdict(
            f"An outsider is led to “{draft.key}”: {told}{named}{change}", score=(said.hidden - 1) / 4, passed=False
        )

    def _verdict(self, told: str, *, score: float | None = None, passed: bool = True) -> Verdict:
        return Verdict(
            critic=self.name,
            passed=passed,
            reason=told,
            code="" if passed else GIVEN_AWAY,
            blames="options",
            score=score,
            slight=not passed,
            guessable=not passed,
        )
