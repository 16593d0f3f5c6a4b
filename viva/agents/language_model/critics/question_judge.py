"""The question judge: rates a question and the answer to it, without the passage, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import Asks, Brief, some_of
from viva.agents.language_model.replies import reason
from viva.agents.language_model.writer import BLOOM
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import BloomLevel, Draft, ExpertAnswer, ItemKind, Verdict
from viva.core.settings import Settings

_RATING = (Annotated[int, Field(ge=1, le=5)], "whole number from 1 to 5")
_ANSWER = {"answer": "that an expert gave", "reference": "the same in one or two sentences"}
RATINGS = {
    "stand_alone": "not_stand_alone",
    "specificity": "unspecific",
    "usefulness": "not_useful",
    "needs_documents": "guessable_by_sense",
    "answer_fit": "unfit_answer",
}
"""What is rated from 1 to 5, and under which code a low rating is counted."""
_GUESSES = {"guesses": "what somebody clever answered who has no documents, the likeliest first"}
_NEED = "needs_documents"
_OF_ANSWERS = {_NEED, "answer_fit"}
_KNOWN_TO_ALL = 1
"""The rating of a need that nobody has."""
_USUAL_CHANGE = {
    "stand_alone": "Name in full what it is about.",
    "specificity": "Ask for one thing, with every condition that makes one answer the only right one.",
    "usefulness": "Ask for what somebody at work would look up, or drop it.",
    "needs_documents": "Ask for something that not everybody knows, or drop it.",
    "answer_fit": "Say all of what is asked and nothing else, with every name in full.",
}
"""What would raise a rating, where the judge forgets to say it."""
_JOINED = (
    "yes: it describes by one document's fact what another document tells of, or compares the two. Where only one"
    " thing can be meant, this is no fault: ask neither for its name nor for a straighter question. But usefulness is"
    " 3 where nobody knows the thing by that description, such as a stray figure"
)

_FOLLOWS = (
    "yes: judge the last line together with those before it. That it is short, or points back to what they name,"
    " is no fault, and stand_alone is 5 where they tell what is meant"
)


class Fault(BaseModel):
    """What keeps one rating down."""

    rating: str = Field(description=f"that is 3 or lower: {', '.join(RATINGS)}")
    change: str = Field(description="what would raise it, in one sentence")


@cache
def brief(*, answered: bool = True, joined: bool = False, follows: bool = False, guessed: bool = False) -> Brief:
    """What the judge reads and gives; a question that has no answer is judged without one.

    `joined`: the question joins two facts on purpose, and should not be made straighter. `follows`: it follows on a
    conversation. `guessed`: a reader without
    documents, who did not know the answer, guessed.
    """
    rated = [name for name in RATINGS if answered or name not in _OF_ANSWERS]
    about = {**(_ANSWER if answered else {}), **(_GUESSES if guessed else {})}
    told = {"question": "as a user asks it", **about, "audience": "the user"}
    return Brief(
        role="judge.question",
        prompt="judge_question",
        reads={
            **told,
            **({"joined": "whether it joins the facts of two documents on purpose"} if joined else {}),
            **({"follows_on": "whether it follows on a conversation"} if follows else {}),
        },
        gives={
            "rationale": (str, "what is asked, and what is wrong with it, if anything; two or three sentences"),
            **dict.fromkeys(rated, _RATING),
            "faults": (list[Fault], "one for each rating of 3 or lower; empty if there is none"),
            "bloom": (Annotated[some_of(BLOOM), Field(min_length=1)], "the levels it asks for, mostly one"),
        },
    )


class QuestionJudge:
    """Gives a verdict for each rating, (rating - 1) / 4: stand-alone, specificity, usefulness, need, and fit.

    An unanswerable question has no answer that could fit or be guessed, and gets three.

    Judged without the passage, for so the question will be met: what it leaves open, the passage does not fill in.
    Source of the first three scales: the critiques of Hugging Face's RAG evaluation cookbook. What the blind reader
    guessed is laid before the judge, so that it is seen and not imagined what common sense or the question tells. An
    answer that was guessed is marked (Verdict.guessable): wordings that nobody guesses mostly ask for less, a bare
    name or figure. What everybody knows is refused.
    """

    name = "question"

    def __init__(self, asks: Asks, settings: Settings, titles: Sequence[str] = ()) -> None:
        """`titles` are of some documents of the corpus: they tell whose work the questions are for."""
        self._asks = asks
        self._audience = f"{settings.audience}: {'; '.join(titles)}" if titles else settings.audience
        self._least = settings.min_rating

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> tuple[Verdict, ...]:  # noqa: ARG002
        """RoleFailed where the model leaves a scale: a rating of 9 is no rating."""
        answered = draft.kind is not ItemKind.UNANSWERABLE
        material = {"question": draft.shown}
        if answered:
            material |= {"answer": draft.key, "reference": draft.reference_answer}
        recall = draft.recall
        guesses = recall.guesses if recall and answered and not recall.known else ()
        if guesses:
            material["guesses"] = "\n".join(f"- {guess}" for guess in guesses)
        joined, follows = draft.kind is ItemKind.MULTI_HOP, bool(draft.history)
        asked = brief(answered=answered, joined=joined, follows=follows, guessed=bool(guesses))
        told = {**({"joined": _JOINED} if joined else {}), **({"follows_on": _FOLLOWS} if follows else {})}
        said = await asked.ask(self._asks, {**material, "audience": self._audience}, **told)
        rated = {name: getattr(said, name) for name in RATINGS if answered or name not in _OF_ANSWERS}
        off = [f"{name} {rating}" for name, rating in rated.items() if not 1 <= rating <= 5]
        if off:
            raise RoleFailed("rating_off_scale", f"The question judge left a scale: {', '.join(off)}.")
        low = [name for name, rating in rated.items() if rating < self._least]
        if low == [_NEED] and rated[_NEED] > _KNOWN_TO_ALL:
            # borne, but mended where the question is written anew anyhow
            low = []
        changes = {name: " ".join(f.change for f in said.faults if f.rating.strip() == name) for name in low}
        if low and not changes[low[0]]:
            # said once: who revises reads all that failed as one text
            changes[low[0]] = f"{_USUAL_CHANGE[low[0]]} {said.rationale}"
        verdicts = [self._verdict(name, rating, said.rationale, changes.get(name)) for name, rating in rated.items()]
        bloom = tuple(level for level in BloomLevel if level.value in said.bloom)
        return (*verdicts[:-1], verdicts[-1].model_copy(update={"bloom": bloom}))

    def _verdict(self, name: str, rating: int, rationale: str, change: str | None) -> Verdict:
        passed = change is None
        refused = f"rated {rating} of 5, {self._least} is wanted. {reason(change or _USUAL_CHANGE[name])}"
        return Verdict(
            critic=name.replace("_", " "),
            passed=passed,
            guessable=passed and name == _NEED and rating < self._least,
            reason=f"{rating} of 5. {reason(rationale)}" if passed else refused,
            code="" if passed else RATINGS[name],
            blames="key" if name == "answer_fit" else "question",
            score=(rating - 1) / 4,
        )
