"""Articles that are not there yet: what reference retrievers collect for a query, and what a system says when asked.

Neither is shown any question of the bank: a system is asked for a query's title and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from viva.core.disk_space import room_for
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Document, ExamItem, Item, Provenance, QuestionType
from viva.core.records.articles import Article, BankQuery, Paragraph, QuestionBank
from viva.core.settings import Settings
from viva.examinees.adapters import OwnSpec, adapter_of
from viva.examinees.answering import Closes
from viva.examinees.retrievers import ChunkIndex, Ranked, Ranker
from viva.examinees.specs.parse import parse_specs
from viva.examinees.specs.records import ReferenceSpec, Spec
from viva.exams.articles.sources import paragraphs_of
from viva.graphs.context import Watcher, unwatched
from viva.graphs.sitting.administer import Invigilator
from viva.llm.embeddings import Embedder, SentenceTransformerEmbedder
from viva.storage.corpus import DocumentSource
from viva.storage.embedding_cache import EmbeddingCache
from viva.storage.vectors import VectorStore

FILE = "articles.jsonl"
TASK = "Write an article that tells somebody who knows nothing about it all there is to know about: {title}"


@dataclass
class Library:
    """Documents to collect from, chunked and encoded as a reference system wants them. Close it."""

    folder: Path
    documents_folder: Path | DocumentSource
    settings: Settings
    watch: Watcher = unwatched
    _indexes: dict[tuple[int, str], ChunkIndex] = field(default_factory=dict)
    _vectors: VectorStore | None = None

    @cached_property
    def embedder(self) -> SentenceTransformerEmbedder:
        """The embedding model, with the folder's cache of vectors."""
        return SentenceTransformerEmbedder(self.settings.embedding_model, EmbeddingCache(self.folder), threads=1)

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
        ranked = self._ranked(spec, title, most)
        return tuple({chunk.text: Paragraph.of(chunk.text) for chunk, _ in ranked}.values())

    def close(self) -> None:
        """Give back the vectors."""
        if self._vectors is not None:
            self._vectors.close()

    def _ranked(self, spec: ReferenceSpec, title: str, most: int) -> Ranked:
        match spec.retriever:
            case "closed-book":
                return []
            case "bm25":
                return self._index(spec).bm25(title, most)
            case "dense":
                return self._index(spec).dense(title, most)
            case "hybrid":
                return self._index(spec).hybrid(title, most)
            case "hybrid-rerank":
                return self._index(spec).hybrid_reranked(title, most, self._ranker(spec))
            case "oracle":
                problem = "The oracle collects nothing: it knows the evidence of exam items, and a title has none."
            case own:
                problem = f"The retriever {own} collects nothing: articles are made by viva's own."
        raise UsageError(problem, allowed="bm25, dense, hybrid, hybrid-rerank, closed-book.")

    def _ranker(self, spec: ReferenceSpec) -> Ranker | None:
        if not spec.rerank:
            return None
        from viva.examinees.encoders import CrossEncoderRanker

        return CrossEncoderRanker(spec.rerank)

    def _index(self, spec: ReferenceSpec) -> ChunkIndex:
        key = spec.chunk, spec.encoder
        if key not in self._indexes:
            from viva.storage.corpus.split import Splitter

            splitter = Splitter(spec.chunk, spec.chunk // 8, self.embedder.count_tokens)
            chunks = {chunk.id: chunk for document in self.documents for chunk in splitter.split(document)}
            encoder: Embedder = self.embedder
            if spec.encoder:
                from viva.examinees.encoders import encoder_of

                encoder = encoder_of(
                    spec.encoder, [chunk.text for chunk in chunks.values()], EmbeddingCache(self.folder)
                )
            self._vectors = self._vectors or VectorStore.open(self.folder, self.settings.qdrant_url)
            self._indexes[key] = ChunkIndex(chunks, encoder, self._vectors)
        return self._indexes[key]


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


@dataclass
class ArticleLog:
    """Articles that systems wrote when they were asked, one JSON line each; nobody is asked twice."""

    folder: Path

    def __post_init__(self) -> None:
        self._kept: dict[tuple[str, ...], Article] = {}
        try:
            lines = (self.folder / FILE).read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            lines = []
        for line in lines:
            try:
                row = json.loads(line)
                self._keep(row["examinee"], Article.model_validate(row["article"]))
            except (ValueError, KeyError, TypeError, ValidationError):
                # an empty line, or the half of one that a kill left
                continue

    def find(self, examinee_id: str, query: BankQuery) -> Article | None:
        """The article, if it was written for this title: another bank may have another query by this id."""
        return self._kept.get((examinee_id, query.id, TASK.format(title=query.title)))

    def _keep(self, examinee_id: str, article: Article) -> None:
        self._kept[examinee_id, article.query_id, article.instructions] = article

    def add(self, examinee_id: str, article: Article) -> None:
        """Keep one."""
        self._keep(examinee_id, article)
        row = {"examinee": examinee_id, "article": article.model_dump(mode="json")}
        with room_for(self.folder / FILE), (self.folder / FILE).open("a", encoding="utf-8", newline="") as file:
            file.write("\n" + json.dumps(row, ensure_ascii=False) + "\n")


async def written(
    log: ArticleLog, spec: OwnSpec, bank: QuestionBank, settings: Settings, watch: Watcher
) -> tuple[list[Article], list[str]]:
    """What a system writes for each title; and, in words, for which it failed: these are skipped, not recorded."""

    candidate, articles, failed = adapter_of(spec), list[Article](), list[str]()
    try:
        invigilator = Invigilator(candidate, settings.timeout_s, manners=spec.manners, seed=settings.seed)
        for n, query in enumerate(bank.queries, start=1):
            kept = log.find(spec.examinee.id, query)
            if kept is None:
                response = await invigilator.ask(_open(query))
                if response.failure is not None:
                    why = f"{response.failure.kind.value}: {response.failure.detail}".rstrip(": ")
                    failed.append(f"{spec.examinee.name}, “{query.title}”, no article: {why}")
                    continue
                kept = Article(
                    system=spec.examinee.name,
                    query_id=query.id,
                    paragraphs=paragraphs_of(response.text),
                    instructions=TASK.format(title=query.title),
                )
                log.add(spec.examinee.id, kept)
            articles.append(kept)
            watch(f"ask {spec.examinee.name}", n, len(bank.queries))
    finally:
        if isinstance(candidate, Closes):
            candidate.close()
    return articles, failed


def _open(query: BankQuery) -> ExamItem:
    task = TASK.format(title=query.title)
    item = Item(
        id=content_hash("article task", task),
        stem=task,
        key="",
        distractors=(),
        reference_answer="",
        evidence=(),
        question_type=QuestionType.FACTOID,
        bloom=(),
        provenance=Provenance(cast="articles"),
    )
    return ExamItem(item=item, options=(), key_position=0)
