"""The item reviewer: reads the finished item, knowing the key: what leads to it, and what can be disputed."""

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

CONTRIVED, GIVEN_AWAY, DISPUTABLE = "contrived", "given_away", "disputable"
_LEAST_HIDDEN, _TOO_MANY_ODD = 4, 2
_LEAST_NATURAL, _LEAST_NATURAL_JOINED = 4, 3
"""A question that joins two documents' facts goes a roundabout way on purpose."""
_STRAIGHTER = "Ask as somebody at work would, calling things by their names; or ask something else, or drop it."


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
            "defensible": (some_of(LETTERS[:options]), "letters of wrong options that hold as well; mostly empty"),
            "odd": (some_of(LETTERS[:options]), "letters of wrong options that nobody would choose; mostly empty"),
            "natural": (Annotated[int, Field(ge=1, le=5)], "whole number from 1 to 5"),
            "change": (str, "where hidden is 3 or lower, two are odd or one is defensible: what would help; or NONE"),
        },
    )


class ItemReviewer:
    """Finds what gives a key away that a guess may miss (whoever guesses once hits or misses by luck too), and what a
    strict reader would dispute: an option that holds besides the key, or a question that nobody would put like this.

    The options are mended once. What still leads to the key then is borne, and the item is marked as one that can be
    guessed; one with an option that can be defended, as disputable. What is not natural no option mends: it goes back
    to the writer, and is borne where there is no other wording, or none of them natural. The key of an unanswerable
    item stands beside every question of its kind, and of what is known nothing is hidden.
    """

    name = "item review"

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._seed = settings.seed

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Verdict.slight where an outsider is led to the key, or another option can be defended; the question's fault
        where nobody would ask like this.

        RoleFailed where the model leaves a scale.
        """
        if draft.kind is ItemKind.UNANSWERABLE:
            return self._verdict("Not reviewed: its key stands beside every question of its kind.")
        options = seeded_order([draft.key, *(d.text for d in distractors)], self._seed, "review", draft.id)
        shown = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))
        key = LETTERS[options.index(draft.key)]
        material = {"question": draft.shown, "options": shown, "key": key}
        said: Any = await brief(len(options)).ask(self._asks, material)
        if not (1 <= said.hidden <= 5 and 1 <= said.natural <= 5):
            raise RoleFailed(
                "rating_off_scale", f"The item reviewer left a scale: hidden {said.hidden}, natural {said.natural}."
            )
        wrong = {letter: text for letter, text in zip(LETTERS, options, strict=False) if letter != key}
        odd = [text for letter, text in wrong.items() if letter in said.odd]
        defensible = [text for letter, text in wrong.items() if letter in said.defensible]
        told, score = reason(said.rationale), (min(said.hidden, said.natural) - 1) / 4
        led = said.hidden < _LEAST_HIDDEN or len(odd) >= _TOO_MANY_ODD
        marks = {"guessable": led, "disputable": bool(defensible)}
        least = _LEAST_NATURAL_JOINED if draft.kind is ItemKind.MULTI_HOP else _LEAST_NATURAL
        if said.natural < least:
            told = f"Rated {said.natural} of 5 for how natural it is, {least} is wanted. {told} {_STRAIGHTER}"
            return self._verdict(told, score=score, code=CONTRIVED, **marks)
        if not led and not defensible:
            return self._verdict(f"{said.hidden} of 5, {said.natural} of 5 natural. {told}", score=score)
        faults = [
            f"An outsider is led to “{draft.key}”: {told}" if led else "",
            f"Nobody would choose {_named(odd)}." if led and odd else "",
            f"Beside “{draft.key}” {_named(defensible)} can be defended." if defensible else "",
            told if not led else "",
            "" if says_nothing(said.change) else reason(said.change),
        ]
        code = GIVEN_AWAY if led else DISPUTABLE
        return self._verdict(" ".join(fault for fault in faults if fault), score=score, code=code, **marks)

    def _verdict(
        self,
        told: str,
        *,
        score: float | None = None,
        code: str = "",
        guessable: bool = False,
        disputable: bool = False,
    ) -> Verdict:
        return Verdict(
            critic=self.name,
            passed=not code,
            reason=told,
            code=code,
            blames="question" if code == CONTRIVED else "options",
            score=score,
            slight=bool(code),
            guessable=guessable,
            disputable=disputable,
        )


def _named(options: Sequence[str]) -> str:
    return ", ".join(f"“{text}”" for text in options)
