"""The judge of the oral examination: many units per call, each verdict with the words of the answer it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import Asks, Brief
from viva.agents.language_model.replies import reason
from viva.core.errors import RoleFailed
from viva.core.records import OralUnit, UnitJudgement
from viva.core.text.overlap import normalised_tokens
from viva.core.text.words import folded
from viva.llm.untrusted import one_line, restored

_LONGEST_SOURCE, _LONGEST_QUOTE = 600, 600
_SAYS_SOMETHING = 3
"""Letters and digits without which a quote quotes nothing."""
_CLAIMS = frozenset(
    "about above all also and any are as at can complete correct could cover covered detail do documents everything"
    " exactly fact facts for full have i in is it keywords know known me mistake of on or points right said say sure"
    " stated tell that their them these this time to told true very was well were what which with without yes"
    " you".split()
)
"""Words in which an answer speaks of itself."""


class Point(BaseModel):
    """What the model says of one unit."""

    point: int = Field(description="its number")
    quote: str = Field(description="the part of the answer about it, copied letter for letter")
    reason: str = Field(description="what the quote says and what the source says; one sentence")
    correct: bool


BRIEF = Brief(
    role="judge.oral",
    prompt="judge_oral",
    reads={
        "question": "as it was put",
        "points": "numbered, each with the words of the source that settle it",
        "answer": "of somebody under examination",
    },
    gives={"covered": (list[Point], "the points of which the answer says something; empty if there are none")},
)


class ModelOralJudge:
    """What the model says counts only where its quote stands in the answer."""

    def __init__(self, asks: Asks) -> None:
        self._asks = asks

    async def judge(self, question: str, answer: str, units: Sequence[OralUnit]) -> list[UnitJudgement]:
        """One per unit, in their order. No call for an empty answer; RoleFailed where the reply cannot be read."""
        if not answer.strip() or not units:
            return [UnitJudgement(unit_id=unit.id, reason="Nothing was said.") for unit in units]
        said = await BRIEF.ask(self._asks, {"question": question, "points": points(units), "answer": answer})
        told: dict[int, Point] = {}
        for point in said.covered:
            if not 1 <= point.point <= len(units):
                raise RoleFailed("unknown_point", f"The judge named point {point.point} of {len(units)}.")
            if told.setdefault(point.point, point).correct != point.correct:
                raise RoleFailed("two_verdicts", f"The judge called point {point.point} both right and wrong.")
        named = " ".join([question, *(unit.keyword for unit in units)])
        return [_judgement(unit, answer, told.get(n), named) for n, unit in enumerate(units, 1)]


def points(units: Sequence[OralUnit]) -> str:
    """The units as the judge reads them."""
    lines = (
        f"{n}. {unit.keyword}; source: {one_line(unit.evidence.quote, _LONGEST_SOURCE)}"
        for n, unit in enumerate(units, 1)
    )
    return "\n".join(lines)


def _judgement(unit: OralUnit, answer: str, told: Point | None, named: str) -> UnitJudgement:
    if told is None:
        return UnitJudgement(unit_id=unit.id, reason="The judge found nothing about it in the answer.")
    quote = found_in(answer, told.quote)
    if quote is None:
        return UnitJudgement(unit_id=unit.id, reason="What the judge quoted does not stand in the answer.")
    if _asks(quote, answer) or not says_more(quote, named):
        return UnitJudgement(unit_id=unit.id, reason="What the judge quoted says nothing that the question does not.")
    return UnitJudgement(unit_id=unit.id, quote=quote, correct=told.correct, reason=reason(told.reason))


def _asks(quote: str, answer: str) -> bool:
    after = answer[answer.find(quote) + len(quote) :].lstrip(" \"'”»)")
    return quote.endswith("?") or after.startswith("?")


def says_more(quote: str, named: str) -> bool:
    """Whether the quote holds a word that is neither in question and points nor one of those that claims are made of.

    To repeat what is asked for, and to say that one knows it, is to state nothing.
    """
    return not set(normalised_tokens(quote)) <= {*normalised_tokens(named), *_CLAIMS}


def found_in(answer: str, quote: str) -> str | None:
    """The answer's own words that the quote means; None where they do not stand in it, but for their looks."""
    wanted = folded(restored(quote)[:_LONGEST_QUOTE])[0].strip(" '.")
    text, places = folded(answer)
    start = text.find(wanted)
    if sum(char.isalnum() for char in wanted) < _SAYS_SOMETHING or start < 0:
        return None
    return answer[places[start] : places[start + len(wanted) - 1] + 1]
