"""Embeddings in the run's schema of a PostgreSQL database: what one process has computed the others need not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine

from viva.core.errors import UsageError
from viva.storage.database import outlasted
from viva.storage.embedding_cache import EmbeddingCache, metadata
from viva.storage.run_place import RunPlace
from viva.storage.shared.locks import make_once


class SharedEmbeddings(EmbeddingCache):
    """A VectorCache on PostgreSQL. While the server is away it waits; UsageError where that stays away."""

    def __init__(self, server: Callable[[], RunPlace | None]) -> None:
        """`server` is asked at the first text: a run that reads its documents is nowhere yet."""
        self._server = server

    @cached_property
    def _engine(self) -> Engine:  # type: ignore[override]
        place = self._server()
        if place is None:
            raise UsageError("The run is in a file, and its vectors were to be on a database server.")
        engine = place.engine()
        make_once(engine, place, metadata.create_all)
        return engine

    @property
    def _writer(self) -> Engine:  # type: ignore[override]
        return self._engine

    def get_many(self, fingerprint: str, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Those of the keys that are known, each with its vector of shape (d,)."""
        return outlasted(lambda: EmbeddingCache.get_many(self, fingerprint, keys))

    def put_many(self, fingerprint: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep these, all or none; what is there already stays."""
        outlasted(lambda: EmbeddingCache.put_many(self, fingerprint, vectors))
