"""Searches while an exam is written: off the event loop, queries together, and ended with the run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import current_thread

import pytest
from by_hand import WordEmbedder, document
from by_id import by_id

from viva.core.records import Chunk
from viva.graphs.resources.search_indexes import Indexes
from viva.llm.embeddings import Embedder, VectorCache
from viva.metrics.text.cosines import Vectors
from viva.storage.embedding_cache import EmbeddingCache
from viva.storage.vectors import VectorStore

SLOW_S = 0.15
DOCUMENTS = [document(f"The pump {n} moves water out of hull {n}.", f"{n}.md") for n in range(40)]
CHUNKS = by_id([Chunk.of(each, 0, len(each.text), 9) for each in DOCUMENTS])


class SlowEmbedder(WordEmbedder):
    """Takes a while for each request, whatever it holds."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []
        self.threads: set[str] = set()
        self.ticks = 0
        self.ticks_meanwhile: list[int] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        self.threads.add(current_thread().name)
        before = self.ticks
        time.sleep(SLOW_S)
        self.ticks_meanwhile.append(self.ticks - before)
        return super().embed(texts)


@dataclass
class Run:
    vectors: VectorStore
    vector_cache: VectorCache
    embedder: Embedder = field(default_factory=SlowEmbedder)

    def chunks_of(self, chunk_tokens: int) -> Mapping[str, Chunk]:
        return CHUNKS


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with VectorStore.open(tmp_path) as vectors, EmbeddingCache(tmp_path) as cache:
        yield Run(vectors, cache)


def slow(run: Run) -> SlowEmbedder:
    assert isinstance(run.embedder, SlowEmbedder)
    return run.embedder


def test_the_event_loop_goes_on_while_an_index_is_made_and_searched(run: Run) -> None:
    indexes = Indexes(run)

    async def ticking() -> None:
        while True:
            await asyncio.sleep(0.005)
            slow(run).ticks += 1

    async def searching() -> list[str]:
        ticks = asyncio.create_task(ticking())
        indexes.prepare(9)
        queries = ["pump 7", "hull 9"]
        found = [indexes.apart(lambda query=query: indexes.of(9).hybrid(query, 1), [query]) for query in queries]
        ranked = await asyncio.gather(*found)
        ticks.cancel()
        return [own[0][0].text for own in ranked]

    texts = asyncio.run(searching())
    indexes.close()

    assert texts == [DOCUMENTS[7].text, DOCUMENTS[9].text]
    assert all(slow(run).ticks_meanwhile)
    assert ["pump 7", "hull 9"] in slow(run).asked
    assert "MainThread" not in slow(run).threads


def test_vectors_that_are_asked_for_later_are_computed_off_the_event_loop(run: Run) -> None:
    indexes = Indexes(run)
    indexes.embed_ahead(["pump 3", "pump 4"])

    async def afterwards() -> list[list[str]]:
        return await indexes.apart(lambda: slow(run).asked)

    assert ["pump 3", "pump 4"] in asyncio.run(afterwards())
    indexes.close()
    assert "MainThread" not in slow(run).threads


def test_a_run_that_ends_waits_for_no_index(run: Run) -> None:
    indexes = Indexes(run)
    indexes.prepare(9)
    indexes.close()
    assert len(slow(run).asked) <= 1
    assert [chunk.text for chunk, _ in indexes.of(9).dense("pump 7", 1)] == [DOCUMENTS[7].text]
