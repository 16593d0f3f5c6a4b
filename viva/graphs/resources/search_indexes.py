"""Search indexes over the chunks of a run, and over chunks of other sizes for reference systems."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Protocol, TypeVar

from viva.core.records import Chunk, Document
from viva.examinees.retrievers import ChunkIndex, rough_embedder
from viva.llm.embeddings import Embedder, VectorCache

if TYPE_CHECKING:
    from viva.storage.vectors import VectorStore

_T = TypeVar("_T")


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
    """The indexes of one run; each is created once.

    While an exam is written all searches run in one thread, one after the other, and requests to models go on.
    """

    context: SearchedRun
    _made: dict[tuple[int, str], ChunkIndex] = field(default_factory=dict)
    _queries: dict[str, None] = field(default_factory=dict)
    """of the searches that wait for the thread"""
    _lock: RLock = field(default_factory=RLock)
    _closed: bool = False

    @cached_property
    def _thread(self) -> ThreadPoolExecutor:
        # imported before a thread needs it: SciPy takes a half imported torch for a whole one, and fails
        import torch  # noqa: F401

        return ThreadPoolExecutor(1, "search")

    def prepare(self, chunk_tokens: int) -> None:
        """Begin to make the index over chunks of this size in the thread, unless that was begun before."""
        if "_thread" not in self.__dict__:
            self._thread.submit(lambda: self.of(chunk_tokens).prepare(lambda: self._closed))

    def apart(self, find: Callable[[], _T], queries: Sequence[str] = ()) -> Awaitable[_T]:
        """Run `find` in the thread; its queries are embedded together with others that wait."""
        self._queries.update(dict.fromkeys(queries))

        def found() -> _T:
            waiting = list(self._queries)
            self._queries.clear()
            if waiting:
                rough = rough_embedder(self.context.embedder, self.context.vectors)
                (rough.embed_roughly if rough else self.context.embedder.embed)(waiting)
            return find()

        return asyncio.get_running_loop().run_in_executor(self._thread, found)

    def embed_ahead(self, texts: Sequence[str]) -> None:
        """Compute vectors that are asked for later, in the thread."""
        self._thread.submit(lambda: None if self._closed else self.context.embedder.embed(texts))

    def close(self) -> None:
        """End the thread; an index that is half made is made whole when it is next asked for."""
        self._closed = True
        if "_thread" in self.__dict__:
            self._thread.shutdown(cancel_futures=True)

    def of(self, chunk_tokens: int, encoder: str = "") -> ChunkIndex:
        """The index over chunks of this size, with the named encoder, or else the run's own."""
        with self._lock:
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
