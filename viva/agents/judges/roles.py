"""The judge as a role: whoever asks one never knows whether a model or rules answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from viva.agents.roles import Progress
from viva.core.records.judging import Case, JudgeCard, Judgement, Unjudged

DEFAULT = "correctness-offline"
"""The judge of correctness that is used where none is named."""


class Judge(Protocol):
    """Judges cases of one quality (`card.judges`). What a case says of itself or of the judge counts for nothing."""

    @property
    def card(self) -> JudgeCard: ...

    async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
        """One for each case, in their order; where it could not judge, Unjudged says why.

        UsageError for a case that lacks what the quality needs; BudgetReached comes through.
        """
        ...
