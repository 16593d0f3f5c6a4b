"""The engine of one process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from viva.graphs.context import RunContext
from viva.graphs.engines import tasks


@dataclass
class LocalEngine:
    """Does the work here, on the run's own context."""

    context: RunContext

    async def read(self, source_id: str) -> None:
        """See `Engine`."""
        await tasks.read(self.context, source_id)

    async def write(self, source_id: str, *, above_recall: bool) -> Counter[str]:
        """See `Engine`."""
        return await tasks.write(self.context, source_id, above_recall)

    async def sit(self, place: int) -> None:
        """See `Engine`."""
        await tasks.sit(self.context, place)

    async def sit_reference(self, place: int) -> None:
        """See `Engine`."""
        await tasks.sit_reference(self.context, place)

    async def aclose(self) -> None:
        """The context is closed by who opened it."""
