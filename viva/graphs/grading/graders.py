"""Who grades the open answers of a run: a judge, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from viva.agents.judges.roles import DEFAULT, Judge
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import JudgeCard, Make, Quality
from viva.graphs.grading.judge_lookup import Named, named_judge
from viva.graphs.resources.model_client import ModelClient
from viva.storage.judges import Installed, stamp_of

if TYPE_CHECKING:
    import dspy

    from viva.graphs.context import RunContext

OFFLINE = "offline"
GRADING = (Quality.CORRECTNESS, Quality.RUBRIC)
"""What a judge must judge to grade answers as right or wrong."""
FURTHER = (Quality.FAITHFULNESS, Quality.RELEVANCE)
"""What open answers can be graded for besides; in no rank, accuracy or ability."""


def fingerprint(card: JudgeCard) -> str:
    """What tells a judge from another, or from itself after a change: who gives the same grades has the same."""
    return content_hash("judge", card.name, *stamp_of(card))


def check_judge(context: RunContext) -> None:
    """Raise now what grading would raise later: UsageError for a judge that cannot be used."""
    if context.settings.open_share or context.settings.judge != OFFLINE:
        judge_of(context)
    further_judges(context)


def judge_of(context: RunContext) -> Judge:
    """The judge that the run names. UsageError for one that is not there, or that judges something else."""
    name = context.settings.judge
    named = named_judge(DEFAULT if name == OFFLINE else name)
    if named.quality not in GRADING:
        raise UsageError(
            f"The judge {named.name} judges {named.quality}, and open answers are graded for correctness.",
            allowed=f"A judge of {' or '.join(GRADING)}; viva judges lists them.",
            next_step=f"Grade for it besides: --qualities {named.name}" if named.quality in FURTHER else "",
        )
    return _made(context, named)


def further_judges(context: RunContext) -> dict[Quality, Judge]:
    """By quality, the judges of `--qualities`. UsageError for what cannot be graded so, or is named twice.

    A quality by its own name is judged by the run's language model or, without one, by rules.
    """
    found = dict[Quality, Judge]()
    for name in context.settings.qualities:
        named = named_judge(name)
        if named.quality not in FURTHER:
            raise UsageError(
                f"--qualities names {name}, a judge of {named.quality}.",
                allowed=f"A judge of {' or '.join(FURTHER)}; viva judges lists them.",
                next_step="The judge of correctness has an option of its own: --judge NAME"
                if named.quality in GRADING
                else "",
            )
        if named.quality in found:
            raise UsageError(f"--qualities names two judges of {named.quality}.", allowed="One judge for a quality.")
        if named.make is Make.BASE and not context.settings.model:
            named = replace(named, name=f"{named.quality}-{Make.OFFLINE}", make=Make.OFFLINE)
        found[named.quality] = _made(context, named)
    return found


def _made(context: RunContext, named: Named) -> Judge:
    """The judge itself. UsageError for one that asks a language model where the run has none."""
    if not named.asks_a_model:
        return named.without_model(context.embedder)
    if not context.settings.model:
        by_rules = _by_rules(named.quality)
        raise UsageError(
            f"The judge {named.name} asks a language model, and this run has none.",
            next_step=f"Name it when the run is made, --model PROVIDER:MODEL; or grade with {by_rules}.",
        )
    return _asking_a_model(context.models, named.quality, named.installed)


def _by_rules(quality: Quality) -> str:
    """The option that names the judge without a model."""
    return f"--qualities {quality}-{OFFLINE}" if quality in FURTHER else f"--judge {OFFLINE}"


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
            next_step=f"Make the run with --model judge={card.model}, or grade with {_by_rules(quality)}.",
        )
    program = Compiled.from_json(found.program) if found else None
    audience = models.settings.audience
    return language_model_judge(quality, _OpenedLate(models), card=card, program=program, audience=audience)


_ROLES = {"judge.faithfulness": "judge.answer_faithfulness"}
"""The ledger counts by role, and judge.faithfulness was a critic of the writing: runs of earlier versions hold it."""


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
        return await self.models.asker.ask(_ROLES.get(role, role), signature, demos=demos, **inputs)
