"""What the corpus says besides the source: a search by words over all chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from viva.agents.offline.words import content_words
from viva.agents.roles import Source
from viva.core.records import Chunk, Document

if TYPE_CHECKING:
    import bm25s

_LOOKED_AT = 20
_ROOM = 12_000
"""Characters of passages read beside a source, to see that nothing there answers a question: some 3,000 tokens."""


class Corpus:
    """All chunks. The index (BM25) is built when first asked for."""

    def __init__(self, documents: Sequence[Document], chunks: Sequence[Chunk]) -> None:
        self._documents = {document.id: document for document in documents}
        self._chunks = tuple(chunks)

    def elsewhere(self, stem: str, options: Sequence[str], source: Source) -> list[str]:
        """For each option the best passage besides the source that may support it, with its title; each once.

        A passage may support an option if it holds all of its words, and some word of the stem besides.
        """
        here = {part.chunk.id for part in source.parts}
        found = (self._best(stem, option, here) for option in options)
        chunks = {chunk.id: chunk for chunk in found if chunk is not None}
        return [f"From “{self._documents[c.document_id].title}”:\n{c.text}" for c in chunks.values()]

    def around(self, stem: str, source: Source) -> Source:
        """The source of one chunk, followed by the passages that a search for the stem finds, as its further parts.

        The best first, and as many of the first 20 as fit 12,000 characters; repeats of other chunks are passed over.
        """
        room, found = _ROOM, []
        for place in self._ranked(sorted(set(content_words(stem)))):
            chunk = self._chunks[place]
            if chunk.id == source.chunk.id or chunk.duplicate_of is not None:
                continue
            room -= len(chunk.text)
            if room < 0:
                break
            found.append(chunk)
        beside: Source | None = None
        for chunk in reversed(found):
            beside = Source(chunk, self._documents[chunk.document_id], source.kind, beside)
        return replace(source, second=beside)

    def _best(self, stem: str, option: str, here: set[str]) -> Chunk | None:
        named = set(content_words(option))
        asked = set(content_words(stem)) - named
        if not named or len(self._chunks) <= len(here):
            return None
        for place in self._ranked([*sorted(asked), *sorted(named)]):
            chunk = self._chunks[place]
            held = self._held(place)
            if chunk.id not in here and named <= held and asked & held:
                return chunk
        return None

    def _ranked(self, words: Sequence[str]) -> Iterator[int]:
        """Places of the chunks with the highest BM25 scores above zero; of equals the first."""
        import numpy as np

        if not self._chunks or not words:
            return
        scores = self._index.get_scores(list(words))
        order = np.lexsort((np.arange(len(scores)), -scores))[:_LOOKED_AT]
        yield from (int(place) for place in order if scores[place] > 0)

    def _held(self, place: int) -> set[str]:
        return set(content_words(self._chunks[place].text))

    @cached_property
    def _index(self) -> bm25s.BM25:
        import bm25s

        index = bm25s.BM25()
        index.index([content_words(chunk.text) or ["-"] for chunk in self._chunks], show_progress=False)
        return index
