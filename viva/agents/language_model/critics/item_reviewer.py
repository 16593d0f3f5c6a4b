"""The item reviewer: reads every finished item whole, and has not been told its key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field

from viva.agents.language_model.asks import READS, Asks, Brief, one_of, passage, some_of
from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.critics.question_judge import DROP, audience_of
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.language_model.replies import LONGEST_QUOTE, reason, says_nothing
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.ids import seeded_order
from viva.core.records import Distractor, Draft, ItemKind, Trial, Verdict
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

LETTERS = "ABCDEF"
NONE = "N"
CONTRIVED, UNWORTHY, GIVEN_AWAY, DISPUTABLE = "contrived", "not_worth_asking", "given_away", "disputable"
_LEAST_HIDDEN, _TOO_MANY_ODD = 4, 2
_LEAST_NATURAL, _LEAST_NATURAL_JOINED, _LEAST_WORTH = 4, 3, 3
"""A question that joins two documents' facts goes a roundabout way on purpose."""
_UNPRINTABLE = 2
"""A rating of wording or worth with which nobody would print a question, whatever was tried."""
_BEST_HIDDEN = 5
_STRAIGHTER = "Ask as somebody at work would, calling things by their names; or ask something else, or drop it."
_RATING = Annotated[int, Field(ge=1, le=5)]
_RATED = (_RATING, "whole number from 1 to 5")


@cache
def brief(options: int, *, elsewhere: bool = False, absent: bool = False) -> Brief:
    """What the reviewer of so many options must give.

    `elsewhere`: other passages lie before it too; `absent`: one of the options says that the documents do not say.
    """
    letters = LETTERS[:options]
    none = () if absent else (NONE,)
    best = "the letter of the right option" if absent else "the letter of the right option; N if there is none"
    reads = {
        "audience": "the user",
        **READS,
        **({"elsewhere": "what other documents say, where they speak of an option"} if elsewhere else {}),
        "question": "the stem",
        "options": "one to a line, each after its letter",
    }
    others = "letters, other than that of best_option, that a text elsewhere gives as the answer; mostly empty"
    hidden = {
        "defensible": (some_of(letters), "letters of others that hold by what is known besides; mostly empty"),
        "odd": (some_of(letters), "letters of wrong options that nobody would choose; mostly empty"),
        "hidden": _RATED,
    }
    gives = {
        "quote": (str, "the words of the passage that answer the question, copied letter for letter, or NONE"),
        "rationale": (str, "why each option is right or wrong, and which an outsider leans to"),
        "best_option": (one_of((*letters, *none)), best),
        "also_correct": (some_of(letters), "letters of others that the passage makes right too; mostly empty"),
        **({"supported_elsewhere": (some_of(letters), others)} if elsewhere else {}),
        **({} if absent else hidden),
        "natural": _RATED,
        "worth": _RATED,
        "change": (str, "what would mend it, in one sentence; or NONE"),
    }
    return Brief(role="judge.item", prompt="judge_item", reads=reads, gives=gives)


