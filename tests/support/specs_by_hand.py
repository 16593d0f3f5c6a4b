"""Examinees and specs made by hand, and what is asked of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from viva.core.records import Examinee, Passage
from viva.examinees.adapters.base import Adapter
from viva.examinees.answering import Answer, Candidate, Closes, ReadsPassages
from viva.examinees.specs.records import CallableSpec

STEM = "How much does the tank hold?"
OPTIONS = ("20 litres", "30 litres", "40 litres")


def examinee(name: str = "own", **components: str) -> Examinee:
    return Examinee(id=f"id of {name}", name=name, spec=name, components=components)


def function_spec(module: str, function: str, **arguments: str | int) -> CallableSpec:
    return CallableSpec(examinee=examinee(), target=f"{module}:{function}", arguments={**arguments})


def asked(
    system: Candidate,
    *,
    stem: str = STEM,
    options: Sequence[str] | None = OPTIONS,
    passages: Sequence[str] | None = None,
) -> Answer:
    """One answer of the system, which is closed behind it."""

    async def one() -> Answer:
        if passages is None:
            return await system.answer(stem, options)
        assert isinstance(system, ReadsPassages)
        return await system.answer_from(stem, options, [Passage(text=text) for text in passages])

    try:
        return asyncio.run(one())
    finally:
        if isinstance(system, Closes):
            system.close()


def timed_out(system: Adapter, seconds: float = 0.3) -> bool:
    """Whether an answer does not come in time; it is given up as the sitting gives up."""

    async def one() -> bool:
        task = asyncio.ensure_future(system.answer(STEM, OPTIONS))
        done, _ = await asyncio.wait({task}, timeout=seconds)
        task.cancel()
        await asyncio.wait({task}, timeout=2)
        return not done

    return asyncio.run(one())
