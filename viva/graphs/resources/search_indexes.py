"""Search indexes over the chunks of a run, and over chunks of other sizes for reference systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from viva.core.records import Chunk, Document
from viva.examinees.retrievers import ChunkIndex
from viva.llm.embeddings import Embedder, VectorCache

if TYPE_CHECKING:
    from viva.storage.vectors import VectorStore


class SearchedRun(Protocol):
    """What indexes are made from."""

    def chunks_of(self, chunk_tokens: int) -> Mapping[str, Chunk]: ...
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
            chunks = self.context.chunks_of(chunk_tokens)
            self._made[chunk_tokens, encoder] = ChunkIndex(
                chunks, self._encoder(encoder, chunks), self.context.vectors
            )
        return self._made[chunk_tokens, encoder]

    def _encoder(self, name: str, chunks: Mapping[str, Chunk]) -> Embedder:
        if not name:
            return self.context.embedder
        from viva.examinees.encoders import encoder_of

        return encoder_of(name, [chunk.text for chunk in chunks.values()], self.context.vector_cache)


def chunked_anew(
    documents: Iterable[Document], chunk_tokens: int, count_tokens: Callable[[str], int]
) -> dict[str, Chunk]:
    """The documents in chunks of this size, by id."""
    from viva.storage.corpus.split import Splitter

    splitter = Splitter(chunk_tokens, chunk_tokens // 8, count_tokens)
    return {chunk.id: chunk for document in documents for chunk in splitter.split(document)}
