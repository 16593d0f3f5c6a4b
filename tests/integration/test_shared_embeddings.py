"""Vectors in PostgreSQL: what one process has computed the others find."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from postgres_server import Server

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Run
from viva.storage.runs import RunStore
from viva.storage.shared.embeddings import SharedEmbeddings


def test_what_one_process_has_computed_the_others_find(tmp_path: Path, server: Server) -> None:
    run = Run(id=content_hash(str(tmp_path)), documents_folder="docs", corpus_fingerprint="f00d", settings={})
    vectors = {f"text {n}": np.arange(4, dtype=np.float32) + n for n in range(600)}
    with RunStore.create_or_open(tmp_path, database_url=server.url(), run=run) as store:
        caches = [SharedEmbeddings(lambda: store.server) for _ in range(3)]
        orders = [vectors, dict(reversed(vectors.items())), vectors]
        threads = [
            threading.Thread(target=cache.put_many, args=("model", order))
            for cache, order in zip(caches, orders, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = caches[0].get_many("model", [*vectors, "unknown"])
        assert found.keys() == vectors.keys()
        assert all(np.array_equal(found[text], vector) for text, vector in vectors.items())
        assert caches[1].get_many("another model", list(vectors)) == {}
        for cache in caches:
            cache.close()


def test_a_run_in_a_file_has_no_vectors_on_a_server() -> None:
    with pytest.raises(UsageError, match="in a file"):
        SharedEmbeddings(lambda: None).get_many("model", ["text"])
