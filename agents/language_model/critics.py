"""Critics that ask a model: one question each, the rationale before the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import READS, Asks, Brief, passage
from viva.agents.language_model.wording import same_answer
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import Draft, Verdict
from viva.llm.untrusted import one_line

RATING_PASSES = 4
"""On the scale 1 to 5; as a score (rating - 1) / 4 that is 0.75."""
FAITHFUL = 0.9
"""Share of an answer's claims that the passage must support: of fewer than ten claims, all."""
_LONGEST_REASON = 600

_RATIONALE = (str, "one or two sentences")
_SCORE = (Annotated[int, Field(ge=1, le=5)], "whole number from 1 to 5")
_QUESTION = {"question": "as a user asks it"}
_ANSWER = {"answer": "the answer that is meant to be right"}


class Claim(BaseModel):
    """One statement of an answer, held against the passage."""

    claim: str = Field(description="one short sentence")
    evidence: str = Field(description="the words of the passage that support it, or what is missing")
    supported: bool


ANSWERABILITY = Brief(
    role="judge.answerability",
    prompt="judge_answerability",
    reads={
        **_QUESTION,
        "intended_answer": "of the question's author",
        "expert_answer": "found without having seen it",
    },
    gives={"rationale": _RATIONALE, "equivalent": (bool, "True or False: both answers say the same")},
)
FAITHFULNESS = Brief(
    role="judge.faithfulness",
    prompt="judge_faithfulness",
    reads={**READS, **_QUESTION, **_ANSWER},
    gives={"claims": (Annotated[list[Claim], Field(min_length=1)], "all statements of the answer")},
)


def _rating(role: str, prompt: str, reads: dict[str, str]) -> Brief:
    return Brief(role=role, prompt=prompt, reads=reads, gives={"rationale": _RATIONALE, "score": _SCORE})


STAND_ALONE = _rating("judge.stand-alone", "judge_stand_alone", _QUESTION)
SPECIFICITY = _rating("judge.specificity", "judge_specificity", _QUESTION)
RELEVANCE = _rating("judge.relevance", "judge_relevance", {**_QUESTION, **_ANSWER})
GROUNDEDNESS = _rating("judge.groundedness", "judge_groundedness", {**READS, **_QUESTION, **_ANSWER})


@dataclass
class RatingCritic:
    """Rates a draft from 1 to 5; passes from 4 on. Verdict.score is (rating - 1) / 4."""

    asks: Asks
    name: str
    brief: Brief
    code: str
    material: Callable[[Draft, Source], dict[str, str]]

    async def judge(self, draft: Draft, expert_answer: str | None, source: Source) -> Verdict:  # noqa: ARG002
        """RoleFailed where the model leaves the scale: a rating of 9 is no rating."""
        said = await self.brief.ask(self.asks, self.material(draft, source))
        if not 1 <= said.score <= 5:
            raise RoleFailed("rating_off_scale", f"The {self.name} judge rated {said.score} on a scale from 1 to 5.")
        passed = said.score >= RATING_PASSES
        return Verdict(
            critic=self.name,
            passed=passed,
            reason=f"{said.score} of 5. {one_line(said.rationale, _LONGEST_REASON)}",
            code="" if passed else self.code,
            score=(said.score - 1) / 4,
        )


class ModelAnswerabilityCritic:
    """0 or 1: does an expert who has only the chunk and the stem arrive at the key?"""

    name = "answerability"

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def judge(self, draft: Draft, expert_answer: str | None, source: Source) -> Verdict:  # noqa: ARG002
        """No call where there is no answer, or where it is the key but for case, articles and a full stop."""
        if expert_answer is None:
            return self._verdict("The expert cannot answer it from the passage.", code="not_answerable")
        if same_answer(expert_answer, draft.key):
            return self._verdict(f"The expert says: {expert_answer}")
        material = {"question": draft.stem, "intended_answer": draft.key, "expert_answer": expert_answer}
        said = await ANSWERABILITY.ask(self._asks, material)
        reason = f"The expert says: {expert_answer}. {one_line(said.rationale, _LONGEST_REASON)}"
        return self._verdict(reason, code="" if said.equivalent else "expert_disagrees")

    def _verdict(self, reason: str, code: str = "") -> Verdict:
        return Verdict(critic=self.name, passed=not code, reason=reason, code=code, score=0.0 if code else 1.0)


class ModelFaithfulnessCritic:
    """The share of the reference answer's claims that the chunk supports; passes from 0.9 on."""

    name = "faithfulness"

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def judge(self, draft: Draft, expert_answer: str | None, source: Source) -> Verdict:  # noqa: ARG002
        """RoleFailed where the model finds no claim in the answer: there is nothing to take a share of."""
        said = await FAITHFULNESS.ask(self._asks, _with_passage(draft, source))
        if not said.claims:
            raise RoleFailed("no_claims", "The faithfulness judge found no claim in the answer.")
        unsupported = [claim for claim in said.claims if not claim.supported]
        share = (len(said.claims) - len(unsupported)) / len(said.claims)
        passed = share >= FAITHFUL
        doubts = "; ".join(f"{one_line(c.claim, 200)}: {one_line(c.evidence, 200)}" for c in unsupported)
        reason = f"{share:.0%} of {len(said.claims)} claims are supported."
        return Verdict(
            critic=self.name,
            passed=passed,
            reason=f"{reason} Not: {doubts[:_LONGEST_REASON]}" if unsupported else reason,
            code="" if passed else "unfaithful",
            score=share,
        )


def rating_critics(asks: Asks) -> tuple[RatingCritic, RatingCritic, RatingCritic, RatingCritic]:
    """Stand-alone, specificity, relevance, groundedness: the last one needs the passage, so it is dearest."""
    return (
        RatingCritic(asks, "stand-alone", STAND_ALONE, "not_stand_alone", _stem),
        RatingCritic(asks, "specificity", SPECIFICITY, "unspecific", _stem),
        RatingCritic(asks, "relevance", RELEVANCE, "irrelevant_answer", _with_answer),
        RatingCritic(asks, "groundedness", GROUNDEDNESS, "ungrounded", _with_passage),
    )


def _stem(draft: Draft, source: Source) -> dict[str, str]:  # noqa: ARG001
    return {"question": draft.stem}


def _with_answer(draft: Draft, source: Source) -> dict[str, str]:
    return {**_stem(draft, source), "answer": draft.reference_answer}


def _with_passage(draft: Draft, source: Source) -> dict[str, str]:
    return {**passage(source), **_with_answer(draft, source)}
