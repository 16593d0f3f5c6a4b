"""The judge that asks a language model: any quality, with the prompt as it ships or as an optimizer left it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from viva.agents.judges.model.compiled import Compiled, signature_fingerprint
from viva.agents.judges.model.forms import AUDIENCE, FORMS, JudgeForm, turned
from viva.agents.judges.model.reading import both_orders, judgement
from viva.agents.language_model.asks import Asks
from viva.agents.roles import Progress
from viva.core.errors import RoleFailed, UsageError
from viva.core.records.judging import Case, JudgeCard, Judgement, Make, Quality, Unjudged
from viva.prompts import fingerprint

if TYPE_CHECKING:
    import dspy

_T = TypeVar("_T")
_R = TypeVar("_R")

PLACES = 256
"""Cases at work at once; how many requests are in flight the gateway decides."""


@dataclass(frozen=True, eq=False)
class LanguageModelJudge:
    """Reasons before it scores; what it says off the scale is no score. A Judge."""

    form: JudgeForm
    asks: Asks
    card: JudgeCard
    program: Compiled | None
    audience: str = AUDIENCE

    async def judge(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement | Unjudged]:
        """One for each case, in their order; a reply that cannot be had or read is Unjudged.

        Nothing is asked before every case was seen to have what the quality needs (UsageError). An empty answer is
        scored 0 without a call; of faithfulness it is Unjudged, for it claims nothing.
        """
        for number, case in enumerate(cases, 1):
            self.form.check(case, number)
        return await worked(self._judged, cases, PLACES, progress)

    async def _judged(self, case: Case) -> Judgement | Unjudged:
        unsaid = self.form.unsaid(case)
        if unsaid is not None:
            return unsaid
        try:
            one = await self._asked(case)
            if self.form.quality is not Quality.PREFERENCE:
                return one
            return both_orders(one, await self._asked(turned(case)))
        except RoleFailed as failed:
            return Unjudged(code=failed.code, reason=failed.reason)

    async def _asked(self, case: Case) -> Judgement:
        quality, inputs = self.form.quality, self.form.inputs(case, self.audience)
        demos = self.program.demos if self.program else ()
        signature = _signature(quality, self.program.instructions if self.program else None)
        said = await self.asks.ask(f"judge.{quality.value}", signature, demos=demos, **inputs)
        return judgement(quality, case, said)


def language_model_judge(
    quality: Quality,
    asks: Asks,
    *,
    card: JudgeCard | None = None,
    program: Compiled | None = None,
    audience: str = AUDIENCE,
) -> LanguageModelJudge:
    """The judge of a quality; `program` takes the place of the shipped instructions, `card` says what is known of it.

    `audience` asks, for usefulness.
    UsageError for a card of another quality, or whose stamp does not fit prompt, fields or program as they are now.
    """
    stamp = stamped(quality, program)
    if card is not None:
        check_stamp(card, stamp)
    if program is not None:
        program.check(_signature(quality, program.instructions))
    return LanguageModelJudge(FORMS[quality], asks, card or stamp, program, audience)


def stamped(quality: Quality, program: Compiled | None = None) -> JudgeCard:
    """The card of a judge of which nothing was measured: its prompt, fields and program as they are now."""
    return JudgeCard(
        name=quality.value if program is None else f"{quality.value}-tuned",
        judges=quality,
        make=Make.BASE if program is None else Make.TUNED,
        prompt=fingerprint(FORMS[quality].brief.prompt),
        signature=signature_fingerprint(FORMS[quality].brief.signature),
        content=program.fingerprint if program else "",
    )


def check_stamp(card: JudgeCard, now: JudgeCard) -> None:
    """UsageError where a card was stamped for another quality, prompt, fields or program than those of now."""
    if card.judges is not now.judges:
        raise UsageError(
            f"The judge {card.name} judges {card.judges.value}, and was asked for {now.judges.value}.",
            next_step=f"Use a judge of {now.judges.value}.",
        )
    changed = [
        told
        for name, told in (("prompt", "its prompt"), ("signature", "its fields"), ("content", "its compiled program"))
        if getattr(card, name) and getattr(card, name) != getattr(now, name)
    ]
    if changed:
        raise UsageError(
            f"The judge {card.name} is not the one that was measured: {' and '.join(changed)} changed since.",
            allowed="A judge is used only as it was stamped.",
            next_step=f"Put back what was changed, or tune it again, or use the base judge: {now.judges.value}",
        )


@lru_cache(maxsize=256)
def _signature(quality: Quality, instructions: str | None) -> type[dspy.Signature]:
    # one class for one text: the asker keeps a predictor for each class
    base = FORMS[quality].brief.signature
    return base if instructions is None else base.with_instructions(instructions)


async def worked(
    each: Callable[[_T], Awaitable[_R]], many: Sequence[_T], places: int, progress: Progress | None = None
) -> list[_R]:
    """What `each` makes of the values, in their order, at most `places` at once.

    The first exception ends the others and comes through: what the gateway sent for them, it still records.
    """
    results: dict[int, _R] = {}
    waiting = iter(enumerate(many))

    async def worker() -> None:
        for place, value in waiting:
            results[place] = await each(value)
            if progress is not None:
                progress(len(results), len(many))

    tasks = [asyncio.create_task(worker()) for _ in range(min(places, len(many)))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return [results[place] for place in range(len(many))]
