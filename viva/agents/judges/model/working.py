"""Many cases at work at once, their results in order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from viva.agents.roles import Progress

_T = TypeVar("_T")
_R = TypeVar("_R")


async def worked(
    each: Callable[[_T], Awaitable[_R]], many: Sequence[_T], places: int, progress: Progress | None = None
) -> list[_R]:
    """What `each` makes of the values, in their order, at most `places` at once.

    The first exception ends the others and comes through: what the door sent for them, it still records.
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
