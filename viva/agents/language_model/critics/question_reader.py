"""The question reader: rates a question, and tries to answer it, without documents and options."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import Asks, Brief, some_of
from viva.agents.language_model.replies import option, question, reason, says_nothing
from viva.agents.language_model.writer import BLOOM
from viva.core.errors import RoleFailed
from viva.core.records import BloomLevel, Draft, ItemKind, Recall, Rewording, Verdict
from viva.core.settings import Settings

_RATING = (Annotated[int, Field(ge=1, le=5)], "whole number from 1 to 5")
RATINGS = {
    "stand_alone": "not_stand_alone",
    "specificity": "unspecific",
    "usefulness": "not_useful",
    "natural": "not_natural",
}
"""What is rated from 1 to 5, and under which code a low rating is counted."""
_USUAL_CHANGE = {
    "stand_alone": "Name in full what it is about.",
    "specificity": "Ask for one thing, with every condition that makes one answer the only right one.",
    "usefulness": "Ask for what somebody at work would look up, or drop it.",
    "natural": "Ask as a fluent speaker would, calling things by their names.",
}
"""What would raise a rating, where the reader forgets to say it."""
_MOST_GUESSES = 3
_BEST = 5
DROP = re.compile(r"\W*drop it\b", re.IGNORECASE)
"""The words of a judge for a question that no other wording helps."""
KINDS = {
    ItemKind.MULTI_HOP: (
        "it needs the facts of two documents on purpose: of what it names, one document tells what the other is to be"
        " looked up by. Do not ask for that fact to be put into the question"
    ),
    ItemKind.FOLLOW_UP: (
        "it follows on a conversation on purpose: judge its last line together with those before it. That it is"
        " short, or points back to what they name, is no fault"
    ),
}
"""What is no fault of a question, by its kind."""


class Fault(BaseModel):
    """What keeps one rating down."""

    rating: str = Field(description=f"that is 3 or lower: {', '.join(RATINGS)}")
    change: str = Field(description="what would raise it, in one sentence")


@cache
def brief(*, kind: bool = False) -> Brief:
    """State what the reader reads and gives; `kind`: it reads what is no fault of a question of this kind."""
    return Brief(
        role="judge.question",
        prompt="judge_question",
        reads={
            "audience": "the user",
            **({"kind": "what kind of question it is"} if kind else {}),
            "question": "as a user asks it",
            "answer_form": "what an answer must look like",
        },
        gives={
            "rationale": (str, "what you know of it, who asks it, what is wrong with it; one or two sentences"),
            "known": (bool, "True or False: you know the answer firmly"),
            "answer": (str, "the shortest full answer, or NONE"),
            "guesses": (list[str], "what those would answer who do not know it, the likeliest first"),
            **dict.fromkeys(RATINGS, _RATING),
            "faults": (list[Fault], "one for each rating of 3 or lower; empty if there is none"),
            "reworded": (str, "the question in a fluent speaker's words, or NONE"),
            "bloom": (Annotated[some_of(BLOOM), Field(min_length=1)], "the levels it asks for, mostly one"),
        },
    )


def audience_of(settings: Settings, titles: Sequence[str]) -> str:
    """Describe whose work the questions are for: as the settings state, and by some of the corpus's titles."""
    return f"{settings.audience}: {'; '.join(titles)}" if titles else settings.audience


class ModelQuestionReader:
    """Rates a question, (rating - 1) / 4: stand-alone, specificity, usefulness, wording; and gives its own answer.

    Read without the passage, for so the question will be met: what it leaves open, the passage does not fill in.
    Source of the first three scales: the critiques of Hugging Face's RAG evaluation cookbook. The question is read
    before an answer is looked for: one that fails costs two calls. What is known and guessed without documents shows
    the item reviewer what leads to the key, and the distractor writer what tempts. What is stiff it words itself: the
    expert and the item reviewer then judge these words. "Drop it" of any rating gives the unit up. Of usefulness a
    point less is enough: the item reviewer rates it again with the passage, and the exam prefers others.
    """

    def __init__(self, asks: Asks, settings: Settings, titles: Sequence[str] = ()) -> None:
        """`titles` of some documents of the corpus show whose work the questions are for."""
        self._asks = asks
        self._audience = audience_of(settings, titles)
        self._least = {name: settings.min_rating - (name == "usefulness") for name in RATINGS}

    async def read(self, draft: Draft) -> tuple[Recall, tuple[Verdict, ...]]:
        """Ask once. RoleFailed where the model leaves a scale: a rating of 9 is no rating."""
        kind = KINDS.get(draft.kind)
        material = {"question": draft.shown, "answer_form": draft.answer_form, "audience": self._audience}
        said = await brief(kind=kind is not None).ask(self._asks, material, **({"kind": kind} if kind else {}))
        rated = {name: getattr(said, name) for name in RATINGS}
        off = [f"{name} {rating}" for name, rating in rated.items() if not 1 <= rating <= 5]
        if off:
            raise RoleFailed("rating_off_scale", f"The question reader left a scale: {', '.join(off)}.")
        changes = self._changes(rated, said)
        verdicts = [self._verdict(name, rating, said.rationale, changes.get(name)) for name, rating in rated.items()]
        bloom = tuple(level for level in BloomLevel if level.value in said.bloom)
        # the last rating is that of the wording
        marks = {"bloom": bloom, "edits": _rewording(draft.stem, said)}
        return _recall(said), (*verdicts[:-1], verdicts[-1].model_copy(update=marks))

    def _changes(self, rated: Mapping[str, int], said: Any) -> dict[str, str]:
        """Give what would raise each rating that fails the question."""
        told = {name: " ".join(f.change for f in said.faults if f.rating.strip() == name) for name in rated}
        low = [name for name, rating in rated.items() if rating < self._least[name] or DROP.match(told[name])]
        changes = {name: told[name] for name in low}
        if low and not changes[low[0]]:
            # once: the writer reads all that failed as one text
            changes[low[0]] = f"{_USUAL_CHANGE[low[0]]} {said.rationale}"
        return changes

    def _verdict(self, name: str, rating: int, rationale: str, change: str | None) -> Verdict:
        passed = change is None
        refused = f"rated {rating} of 5, {self._least[name]} is wanted. {reason(change or _USUAL_CHANGE[name])}"
        return Verdict(
            critic=name.replace("_", " "),
            passed=passed,
            reason=f"{rating} of 5. {reason(rationale)}" if passed else refused,
            code="" if passed else RATINGS[name],
            score=(rating - 1) / 4,
            final=bool(change and DROP.match(change)),
        )


def _rewording(stem: str, said: Any) -> tuple[Rewording, ...]:
    """Give the question in better words, as an edit; none where the reader has none."""
    reworded = question(said.reworded)
    if said.natural == _BEST or says_nothing(reworded) or reworded == stem:
        return ()
    return (Rewording(old=stem, new=reworded),)


def _recall(said: Any) -> Recall:
    """Give what the reader would answer without documents."""
    answer = option(said.answer)
    guesses = dict.fromkeys(guess for guess in map(option, said.guesses) if not says_nothing(guess))
    known = said.known and not says_nothing(answer)
    return Recall(known=known, answer=answer if known else "", guesses=tuple(guesses)[:_MOST_GUESSES])
