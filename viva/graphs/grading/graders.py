"""Who grades the open answers of a run: a judge, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viva.agents.judges.roles import DEFAULT, Judge
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import JudgeCard, Quality
from viva.core.settings import Settings
from viva.graphs.grading.judge_lookup import Named, named_judge
from viva.graphs.resources.model_client import ModelClient
from viva.storage.judges import Installed, stamp_of

if TYPE_CHECKING:
    import dspy

    from viva.graphs.context import RunContext

OFFLINE = "offline"
GRADING = (Quality.CORRECTNESS, Quality.RUBRIC)
"""What a judge must judge to grade answers."""


def fingerprint(card: JudgeCard) -> str:
    """What tells a judge from another, or from itself after a change: who gives the same grades has the same."""
    return content_hash("judge", card.name, *stamp_of(card))


def check_judge(context: RunContext) -> None:
    """Raise now what grading would raise later: UsageError for a judge that cannot be used."""
    if context.settings.open_share or context.settings.judge != OFFLINE:
        judge_of(context)


def judge_of(context: RunContext) -> Judge:
    """The judge that the run names. UsageError for one that is not there, or that judges something else."""
    name = context.settings.judge
    named = named_judge(DEFAULT if name == OFFLINE else name)
    _check_usable(named, context.settings)
    if named.asks_a_model:
        return _asking_a_model(context.models, named.quality, named.installed)
    return named.without_model(context.embedder)


def _check_usable(named: Named, settings: Settings) -> None:
    if named.quality not in GRADING:
        raise UsageError(
            f"The judge {named.name} judges {named.quality}, and open answers are graded for correctness.",
            allowed=f"A judge of {' or '.join(GRADING)}; viva judges lists them.",
        )
    if named.asks_a_model and not settings.model:
        raise UsageError(
            f"The judge {named.name} asks a language model, and this run has none.",
            next_step="Name it when the run is made, --model PROVIDER:MODEL; or grade with --judge offline.",
        )


def _asking_a_model(models: ModelClient, quality: Quality, found: Installed | None = None) -> Judge:
    """The base judge of a quality, or one that was tuned, played by the run's model."""
    from viva.agents.judges.model.compiled import Compiled
    from viva.agents.judges.model.judge import language_model_judge, stamped

    model = str(models.roster.of("judge"))
    card = found.card if found else stamped(quality).model_copy(update={"model": model})
    if card.model not in ("", model):
        raise UsageError(
            f"The judge {card.name} was measured with {card.model}, and {model} is to play it.",
            allowed="A judge is used only with the model it was measured with.",
            next_step=f"Make the run with --model judge={card.model}, or grade with --judge offline.",
        )
    program = Compiled.from_json(found.program) if found else None
    audience = models.settings.audience
    return language_model_judge(quality, _OpenedLate(models), card=card, program=program, audience=audience)


@dataclass(frozen=True)
class _OpenedLate:
    """Asks through the run's models, which open with the first question: judges are named before there is a run."""

    models: ModelClient

    async def ask(
        self,
        role: str,
        signature: type[dspy.Signature],
        /,
        *,
        demos: Sequence[Mapping[str, object]] = (),
        **inputs: object,
    ) -> dspy.Prediction:
        return await self.models.asker.ask(role, signature, demos=demos, **inputs)
