"""The option judge: solves the finished item with everything at hand, without having been told the key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

from viva.agents.language_model.asks import READS, Asks, Brief, one_of, passage, some_of
from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.language_model.replies import LONGEST_QUOTE, reason
from viva.agents.roles import Source
from viva.core.ids import seeded_order
from viva.core.records import Distractor, Draft, ItemKind, Trial, Verdict
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

LETTERS = "ABCDEF"
NONE = "N"
_IDLE = 2
"""Wrong options out of play that are too many."""


@cache
def brief(options: int, *, elsewhere: bool = False, absent: bool = False) -> Brief:
    """What the judge of so many options must give.

    `elsewhere`: other passages lie before it too; `absent`: one of the options says that the documents do not say.
    """
    letters = LETTERS[:options]
    none = () if absent else (NONE,)
    best = "the letter of the right option" if absent else "the letter of the right option; N if there is none"
    reads = {**READS, "question": "the stem", "options": "one to a line, each after its letter"}
    gives = {
        "quote": (str, "the words of the passage that answer the question, copied letter for letter, or NONE"),
        "rationale": (str, "why each option is right or wrong"),
        "best_option": (one_of((*letters, *none)), best),
        "also_correct": (some_of(letters), "letters of others that could be defended too; empty if there are none"),
        "out_of_play": (some_of(letters), "letters of wrong ones that nobody would choose; empty if there are none"),
    }
    if elsewhere:
        reads["elsewhere"] = "what other documents say, where they speak of an option"
        others = "letters, other than that of best_option, that a text elsewhere gives as the answer; mostly empty"
        gives["supported_elsewhere"] = (some_of(letters), others)
    return Brief(role="judge.options", prompt="judge_options", reads=reads, gives=gives)


class OptionJudge:
    """Is the key, and nothing but the key, the right option, by the source and by what the corpus says besides?"""

    name = "options"

    def __init__(self, asks: Asks, settings: Settings, corpus: CorpusSearch) -> None:
        self._asks = asks
        self._seed = settings.seed
        self._corpus = corpus

    async def judge(self, draft: Draft, distractors: Sequence[Distractor], source: Source) -> Verdict:
        """The judge sees the options in an order drawn for the draft, so that their place tells nothing.

        A wrong pick blames the key, with the passage's own words as the reason: the expert, who is to answer again,
        must learn neither options nor key. Another right option blames the options.

        Of an unanswerable item the judge reads what the expert read, and a value that finds support shows that the
        question is answered: that blames the key.
        """
        absent = draft.kind is ItemKind.UNANSWERABLE
        read = self._corpus.around(draft.stem, source) if absent else source
        options = seeded_order([draft.key, *(d.text for d in distractors)], self._seed, "judge", draft.id)
        shown = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False))
        material = {**passage(read), "question": draft.shown, "options": shown}
        elsewhere = self._corpus.elsewhere(draft.asked, [d.text for d in distractors], read)
        if elsewhere:
            material["elsewhere"] = "\n\n".join(elsewhere)
        said = await brief(len(options), elsewhere=bool(elsewhere), absent=absent).ask(self._asks, material)
        key = LETTERS[options.index(draft.key)]
        picked = said.best_option == key
        trial = Trial(reader="language model", with_evidence=True, picked=int(picked), tried=1)
        if not picked:
            return self._doubted(said, read, trial, "no_key" if said.best_option == NONE else "key_disputed")
        named = dict(zip(LETTERS, options, strict=False))
        also = {"second_key": said.also_correct, "supported_elsewhere": getattr(said, "supported_elsewhere", [])}
        for code, letters in also.items():
            right_too = ", ".join(f"“{named[letter]}”" for letter in sorted(set(letters) - {key}))
            if right_too and absent:
                return self._doubted(said, read, trial.model_copy(update={"picked": 0}), "key_disputed")
            if right_too:
                told = f"Right too: {right_too}. {reason(said.rationale)}"
                return self._verdict(told, code, "options", trial)
        idle = sorted(set(said.out_of_play) - {key})
        if len(idle) >= _IDLE and not absent:
            quoted = ", ".join(f"“{named[letter]}”" for letter in idle)
            return self._verdict(
                f"Nobody would choose {quoted}. {reason(said.rationale)}", "idle_options", "options", trial
            )
        return self._verdict(reason(said.rationale), "", "options", trial)

    def _doubted(self, said: Any, source: Source, trial: Trial, code: str) -> Verdict:
        span = EvidenceFinder(source).find(one_line(said.quote, LONGEST_QUOTE))
        goes_by = f"and went by: “{span.quote}”" if span else "and found no words that settle the question."
        told = f"A reader with the passage before them did not arrive at this answer, {goes_by}"
        return self._verdict(told, code, "key", trial)

    def _verdict(self, told: str, code: str, blames: Literal["key", "options"], trial: Trial) -> Verdict:
        return Verdict(critic=self.name, passed=not code, reason=told, code=code, blames=blames, trials=(trial,))
