"""A corpus is read when it is asked for, in its order, a page at a time, and as it was written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from viva.core.records import Chunk, Document, Run
from viva.storage.corpus.spool import Spool
from viva.storage.rows import ROWS_AT_ONCE
from viva.storage.runs import CHUNKS_HELD, RunStore

DOCUMENT = Document.of("x" * 9000, path="a.md", title="T", format="md")
CHUNKS = [Chunk.of(DOCUMENT, n, n + 3, 1) for n in range(2 * ROWS_AT_ONCE + 7)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunStore]:
    run = Run(id="r", documents_folder="d", corpus_fingerprint="f", settings={})
    with RunStore.create_or_open(tmp_path_factory.mktemp("run"), database_url=None, run=run) as store:
        store.add_corpus([DOCUMENT], CHUNKS, [])
        yield store


def test_pages_give_every_record_once_in_order(store: RunStore) -> None:
    found = store.chunks_by_id()
    assert [len(page) for page in found.pages()] == [ROWS_AT_ONCE, ROWS_AT_ONCE, 7]
    assert list(found.values()) == store.chunks() == CHUNKS
    assert (list(found), len(found)) == ([chunk.id for chunk in CHUNKS], len(CHUNKS))


def test_a_record_is_found_by_its_id_and_another_id_is_no_key(store: RunStore) -> None:
    found = store.chunks_by_id()
    assert found[CHUNKS[1234].id] == CHUNKS[1234]
    assert store.documents_by_id()[DOCUMENT.id] == DOCUMENT
    assert "unknown" not in found
    assert found.get("unknown") is None
    with pytest.raises(KeyError):
        found["unknown"]


def test_what_was_read_last_stays_in_memory_and_no_more(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    find = RunStore.find
    monkeypatch.setattr(RunStore, "find", lambda *given: (asked.append(given[3]), find(*given))[1])
    monkeypatch.setattr("viva.storage.runs.CHUNKS_HELD", 2)
    found, (a, b, c) = store.chunks_by_id(), [chunk.id for chunk in CHUNKS[:3]]
    for chunk_id in (a, b, b, a, c, a, b):
        assert found[chunk_id].id == chunk_id
    assert asked == [a, b, c, b]
    assert CHUNKS_HELD > 2


def test_a_spool_gives_back_what_was_added_by_place_by_slice_and_in_order() -> None:
    spool: Spool[Chunk] = Spool(Chunk)
    assert (len(spool), list(spool)) == (0, [])
    spool.append(CHUNKS[0])
    assert list(spool.passing(CHUNKS[1:5])) == CHUNKS[1:5]
    assert (spool[0], spool[-1], spool[1:4]) == (CHUNKS[0], CHUNKS[4], CHUNKS[1:4])
    assert list(spool) == CHUNKS[:5]
    with pytest.raises(IndexError):
        spool[5]
