"""The built-in reference systems: retriever x reader x worked examples."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.readers import EmbeddingReader, LexicalReader, Reader
from viva.core.records import ExamItem, WorkedExample
from viva.examinees.answering import Answer
from viva.examinees.retrievers import ChunkIndex, Ranked, as_passages
from viva.examinees.spec import ReferenceSpec
from viva.llm.embeddings import Embedder

RETRIEVED = 5
"""Passages retrieved at least, so that the ranking below the k that are read can be scored too."""


class ReferenceCandidate:
    """Retrieves with one of the reference retrievers, chooses with one of the offline readers."""

    def __init__(
        self,
        spec: ReferenceSpec,
        index: ChunkIndex,
        embedder: Embedder,
        examples: Sequence[WorkedExample],
        seed: int,
    ) -> None:
        self.examinee = spec.examinee
        self._spec = spec
        self._index = index
        self._examples = tuple(examples[: spec.examples])
        self._reader: Reader = (
            LexicalReader(index.weight, seed) if spec.reader == "lexical" else EmbeddingReader(embedder, seed)
        )

    async def answer(self, stem: str, options: Sequence[str], item: ExamItem) -> Answer:
        """Retrieve, read the first k, choose. The closed book retrieves nothing, the oracle the evidence."""
        ranked = self._retrieve(stem, item)
        # whoever is handed the evidence is handed all of it
        read_at_most = None if self._spec.retriever == "oracle" else self._spec.k
        texts = [chunk.text for chunk, _ in ranked[:read_at_most]]
        read = self._reader.read(stem, options, texts, self._examples)
        return Answer(text=options[read.choice], choice=read.choice, passages=as_passages(ranked))

    def _retrieve(self, stem: str, item: ExamItem) -> Ranked:
        depth = max(self._spec.k, RETRIEVED)
        match self._spec.retriever:
            case "closed-book":
                return []
            case "oracle":
                return self._index.holding(item)
            case "bm25":
                return self._index.bm25(stem, depth)
            case "dense":
                return self._index.dense(stem, depth)
            case "hybrid":
                return self._index.hybrid(stem, depth)
            case "hybrid-rerank":
                return self._index.hybrid_reranked(stem, depth)
