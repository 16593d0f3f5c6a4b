"""The blind solver: tries the finished item with no document, for an item that can be guessed examines nobody."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from viva.agents.language_model.asks import Asks, Brief, one_of
from viva.agents.language_model.options import LETTERS
from viva.agents.language_model.replies import reason
from viva.agents.roles import Source
from viva.core.ids import seeded_order
from viva.core.records import Distractor, Draft, ItemKind, Trial, Verdict
from viva.core.settings import Settings

SHUFFLES = 3
"""An item is guessable if its key is picked in so many orders; who picks at random does so in one of 64 items."""
GUESSABLE = "guessable"


@cache
def brief(options: int) -> Brief:
    """What the solver of so many options must give."""
    return Brief(
        role="solver",
        prompt="blind_solver",
        reads={"question": "the stem", "options": "one to a line, each after its letter"},
        gives={
            "rationale": (str, "what tells for and against the options, in two or three sentences"),
            "best_option": (one_of(LETTERS[:options]), "the letter of the best guess"),
        },
    )


class BlindSolver:
    """Fails an item whose key a model picks without any document, however the options are shuffled.

    It is asked in up to three orders, until it first picks another option: then it does not know.
    """

    name = "blind solving"

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._seed = settings.seed

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Verdict.trials says whether the key was picked in the first order.

        An unanswerable item is not tried. Whoever knows nothing picks "the documents do not say" wherever it is
        shown, which tells of the reader's caution and nothing of the item. That this does not pay is held for the
        exam as a whole: the sentence is the key of as few of the items that show it as any other option is.
        """
        if draft.kind is ItemKind.UNANSWERABLE:
            return self._verdict("Not tried: without documents, to say that they do not say is no guess.", "", ())
        options = seeded_order([draft.key, *(d.text for d in distractors)], self._seed, "blind", draft.id)
        for shuffle in range(SHUFFLES):
            picked, why = await self._tried(draft, options[shuffle:] + options[:shuffle])
            if not picked:
                return self._verdict("It cannot be guessed.", "", (_first(picked=shuffle > 0),))
        told = f"A reader without any document picks “{draft.key}” each time: {why}"
        return self._verdict(told, GUESSABLE, (_first(picked=True),))

    async def _tried(self, draft: Draft, options: Sequence[str]) -> tuple[bool, str]:
        """Whether the model picks the key among the options in this order, and why."""
        shown = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))
        said = await brief(len(options)).ask(self._asks, {"question": draft.stem, "options": shown})
        return said.best_option == LETTERS[options.index(draft.key)], reason(said.rationale)

    def _verdict(self, told: str, code: str, trials: Sequence[Trial]) -> Verdict:
        return Verdict(
            critic=self.name, passed=not code, reason=told, code=code, blames="options", trials=tuple(trials)
        )


def _first(*, picked: bool) -> Trial:
    # the first order alone: the others are tried only where it was picked, and would make a share too low
    return Trial(reader="language model", with_evidence=False, picked=int(picked), tried=1)
