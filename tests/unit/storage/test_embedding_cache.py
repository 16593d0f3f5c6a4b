"""The embedding cache gives back what was put in, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from viva.core.errors import UsageError
from viva.storage.embedding_cache import CACHE_FILE, EmbeddingCache


def vectors(count: int, seed: int = 0) -> dict[str, np.ndarray]:
    rows = np.random.default_rng(seed).normal(size=(count, 8)).astype(np.float32)
    return {f"{n:016x}": row for n, row in enumerate(rows)}


def test_vectors_come_back_to_the_bit_after_reopening(tmp_path: Path) -> None:
    stored = vectors(1200)
    with EmbeddingCache(tmp_path) as cache:
        cache.put_many("m", stored)
    with EmbeddingCache(tmp_path) as cache:
        found = cache.get_many("m", [*stored, "unknown"])
    assert found.keys() == stored.keys()
    assert all(np.array_equal(found[key], stored[key]) and found[key].dtype == np.float32 for key in stored)


def test_two_models_share_nothing(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path) as cache:
        cache.put_many("one", vectors(3))
        assert cache.get_many("two", list(vectors(3))) == {}


def test_what_is_there_stays(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path) as cache:
        cache.put_many("m", vectors(2, seed=0))
        cache.put_many("m", vectors(3, seed=1))
        found = cache.get_many("m", list(vectors(3)))
    assert np.array_equal(found["0" * 16], vectors(2, seed=0)["0" * 16])
    assert len(found) == 3


def test_nothing_asked_and_nothing_put_is_fine(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path) as cache:
        cache.put_many("m", {})
        assert cache.get_many("m", []) == {}


def test_a_vector_read_back_may_be_written_to(tmp_path: Path) -> None:
    with EmbeddingCache(tmp_path) as cache:
        cache.put_many("m", vectors(1))
        cache.get_many("m", ["0" * 16])["0" * 16][0] = 1.0


def test_a_damaged_cache_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / CACHE_FILE).write_bytes(b"no database" * 1000)
    with pytest.raises(UsageError, match=CACHE_FILE):
        EmbeddingCache(tmp_path)
