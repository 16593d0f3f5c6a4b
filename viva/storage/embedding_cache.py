"""Embeddings that were computed before, in RUN/embeddings.sqlite, by model fingerprint and text hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, LargeBinary, MetaData, Table, Text, select

from viva.core.disk_space import make_private
from viva.storage.database import sqlite_engine, translated, use_write_ahead_log, writing
from viva.storage.rows import PARAMETERS_PER_QUERY, insert_new

CACHE_FILE = "embeddings.sqlite"
# little-endian on every machine, so that a run folder can be carried over
STORED = np.dtype("<f4")

metadata = MetaData()
_embeddings = Table(
    "embeddings",
    metadata,
    Column("model", Text, primary_key=True),
    Column("text", Text, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)


class EmbeddingCache:
    """A VectorCache on a SQLite file. UsageError if the file cannot be used; it may be deleted at any time."""

    def __init__(self, folder: Path) -> None:
        """Open or make the cache of this run folder."""
        make_private(folder)
        path = folder / CACHE_FILE
        self._engine = sqlite_engine(path)
        self._writer = writing(self._engine)
        with translated(self._engine.url):
            use_write_ahead_log(path)
            with self._writer.begin() as connection:
                metadata.create_all(connection)

    def get_many(self, fingerprint: str, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Those of the keys that are known, each with its vector of shape (d,)."""
        found: dict[str, NDArray[np.float32]] = {}
        columns = _embeddings.c
        with translated(self._engine.url), self._engine.begin() as connection:
            for start in range(0, len(keys), PARAMETERS_PER_QUERY):
                asked = columns.text.in_(keys[start : start + PARAMETERS_PER_QUERY])
                query = select(columns.text, columns.vector).where(columns.model == fingerprint, asked)
                for key, blob in connection.execute(query):
                    found[key] = np.frombuffer(blob, dtype=STORED).astype(np.float32)
        return found

    def put_many(self, fingerprint: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep these, all or none; what is there already stays."""
        # by key, so that writers never wait in a circle
        rows = [
            {"model": fingerprint, "text": k, "vector": v.astype(STORED).tobytes()}
            for k, v in sorted(vectors.items())
        ]
        if rows:
            with translated(self._engine.url), self._writer.begin() as connection:
                insert_new(connection, _embeddings, rows)

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
