"""Resources of one run: made once at the top, and handed to the graphs as their context."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from viva.agents.roles import Source
from viva.core.accounts import SittingRecord
from viva.core.blueprint import Blueprint
from viva.core.errors import BudgetReached
from viva.core.ids import content_hash
from viva.core.records import Chunk, Document
from viva.core.settings import Settings, SittingSettings
from viva.examinees.retrievers import ChunkIndex
from viva.examinees.specs.records import Spec
from viva.graphs.assembly.judged_choice import JudgedChoice
from viva.graphs.authoring.editions import EditionMarks, editions_of
from viva.graphs.authoring.sampling import Sample, sample_of
from viva.graphs.authoring.state import Committee
from viva.graphs.resources.candidates import Candidates
from viva.graphs.resources.casts import cast_of, chunks_at_once
from viva.graphs.resources.model_client import ModelClient
from viva.graphs.resources.run_identity import Kept, exam_settings, run_of
from viva.graphs.resources.search_indexes import Indexes, chunked_anew
from viva.graphs.resources.stage_times import StageTimes
from viva.graphs.sitting.option_matching import ChoiceReader
from viva.llm.embeddings import SentenceTransformerEmbedder, VectorCache
from viva.storage import schema
from viva.storage.corpus.statistics import NO_DOCUMENTS
from viva.storage.embedding_cache import EmbeddingCache
from viva.storage.run_place import REMEMBERED_URL_FILE, found_place
from viva.storage.runs import RunStore

if TYPE_CHECKING:
    from viva.agents.offline.corpus_facts import CorpusFacts
    from viva.core.calls import Spent
    from viva.examinees.manufactured import ReferenceExaminee
    from viva.graphs.engines.engine import Engine
    from viva.storage.corpus.source import DocumentSource
    from viva.storage.vectors import VectorStore


class Watcher(Protocol):
    """Whoever wants to know how far a run is (a progress bar, a log, nobody)."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None: ...


def unwatched(stage: str, done: int, total: int, note: str = "") -> None:
    """Nobody watches."""


