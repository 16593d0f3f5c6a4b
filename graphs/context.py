"""Resources of one run: made once at the top, and handed to the graphs as their context."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from viva.agents.roles import Cast, Source
from viva.core.accounts import StageTime
from viva.core.blueprint import Blueprint
from viva.core.errors import BudgetReached, UsageError
from viva.core.ids import content_hash
from viva.core.records import Chunk, Document, Examinee, ItemKind, Run
from viva.core.settings import Settings
from viva.examinees.answering import Candidate, Closes
from viva.examinees.retrievers import ChunkIndex
from viva.examinees.specs.names import told_apart
from viva.examinees.specs.parse import PANEL, parse_specs
from viva.examinees.specs.records import ReferenceSpec, Spec
from viva.examinees.specs.reference import reader_model
from viva.graphs.authoring.sampling import Sample, sample_of
from viva.graphs.authoring.state import Committee
from viva.graphs.model_client import ModelClient
from viva.graphs.sitting.option_matching import ChoiceReader
from viva.graphs.sitting.search_indexes import Indexes
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.llm.secrets import without_credentials
from viva.storage.embedding_cache import EmbeddingCache
from viva.storage.runs import RunStore

if TYPE_CHECKING:
    from viva.agents.offline.corpus_facts import CorpusFacts
    from viva.core.calls import Spent
    from viva.examinees.manufactured import ReferenceExaminee
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
    documents_folder: Path | None = None
    watch: Watcher = unwatched
    tally: Counter[str] = field(default_factory=Counter)
    """what this process has made so far, for whoever watches"""
    ingested: bool = False
    """whether this process has read the documents folder"""
    stopped: BudgetReached | None = None
    """the budget is spent: what is under way ends, nothing is begun"""
    beside: dict[str, list[ReferenceExaminee]] = field(default_factory=dict)
    """by exam: the reference examinees beside those asked for (graphs/sitting/reference_examinees.py)"""
    _store: RunStore | None = None
    _candidates: dict[str, Candidate] = field(default_factory=dict)
    _at_work: Counter[str] = field(default_factory=Counter)
    _since: dict[str, float] = field(default_factory=dict)

    @cached_property
    def embedder(self) -> SentenceTransformerEmbedder:
        """The embedding model, with the folder's cache of vectors."""
        # small batches leave little to share, and threads that wait for a held core lose all speed (0005)
        return SentenceTransformerEmbedder(self.settings.embedding_model, EmbeddingCache(self.folder), threads=1)

    @property
    def store(self) -> RunStore:
        """The run's facts. UsageError if the folder holds no run yet."""
        if self._store is None:
            self._store = RunStore.open(self.folder, self.settings.database_url)
        return self._store

    def bind(self, documents_folder: Path, fingerprint: str) -> None:
        """Make the folder's run, or see that it is about the same documents and settings."""
        run = run_of(str(documents_folder), fingerprint, self.exam_settings)
        if self._store is not None:
            self._store.close()
        self._store = RunStore.create_or_open(self.folder, database_url=self.settings.database_url, run=run)

    @property
    def exam_settings(self) -> dict[str, str | int | float | bool | None]:
        """The settings that a run is bound to, as it keeps them."""
        chosen = {name: _plain(getattr(self.settings, name)) for name in Settings.EXAM_FIELDS}
        chosen["model"] = json.dumps(self.models.roster.canonical if self.settings.model else [])
        chosen["base_url"] = (
            without_credentials(self.settings.base_url, named="--base-url") if self.settings.base_url else None
        )
        return chosen

    def remember(self) -> None:
        """Keep the choices that a later stage of this run begins from."""
        chosen = self.settings.model_dump(mode="json", include=set(Settings.SITTING_FIELDS))
        self.store.add_result("options", chosen)

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The corpus by document id."""
        return {document.id: document for document in self.store.documents()}

    @cached_property
    def chunks(self) -> dict[str, Chunk]:
        """The chunks by id, in the corpus's order."""
        return {chunk.id: chunk for chunk in self.store.chunks()}

    @cached_property
    def places(self) -> asyncio.Semaphore:
        """How many examinees are at work at once."""
        return asyncio.Semaphore(self.settings.concurrency)

    @cached_property
    def chunk_places(self) -> asyncio.Semaphore:
        """How many chunks are at work at once.

        With language models their client bounds the requests in flight. A chunk waits between its own, so that
        several chunks a request are at work, and end at about the same time. Where a budget may end the writing, no
        more are at work than fill the requests in flight: what is half done when it is spent makes no questions.
        """
        settings = self.settings
        if not settings.model:
            return asyncio.Semaphore(settings.concurrency)
        if (settings.max_cost, settings.max_tokens, settings.max_calls) != (None, None, None):
            return asyncio.Semaphore(math.ceil(settings.concurrency / settings.items_per_chunk))
        return asyncio.Semaphore(settings.concurrency * CHUNKS_PER_REQUEST)

    @cached_property
    def models(self) -> ModelClient:
        """The client of language models."""
        return ModelClient(self.folder, self.settings, lambda: self.store.run.id)

    def check_models(self) -> None:
        """Raise now what a call would raise later: UsageError for a model that cannot be used, or is wanting."""
        if self.settings.model:
            self.models.check()
            return
        asked = [kind.value for kind, share in Blueprint.read(self.settings.blueprint).kinds.items() if share > 0]
        beyond = [kind for kind in asked if kind != ItemKind.SINGLE_HOP.value]
        if beyond:
            raise UsageError(
                f"Without a language model nobody writes {' and '.join(beyond)} questions.",
                allowed=f"kind.{ItemKind.SINGLE_HOP.value} alone, or a model for the others: --model PROVIDER:MODEL.",
                next_step="viva models lists the models that you can use now.",
            )

    @cached_property
    def cast(self) -> Cast:
        """The committee that writes the exam: language models where --model names them, else the offline cast."""
        if self.settings.model:
            from viva.agents.language_model.cast import language_model_cast

            return language_model_cast(
                self.models.asker,
                self.settings,
                list(self.documents.values()),
                list(self.chunks.values()),
                lambda query, most: [chunk for chunk, _ in self.index.hybrid(query, most)],
            )
        from viva.agents.offline.cast import offline_cast

        return offline_cast(self.bank, self.embedder, self.settings)

    @cached_property
    def bank(self) -> CorpusFacts:
        """What the offline cast knows of the corpus."""
        from viva.agents.offline.corpus_reading import read_facts

        return read_facts(
            list(self.documents.values()),
            list(self.chunks.values()),
            lambda done, total: self.watch("read", done, total),
            plain=not self.settings.sure_only,
        )

    @cached_property
    def vectors(self) -> VectorStore:
        """The vector store of the run."""
        from viva.storage.vectors import VectorStore

        return VectorStore.open(self.folder, self.settings.qdrant_url)

    def specs(self) -> list[Spec]:
        """The examinees asked for; 'panel' and no word at all mean the default panel. Each once."""
        return self._specs

    def check_examinees(self) -> None:
        """Raise now what a call would raise later: UsageError for a spec that names nothing that can be loaded."""
        for spec in self.specs():
            # a reference system wants the exam, which may not be written yet
            if not isinstance(spec, ReferenceSpec):
                self.candidate(spec)
        readers = [name for spec in self.specs() if (name := reader_model(spec))]
        if readers:
            self.models.check(*readers)

    @cached_property
    def _specs(self) -> list[Spec]:
        # once: a file that is edited while the run is on would be another system
        specs: dict[str, Spec] = {}
        for text in self.settings.examinees or (PANEL,):
            for spec in parse_specs(text, self.settings):
                specs.setdefault(spec.examinee.id, spec)
        return told_apart(list(specs.values()), self._known())

    def _known(self) -> list[Examinee]:
        """Who has been called before; nobody where no run is there yet."""
        try:
            return self.store.examinees()
        except UsageError:
            return []

    def candidate(self, spec: Spec) -> Candidate:
        """The system a spec describes, ready to answer; made once."""
        if spec.examinee.id not in self._candidates:
            self._candidates[spec.examinee.id] = self._made(spec)
        return self._candidates[spec.examinee.id]

    def _made(self, spec: Spec) -> Candidate:
        if isinstance(spec, ReferenceSpec):
            from viva.examinees.reference import ReferenceCandidate

            exam = self.store.latest_exam()
            examples = exam.examples if exam else ()
            index = self.indexes.of(spec.chunk, spec.encoder)
            gateway = self.models.gateway if reader_model(spec) else None
            return ReferenceCandidate(spec, index, self.embedder, examples, self.settings.seed, gateway)
        from viva.examinees.adapters import adapter_of

        return adapter_of(spec)

    @cached_property
    def choice_reader(self) -> ChoiceReader | None:
        """Who says which option an answer means that does not say it itself; None without language models."""
        if not self.settings.model:
            return None
        from viva.agents.language_model.choice import ChoiceCritic

        return ChoiceCritic(self.models.asker)

    @cached_property
    def indexes(self) -> Indexes:
        """The run's chunks, to be searched."""
        return Indexes(self)

    @property
    def index(self) -> ChunkIndex:
        """The run's own chunks, to be searched."""
        return self.indexes.of(self.settings.chunk_tokens)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the time spent inside to the stage's, also where it ends in an error; overlapping tasks count once."""
        self._at_work[stage] += 1
        if self._at_work[stage] == 1:
            self._since[stage] = time.perf_counter()
        try:
            yield
        finally:
            self._at_work[stage] -= 1
            if not self._at_work[stage] and self._store is not None:
                times = self._store.latest_result("times") or {}
                times[stage] = round(times.get(stage, 0.0) + time.perf_counter() - self._since[stage], 3)
                self._store.add_result("times", times)

    def times(self) -> tuple[StageTime, ...]:
        """Seconds per stage over all runs on this folder, in walking order."""
        times = self.store.latest_result("times") or {}
        return tuple(StageTime(stage=s, seconds=times[s]) for s in STAGES if s in times)

    @cached_property
    def sample(self) -> Sample:
        """What the committee reads, in walking order."""
        return sample_of(self)

    def source(self, source_id: str) -> Source:
        """What the roles read under this id: a chunk with its document, or two of them."""
        return self.sample.sources[source_id]

    @cached_property
    def committee(self) -> Committee:
        """The cast and the limits it keeps."""
        settings = self.settings
        main = Blueprint.read(settings.blueprint).main
        return Committee(self.cast, settings.items_per_chunk, settings.revisions, settings.redos, main)

    @property
    def spent(self) -> Spent | None:
        """What models were asked for in all, once one was asked; None before, and where none is."""
        return self.models.spent if self.settings.model and "models" in self.__dict__ else None

    async def aclose_models(self) -> None:
        """Let calls in flight land and close the model client, if it was opened."""
        if "models" in self.__dict__:
            await self.models.aclose()

    def close(self) -> None:
        """Give back files and connections, and the programs of the examinees."""
        for candidate in self._candidates.values():
            if isinstance(candidate, Closes):
                candidate.close()
        self._candidates.clear()
        if self._store is not None:
            self._store.close()
        if "vectors" in self.__dict__:
            self.vectors.close()


CHUNKS_PER_REQUEST = 4
"""Chunks at work per request that may be in flight."""
STAGES = ("ingest", "write", "sit", "oral", "score", "diagnose", "report")


def run_of(documents_folder: str, fingerprint: str, settings: Mapping[str, str | int | float | bool | None]) -> Run:
    """The run that is about these documents and bound to these settings."""
    return Run(
        id=content_hash("run", fingerprint, *(f"{k}={v}" for k, v in sorted(settings.items()))),
        documents_folder=documents_folder,
        corpus_fingerprint=fingerprint,
        settings=dict(settings),
    )


def _plain(value: object) -> str | int | float | bool | None:
    if isinstance(value, tuple):
        return json.dumps(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
