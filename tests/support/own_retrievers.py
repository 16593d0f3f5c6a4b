"""Retrievers as people bring them: made of the run's chunks, made elsewhere, and ones that fail."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore


class Told(BaseRetriever):
    """Gives what it was told, whatever the question; no more than it is asked for."""

    told: list[Document]
    k: int = 1

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        if "fail" in query:
            raise ConnectionError("the index went away")
        return self.told[: self.k]


def first_words(documents: list[Document], k: int) -> Told:
    """Of each chunk the first words alone: its text is the retriever's own."""
    return Told(told=[d.model_copy(update={"page_content": d.page_content[:12]}) for d in documents[:k]])


def store(documents: list[Document], embeddings: Embeddings) -> InMemoryVectorStore:
    return InMemoryVectorStore.from_documents(documents, embeddings)


elsewhere = Told(told=[Document("What the tide brought."), Document("And took.", metadata={"id": 7})], k=2)
elsewhere_store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))


def of_nothing(documents: list[Document]) -> dict[str, Any]:
    return {}


def breaks(texts: list[str], metadatas: list[dict[str, Any]]) -> None:
    raise RuntimeError(f"no room for {len(texts)} texts and {len(metadatas)} places")


def wants_more(chunks: list[Document]) -> None: ...


number = 3
