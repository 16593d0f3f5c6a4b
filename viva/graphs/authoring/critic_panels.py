"""Panels of critics: one after the other, the critics of a panel at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from viva.agents.roles import DraftCritic, Source
from viva.core.calls import binding, bound
from viva.core.records import Draft, ExpertAnswer, Verdict

Judgement = Callable[[], Awaitable[Verdict | tuple[Verdict, ...]]]


async def ask_panels(
    panels: Sequence[Sequence[DraftCritic]], draft: Draft, answer: ExpertAnswer | None, source: Source
) -> tuple[tuple[Verdict, ...], Verdict | None]:
    """All that was said, and the verdict that ended the round: the first panel that fails a draft ends it."""
    spoken: list[Verdict] = []
    for panel in panels:
        verdicts = await _at_once([partial(critic.judge, draft, answer, source) for critic in panel])
        spoken += verdicts
        ended = joined(verdicts)
        if ended is not None:
            return tuple(spoken), ended
    return tuple(spoken), None


async def _at_once(judgements: Sequence[Judgement]) -> list[Verdict]:
    """All of them, in their order. What one of them raises is raised when all have ended: what they asked is paid."""
    kept: list[list[str]] = [[] for _ in judgements]

    async def judged(judgement: Judgement, calls: list[str]) -> Verdict | tuple[Verdict, ...]:
        with binding(calls=calls):
            return await judgement()

    asked = (judged(judgement, calls) for judgement, calls in zip(judgements, kept, strict=True))
    ended = await asyncio.gather(*asked, return_exceptions=True)
    trace = bound().calls
    if trace is not None:
        # each critic kept its own: the order in which they were answered is nobody's
        trace.extend(key for calls in kept for key in calls)
    verdicts: list[Verdict] = []
    for end in ended:
        if isinstance(end, BaseException):
            raise end
        verdicts += end if isinstance(end, tuple) else (end,)
    return verdicts


def joined(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The first that failed, with the names and reasons of all that did: who revises should know them all. Or None.

    It blames the key where all of them do: a question that is at fault too has to be written again first.
    """
    failed = [verdict for verdict in verdicts if not verdict.passed]
    if not failed:
        return None
    reason = " ".join(f"{verdict.critic}: {verdict.reason}" for verdict in failed)
    blames = {verdict.blames for verdict in failed}
    blamed = blames.pop() if len(blames) == 1 else "question"
    final = any(verdict.final for verdict in failed)
    return failed[0].model_copy(update={"reason": reason, "blames": blamed, "final": final})
