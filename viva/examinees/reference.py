"""The built-in reference systems: retriever x reader x worked examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from viva.agents.readers.open_reading import EmbeddingOpenReader, LexicalOpenReader, OpenReader, told
from viva.agents.readers.option_reading import EmbeddingReader, LexicalReader, Reader
from viva.core.errors import UsageError
from viva.core.records import ExamItem, Passage, Turn, WorkedExample
from viva.examinees.answering import Answer
from viva.examinees.own_loop import in_thread
from viva.examinees.readers.model_reader import ModelReader
from viva.examinees.retrievers import ChunkIndex, Ranked, Ranker, as_passages
from viva.examinees.specs.records import RETRIEVERS, ReferenceSpec
from viva.llm.embeddings import Embedder
from viva.llm.gateway import Gateway

RETRIEVED = 5
"""Passages retrieved at least, so that the ranking below the k that are read can be scored too."""


class SeatedReader(Protocol):
    """Answers from texts (none: a closed book), with the help of worked examples.

    Where it `reads_history`, it is given the conversation that the question follows on.
    """

    reads_history: bool

    async def choose(
        self,
        stem: str,
        options: Sequence[str],
        texts: Sequence[str],
        examples: Sequence[WorkedExample],
        history: Sequence[Turn] = (),
    ) -> Answer:
        """One of the options."""

    async def tell(
        self,
        question: str,
        texts: Sequence[str],
        examples: Sequence[WorkedExample],
        history: Sequence[Turn] = (),
    ) -> Answer:
        """An answer in words."""


class ReferenceCandidate:
    """Retrieves with one of the reference retrievers, answers with one of the readers."""

    def __init__(
        self,
        spec: ReferenceSpec,
        index: ChunkIndex,
        embedder: Embedder,
        examples: Sequence[WorkedExample],
        seed: int,
        gateway: Gateway | None = None,
    ) -> None:
        """`index` searches with the spec's encoder. A reader that is a language model asks the gateway.

        UsageError for a model that is not on this machine, and for a retriever that cannot be made.
        """
        self.examinee = spec.examinee
        self._spec = spec
        self._index = index
        self._examples = tuple(examples[: spec.examples])
        self._own = None
        if spec.retriever not in RETRIEVERS:
            from viva.examinees.langchain_retriever import LangChainRetriever

            self._own = LangChainRetriever(spec.retriever, index.chunks.values(), embedder, self._depth)
        self._reader = _seated(spec, index, embedder, seed, gateway)
        self._ranker: Ranker | None = None
        if spec.rerank:
            from viva.examinees.encoders import CrossEncoderRanker

            self._ranker = CrossEncoderRanker(spec.rerank)

    takes_passages = True

    @property
    def takes_history(self) -> bool:
        """Whether its reader is a language model: the others compare words and would be led astray."""
        return self._reader.reads_history

    async def answer(
        self, question: str, options: Sequence[str] | None = None, history: Sequence[Turn] = ()
    ) -> Answer:
        """Retrieve, read the first k, answer. The closed book retrieves nothing; UsageError for the oracle."""
        return await self._answer(question, options, await self._retrieve(question, history), history)

    async def answer_item(self, shown: ExamItem) -> Answer:
        """As `answer`; the oracle retrieves the item's evidence."""
        oracle = self._spec.retriever == "oracle"
        stem, history = shown.item.stem, shown.item.history if self.takes_history else ()
        found = as_passages(self._index.holding(shown)) if oracle else await self._retrieve(stem, history)
        return await self._answer(stem, shown.offered, found, history)

    async def answer_from(
        self,
        question: str,
        options: Sequence[str] | None,
        passages: Sequence[Passage],
        history: Sequence[Turn] = (),
    ) -> Answer:
        """Read these passages, all of them, and answer."""
        return await self._read(question, options, [passage.text for passage in passages], tuple(passages), history)

    async def _answer(
        self,
        question: str,
        options: Sequence[str] | None,
        passages: tuple[Passage, ...],
        history: Sequence[Turn],
    ) -> Answer:
        # whoever is handed the evidence is handed all of it
        read_at_most = None if self._spec.retriever == "oracle" else self._spec.k
        return await self._read(question, options, [each.text for each in passages[:read_at_most]], passages, history)

    async def _read(
        self,
        question: str,
        options: Sequence[str] | None,
        texts: Sequence[str],
        passages: tuple[Passage, ...],
        history: Sequence[Turn],
    ) -> Answer:
        reader = self._reader
        if options:
            answer = await reader.choose(question, options, texts, self._examples, history)
        else:
            answer = await reader.tell(question, texts, self._examples, history)
        return replace(answer, passages=passages)

    async def _retrieve(self, question: str, history: Sequence[Turn]) -> tuple[Passage, ...]:
        own = self._own
        # the subject may be named in the questions before alone
        stem = " ".join([*(turn.text for turn in history if turn.role == "user"), question])
        # somebody else's runs in a thread: one that hangs past its time is left behind
        return as_passages(self._ranked(stem)) if own is None else await in_thread(lambda: own.passages(stem))

    @property
    def _depth(self) -> int:
        return max(self._spec.k, RETRIEVED)

    def _ranked(self, stem: str) -> Ranked:
        if self._spec.retriever == "oracle":
            raise UsageError("The oracle answers exam items only: of another question it does not know the evidence.")
        return self._index.ranked(self._spec.retriever, stem, self._depth, self._ranker)


class OfflineReader:
    """An offline reader of options, and its like for open questions; of a conversation it reads the question."""

    reads_history = False

    def __init__(self, reader: Reader, open_reader: OpenReader) -> None:
        self._reader = reader
        self._open_reader = open_reader

    async def choose(
        self,
        stem: str,
        options: Sequence[str],
        texts: Sequence[str],
        examples: Sequence[WorkedExample],
        history: Sequence[Turn] = (),  # noqa: ARG002
    ) -> Answer:
        """The option that the texts support most."""
        choice = self._reader.read(stem, options, texts, examples).choice
        return Answer(text=options[choice], choice=choice)

    async def tell(
        self,
        question: str,
        texts: Sequence[str],
        examples: Sequence[WorkedExample],  # noqa: ARG002
        history: Sequence[Turn] = (),  # noqa: ARG002
    ) -> Answer:
        """The sentences that speak to the question; from examples it has nothing to learn."""
        return Answer(text=told(self._open_reader, question, texts))


def _seated(
    spec: ReferenceSpec, index: ChunkIndex, embedder: Embedder, seed: int, gateway: Gateway | None
) -> SeatedReader:
    kind, _, where = spec.reader.partition(":")
    match kind:
        case "lexical":
            return OfflineReader(LexicalReader(index.weight, seed), LexicalOpenReader(index.weight))
        case "embedding":
            return OfflineReader(EmbeddingReader(embedder, seed), EmbeddingOpenReader(embedder))
        case "hf":
            from viva.examinees.readers.causal_model import causal_model
            from viva.examinees.readers.likelihood import LikelihoodReader

            return LikelihoodReader(causal_model(where.strip()), spec.score)
        case "logprob":
            from viva.examinees.readers.likelihood import LikelihoodReader
            from viva.examinees.readers.logprob_server import LogprobServer

            return LikelihoodReader(LogprobServer(where), spec.score)
        case _:
            if gateway is None:
                raise UsageError(
                    f"{spec.examinee.name} reads with a language model, and there is no door to one here."
                )
            return ModelReader(gateway, spec.reader)
