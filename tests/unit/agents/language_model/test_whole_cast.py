"""The whole cast, played by the fake model in both formats of replies, writes items of every kind."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import dspy
import pytest
from by_hand import source
from by_id import by_id
from fake_model import fake_reply
from harbour import HARBOUR, LIGHTS, PILOTS

from viva.agents.language_model.cast import language_model_cast
from viva.agents.roles import Source
from viva.core.calls import Message
from viva.core.records import ItemKind
from viva.core.settings import Settings
from viva.graphs.authoring.state import Committee
from viva.graphs.chunk import walk_chunk
from viva.llm.formats.adapters import PlainAdapter, TextAdapter


class Asker:
    """Asks the fake model without a gateway."""

    def __init__(self, adapter: Any) -> None:
        self._adapter = adapter

    async def ask(self, role: str, signature: type[dspy.Signature], /, **inputs: object) -> dspy.Prediction:
        asked = self._adapter.format(signature, [], inputs)
        said = fake_reply([Message(role=m["role"], text=m["content"]) for m in asked], {})
        return dspy.Prediction(**self._adapter.parse(signature, said))


@pytest.mark.parametrize("adapter", [TextAdapter(), PlainAdapter()])
def test_some_items_are_accepted_and_some_units_rejected(adapter: Any) -> None:
    cast = language_model_cast(Asker(adapter), Settings(items_per_chunk=20))
    committee = Committee(cast=cast, items_per_chunk=20, revisions=2, redos=2)
    found = Counter[str]()
    for text in (HARBOUR, PILOTS, LIGHTS):
        walk = asyncio.run(walk_chunk(source(text), committee))
        found.update(units=walk.found, items=len(walk.items), rejections=len(walk.rejections))
        found.update(later=sum(item.provenance.attempts > 1 for item in walk.items))
    assert found["items"] + found["rejections"] == found["units"] > 20
    assert found["items"] > 3 * found["rejections"]
    assert found["rejections"] + found["later"] > 0


def both(kind: ItemKind) -> Source:
    """Two documents that speak of one boat, for a multi-hop item or to be looked through for what they do not say."""
    pilots, boats = source(PILOTS, "pilots.txt", "Pilots"), source(BOATS, "boats.md", "Boats")
    return Source(pilots.chunk, pilots.document, kind, boats if kind is ItemKind.MULTI_HOP else None)


SPANS = {ItemKind.MULTI_HOP: 2, ItemKind.UNANSWERABLE: 0, ItemKind.FOLLOW_UP: 1}
LIKE = [PILOTS.replace("Grey Sandpiper", name).replace("24", speed) for name, speed in (("Ada", "22"), ("Bo", "27"))]
BOATS = "The pilot boat Grey Sandpiper burns 31 litres of diesel an hour. Odalys Ferrant was born on the Ness."


@pytest.mark.parametrize("adapter", [TextAdapter(), PlainAdapter()])
@pytest.mark.parametrize("kind", [ItemKind.MULTI_HOP, ItemKind.UNANSWERABLE, ItemKind.FOLLOW_UP])
def test_items_of_the_other_kinds_have_the_evidence_of_their_kind(kind: ItemKind, adapter: Any) -> None:
    at, beside = both(kind), both(ItemKind.MULTI_HOP).parts
    # a follow-up asks for what other things of its kind have too
    beside = (*beside, *(source(text, f"{n}.md") for n, text in enumerate(LIKE)))
    documents, chunks = [part.document for part in beside], [part.chunk for part in beside]
    cast = language_model_cast(Asker(adapter), Settings(items_per_chunk=9), by_id(documents), by_id(chunks))
    walk = asyncio.run(walk_chunk(at, Committee(cast=cast, items_per_chunk=9, revisions=2, redos=2)))
    assert walk.items
    for item in walk.items:
        assert (item.kind, len(item.evidence)) == (kind, SPANS[kind])
        assert item.turn == (2 if kind is ItemKind.FOLLOW_UP else 1)
        if kind is ItemKind.MULTI_HOP:
            assert {span.document_id for span in item.evidence} == {document.id for document in documents[:2]}
