"""Nearest neighbours from Qdrant's local mode: exact, in a fixed order, one process at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from limits import files_of_at_most
from numpy.typing import NDArray
from qdrant_client import QdrantClient
from qdrant_client.local.local_collection import LocalCollection
from qdrant_client.local.qdrant_local import QdrantLocal

from viva.core.errors import DiskFull, RunLocked, UsageError
from viva.metrics.text.cosines import cosines
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
        found = [store.search("c0", query, 10) for query in queries]
    for query, hits in zip(queries, found, strict=True):
        scores = rows @ query
        rank_of = {ids[n]: rank for rank, n in enumerate(np.argsort(-scores)[:10])}
        assert {name for name, _ in hits} == rank_of.keys()
        assert [score for _, score in hits] == pytest.approx(np.sort(scores)[:-11:-1].tolist(), abs=1e-4)


def nudged(rows: Vectors, seed: int) -> Vectors:
    """What another machine, or another batch, makes of them."""
    off = np.random.default_rng(seed).uniform(-2e-7, 2e-7, size=rows.shape)
    return (rows.astype(np.float64) + off).astype(np.float32)


def test_vectors_of_single_precision_give_the_hits_of_exact_ones(tmp_path: Path) -> None:
    # cosines of which many have one fourth decimal, and many lie where it turns
    swarm = unit_vectors(1) + 2e-3 * unit_vectors(400, seed=5)
    rows = np.round(swarm / np.linalg.norm(swarm, axis=1, keepdims=True), 6).astype(np.float32)
    ids, queries, asked = names(400), np.round(unit_vectors(20, seed=1), 6), Counter[str]()
    row_of = dict(zip(ids, rows, strict=True))

    rough = np.round(
        nudged(rows, 3).astype(np.float64) + np.random.default_rng(4).choice([0, 0, 1e-6], rows.shape), 6
    )
    with VectorStore.open(tmp_path) as store:
        store.ensure("exact", ids, rows)
        store.ensure("rough", ids, rough.astype(np.float32))
        for query, rough_query in zip(queries, nudged(queries, 6), strict=True):

            def exact(some: Sequence[str], query: Vectors = query) -> NDArray[np.float64]:
                asked.update(some)
                return cosines(np.stack([row_of[each] for each in some]), query)

            hits = store.search("exact", query, 7)
            assert store.search("rough", rough_query, 7, exact) == hits
            ranked = store.search("rough", rough_query, 7, exact, ranks_only=True)
            assert [each for each, _ in ranked] == [each for each, _ in hits]
    assert asked
    assert len(asked) < len(ids)


@pytest.mark.slow
def test_the_last_digits_of_vectors_change_no_hit_no_score_and_no_order(tmp_path: Path) -> None:
    # a swarm around one direction: hundreds of cosines that differ by less than their fourth decimal
    swarm = unit_vectors(1) + 2e-3 * unit_vectors(400, seed=5)
    rows = np.round(swarm / np.linalg.norm(swarm, axis=1, keepdims=True), 6).astype(np.float32)
    ids, queries = names(400), np.round(unit_vectors(20, seed=1), 6)
    found = []
    for seed in range(3):
        with VectorStore.open(tmp_path / str(seed)) as store:
            store.ensure("c0", ids, nudged(rows, seed))
            found.append([store.search("c0", query, 7) for query in nudged(queries, 9 - seed)])
        # opened again it is read, and normalised, once more
        with VectorStore.open(tmp_path / str(seed)) as store:
            found.append([store.search("c0", query, 7) for query in nudged(queries, 9 + seed)])
    assert all(one == found[0] for one in found)
    assert all(hits == sorted(hits, key=lambda hit: (-hit[1], hit[0])) for hits in found[0])
    assert any(len({score for _, score in hits}) < 7 for hits in found[0])
    assert all(score == round(score, 4) for hits in found[0] for _, score in hits)


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


def test_a_collection_is_made_alone_and_once_where_processes_share_a_server(tmp_path: Path) -> None:
    ids, rows, words = names(20), unit_vectors(20), [{"word": 1.0}] * 20
    held: list[str] = []

    @contextmanager
    def waiting(name: str) -> Iterator[None]:
        held.append(name)
        # while this one waited, the other made it
        other.ensure(name, ids, rows, words)
        yield

    with VectorStore(QdrantClient(":memory:"), None) as other:
        store = VectorStore(other._client, None, waiting)
        store.ensure("c0", ids, unit_vectors(20, seed=9), words)
        store.ensure("c0", ids, unit_vectors(20, seed=9), words)
        assert store.search("c0", rows[0], 1) == [(ids[0], 1.0)]
    assert held == ["c0"]


def test_collections_are_apart_and_an_unknown_one_is_empty(tmp_path: Path) -> None:
    with VectorStore.open(tmp_path) as store:
        store.ensure("c0", names(2), unit_vectors(2))
        store.ensure("c1", [], unit_vectors(0))
        assert store.search("c1", unit_vectors(1)[0], 3) == []
        assert store.search("unknown", unit_vectors(1)[0], 3) == []
        assert store.search("c0", unit_vectors(1)[0], 0) == []
        assert len(store.search("c0", unit_vectors(1)[0], 3)) == 2


def test_a_vector_without_an_id_is_refused(tmp_path: Path) -> None:
    with VectorStore.open(tmp_path) as store, pytest.raises(ValueError, match="longer"):
        store.ensure("c0", names(2), unit_vectors(3))


@pytest.mark.slow
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


@pytest.mark.parametrize("most", [0, 20_000])
def test_a_folder_without_room_is_told_and_made_when_there_is_some(tmp_path: Path, most: int) -> None:
    def make() -> None:
        with VectorStore.open(tmp_path) as store:
            store.ensure("c0", names(50), unit_vectors(50))

    with files_of_at_most(most), pytest.raises(DiskFull, match=r"no room to write .*vectors"):
        make()
    with VectorStore.open(tmp_path) as store:
        store.ensure("c0", names(50), unit_vectors(50))
        assert len(store.search("c0", unit_vectors(1)[0], 50)) == 50


def test_a_folder_that_an_earlier_version_left_empty_on_a_full_disk_is_used(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "meta.json").touch()
    with VectorStore.open(tmp_path) as store:
        store.ensure("c0", names(5), unit_vectors(5))


def test_a_collection_in_parts_is_searched_as_if_it_were_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, ids = unit_vectors(50), names(50)
    with VectorStore.open(tmp_path / "whole") as store:
        store.ensure("c0", ids, rows)
        whole = [store.search("c0", row, 9) for row in rows[:5]]
    monkeypatch.setattr("viva.storage.vectors.POINTS_OF_A_LOCAL_COLLECTION", 12)
    with VectorStore.open(tmp_path / "parts") as store:
        store.ensure("c0", ids, rows)
        assert [store.search("c0", row, 9) for row in rows[:5]] == whole
        store.ensure("c0", ids, never())
        store.ensure("c0", ids[:20], rows[:20])
        assert len(store.search("c0", rows[0], 50)) == 20
    made = json.loads((tmp_path / "parts/vectors/meta.json").read_text())["collections"]
    assert sorted(made) == ["c0", "c0-1"]


@pytest.mark.filterwarnings("ignore:Local mode performs exact")
def test_a_server_finds_by_meaning_by_words_and_fuses_both() -> None:
    # the client's own engine in memory: no server binary is to be had where these tests run
    with VectorStore(QdrantClient(":memory:"), None) as store:
        rows = np.eye(4, dtype=np.float32)
        words = [{"pump": 0.6, "oil": 0.3}, {"pump": 0.5}, {"sail": 0.9}, {"mast": 0.9}]
        store.ensure("c0", names(4), rows, words)
        store.ensure("c0", names(4), never(), never())
        first, second, third, _ = names(4)
        assert store.search("c0", rows[2], 1) == [(third, 1.0)]
        assert [hit for hit, _ in store.search_words("c0", {"pump": 1.0}, 9)] == [first, second]
        assert store.search_words("c0", {}, 9) == store.search_words("unknown", {"pump": 1.0}, 9) == []
        fused = store.search_both("c0", rows[1], {"pump": 1.0}, 2, looked_at=2)
        assert [hit for hit, _ in fused] == [second, first]
        assert fused[0][1] == pytest.approx(1 / 61 + 1 / 62)
        ranks = [hit for hit, _ in store.search("c0", rows[1], 4)]
        alone = store.search_both("c0", rows[1], {}, 4, looked_at=4)
        assert [score for _, score in alone] == pytest.approx([1 / (60 + rank) for rank in range(1, 5)], abs=1e-7)
        assert set(ranks) == {hit for hit, _ in alone}


@pytest.mark.filterwarnings("ignore:Local mode performs exact")
@pytest.mark.parametrize("k", [0, 1, 3, 40])
def test_texts_that_a_server_scores_alike_are_parted_by_id_at_the_last_place_too(k: int) -> None:
    ids = names(40)
    with VectorStore(QdrantClient(":memory:"), None) as store:
        words = [{"pump": 0.9} if n == 7 else {"pump": 0.5} for n in range(40)]
        store.ensure("c0", ids, np.eye(40, dtype=np.float32), words)
        found = [hit for hit, _ in store.search_words("c0", {"pump": 1.0}, k)]
    assert found == [ids[7], *sorted({*ids} - {ids[7]})][:k]


def never() -> Iterator[Any]:
    raise AssertionError("a collection that stands there whole is not made again")
    yield


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
