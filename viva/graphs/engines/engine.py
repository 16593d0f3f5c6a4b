"""What spreads the work of a run: the same work (graphs/engines/local.py) is done here or elsewhere."""

from __future__ import annotations

from collections import Counter
from typing import Protocol


class Engine(Protocol):
    """Does one piece of work at a time, several at once. What is made is on record when a call returns.

    All raise what stops a run: BudgetReached, UsageError, TransientError.
    """

    async def read(self, source_id: str) -> None:
        """Find the knowledge units of one source."""
        ...

    async def write(self, source_id: str, *, above_recall: bool) -> Counter[str]:
        """Send one source through its graph; what was made of it, by kind (see `stages.record_walk`)."""
        ...

    async def sit(self, place: int) -> None:
        """One of those asked for answers what it has not answered yet."""
        ...

    async def sit_reference(self, place: int) -> None:
        """One of those set beside them answers what it has not answered yet."""
        ...

    async def aclose(self) -> None:
        """Let what is in flight land; nothing is begun any more."""
        ...
