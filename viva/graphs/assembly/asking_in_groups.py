"""Asks a model about many things, several in a call; what could not be judged is None."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from viva.core.calls import binding
from viva.core.errors import BudgetReached, RoleFailed

Thing = TypeVar("Thing")
Verdict = TypeVar("Verdict")


async def ask_in_groups(
    ask: Callable[[Sequence[Thing]], Awaitable[list[Verdict | None]]],
    things: Sequence[Thing],
    size: int,
    chunk_of: Callable[[Thing], str | None],
) -> list[Verdict | None]:
    """Ask about all things at once, `size` in a call; one verdict for each, in their order.

    None for the things of a call that failed, or for which the budget was spent. A call is recorded with the chunk of
    its first thing.
    """

    async def asked(group: Sequence[Thing]) -> list[Verdict | None]:
        with binding(chunk_id=chunk_of(group[0])):
            try:
                return await ask(group)
            except (RoleFailed, BudgetReached):
                return [None] * len(group)

    groups = [things[start : start + size] for start in range(0, len(things), size)]
    # what one call raises is raised when all have ended: what they asked is paid
    ended = await asyncio.gather(*map(asked, groups), return_exceptions=True)
    verdicts: list[Verdict | None] = []
    for end in ended:
        if isinstance(end, BaseException):
            raise end
        verdicts += end
    return verdicts
