"""What a judge's reply comes to. What is off its scale is no score, and what no passage says supports nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from viva.agents.judges.model.forms import FORMS, NO_CLAIMS, Claim
from viva.agents.language_model.oral.judge import found_in
from viva.agents.language_model.replies import LONGEST_REASON, reason, says_nothing
from viva.core.errors import RoleFailed
from viva.core.records.judging import Case, Judgement, Quality
from viva.llm.untrusted import one_line

_GAP = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|\.{3,}|…)\s*")
_PREFERRED = {"first": 1.0, "second": 0.0, "neither": 0.5}
_LONGEST_CLAIM = 200


def judgement(quality: Quality, case: Case, said: Any) -> Judgement:
    """The judgement that a reply holds; of a preference, that of the one order. RoleFailed where it holds none.

    `said` has the output fields of the quality's form as attributes.
    """
    match quality:
        case Quality.CORRECTNESS:
            return Judgement(reason=reason(said.rationale), score=_within(said.score, 0, 1))
        case Quality.RELEVANCE:
            return Judgement(reason=reason(said.rationale), score=_within(said.relevance, 0, 1))
        case Quality.ANSWERABILITY:
            return Judgement(reason=reason(said.rationale), score=float(said.answerable))
        case Quality.FAITHFULNESS:
            return _faithful(case, said.claims)
        case Quality.PREFERENCE:
            return Judgement(reason=reason(said.rationale), score=_PREFERRED[said.better])
        case Quality.RUBRIC:
            return _rated(said.feedback, said.score)
        case _:
            return _rated(said.rationale, getattr(said, FORMS[quality].rating))


def both_orders(one: Judgement, other: Judgement) -> Judgement:
    """A preference from its two orders; `other` is of the answers turned. Who does not agree prefers neither."""
    if one.score == 1 - other.score:
        return one
    told = f"In one order {_winner(one.score)}, in the other {_winner(1 - other.score)}: neither counts. {one.reason}"
    return Judgement(reason=told[:LONGEST_REASON], score=0.5)


def stands_in(passages: Sequence[str], quote: str) -> bool:
    """Whether the words stand in one of the passages, but for their looks; of a quote with gaps, each part."""
    parts = [part for part in _GAP.split(quote) if any(char.isalnum() for char in part)]
    whole = any(found_in(text, quote) for text in passages)
    return whole or (bool(parts) and all(any(found_in(text, part) for text in passages) for part in parts))


def _rated(why: str, rating: int) -> Judgement:
    return Judgement(reason=f"{rating} of 5. {reason(why)}", score=(_within(rating, 1, 5) - 1) / 4)


def _within(score: float, least: float, most: float) -> float:
    if not least <= score <= most:
        raise RoleFailed("off_scale", f"The judge said {score:g} on a scale from {least:g} to {most:g}.")
    return score


def _faithful(case: Case, claims: Sequence[Claim]) -> Judgement:
    if not claims:
        raise RoleFailed(NO_CLAIMS, "The judge found no claim in the answer to take a share of.")
    doubts = [doubt for doubt in (_doubt(case, claim) for claim in claims) if doubt]
    share = (len(claims) - len(doubts)) / len(claims)
    told = f"{share:.0%} of {len(claims)} claims are supported."
    return Judgement(reason=f"{told} Not: {'; '.join(doubts)}"[:LONGEST_REASON] if doubts else told, score=share)


def _doubt(case: Case, claim: Claim) -> str:
    """Why the claim counts as not supported; "" where it is."""
    named = one_line(claim.claim, _LONGEST_CLAIM)
    if not claim.supported:
        return named
    if says_nothing(claim.quote) or not stands_in(case.passages, claim.quote):
        return f"{named} (what was quoted stands in no passage)"
    return ""


def _winner(score: float) -> str:
    return {1.0: "the one is better", 0.0: "the other is better"}.get(score, "neither is better")
