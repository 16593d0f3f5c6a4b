"""Judging many cases through the gateway: each once, with progress, resumable; failures are counted by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.judge import LanguageModelJudge, language_model_judge, stamped
from viva.agents.judges.roles import Judge
from viva.agents.roles import Progress
from viva.core.errors import UsageError
from viva.core.records.judging import Case, JudgeCard, Judgement, Quality, Unjudged
from viva.core.settings import Settings
from viva.graphs.resources.model_client import ModelClient
from viva.llm import interrupts
from viva.llm.roster import ModelName, Roster, parse_roster
from viva.storage.lock import run_lock

FOLDER = Path("viva-runs") / "judging"
"""Where the calls of judges are kept that belong to no run."""
_RUN_ID = "judging"

_T = TypeVar("_T")


@dataclass(frozen=True)
class Judged:
    """What one judge said of cases: a result for each, in their order."""

    card: JudgeCard
    results: tuple[Judgement | Unjudged, ...]

    @property
    def scores(self) -> list[float | None]:
        """As metrics take them: None where there is no judgement."""
        return [score_of(result) for result in self.results]

    @property
    def unjudged(self) -> Counter[str]:
        """How often there is no judgement, by code."""
        return Counter(result.code for result in self.results if isinstance(result, Unjudged))


@dataclass
class JudgesClient(ModelClient):
    """A door at which further models may sit as judges, under roles of their own: judge-2, judge-3 ..."""

    others: tuple[ModelName, ...] = field(default=())

    @cached_property
    def roster(self) -> Roster:
        """That of --model, and the further judges."""
        usual = parse_roster(self.settings.model)
        return Roster(usual.usual, {**usual.of_role, **dict(zip(self.roles[1:], self.others, strict=True))})

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the judges: that of the roster, then one for each further model."""
        return ("judge", *(f"judge-{n}" for n in range(2, 2 + len(self.others))))


@dataclass(frozen=True)
class JudgePool:
    """Judges on one models."""

    models: JudgesClient

    def judge(
        self, quality: Quality, *, card: JudgeCard | None = None, program: Compiled | None = None, place: int = 0
    ) -> LanguageModelJudge:
        """The judge of a quality, played by the model of --model or, from place 1 on, by the further ones."""
        role = self.models.roles[place]
        model = str(self.models.roster.of(role))
        if card is None:
            named = f"{quality.value}-{place + 1}" if place else quality.value
            card = stamped(quality, program).model_copy(update={"model": model, "name": named})
        elif card.model and card.model != model:
            raise UsageError(
                f"The judge {card.name} was tuned and measured with {card.model}, and {model} is to play it.",
                allowed="A judge is used only with the model it was measured with.",
                next_step=f"--model {card.model}, or tune it with {model}",
            )
        settings = self.models.settings
        return language_model_judge(
            quality, self.models.asker, card=card, program=program, role=role, audience=settings.audience
        )


async def judge_cases(judge: Judge, cases: Sequence[Case], progress: Progress | None = None) -> Judged:
    """One result for each case, in their order; equal cases are judged once.

    What was paid for is served from the ledger when the same is judged again: an interrupted judging goes on.
    UsageError, before anything is asked, for a case that lacks what the quality needs; BudgetReached comes through.
    """
    distinct = {case.id: case for case in cases}
    said = await judge.judge(list(distinct.values()), progress)
    found = dict(zip(distinct, said, strict=True))
    return Judged(judge.card, tuple(found[case.id] for case in cases))


def at_the_bench(
    folder: Path, settings: Settings, work: Callable[[JudgePool], Awaitable[_T]], others: Sequence[str] = ()
) -> _T:
    """Do this work with judges on a door of their own, which keeps all calls in the folder.

    `others` are further models, as --model names them. Raises RunLocked while another process works on the folder,
    UsageError for models that cannot be used; interrupted, what is in flight still lands in the ledger.
    """
    with run_lock(folder):
        return interrupts.run(_worked(folder, settings, work, others))


@asynccontextmanager
async def opened_judge_pool(folder: Path, settings: Settings, others: Sequence[str] = ()) -> AsyncIterator[JudgePool]:
    """The pool, its models closed at the end. Who opens it holds the folder's lock."""
    if not settings.model:
        raise UsageError(
            "No language model is named, and this judge is one.",
            next_step="Name it: --model openai:gpt-4o-mini; or take a judge without one, as viva judges lists them.",
        )
    named = tuple(_one_model(text) for text in others)
    models = JudgesClient(folder, settings, run_id=lambda: _RUN_ID, others=named)
    try:
        models.check(*named)
        yield JudgePool(models)
    finally:
        await models.aclose()


def score_of(result: Judgement | Unjudged) -> float | None:
    """The score, or None where there is no judgement."""
    return result.score if isinstance(result, Judgement) else None


async def _worked(
    folder: Path, settings: Settings, work: Callable[[JudgePool], Awaitable[_T]], others: Sequence[str]
) -> _T:
    async with opened_judge_pool(folder, settings, others) as pool:
        return await work(pool)


def _one_model(text: str) -> ModelName:
    roster = parse_roster([text])
    if roster.usual is None or roster.of_role:
        raise UsageError(f"“{text}” is no single model.", allowed="PROVIDER:MODEL.")
    return roster.usual
