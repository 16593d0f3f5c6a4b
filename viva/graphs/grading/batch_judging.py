"""Judging many cases through the gateway: each once, with progress, resumable."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.judge import LanguageModelJudge, language_model_judge, stamped
from viva.agents.judges.roles import Judge
from viva.agents.roles import Progress
from viva.core.errors import UsageError
from viva.core.records.judging import Case, JudgeCard, Judgement, Quality, Unjudged
from viva.core.settings import Settings
from viva.graphs.resources.model_client import ModelClient


@dataclass(frozen=True)
class JudgePool:
    """Judges on one client of models."""

    models: ModelClient

    def judge(
        self, quality: Quality, *, card: JudgeCard | None = None, program: Compiled | None = None
    ) -> LanguageModelJudge:
        """The judge of a quality, played by the model of --model."""
        model = str(self.models.roster.of("judge"))
        if card is None:
            card = stamped(quality, program).model_copy(update={"model": model})
        elif card.model and card.model != model:
            raise UsageError(
                f"The judge {card.name} was tuned and measured with {card.model}, and {model} is to play it.",
                allowed="A judge is used only with the model it was measured with.",
                next_step=f"--model {card.model}, or tune it with {model}",
            )
        audience = self.models.settings.audience
        return language_model_judge(quality, self.models.asker, card=card, program=program, audience=audience)


async def judge_cases(
    judge: Judge, cases: Sequence[Case], progress: Progress | None = None
) -> list[Judgement | Unjudged]:
    """One result for each case, in their order; equal cases are judged once.

    What was paid for is served from the ledger when the same is judged again: an interrupted judging goes on.
    UsageError, before anything is asked, for a case that lacks what the quality needs; BudgetReached comes through.
    """
    distinct = {case.id: case for case in cases}
    said = await judge.judge(list(distinct.values()), progress)
    found = dict(zip(distinct, said, strict=True))
    return [found[case.id] for case in cases]


@asynccontextmanager
async def opened_judge_pool(folder: Path, settings: Settings) -> AsyncIterator[JudgePool]:
    """The pool, its models closed at the end, their calls kept in the folder, whose lock the caller holds."""
    if not settings.model:
        raise UsageError(
            "No language model is named, and this judge is one.",
            next_step="Name it: --model openai:gpt-4o-mini; or take a judge without one, as viva judges lists them.",
        )
    models = ModelClient(folder, settings, run_id=lambda: "judging")
    try:
        models.check()
        yield JudgePool(models)
    finally:
        await models.aclose()
