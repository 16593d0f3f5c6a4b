"""Articles that are not there yet: what reference retrievers collect for a query, and what a system says when asked.

Neither is shown any question of the bank: a system is asked for a query's title and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.records import Chunk, Document, ExamItem
from viva.core.records.articles import Article, Paragraph, QuestionBank
from viva.core.settings import Settings
from viva.examinees.adapters import OwnSpec, adapter_of
from viva.examinees.answering import Closes
from viva.examinees.retrievers import Ranker
from viva.examinees.specs.parse import parse_specs
from viva.examinees.specs.records import RETRIEVERS, ReferenceSpec, Spec
from viva.exams.articles.sources import paragraphs_of
from viva.graphs.context import Watcher, unwatched
from viva.graphs.resources.search_indexes import Indexes, chunked_anew
from viva.graphs.sitting.administer import Invigilator
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.storage.corpus import DocumentSource
from viva.storage.embedding_cache import EmbeddingCache
from viva.storage.record_log import RecordLog
from viva.storage.vectors import VectorStore

ARTICLES = "articles.jsonl"
"""Articles that systems wrote when they were asked: nobody is asked twice."""
TASK = "Write an article that tells somebody who knows nothing about it all there is to know about: {title}"


@dataclass
class Library:
    """Documents to collect from, chunked and encoded as a reference system wants them. Close it."""

    folder: Path
    documents_folder: Path | DocumentSource
    settings: Settings
    watch: Watcher = unwatched

    @cached_property
    def embedder(self) -> SentenceTransformerEmbedder:
        """The embedding model, with the folder's cache of vectors."""
        return SentenceTransformerEmbedder(self.settings.embedding_model, self.vector_cache, threads=1)

    @cached_property
    def vector_cache(self) -> EmbeddingCache:
        """Vectors that were computed before."""
        return EmbeddingCache(self.folder)

    @cached_property
    def vectors(self) -> VectorStore:
        """The vectors of the chunks."""
        return VectorStore.open(self.folder, self.settings.qdrant_url)

    @cached_property
    def indexes(self) -> Indexes:
        """The documents' chunks, to be searched."""
        return Indexes(self)

    def chunks_of(self, chunk_tokens: int) -> Mapping[str, Chunk]:
        """The documents in chunks of this size, by id."""
        return chunked_anew(self.documents, chunk_tokens, self.embedder.count_tokens)

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """What could be read of the folder. UsageError where nothing could."""
        from viva.storage.corpus import read_corpus

        corpus = read_corpus(
            self.documents_folder,
            ignore=self.settings.ignore,
            max_file_mb=self.settings.max_file_mb,
            max_documents=self.settings.max_documents,
            chunk_tokens=self.settings.chunk_tokens,
            chunk_overlap=self.settings.chunk_overlap,
            count_tokens=self.embedder.count_tokens,
            progress=lambda done, total: self.watch("ingest", done, total),
        )
        return tuple(corpus.documents)

    def collected(self, spec: ReferenceSpec, title: str, most: int) -> tuple[Paragraph, ...]:
        """The first `most` passages that the retriever finds for a title, each once."""
        if spec.retriever == "oracle":
            problem = "The oracle collects nothing: it knows the evidence of exam items, and a title has none."
        elif spec.retriever not in RETRIEVERS:
            problem = f"The retriever {spec.retriever} collects nothing: articles are made by viva's own."
        else:
            ranked = self.indexes.of(spec.chunk, spec.encoder).ranked(spec.retriever, title, most, _ranker(spec))
            return tuple({chunk.text: Paragraph.of(chunk.text) for chunk, _ in ranked}.values())
        raise UsageError(problem, allowed="bm25, dense, hybrid, hybrid-rerank, closed-book.")

    def close(self) -> None:
        """Give back the vectors."""
        if "vectors" in self.__dict__:
            self.vectors.close()


def _ranker(spec: ReferenceSpec) -> Ranker | None:
    if not spec.rerank:
        return None
    from viva.examinees.encoders import CrossEncoderRanker

    return CrossEncoderRanker(spec.rerank)


def specs_of(texts: Sequence[str], settings: Settings) -> list[Spec]:
    """The systems that --examinee names, each once; retrievers are the same whoever would read, and how much.

    UsageError as `parse_specs`.
    """
    found = [spec for text in texts for spec in parse_specs(text, settings)]
    return list({_collects(spec): spec for spec in found}.values())


def _collects(spec: Spec) -> tuple[object, ...]:
    """What tells a system from another here."""
    if not isinstance(spec, ReferenceSpec):
        return (spec.examinee.id,)
    return named(spec), spec.retriever, spec.encoder, spec.rerank, spec.chunk


def collect(library: Library, specs: Sequence[ReferenceSpec], bank: QuestionBank, paragraphs: int) -> list[Article]:
    """An article per retriever and query, named as the retriever is."""
    found: list[Article] = []
    for spec in specs:
        for n, query in enumerate(bank.queries, start=1):
            texts = library.collected(spec, query.title, paragraphs)
            found.append(Article(system=named(spec), query_id=query.id, paragraphs=texts))
            library.watch(f"collect {named(spec)}", n, len(bank.queries))
    return found


def named(spec: Spec) -> str:
    """What a system is called among the articles: a reference system without its reader, who reads nothing here."""
    name = spec.examinee.name
    if not isinstance(spec, ReferenceSpec) or f"+{spec.reader}" not in name:
        return name
    return re.sub(r",(k|examples)=\d+", "", name.replace(f"+{spec.reader}", "", 1))


# --- asked live ---------------------------------------------------------------------------------------------


async def written(
    log: RecordLog[Article], spec: OwnSpec, bank: QuestionBank, settings: Settings, watch: Watcher
) -> tuple[list[Article], list[str]]:
    """What a system writes for each title; and, in words, for which it failed: these are skipped, not recorded."""

    candidate, articles, failed = adapter_of(spec), list[Article](), list[str]()
    try:
        invigilator = Invigilator(candidate, settings.timeout_s, manners=spec.manners, seed=settings.seed)
        for n, query in enumerate(bank.queries, start=1):
            task = TASK.format(title=query.title)
            # another bank may have another query by this id
            key = f"{spec.examinee.id} {query.id} {task}"
            kept = log.find(key)
            if kept is None:
                response = await invigilator.ask(ExamItem.asked(task, "articles"))
                if response.failure is not None:
                    why = f"{response.failure.kind.value}: {response.failure.detail}".rstrip(": ")
                    failed.append(f"{spec.examinee.name}, “{query.title}”, no article: {why}")
                    continue
                kept = Article(
                    system=spec.examinee.name,
                    query_id=query.id,
                    paragraphs=paragraphs_of(response.text),
                    instructions=task,
                )
                log.add([(key, kept)])
            articles.append(kept)
            watch(f"ask {spec.examinee.name}", n, len(bank.queries))
    finally:
        if isinstance(candidate, Closes):
            candidate.close()
    return articles, failed
