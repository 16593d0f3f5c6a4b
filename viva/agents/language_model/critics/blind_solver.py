"""The blind solver: tries the finished item with no document, for an item that a cue gives away examines nobody."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any, Literal

from viva.agents.language_model.asks import Asks, Brief, one_of
from viva.agents.language_model.critics.review_brief import LETTERS, lettered
from viva.agents.language_model.replies import reason, says_nothing
from viva.agents.roles import Source
from viva.core.ids import seeded_order
from viva.core.records import Distractor, Draft, ItemKind, Trial, Verdict
from viva.core.settings import Settings

GUESSABLE = "guessable"
Outcome = Literal["missed", "knowledge", "cue", "sense", "chance"]


@cache
def brief(options: int) -> Brief:
    """What the solver of so many options must give."""
    return Brief(
        role="solver",
        prompt="blind_solver",
        reads={"question": "the stem", "options": "one to a line, each after its letter"},
        gives={
            "rationale": (str, "what tells for and against the options, in two or three sentences"),
            "best_option": (one_of(LETTERS[:options]), "the letter of the best choice"),
            "basis": (one_of(("knowledge", "cue", "sense", "chance")), "what the choice rests on"),
            "cue": (str, "the words or the feature of the options that gave it away, or NONE"),
        },
    )


class BlindSolver:
    """Fails an item that its options give away; of one that its question's reader knows anyway it says so.

    Knowledge is no cue: no other options would help against it. What the item reviewer finds known is not tried.
    """

    name = "blind solving"

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._seed = settings.seed

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:  # noqa: ARG002
        """Verdict.known: the model knows the answer. Verdict.trials: whether it was right, or picked the key first.

        A cue is tried again in another order, and only what is told by one twice fails. A key that is picked by
        common sense or by chance is what this guesser takes for the likeliest in any order: one of four is, and
        other options seldom change it (3 of 19 sets). The trial stays with the item, and the exam prefers others.

        An unanswerable item is not tried. Whoever knows nothing picks "the documents do not say" wherever it is
        shown, which tells of the reader's caution and nothing of the item. That this does not pay is held for the
        exam as a whole: the sentence is the key of as few of the items that show it as any other option is.
        """
        if draft.kind is ItemKind.UNANSWERABLE:
            return self._passed("Not tried: without documents, to say that they do not say is no guess.")
        options = [draft.key, *(d.text for d in distractors)]
        first, again = self._orders(draft, options)
        outcome, cue = await self._tried(draft, first)
        if outcome in {"missed", "knowledge"}:
            return self._spared(outcome)
        if outcome != "cue":
            return self._passed(f"Guessed as the likeliest of the options: {cue}", _trial(1))
        once_more, second = await self._tried(draft, again)
        if once_more == "missed":
            return self._passed("The key was picked once by a cue, and missed in another order.", _trial(1, 2))
        if once_more == "knowledge":
            return self._spared(once_more)
        if once_more != "cue":
            return self._passed(f"Guessed twice as the likeliest of the options: {second}", _trial(2, 2))
        cues = " ".join(f"The cue: {each}" for each in dict.fromkeys((cue, second)))
        return Verdict(
            critic=self.name,
            passed=False,
            reason=f"A reader without any document tells “{draft.key}” by the options' wording. {cues}",
            code=GUESSABLE,
            blames="options",
            trials=_trial(2, 2),
        )

    def _orders(self, draft: Draft, options: Sequence[str]) -> tuple[list[str], list[str]]:
        """Two orders drawn by lot, the second until the key stands elsewhere: whoever goes by places misses it."""
        drawn = (seeded_order(options, self._seed, "blind", draft.id, attempt) for attempt in count())
        first = next(drawn)
        return first, next(order for order in drawn if order.index(draft.key) != first.index(draft.key))

    async def _tried(self, draft: Draft, options: Sequence[str]) -> tuple[Outcome, str]:
        """What the model's pick among the options in this order rests on, "missed" if not the key; and the cue."""
        shown = lettered(options)
        said: Any = await brief(len(options)).ask(self._asks, {"question": draft.shown, "options": shown})
        if said.best_option != LETTERS[options.index(draft.key)]:
            return "missed", ""
        outcome: Outcome = said.basis
        # some tell the cue in the rationale only
        return outcome, reason(said.rationale if says_nothing(said.cue) else said.cue)

    def _spared(self, outcome: Outcome) -> Verdict:
        told = {
            "missed": "It cannot be guessed.",
            "knowledge": "Known without documents: the key was picked from knowledge.",
        }
        return self._passed(told[outcome], _trial(int(outcome != "missed")), known=outcome == "knowledge")

    def _passed(self, told: str, trials: tuple[Trial, ...] = (), *, known: bool = False) -> Verdict:
        return Verdict(critic=self.name, passed=True, reason=told, blames="options", known=known, trials=trials)


def _trial(picked: int, tried: int = 1) -> tuple[Trial]:
    return (Trial(reader="language model", with_evidence=False, picked=picked, tried=tried),)
