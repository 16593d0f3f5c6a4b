"""Any retriever or vector store of LangChain as the retriever of a reference system, over the run's chunks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from viva.core.errors import UsageError
from viva.core.records import Chunk, Passage
from viva.examinees.adapters.loading import named_object, said_by
from viva.llm.embeddings import Embedder

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings

_ALLOWED = (
    "A class with from_documents or from_texts, a retriever or vector store that is made already, or a function that "
    "makes one. What it names among its parameters it is given: documents, texts, metadatas, embeddings, k."
)


class LangChainRetriever:
    """A retriever that FILE.py:NAME or MODULE:NAME names; the user's own code, which runs in this process.

    A document's metadata name its chunk: `id`, `document_id`, `start`, `end`. A passage that has a chunk's id and
    text gets the chunk's place; that of any other is looked up by its text, as for systems that are no reference.
    """

    def __init__(self, name: str, chunks: Iterable[Chunk], embedder: Embedder, depth: int) -> None:
        """UsageError for what makes no retriever of these chunks. `depth`: passages per question at most."""
        self._chunks = {chunk.id: chunk for chunk in chunks}
        self._depth = depth
        found = named_object(name)
        if not _retrieves(found):
            found = self._made(name, found, embedder)
        self._search = self._searching(found)

    def passages(self, question: str) -> tuple[Passage, ...]:
        """The best first, without scores, which each retriever counts otherwise. Raises what the retriever raises."""
        return tuple(self._passage(document) for document in self._search(question)[: self._depth])

    def _passage(self, document: Document) -> Passage:
        known = str(document.metadata.get("id") or document.id or "")
        chunk = self._chunks.get(known)
        if chunk is None or chunk.text != document.page_content:
            return Passage(text=document.page_content, source_id=known or None)
        return Passage(text=chunk.text, document_id=chunk.document_id, start=chunk.start, end=chunk.end)

    def _made(self, name: str, maker: Any, embedder: Embedder) -> Any:
        maker = getattr(maker, "from_documents", None) or getattr(maker, "from_texts", None) or maker
        documents = [_document(chunk) for chunk in self._chunks.values()]
        embeddings = _embeddings(embedder)
        offered = {
            "documents": documents,
            "texts": [document.page_content for document in documents],
            "metadatas": [document.metadata for document in documents],
            "embeddings": embeddings,
            "embedding": embeddings,
            "k": self._depth,
        }
        try:
            found = maker(**{key: offered[key] for key in inspect.signature(maker).parameters if key in offered})
        except Exception as error:  # a user's code may raise anything: it is told to them in words
            raise UsageError(
                f"The retriever {name} cannot be made of the run's chunks: {said_by(error).rstrip('.')}.",
                allowed=_ALLOWED,
            ) from error
        if not _retrieves(found):
            raise UsageError(
                f"The retriever {name} makes a {type(found).__name__}, which retrieves nothing.", allowed=_ALLOWED
            )
        return found

    def _searching(self, found: Any) -> Callable[[str], list[Document]]:
        if callable(getattr(found, "similarity_search", None)):
            return lambda question: list(found.similarity_search(question, k=self._depth))
        # as many as are asked for, where the retriever can be told; one that was made elsewhere has its own way
        if "k" in getattr(type(found), "model_fields", {}):
            found = found.model_copy(update={"k": self._depth})
        return lambda question: list(found.invoke(question))


def check_retriever(name: str) -> None:
    """UsageError where nothing of that name can be loaded."""
    if not (callable(found := named_object(name)) or _retrieves(found)):
        raise UsageError(f"The retriever {name} is a {type(found).__name__}.", allowed=_ALLOWED)


def _retrieves(value: Any) -> bool:
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore

    return isinstance(value, BaseRetriever | VectorStore)


def _document(chunk: Chunk) -> Document:
    from langchain_core.documents import Document

    place = {"id": chunk.id, "document_id": chunk.document_id, "start": chunk.start, "end": chunk.end}
    return Document(id=chunk.id, page_content=chunk.text, metadata=place)


def _embeddings(embedder: Embedder) -> Embeddings:
    """The run's embedding model, as LangChain calls one."""
    from langchain_core.embeddings import Embeddings

    class RunEmbeddings(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            found: list[list[float]] = embedder.embed(texts).tolist()
            return found

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    return RunEmbeddings()
