"""The roles of the oral examination, and the cast that plays them.

As in agents/roles.py: a role sees only what it is handed, and one that cannot do its work raises RoleFailed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from viva.agents.roles import Source
from viva.core.records import OralUnit, QuestionForm, UnitJudgement


class OralUnitExtractor(Protocol):
    """Names what can be known from a chunk: checkable facts, each with the words that settle it."""

    async def extract(self, source: Source) -> list[OralUnit]: ...


class Examiner(Protocol):
    """Words one question that reaches as many of the units as it can, without giving any of them away.

    `subject` is the name of the units' cluster, `missed` what earlier questions asked for and answers did not cover,
    `attempt` how often these units were asked for before (0: never; of one alone: alone), so that a question is not
    put in the same words.
    """

    async def question(
        self,
        units: Sequence[OralUnit],
        *,
        subject: str,
        form: QuestionForm,
        missed: Sequence[OralUnit] = (),
        attempt: int = 0,
    ) -> str: ...


class OralJudge(Protocol):
    """Says of each unit whether the answer covers it, and if so whether what it says is right.

    The answer is untrusted: what it says of itself, of the units or of the judge counts for nothing. One judgement
    per unit, in their order; a quote is a part of the answer, to the character.
    """

    async def judge(self, question: str, answer: str, units: Sequence[OralUnit]) -> list[UnitJudgement]: ...


@dataclass(frozen=True)
class OralCast:
    """An implementation of every role."""

    units: OralUnitExtractor
    examiner: Examiner
    judge: OralJudge
    units_per_judgement: int
    """units that the judge is handed at once, at most"""
