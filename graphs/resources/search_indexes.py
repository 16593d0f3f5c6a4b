"""Search indexes over the chunks of a run, and over chunks of other sizes for reference systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from viva.core.records import Chunk, Document
from viva.examinees.retrievers import ChunkIndex
from viva.llm.embeddings import Embedder, VectorCache

if TYPE_CHECKING:
    from viva.storage.runs import RunStore
    from viva.storage.vectors import VectorStore


class SearchedRun(Protocol):
    """The parts of a run's context that its indexes are made from."""

    folder: Path

    @property
    def store(self) -> RunStore: ...
    @property
    def documents(self) -> Mapping[str, Document]: ...
    @property
    def chunks(self) -> Mapping[str, Chunk]: ...
    @property
    def embedder(self) -> Embedder: ...
    @property
    def vector_cache(self) -> VectorCache: ...
    @property
    def vectors(self) -> VectorStore: ...


@dataclass
class Indexes:
    """The indexes of one run; each is created once."""

    context: SearchedRun
    _made: dict[tuple[int, str], ChunkIndex] = field(default_factory=dict)

    def of(self, chunk_tokens: int, encoder: str = "") -> ChunkIndex:
        """The index over chunks of this size, with the named encoder, or else the run's own."""
        if (chunk_tokens, encoder) not in self._made:
            chunks = self._chunks(chunk_tokens)
            self._made[chunk_tokens, encoder] = ChunkIndex(
                chunks, self._encoder(encoder, chunks), self.context.vectors
            )
        return self._made[chunk_tokens, encoder]

    def _chunks(self, chunk_tokens: int) -> Mapping[str, Chunk]:
        if chunk_tokens == self.context.store.run.settings["chunk_tokens"]:
            return self.context.chunks
        from viva.storage.corpus.split import Splitter

        splitter = Splitter(chunk_tokens, chunk_tokens // 8, self.context.embedder.count_tokens)
        documents = self.context.documents.values()
        return {chunk.id: chunk for document in documents for chunk in splitter.split(document)}

    def _encoder(self, name: str, chunks: Mapping[str, Chunk]) -> Embedder:
        if not name:
            return self.context.embedder
        from viva.examinees.encoders import encoder_of

        return encoder_of(name, [chunk.text for chunk in chunks.values()], self.context.vector_cache)
