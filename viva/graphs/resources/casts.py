"""The cast of a run: language models if --model names them, else the offline cast."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from viva.agents.roles import Cast
from viva.core.blueprint import Blueprint
from viva.core.errors import UsageError
from viva.core.records import Chunk, Document, ItemKind
from viva.core.settings import Settings
from viva.examinees.retrievers import ChunkIndex
from viva.graphs.resources.model_client import ModelClient
from viva.graphs.resources.search_indexes import Indexes
from viva.llm.embeddings import Embedder

if TYPE_CHECKING:
    from viva.agents.offline.corpus_facts import CorpusFacts

CHUNKS_PER_REQUEST = 4
"""Chunks that are worked on for each request that may be in flight."""


class WrittenRun(Protocol):
    """The parts of a run's context that its cast is made from."""

    settings: Settings

    @property
    def documents(self) -> Mapping[str, Document]: ...
    @property
    def chunks(self) -> Mapping[str, Chunk]: ...
    @property
    def embedder(self) -> Embedder: ...
    @property
    def models(self) -> ModelClient: ...
    @property
    def corpus_facts(self) -> CorpusFacts: ...
    @property
    def index(self) -> ChunkIndex: ...
    @property
    def indexes(self) -> Indexes: ...


def cast_of(context: WrittenRun) -> Cast:
    """The cast that writes the exam of this run."""
    if context.settings.model:
        from viva.agents.language_model.cast import language_model_cast

        return language_model_cast(
            context.models.asker,
            context.settings,
            context.documents,
            context.chunks,
            lambda query, most: [chunk for chunk, _ in context.index.hybrid(query, most)],
            lambda: context.index.words,
            context.indexes.apart,
        )
    from viva.agents.offline.cast import offline_cast

    return offline_cast(context.corpus_facts, context.embedder, context.settings)


def check_models(settings: Settings, models: ModelClient) -> None:
    """UsageError now, not at the first call, for a model that cannot be used or is missing."""
    if settings.model:
        models.check()
        return
    asked = [kind.value for kind, share in Blueprint.read(settings.blueprint).kinds.items() if share > 0]
    beyond = [kind for kind in asked if kind != ItemKind.SINGLE_HOP.value]
    if beyond:
        raise UsageError(
            f"{' and '.join(beyond)} questions need a language model, and no --model is given.",
            allowed=f"kind.{ItemKind.SINGLE_HOP.value}; with --model PROVIDER:MODEL, all kinds.",
            next_step="To list the models that you can use now: viva models",
        )


def chunks_at_once(settings: Settings) -> asyncio.Semaphore:
    """How many chunks are worked on at the same time.

    With language models, their client limits the requests in flight. A chunk often waits for a reply, so there are
    several chunks for each request. With a budget there are only as many as fill the requests in flight: chunks
    that are unfinished when the budget is used up yield no questions.
    """
    if not settings.model:
        return asyncio.Semaphore(settings.concurrency)
    if (settings.max_cost, settings.max_tokens, settings.max_calls) != (None, None, None):
        return asyncio.Semaphore(math.ceil(settings.concurrency / settings.items_per_chunk))
    return asyncio.Semaphore(settings.concurrency * CHUNKS_PER_REQUEST)
