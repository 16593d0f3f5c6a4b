"""Faithfulness: the share of an answer's claims that the source supports. Of copied sentences a rule can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import READS, Asks, Brief, passage
from viva.agents.language_model.critics.grounds import negated
from viva.agents.language_model.evidence import EvidenceFinder, bare_sentence, sentences
from viva.agents.language_model.replies import LONGEST_REASON
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import Draft, ExpertAnswer, ItemKind, Turn, Verdict, as_conversation
from viva.core.settings import Settings
from viva.llm.untrusted import one_line

_EDGES = ".,;:!?()[]'\"“”«»"
# words that, beside the key, make it say more or less than the sentence does; without accents, as they are compared
_BESIDE = frozenset(
    "about almost approximately around below above over under nearly roughly least most than to or and between until"
    " except unless only - etwa rund fast uber unter mindestens hochstens als bis oder und ausser nur environ presque"
    " moins plus que ou et sauf seulement unos casi cerca menos mas o y hasta excepto solo sobre".split()
)


class Claim(BaseModel):
    """One statement of an answer, held against the passage."""

    claim: str = Field(description="one short sentence")
    evidence: str = Field(description="the words of the passage that support it, or what is missing")
    supported: bool


BRIEF = Brief(
    role="judge.faithfulness",
    prompt="judge_faithfulness",
    reads={
        **READS,
        "question": "as a user asks it",
        "answer": "in a few words",
        "reference": "the answer in one or two sentences",
    },
    gives={"claims": (Annotated[list[Claim], Field(min_length=1)], "all statements of answer and reference")},
)


_EARLIER = {"conversation": "what was asked and answered before; the question follows on it"}
_CLAIMS = {
    "earlier_claims": (
        Annotated[list[Claim], Field(min_length=1)],
        "all statements of the assistant's answer in the conversation, held against the passage like the others",
    )
}
FOLLOWING = replace(BRIEF, reads={**BRIEF.reads, **_EARLIER}, gives={**BRIEF.gives, **_CLAIMS})
"""Of a follow-up: the answer that was given before must be supported as well."""


class FaithfulnessCritic:
    """Passes an answer of whose claims the source supports a share of `settings.min_faithfulness` or more."""

    name = "faithfulness"

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._least = settings.min_faithfulness

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """No call for what is copied. RoleFailed where the model finds no claim to take a share of."""
        if draft.kind is ItemKind.UNANSWERABLE:
            return Verdict(critic=self.name, passed=True, reason="It claims nothing that a passage could support.")
        if copied(draft.key, draft.reference_answer, source) and _all_copied(draft.history, source):
            return Verdict(critic=self.name, passed=True, reason="The passage says so word for word.", score=1.0)
        answered = {"question": draft.stem, "answer": draft.key, "reference": draft.reference_answer}
        if draft.history:
            conversation = {"conversation": as_conversation(draft.stem, draft.history)}
            said = await FOLLOWING.ask(self._asks, {**passage(source), **answered, **conversation})
            invented = [claim for claim in said.earlier_claims if not claim.supported]
            if invented or not said.earlier_claims:
                return self._unsupported_before(invented)
        else:
            said = await BRIEF.ask(self._asks, {**passage(source), **answered})
        if not said.claims:
            raise RoleFailed("no_claims", "The faithfulness judge found no claim in the answer.")
        unsupported = [claim for claim in said.claims if not claim.supported]
        share = (len(said.claims) - len(unsupported)) / len(said.claims)
        passed = share >= self._least
        doubts = "; ".join(f"{one_line(c.claim, 200)}: {one_line(c.evidence, 200)}" for c in unsupported)
        reason = f"{share:.0%} of {len(said.claims)} claims are supported."
        return Verdict(
            critic=self.name,
            passed=passed,
            reason=f"{reason} Not: {one_line(doubts, LONGEST_REASON)}" if unsupported else reason,
            code="" if passed else "unfaithful",
            blames="key",
            score=share,
        )

    def _unsupported_before(self, claims: Sequence[Claim]) -> Verdict:
        doubts = one_line("; ".join(f"{c.claim}: {c.evidence}" for c in claims), LONGEST_REASON)
        told = f"The passage does not support the first answer. {doubts} Let it say what the passage says."
        return Verdict(critic=self.name, passed=False, reason=told, code="unfaithful_history", score=0.0)


def _all_copied(history: Sequence[Turn], source: Source) -> bool:
    """Whether what the assistant said before is made of whole sentences of the source."""
    evidence = EvidenceFinder(source)
    said = [sentence for turn in history if turn.role == "assistant" for sentence in sentences(turn.text)]
    return all(evidence.states(sentence) for sentence in said)


def copied(key: str, reference: str, source: Source) -> bool:
    """Whether the reference is made of whole sentences of the source, and one of them holds the key for what it is.

    Whole sentences keep their negations and conditions. A key says less than its sentence where that denies
    something, or where "about", "at least", "or", "to" and the like stand beside it: then a judge must read both.
    """
    evidence, said = EvidenceFinder(source), sentences(reference)
    if not said or not all(evidence.states(sentence) for sentence in said):
        return False
    return any(not negated(sentence) and _holds(sentence, key) for sentence in said)


def _holds(sentence: str, key: str) -> bool:
    """Whether the words of the key stand in the sentence in a row, and nothing beside them changes their sense."""
    words, among = _words(key), _words(sentence)
    ends = [(n, n + len(words)) for n in range(len(among) - len(words) + 1) if among[n : n + len(words)] == words]
    beside = [{*among[max(0, start - 1) : start], *among[end : end + 1]} for start, end in ends]
    return bool(words) and any(_BESIDE.isdisjoint(neighbours) for neighbours in beside)


def _words(text: str) -> list[str]:
    """Words as they are compared; signs inside and before them count: 1.5 is not 15, and -5 not 5."""
    words = (word.strip(_EDGES) for word in bare_sentence(text).split())
    return [word for word in words if word and word not in {"a", "an", "the"}]