class ItemReviewer:
    """One review of the whole item, of every item: is its key, and nothing but its key, right; by the passage, by
    what the corpus says besides, and by what is known of the subject in general? Does an option, or the question,
    lead to it? Would an editor print it, and would anybody ask it?

    The key is not marked: whoever solves the item finds a wrong key, which whoever is told the key explains away.
    All else that is said refers to the option that was picked, and is read only where that is the key.

    A wrong pick blames the key, with the passage's own words as the reason: the expert, who is to answer again, must
    learn neither options nor key. What is not natural or not worth asking no option mends: it goes back to the
    writer. Options are mended once; what leads to the key then is borne, and marks the item as guessable, and an
    option that can be defended marks it as disputable. The key of an unanswerable item stands beside every question
    of its kind, and hides nowhere; a value that finds support shows that its question is answered.
    """

    name = "item review"

    def __init__(self, asks: Asks, settings: Settings, corpus: CorpusSearch, titles: Sequence[str] = ()) -> None:
        self._asks = asks
        self._seed = settings.seed
        self._corpus = corpus
        self._audience = audience_of(settings, titles)

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:
        """Options are shown in an order drawn for the draft, so that their place tells nothing.

        RoleFailed where the model leaves a scale.
        """
        absent = draft.kind is ItemKind.UNANSWERABLE
        read = await self._corpus.apart(lambda: self._corpus.around(draft.stem, source)) if absent else source
        options = seeded_order([draft.key, *(d.text for d in distractors)], self._seed, "review", draft.id)
        shown = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))
        elsewhere = self._corpus.elsewhere(draft.asked, [d.text for d in distractors], read)
        material = {"audience": self._audience, **passage(read), "question": draft.shown, "options": shown}
        if elsewhere:
            material["elsewhere"] = "\n\n".join(elsewhere)
        said = await brief(len(options), elsewhere=bool(elsewhere), absent=absent).ask(self._asks, material)
        rated = {name: getattr(said, name) for name in ("hidden", "natural", "worth") if hasattr(said, name)}
        if not all(1 <= rating <= 5 for rating in rated.values()):
            told = ", ".join(f"{name} {rating}" for name, rating in rated.items())
            raise RoleFailed("rating_off_scale", f"The item reviewer left a scale: {told}.")
        key = LETTERS[options.index(draft.key)]
        wrong = {letter: text for letter, text in zip(LETTERS, options, strict=False) if letter != key}
        return self._doubt_of_key(said, read, key, wrong, absent=absent) or self._of_rest(draft, said, wrong)

    def _doubt_of_key(
        self, said: Any, read: Source, key: str, wrong: dict[str, str], *, absent: bool
    ) -> Verdict | None:
        """The verdict on another key or a second one; None where the key alone was found right."""
        if said.best_option != key:
            return self._disputed(said, read, "no_key" if said.best_option == NONE else "key_disputed")
        also = {"second_key": said.also_correct, "supported_elsewhere": getattr(said, "supported_elsewhere", [])}
        for code, letters in also.items():
            right_too = _named([text for letter, text in wrong.items() if letter in letters])
            if right_too and absent:
                return self._disputed(said, read, "key_disputed")
            if right_too:
                return self._verdict(f"Right too: {right_too}. {reason(said.rationale)} {_change(said)}", code)
        return None

    def _of_rest(self, draft: Draft, said: Any, wrong: dict[str, str]) -> Verdict:
        """The verdict on an item with one right option."""
        odd = [text for letter, text in wrong.items() if letter in getattr(said, "odd", ())]
        defensible = [text for letter, text in wrong.items() if letter in getattr(said, "defensible", ())]
        hidden = getattr(said, "hidden", _BEST_HIDDEN)
        led = hidden < _LEAST_HIDDEN or len(odd) >= _TOO_MANY_ODD
        told, score = reason(said.rationale), (min(hidden, said.natural, said.worth) - 1) / 4
        marks = {"guessable": led, "disputable": bool(defensible), "score": score}
        least = _LEAST_NATURAL_JOINED if draft.kind is ItemKind.MULTI_HOP else _LEAST_NATURAL
        low = {
            CONTRIVED: ("how natural it is", said.natural, least),
            UNWORTHY: ("how much it is worth asking", said.worth, _LEAST_WORTH),
        }
        for code, (name, rating, wanted) in low.items():
            if rating < wanted:
                change = _change(said) or f"{told} {_STRAIGHTER}"
                told = f"Rated {rating} of 5 for {name}, {wanted} is wanted. {change}"
                borne = min(said.natural, said.worth) > _UNPRINTABLE
                final = bool(DROP.match(said.change))
                return self._verdict(told, code, blames="question", slight=borne and not final, final=final, **marks)
        if not led and not defensible:
            fine = f"{hidden} of 5 hidden, {said.natural} natural, {said.worth} worth asking. {told}"
            return self._verdict(fine, hides=hidden == _BEST_HIDDEN and not odd, **marks)
        faults = [
            f"An outsider is led to “{draft.key}”: {told}" if led else "",
            f"Nobody would choose {_named(odd)}." if led and odd else "",
            f"Beside “{draft.key}” {_named(defensible)} can be defended." if defensible else "",
            told if not led else "",
            _change(said),
        ]
        told = " ".join(fault for fault in faults if fault)
        return self._verdict(told, GIVEN_AWAY if led else DISPUTABLE, slight=True, **marks)

    def _disputed(self, said: Any, source: Source, code: str) -> Verdict:
        span = EvidenceFinder(source).find(one_line(said.quote, LONGEST_QUOTE))
        goes_by = f"and went by: “{span.quote}”" if span else "and found no words that settle the question."
        told = f"A reader with the passage before them did not arrive at this answer, {goes_by}"
        return self._verdict(told, code, blames="key", picked=False)

    def _verdict(
        self,
        told: str,
        code: str = "",
        *,
        blames: Literal["question", "key", "options"] = "options",
        picked: bool = True,
        **more: Any,
    ) -> Verdict:
        trial = Trial(reader="language model", with_evidence=True, picked=int(picked), tried=1)
        return Verdict(
            critic=self.name, passed=not code, reason=told, code=code, blames=blames, trials=(trial,), **more
        )


def _change(said: Any) -> str:
    return "" if says_nothing(said.change) else reason(said.change)


def _named(options: Sequence[str]) -> str:
    return ", ".join(f"“{text}”" for text in options)
