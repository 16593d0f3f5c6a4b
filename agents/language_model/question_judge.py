"""The question judge: rates a question and the answer to it, without the passage, in one call."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import Field

from viva.agents.language_model.asks import Asks, Brief, some_of
from viva.agents.language_model.replies import reason
from viva.agents.language_model.writer import BLOOM
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import BloomLevel, Draft, ExpertAnswer, ItemKind, Verdict
from viva.core.settings import Settings

_RATING = (Annotated[int, Field(ge=1, le=5)], "whole number from 1 to 5")
_ANSWER = {"answer": "that an expert gave"}
_RELEVANCE = {"relevance": (Annotated[float, Field(ge=0, le=1)], "number from 0 to 1")}


@cache
def brief(*, answered: bool = True) -> Brief:
    """What the judge reads and gives; a question that has no answer is judged without one."""
    return Brief(
        role="judge.question",
        prompt="judge_question",
        reads={"question": "as a user asks it", **(_ANSWER if answered else {}), "audience": "the user"},
        gives={
            "rationale": (str, "what is asked, and what is wrong with it, if anything; two or three sentences"),
            "stand_alone": _RATING,
            "specificity": _RATING,
            "usefulness": _RATING,
            **(_RELEVANCE if answered else {}),
            "bloom": (Annotated[some_of(BLOOM), Field(min_length=1)], "the levels it asks for, mostly one"),
        },
    )


RATINGS = {"stand-alone": "not_stand_alone", "specificity": "unspecific", "usefulness": "not_useful"}
"""What is rated from 1 to 5, and under which code a low rating is counted."""


class QuestionJudge:
    """Gives four verdicts: stand-alone, specificity and usefulness as (rating - 1) / 4, and the answer's relevance.

    An unanswerable question has no answer that could be relevant, and gets three.

    Judged without the passage, for so the question will be met: what it leaves open, the passage does not fill in.
    Source of the scales: the critiques of Hugging Face's RAG evaluation cookbook; answer relevance as a share.
    """

    name = "question"

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._audience = settings.audience
        self._least_rating = settings.min_rating
        self._least_relevance = settings.min_relevance

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> tuple[Verdict, ...]:  # noqa: ARG002
        """RoleFailed where the model leaves a scale: a rating of 9 is no rating."""
        answered = draft.kind is not ItemKind.UNANSWERABLE
        material = {"question": draft.stem, **({"answer": draft.key} if answered else {})}
        said = await brief(answered=answered).ask(self._asks, material, audience=self._audience)
        relevance = said.relevance if answered else None
        rated = {name: getattr(said, name.replace("-", "_")) for name in RATINGS}
        off = [f"{name} {rating}" for name, rating in rated.items() if not 1 <= rating <= 5]
        if relevance is not None and not 0 <= relevance <= 1:
            off.append(f"relevance {relevance}")
        if off:
            raise RoleFailed("rating_off_scale", f"The question judge left a scale: {', '.join(off)}.")
        why = reason(said.rationale)
        verdicts = []
        for name, rating in rated.items():
            code = "" if rating >= self._least_rating else RATINGS[name]
            verdicts.append(self._verdict(name, code, f"{rating} of 5. {why}", (rating - 1) / 4))
        if relevance is not None:
            code = "" if relevance >= self._least_relevance else "irrelevant_answer"
            told = f"The answer covers {relevance:.0%} of what is asked. {why}"
            verdicts.append(self._verdict("relevance", code, told, relevance))
        bloom = tuple(level for level in BloomLevel if level.value in said.bloom)
        return (*verdicts[:-1], verdicts[-1].model_copy(update={"bloom": bloom}))

    def _verdict(self, name: str, code: str, told: str, score: float) -> Verdict:
        return Verdict(critic=name, passed=not code, reason=told, code=code, score=score)
