"""Nearest neighbours from Qdrant's local mode: exact, in a fixed order, one process at a time."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from qdrant_client.local.local_collection import LocalCollection
from qdrant_client.local.qdrant_local import QdrantLocal

from viva.core.errors import RunLocked, UsageError
from viva.storage.vectors import Vectors, VectorStore


def unit_vectors(count: int, dimensions: int = 16, seed: int = 0) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def names(count: int) -> list[str]:
    return [f"{n * 7919 % 10007:016x}" for n in range(count)]


def test_the_nearest_are_those_of_an_exhaustive_search(tmp_path: Path) -> None:
    ids, rows, queries = names(300), unit_vectors(300), unit_vectors(5, seed=1)
    with VectorStore.open(tmp_path) as store:
        store.ensure("c0", ids, rows)
        found = store.search_many("c0", queries, 10)
        assert found == [store.search("c0", query, 10) for query in queries]
    for query, hits in zip(queries, found, strict=True):
        scores = rows @ query
        order = np.argsort(-scores)[:10]
        assert [name for name, _ in hits] == [ids[n] for n in order]
        assert [score for _, score in hits] == pytest.approx([float(scores[n]) for n in order], abs=2e-6)


def test_ties_are_broken_by_id_also_at_the_edge(tmp_path: Path) -> None:
    ids = names(40)
    same = np.repeat(unit_vectors(1), 40, axis=0)
    with VectorStore.open(tmp_path) as store:
        store.ensure("c0", ids, same)
        assert [name for name, _ in store.search("c0", same[0], 3)] == sorted(ids)[:3]


def test_vectors_survive_closing(tmp_path: Path) -> None:
    ids, rows = names(20), unit_vectors(20)
    with VectorStore.open(tmp_path) as store:
        store.ensure("c0", ids, rows)
        before = store.search("c0", rows[3], 5)
    with VectorStore.open(tmp_path) as store:
        assert store.search("c0", rows[3], 5) == before
    assert before[0] == (ids[3], 1.0)


def test_a_whole_collection_is_not_made_again_and_a_half_one_is(tmp_path: Path) -> None:
    ids, rows = names(20), unit_vectors(20)
    with VectorStore.open(tmp_path) as store:
        store.ensure("c0", ids[:12], rows[:12])
        store.ensure("c0", ids, rows)
        assert {name for name, _ in store.search("c0", rows[0], 50)} == set(ids)
        store.ensure("c0", ids, unit_vectors(20, seed=9))
        assert store.search("c0", rows[0], 1) == [(ids[0], 1.0)]


def test_collections_are_apart_and_an_unknown_one_is_empty(tmp_path: Path) -> None:
    with VectorStore.open(tmp_path) as store:
        store.ensure("c0", names(2), unit_vectors(2))
        store.ensure("c1", [], unit_vectors(0))
        assert store.search("c1", unit_vectors(1)[0], 3) == []
        assert store.search("unknown", unit_vectors(1)[0], 3) == []
        assert store.search("c0", unit_vectors(1)[0], 0) == []
        assert len(store.search("c0", unit_vectors(1)[0], 3)) == 2


def test_a_vector_without_an_id_is_refused(tmp_path: Path) -> None:
    with VectorStore.open(tmp_path) as store, pytest.raises(ValueError, match="2 ids for 3 vectors"):
        store.ensure("c0", names(2), unit_vectors(3))


def test_a_second_process_is_turned_away(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys\nfrom viva.core.errors import RunLocked\nfrom viva.storage.vectors import VectorStore\n"
        "try: VectorStore.open(pathlib.Path(sys.argv[1]))\nexcept RunLocked as error: print(error)"
    )
    with VectorStore.open(tmp_path):
        with pytest.raises(RunLocked):
            VectorStore.open(tmp_path)
        said = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert "Another process has the vectors in" in said.stdout
    VectorStore.open(tmp_path).close()


def test_a_damaged_folder_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "meta.json").write_text("{broken")
    with pytest.raises(UsageError, match="cannot be used"):
        VectorStore.open(tmp_path)


def test_advice_to_use_a_server_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for local in (QdrantLocal, LocalCollection):
        monkeypatch.setattr(local, "LARGE_DATA_THRESHOLD", 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with VectorStore.open(tmp_path) as store:
                store.ensure("c0", names(50), unit_vectors(50))
                assert len(store.search("c0", unit_vectors(1)[0], 3)) == 3


@pytest.mark.parametrize("url", ["localhost:6333", "ftp://h", "http://user:s3cret@h:6333", "http://"])
def test_a_qdrant_url_of_another_form_is_refused_without_being_repeated(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError) as caught:
        VectorStore.open(tmp_path, url)
    assert "s3cret" not in str(caught.value)
    assert "QDRANT_API_KEY" in caught.value.allowed


def test_a_server_that_is_not_there_is_a_usage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QDRANT_API_KEY", "s3cret")
    with pytest.warns(UserWarning, match="insecure"), pytest.raises(UsageError, match="server at http") as caught:
        VectorStore.open(tmp_path, "http://127.0.0.1:9")
    assert "s3cret" not in str(caught.value)