@dataclass
class RunContext:
    """One run folder at work. Heavy parts are made when first asked for; `close` gives them back."""

    folder: Path
    settings: Settings
    documents_folder: Path | DocumentSource | None = None
    watch: Watcher = unwatched
    systems: Sequence[Spec] | None = None
    """who is examined; None: those that the settings name"""
    tally: Counter[str] = field(default_factory=Counter)
    """what this process has made so far, for whoever watches"""
    ingested: bool = False
    """whether this process has read the documents folder"""
    stopped: BudgetReached | None = None
    """the budget is spent: what is under way ends, nothing is begun"""
    engine: Engine | None = None
    """what spreads the work; None: all is done here"""
    sittings: dict[str, SittingRecord] = field(default_factory=dict)
    """by examinee: the sittings that have ended in this process"""
    again: bool = False
    """whether systems are asked anew what they have answered before"""
    judged: JudgedChoice = field(default_factory=JudgedChoice)
    """what models found of the items that an exam is chosen of"""
    write_report: Callable[[RunContext], None] | None = None
    """what the last stage calls, since reports lie above graphs; None: no report is written"""
    reference_examinees: dict[str, list[ReferenceExaminee]] = field(default_factory=dict)
    """by exam: those beside the examinees asked for (graphs/sitting/reference_examinees.py)"""
    _store: RunStore | None = None

    # --- what is on record

    @property
    def store(self) -> RunStore:
        """The run's facts. UsageError if the folder holds no run yet."""
        if self._store is None:
            self._store = RunStore.open(self.folder, self.settings.database_url)
        return self._store

    @property
    def on_server(self) -> bool:
        """Whether the run is, or is to be, kept in a database server."""
        return self.settings.database_url is not None or (self.folder / REMEMBERED_URL_FILE).exists()

    def bind(self, documents_folder: Path | DocumentSource, fingerprint: str) -> None:
        """Make the folder's run, or see that it is about the same documents and settings."""
        run = run_of(str(documents_folder), fingerprint, self.exam_settings)
        if self._store is not None:
            self._store.close()
        self._store = RunStore.create_or_open(self.folder, database_url=self.settings.database_url, run=run)

    def open_or_bind(self) -> None:
        """Open the folder's run, or make one that has no documents."""
        if self._store is not None or found_place(self.folder, self.settings.database_url) is not None:
            return
        run = run_of("", content_hash("no documents"), self.exam_settings)
        self._store = RunStore.create_or_open(self.folder, database_url=self.settings.database_url, run=run)
        self._store.add_result("statistics", NO_DOCUMENTS.model_dump(mode="json"))

    def anew(self) -> RunContext:
        """The same once this one is closed."""
        return replace(self, tally=Counter(), reference_examinees={}, judged=JudgedChoice(), _store=None)

    @property
    def has_documents(self) -> bool:
        """Tell whether the run has documents: it may have an exam alone."""
        return bool(self.store.count(schema.documents))

    @property
    def exam_settings(self) -> dict[str, Kept]:
        """The settings that a run is bound to, as it keeps them."""
        return exam_settings(self.settings, self.models.roster.canonical if self.settings.model else [])

    def remember(self) -> None:
        """Keep the choices that a later stage of this run begins from."""
        chosen = self.settings.model_dump(mode="json", include=set(SittingSettings.model_fields))
        self.store.add_result("options", chosen)

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """The corpus by document id, read when it is asked for."""
        return self.store.documents_by_id()

    @cached_property
    def chunks(self) -> Mapping[str, Chunk]:
        """The chunks by id, in the corpus's order, read when they are asked for."""
        return self.store.chunks_by_id()

    def forget_documents(self) -> None:
        """Read documents and chunks anew when they are next asked for, and all that is made of them."""
        if "indexes" in self.__dict__:
            self.indexes.close()
        for name in ("documents", "chunks", "corpus_facts", "committee", "sample", "indexes", "editions"):
            self.__dict__.pop(name, None)

    @cached_property
    def times(self) -> StageTimes:
        """How long each stage takes."""
        return StageTimes(lambda: self._store)

    # --- models, vectors, search

    @cached_property
    def embedder(self) -> SentenceTransformerEmbedder:
        """The embedding model, with the folder's cache of vectors."""
        # small batches leave little to share, and threads that wait for a held core lose all speed (0005)
        return SentenceTransformerEmbedder(self.settings.embedding_model, self.vector_cache, threads=1)

    @cached_property
    def vector_cache(self) -> VectorCache:
        """Vectors that were computed before: by this run, or where its work is spread by any of its processes."""
        if self.settings.engine == "local" or not self.on_server:
            return EmbeddingCache(self.folder)
        from viva.storage.shared.embeddings import SharedEmbeddings

        return SharedEmbeddings(lambda: self.store.server)

    @cached_property
    def models(self) -> ModelClient:
        """The client of language models."""
        return ModelClient(self.folder, self.settings, lambda: self.store.run.id, lambda: self.store.server)

    @cached_property
    def vectors(self) -> VectorStore:
        """The vector store of the run."""
        from viva.storage.vectors import VectorStore

        owner = self.store.run.id if self.store.server else ""
        return VectorStore.open(self.folder, self.settings.qdrant_url, self.store.alone, owner)

    def chunks_of(self, chunk_tokens: int) -> Mapping[str, Chunk]:
        """The chunks by id if they are of this size, else the documents chunked anew."""
        if chunk_tokens == self.store.run.settings["chunk_tokens"]:
            return self.chunks
        return chunked_anew(self.documents.values(), chunk_tokens, self.embedder.count_tokens)

    @cached_property
    def indexes(self) -> Indexes:
        """The run's chunks, to be searched."""
        return Indexes(self)

    @property
    def index(self) -> ChunkIndex:
        """The run's own chunks, to be searched."""
        return self.indexes.of(self.settings.chunk_tokens)

    # --- who writes

    @cached_property
    def corpus_facts(self) -> CorpusFacts:
        """What the offline cast knows of the corpus."""
        from viva.agents.offline.corpus_reading import read_facts

        return read_facts(
            list(self.documents.values()),
            list(self.chunks.values()),
            lambda done, total: self.watch("read", done, total),
            plain=not self.settings.sure_only,
        )

    @cached_property
    def committee(self) -> Committee:
        """The cast and the limits it keeps."""
        settings = self.settings
        main = Blueprint.read(settings.blueprint).main
        return Committee(
            cast_of(self), settings.items_per_chunk, settings.revisions, settings.redos, settings.options, main
        )

    @cached_property
    def editions(self) -> EditionMarks:
        """What is not asked because documents are editions of one text."""
        return EditionMarks.of(editions_of(self.store))

    @cached_property
    def sample(self) -> Sample:
        """What the committee reads, in walking order."""
        return sample_of(self)

    def source(self, source_id: str) -> Source:
        """What the roles read under this id: a chunk with its document, or two of them."""
        return self.sample.source(source_id, self.chunks, self.documents)

    @cached_property
    def chunk_places(self) -> asyncio.Semaphore:
        """How many chunks are at work at once."""
        return chunks_at_once(self.settings)

    # --- who is examined

    @cached_property
    def candidates(self) -> Candidates:
        """The systems that are examined."""
        return Candidates(self)

    @cached_property
    def places(self) -> asyncio.Semaphore:
        """How many examinees are at work at once."""
        return asyncio.Semaphore(self.settings.concurrency)

    @cached_property
    def choice_reader(self) -> ChoiceReader | None:
        """Who says which option an answer means that does not say it itself; None without language models."""
        if not self.settings.model:
            return None
        from viva.agents.language_model.choice import ChoiceCritic

        return ChoiceCritic(self.models.asker)

    # --- the end

    @property
    def spent(self) -> Spent | None:
        """What models were asked for in all, once one was asked; None before, and where none is."""
        return self.models.spent if self.settings.model and "models" in self.__dict__ else None

    async def aclose_models(self) -> None:
        """Let calls in flight land and close the model client, if it was opened; what was asked is in the folder."""
        if "models" in self.__dict__:
            await self.models.aclose()
            self.models.export_ledger()

    def close(self) -> None:
        """Give back files and connections, and the programs of the examinees."""
        if "candidates" in self.__dict__:
            self.candidates.close()
        if "indexes" in self.__dict__:
            self.indexes.close()
        if self._store is not None:
            self._store.close()
        if "vectors" in self.__dict__:
            self.vectors.close()
