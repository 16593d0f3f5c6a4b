"""Reference retrievers over one chunking of the corpus: BM25, dense, fused, fused and re-ranked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from viva.core.ids import content_hash
from viva.core.records import Chunk, ExamItem, Passage, Span
from viva.core.text.prose import plain_sentences
from viva.core.text.words import content_words, search_words, word_set
from viva.llm.embeddings import Embedder, RoughEmbedder
from viva.metrics.text.cosines import Vectors, cosines
from viva.storage.word_index import WordIndex, indexed_words

if TYPE_CHECKING:
    from viva.storage.vectors import VectorStore

Ranked = list[tuple[Chunk, float]]
"""The best first; scores to four decimals, ties parted by id."""
SCORE_DECIMALS = 4
"""Further digits may depend on the machine, on its threads, and on what was computed together with it."""
_FUSED_FROM = 20
"""Ranks of each list that take part in the fusion and the re-ranking; more where more are asked for."""
_FUSION_CONSTANT = 60
"""Of reciprocal rank fusion (Cormack, Clarke & Büttcher 2009)."""

_K1, _B = 1.5, 0.75
"""Of BM25, as bm25s has them."""
_EMBEDDED_AT_ONCE = 16
"""Chunks; other texts, and the end of an interrupted run, wait until these have their vectors."""


class Ranker(Protocol):
    """Says how well texts answer a question."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """One for each text, the higher the better."""


def rough_embedder(embedder: Embedder, vectors: VectorStore) -> RoughEmbedder | None:
    """What makes vectors in half the time for searches in this store; a server, which fuses, needs exact ones."""
    return embedder if isinstance(embedder, RoughEmbedder) and not vectors.holds_words else None


class ChunkIndex:
    """One chunking of the corpus, searchable by words and by meaning."""

    def __init__(self, chunks: Mapping[str, Chunk], embedder: Embedder, vectors: VectorStore) -> None:
        self.chunks = chunks
        self._embedder = embedder
        self._vectors = vectors
        self._found: dict[tuple[str, int, bool], Ranked] = {}
        self._lock = RLock()

    def prepare(self, stopped: Callable[[], bool]) -> None:
        """Make what searches by words and by meaning need, as far as it gets until it is stopped."""
        texts = (chunk.text for chunk in self.chunks.values())
        while (part := list(islice(texts, _EMBEDDED_AT_ONCE))) and not stopped():
            self._kept(part)
        if not stopped():
            _ = self.words, self._collection

    def ranked(self, retriever: str, query: str, k: int, ranker: Ranker | None = None) -> Ranked:
        """The k chunks that the reference retriever of this name finds; the closed book finds none."""
        match retriever:
            case "closed-book":
                return []
            case "bm25":
                return self.bm25(query, k)
            case "dense":
                return self.dense(query, k)
            case "hybrid":
                return self.hybrid(query, k)
            case _:
                return self.hybrid_reranked(query, k, ranker)

    def bm25(self, query: str, k: int) -> Ranked:
        """The k chunks with the highest BM25 score above zero."""
        words = search_words(query)
        if not words:
            return []
        if self._vectors.holds_words:
            hits = self._vectors.search_words(self._collection, Counter(words), k)
            return _best(((self.chunks[chunk_id], score) for chunk_id, score in hits), k)
        scores = self.words.scores(words)
        # what is rounded to the same score as the k-th may tie with it
        least = np.partition(scores, -k)[-k] - 10.0**-SCORE_DECIMALS if k < len(scores) else 0
        found = np.flatnonzero((scores > 0) & (scores >= least))
        return _best(((self.chunks[self._ids[n]], float(scores[n])) for n in found), k)

    def dense(self, query: str, k: int) -> Ranked:
        """The k chunks with the highest cosine."""
        return self._nearest(query, k, ranks_only=False)

    def _nearest(self, query: str, k: int, *, ranks_only: bool) -> Ranked:
        """With `ranks_only` the last decimal of a score may be off by one."""
        asked = (query, k, ranks_only)
        if asked not in self._found:
            embed = self._rough.embed_roughly if self._rough and ranks_only else self._embedder.embed
            exact = partial(self._exact, query) if self._rough else None
            hits = self._vectors.search(self._collection, embed([query])[0], k, exact, ranks_only=ranks_only)
            self._found[asked] = [(self.chunks[chunk_id], score) for chunk_id, score in hits]
        return self._found[asked]

    def hybrid(self, query: str, k: int) -> Ranked:
        """BM25 and dense ranks, fused: sum over both of 1 / (60 + rank). A server of vectors does it itself."""
        depth = max(_FUSED_FROM, k)
        if self._vectors.holds_words:
            vector, words = self._embedder.embed([query])[0], Counter(search_words(query))
            hits = self._vectors.search_both(self._collection, vector, words, k, looked_at=depth)
            return [(self.chunks[chunk_id], round(score, SCORE_DECIMALS)) for chunk_id, score in hits]
        fused: dict[str, Fraction] = {}
        for ranked in (self.bm25(query, depth), self._nearest(query, depth, ranks_only=True)):
            for rank, (chunk, _) in enumerate(ranked, start=1):
                fused[chunk.id] = fused.get(chunk.id, Fraction()) + Fraction(1, _FUSION_CONSTANT + rank)
        # sums of ranks are exact: two that part by less than four decimals tell are no tie
        order = sorted(fused, key=lambda chunk_id: (-fused[chunk_id], chunk_id))
        return [(self.chunks[each], round(float(fused[each]), SCORE_DECIMALS)) for each in order[:k]]

    def hybrid_reranked(self, query: str, k: int, ranker: Ranker | None = None) -> Ranked:
        """The fused list, re-ranked.

        Without a ranker it goes by each chunk's best sentence: the share of the question's words that it holds.
        """
        candidates = [chunk for chunk, _ in self.hybrid(query, max(_FUSED_FROM, k))]
        if ranker is None:
            asked = sorted(set(content_words(query)))
            scores = [self._best_sentence(asked, chunk) for chunk in candidates]
        else:
            scores = ranker.scores(query, [chunk.text for chunk in candidates])
        scored = [(c, round(score, SCORE_DECIMALS)) for c, score in zip(candidates, scores, strict=True)]
        # among equals the fused list decides, which knows no ties
        return sorted(scored, key=lambda entry: -entry[1])[:k]

    def holding(self, item: ExamItem) -> Ranked:
        """The chunks that hold most of the item's evidence, one for each span of it (for the oracle)."""

        def held(chunk: Chunk, span: Span) -> int:
            return max(0, min(chunk.end, span.end) - max(chunk.start, span.start))

        found: dict[str, Chunk] = {}
        for span in item.item.evidence:
            own = map(self.chunks.__getitem__, self._of_document.get(span.document_id, ()))
            best = max(own, key=lambda chunk: held(chunk, span), default=None)
            if best is not None and held(best, span):
                found[best.id] = best
        return [(chunk, 1.0) for chunk in found.values()]

    def weight(self, word: str) -> float:
        """How telling a word is in this corpus, in (0, 1]."""
        total = len(self.chunks)
        return math.log((2 + total) / (1 + self._chunk_frequency[word])) / math.log(2 + total)

    def _best_sentence(self, asked: Sequence[str], chunk: Chunk) -> float:
        total = sum(self.weight(word) for word in asked)
        if not total:
            return 0.0
        sentences = [word_set(sentence) for sentence in plain_sentences(chunk.text)]
        covered = (sum(self.weight(word) for word in asked if word in held) for held in sentences)
        return max(covered, default=0.0) / total

    @cached_property
    def words(self) -> WordIndex:
        """The texts of the chunks, to be found by their words."""
        return WordIndex(chunk.text for chunk in self.chunks.values())

    @cached_property
    def _ids(self) -> list[str]:
        return list(self.chunks)

    @cached_property
    def _of_document(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for chunk in self.chunks.values():
            found.setdefault(chunk.document_id, []).append(chunk.id)
        return found

    @cached_property
    def _chunk_frequency(self) -> Counter[str]:
        return Counter(word for chunk in self.chunks.values() for word in set(content_words(chunk.text)))

    @cached_property
    def _collection(self) -> str:
        # with words a collection is another one than earlier versions made of the same chunks
        kind = "collection with words, 2" if self._vectors.holds_words else "collection"
        kind = "collection of rough vectors" if self._rough else kind
        owner = [self._vectors.owner] if self._vectors.owner else []
        name = content_hash(kind, *owner, self._embedder.fingerprint, *self._ids)
        with self._lock:
            self._vectors.ensure(name, self._ids, self._embedded(), self._weighed())
        return name

    def _weighed(self) -> Iterator[dict[str, float]]:
        """BM25 weights of each chunk's words (Robertson & Zaragoza 2009), but for how rare they are."""
        mean = sum(len(indexed_words(chunk.text)) for chunk in self.chunks.values()) / len(self.chunks)
        for chunk in self.chunks.values():
            words = indexed_words(chunk.text)
            saturated = _K1 * (1 - _B + _B * len(words) / mean)
            yield {word: count / (saturated + count) for word, count in Counter(words).items()}

    def _embedded(self) -> Iterator[Vectors]:
        """The vector of each chunk, some at a time."""
        texts = (chunk.text for chunk in self.chunks.values())
        while part := list(islice(texts, _EMBEDDED_AT_ONCE)):
            yield from self._kept(part)

    @property
    def _rough(self) -> RoughEmbedder | None:
        return rough_embedder(self._embedder, self._vectors)

    def _kept(self, texts: Sequence[str]) -> Vectors:
        """The vectors that the collection holds."""
        return self._rough.embed_roughly(texts) if self._rough else self._embedder.embed(texts)

    def _exact(self, query: str, ids: Sequence[str]) -> NDArray[np.float64]:
        first, *others = self._embedder.embed([query, *(self.chunks[chunk_id].text for chunk_id in ids)])
        return cosines(np.stack(others), first)


def as_passages(ranked: Ranked) -> tuple[Passage, ...]:
    """Retrieved chunks as passages, with their place in the corpus."""
    return tuple(
        Passage(text=c.text, document_id=c.document_id, start=c.start, end=c.end, score=score) for c, score in ranked
    )


def _best(scored: Iterable[tuple[Chunk, float]], k: int) -> Ranked:
    """The k highest."""
    rounded = ((chunk, round(score, SCORE_DECIMALS)) for chunk, score in scored)
    return sorted(rounded, key=lambda entry: (-entry[1], entry[0].id))[:k]
