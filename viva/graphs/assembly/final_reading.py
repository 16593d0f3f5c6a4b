"""The final reading of the questions that were chosen: those that an editor would not print make way for others."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from viva.agents.roles import FinalReader
from viva.core.calls import binding
from viva.core.errors import BudgetReached, RoleFailed
from viva.core.records import Document, Item
from viva.core.wording import counted

ITEMS_PER_CALL = 8
_BESIDE = 300
"""Characters of the document that are read before the evidence, and as many after it."""


@dataclass(frozen=True)
class FinalReading:
    """What the final reader found of chosen items."""

    refused: Mapping[str, str] = field(default_factory=dict)
    """ids of items that it would not print, with their faults"""
    read: frozenset[str] = frozenset()
    """ids of the items that it was asked about"""
    failed: int = 0
    """items that it was asked about and did not judge: they may be in the exam"""

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about items that were not judged; none where all were."""
        note = (
            f"{counted(self.failed, 'question')} of {len(self.read)} could not be read by the final reader, and may "
            "be in the exam. The same command asks again."
        )
        return (note,) if self.failed else ()


_NONE = FinalReading()


async def read_finally(
    reader: FinalReader, items: Sequence[Item], documents: Mapping[str, Document], before: FinalReading = _NONE
) -> FinalReading:
    """Ask about those of these items that were not read before, several in a call, in the order of their ids.

    A spent budget leaves items unread. Gives what was found before, too.
    """
    unread = sorted((item for item in items if item.id not in before.read), key=lambda item: item.id)
    groups = [unread[start : start + ITEMS_PER_CALL] for start in range(0, len(unread), ITEMS_PER_CALL)]
    ended = await asyncio.gather(*(_read(reader, group, documents) for group in groups), return_exceptions=True)
    faults: list[str | None] = []
    for end in ended:
        if isinstance(end, BaseException):
            raise end
        faults += end
    refused = {item.id: fault for item, fault in zip(unread, faults, strict=True) if fault}
    read = before.read.union(item.id for item in unread)
    return FinalReading({**before.refused, **refused}, read, before.failed + faults.count(None))


async def _read(reader: FinalReader, items: Sequence[Item], documents: Mapping[str, Document]) -> list[str | None]:
    with binding(chunk_id=items[0].provenance.chunk_id):
        try:
            return await reader.read([(item, _passage(item, documents)) for item in items])
        except (RoleFailed, BudgetReached):
            return [None] * len(items)


def _passage(item: Item, documents: Mapping[str, Document]) -> str:
    """Give the evidence of each document with what stands around it; '' where nothing answers the question."""
    texts = []
    for span in item.evidence:
        text = documents[span.document_id].text
        texts.append(text[max(0, span.start - _BESIDE) : span.end + _BESIDE])
    return " … ".join(texts)
