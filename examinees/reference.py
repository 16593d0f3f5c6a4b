"""The built-in reference systems: retriever x reader x worked examples."""

from __future__ import annotations

from collections.abc import Sequence

from viva.agents.offline.readers import EmbeddingReader, LexicalReader, Reader
from viva.core.errors import UsageError
from viva.core.records import ExamItem, Passage, WorkedExample
from viva.examinees.answering import Answer
from viva.examinees.retrievers import ChunkIndex, Ranked, as_passages
from viva.examinees.specs import ReferenceSpec
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

    takes_passages = True

    async def answer(self, question: str, options: Sequence[str] | None = None) -> Answer:
        """Retrieve, read the first k, choose. The closed book retrieves nothing; UsageError for the oracle."""
        return self._answer(question, options, self._retrieve(question))

    async def answer_item(self, shown: ExamItem) -> Answer:
        """As `answer`; the oracle retrieves the item's evidence."""
        oracle = self._spec.retriever == "oracle"
        ranked = self._index.holding(shown) if oracle else self._retrieve(shown.item.stem)
        return self._answer(shown.item.stem, shown.options, ranked)

    async def answer_from(self, question: str, options: Sequence[str] | None, passages: Sequence[Passage]) -> Answer:
        """Read these passages, all of them, and choose."""
        return self._read(question, options, [passage.text for passage in passages], tuple(passages))

    def _answer(self, question: str, options: Sequence[str] | None, ranked: Ranked) -> Answer:
        # whoever is handed the evidence is handed all of it
        read_at_most = None if self._spec.retriever == "oracle" else self._spec.k
        return self._read(question, options, [c.text for c, _ in ranked[:read_at_most]], as_passages(ranked))

    def _read(
        self, question: str, options: Sequence[str] | None, texts: Sequence[str], passages: tuple[Passage, ...]
    ) -> Answer:
        if not options:
            raise UsageError("The reference systems answer multiple choice questions only.")
        read = self._reader.read(question, options, texts, self._examples)
        return Answer(text=options[read.choice], choice=read.choice, passages=passages)

    def _retrieve(self, stem: str) -> Ranked:
        depth = max(self._spec.k, RETRIEVED)
        match self._spec.retriever:
            case "closed-book":
                return []
            case "oracle":
                raise UsageError(
                    "The oracle answers exam items only: of another question it does not know the evidence."
                )
            case "bm25":
                return self._index.bm25(stem, depth)
            case "dense":
                return self._index.dense(stem, depth)
            case "hybrid":
                return self._index.hybrid(stem, depth)
            case "hybrid-rerank":
                return self._index.hybrid_reranked(stem, depth)
