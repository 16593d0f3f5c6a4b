"""The final reading of the questions that were chosen: those that an editor would not print make way for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from viva.agents.roles import ChosenItem, FinalReader
from viva.core.records import Document, Item
from viva.core.wording import counted
from viva.graphs.assembly.asking_in_groups import ask_in_groups

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
    reader: FinalReader,
    items: Sequence[Item],
    documents: Mapping[str, Document],
    guesses: Mapping[str, str] = MappingProxyType({}),
    before: FinalReading = _NONE,
) -> FinalReading:
    """Ask about those of these items that were not read before, several in a call, in the order of their ids.

    `guesses`: by id of the item, why a model without documents picked its key. A spent budget leaves items unread.
    Gives what was found before, too.
    """
    unread = sorted((item for item in items if item.id not in before.read), key=lambda item: item.id)
    shown = [ChosenItem(item, _passage(item, documents), guesses.get(item.id, "")) for item in unread]
    faults = await ask_in_groups(reader.read, shown, ITEMS_PER_CALL, lambda each: each.item.provenance.chunk_id)
    refused = {item.id: fault for item, fault in zip(unread, faults, strict=True) if fault}
    read = before.read.union(item.id for item in unread)
    return FinalReading({**before.refused, **refused}, read, before.failed + faults.count(None))


def _passage(item: Item, documents: Mapping[str, Document]) -> str:
    """Give the evidence of each document with the text around it; '' where nothing answers the question."""
    texts = []
    for span in item.evidence:
        text = documents[span.document_id].text
        texts.append(text[max(0, span.start - _BESIDE) : span.end + _BESIDE])
    return " … ".join(texts)
