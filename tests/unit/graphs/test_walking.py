"""How far the committee reads: for each kind of item, and on for the shares of a blueprint, but not without end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from by_hand import document, item

from viva.agents.roles import Source
from viva.core.blueprint import Blueprint, Facet, LevelFill
from viva.core.coverage import Coverage
from viva.core.errors import UsageError
from viva.core.records import BloomLevel, Chunk, Item, ItemKind
from viva.core.settings import Settings
from viva.graphs import stages
from viva.graphs.chunk import ChunkWalk
from viva.graphs.desk import Desk
from viva.graphs.sampling import RESULT
from viva.graphs.walking import FURTHEST, SMALLEST_BATCH, Walking

TOPICS = ("tides", "crew", "crew", "crew")
DOCUMENTS = [
    document(f"They call the tank Kettle{n // 2}. It is tank {n}.", f"{n}.md", topic=TOPICS[n % 4])
    for n in range(120)
]
CHUNKS = [Chunk.of(d, 0, len(d.text), 9) for d in DOCUMENTS]
Maker = Callable[[Source], int]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[str], Desk]]:
    desks = []

    def open_(blueprint: str = "", items: int = 20) -> Desk:
        canonical = Blueprint.read(blueprint).canonical
        desk = Desk(tmp_path / str(len(desks)), Settings(items=items, worked_examples=0, blueprint=canonical))
        desk.folder.mkdir()
        desk.bind(tmp_path, "fingerprint")
        desk.store.add_corpus(DOCUMENTS, CHUNKS, [])
        desks.append(desk)
        return desk

    yield open_
    for desk in desks:
        desk.close()


def write(desk: Desk, made: Maker = lambda _: 1, **changes: Any) -> list[Source]:
    """Walk until nothing is missing; every source gives as many items as `made` says. What was read, in order."""
    read = []
    while batch := stages.next_batch(desk):
        for source_id in batch:
            source = desk.source(source_id)
            number = 1000 * len(ItemKind) * CHUNKS.index(source.chunk) + 1000 * list(ItemKind).index(source.kind)
            items = tuple(_item(source, number + n, changes) for n in range(made(source)))
            walk = ChunkWalk(found=len(items), items=items, rejections=(), steps=(), failure=None)
            desk.store.finish_chunk(source_id, walk.items, (), (), units=walk.found)
            read.append(source)
    return read


def _item(source: Source, number: int, changes: dict[str, Any]) -> Item:
    base = item(number, of=source.document)
    where = base.provenance.model_copy(update={"chunk_id": source.id})
    return base.model_copy(
        update={"provenance": where, "kind": source.kind, "topic": source.document.topic, **changes}
    )


def test_each_kind_is_walked_for_its_share_of_the_items(opened: Callable[..., Desk]) -> None:
    desk = opened("kind.multi-hop=0.25,kind.unanswerable=0.25", items=40)
    read = Counter(source.kind.value for source in write(desk))
    # of 48 items that are wanted, spare ones included, 24, 12 and 12; in batches of 8 at least
    assert (read["single-hop"], read["multi-hop"], read["unanswerable"]) == (24, 16, 16)
    stages.assemble(desk)
    kinds = Counter(shown.item.kind.value for shown in stages.exam_of(desk).items)
    assert kinds == {"single-hop": 20, "multi-hop": 10, "unanswerable": 10}


def test_a_kind_of_which_nothing_comes_is_given_up(opened: Callable[..., Desk]) -> None:
    desk = opened("kind.unanswerable=0.25")
    read = write(desk, lambda source: source.kind is ItemKind.SINGLE_HOP)
    tried = sum(source.kind is ItemKind.UNANSWERABLE for source in read)
    assert tried == FURTHEST * 6
    assert (Facet.KIND, "unanswerable", 0, 6) in Walking.of(desk).shares_short({s.id for s in read})
    assert "Short of the blueprint: kind unanswerable (0 of 6)" in stages.remaining(desk)


def test_a_topic_that_is_short_is_looked_for_where_it_is_written_about(opened: Callable[..., Desk]) -> None:
    desk = opened("topic.tides=0.6")
    # of the tides hardly anything comes
    read = write(desk, lambda s: s.document.topic == "crew" or DOCUMENTS.index(s.document) % 8 == 0)
    tides = [source for source in read if source.document.topic == "tides"]
    fill = Walking.of(desk).shares_short({s.id for s in read})
    assert fill == []
    assert len(tides) > len(read) / 2
    assert len(read) < len(CHUNKS)


def test_a_level_that_never_comes_costs_one_step_and_no_more(opened: Callable[..., Desk]) -> None:
    plain = len(write(opened()))
    desk = opened("bloom.create=0.5")
    assert len(write(desk)) == plain + max(plain // 2, SMALLEST_BATCH)
    assert "bloom create (0 of 12)" in stages.remaining(desk)


def test_a_level_that_comes_slowly_is_looked_for_to_the_bound(opened: Callable[..., Desk]) -> None:
    plain = len(write(opened(items=15)))
    desk = opened("bloom.create=1", items=15)
    done = 0

    def slowly(_: Source) -> int:
        nonlocal done
        done += 1
        return 1

    while batch := stages.next_batch(desk):
        for source_id in batch:
            source = desk.source(source_id)
            bloom = BloomLevel.CREATE if slowly(source) and done % 8 == 0 else BloomLevel.APPLY
            made = _item(source, done, {"bloom": (bloom,)})
            desk.store.finish_chunk(source_id, (made,), (), (), units=1)
    assert done == FURTHEST * plain


def test_a_walk_that_was_interrupted_goes_on_as_if_it_had_not_been(opened: Callable[..., Desk]) -> None:
    blueprint = "kind.unanswerable=0.2,bloom.create=0.3"
    whole, parted = opened(blueprint), opened(blueprint)
    write(whole)
    for source_id in reversed(stages.next_batch(parted)[3:]):
        source = parted.source(source_id)
        number = 1000 * len(ItemKind) * CHUNKS.index(source.chunk) + 1000 * list(ItemKind).index(source.kind)
        parted.store.finish_chunk(source_id, (_item(source, number, {}),), (), (), units=1)
    write(parted)
    stages.assemble(whole)
    stages.assemble(parted)
    assert stages.exam_of(whole) == stages.exam_of(parted)


def test_the_order_that_was_recorded_is_walked_on(opened: Callable[..., Desk]) -> None:
    desk = opened()
    first = stages.next_batch(desk)
    recorded = desk.store.latest_result(RESULT)
    assert recorded["order"][: len(first)] == first
    desk.store.add_result(RESULT, {**recorded, "order": recorded["order"][::-1]})
    del desk.__dict__["sample"]  # as another process would begin
    assert stages.next_batch(desk) == recorded["order"][::-1][: len(first)]


def test_what_is_covered_adds_up_to_the_corpus_and_the_exam(opened: Callable[..., Desk]) -> None:
    desk = opened("topic.tides=0.5,bloom.create=0.5")
    read = write(desk)
    stages.assemble(desk)
    rows = [Coverage.model_validate(row) for row in desk.store.latest_result("coverage")]
    for by in ("topic", "cluster"):
        chosen = [row for row in rows if row.by == by]
        assert sum(row.chunks for row in chosen) == len(CHUNKS)
        assert sum(row.walked for row in chosen) == len(read)
        assert sum(row.in_exam for row in chosen) == 20
    fill = [LevelFill.model_validate(row) for row in desk.store.latest_result("blueprint")]
    assert [(f.level, f.wanted, f.got) for f in fill] == [("tides", 10, 10), ("create", 10, 0)]


def test_a_topic_that_is_not_in_the_documents_stops_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Tides\n\nThe tide turns twice a day.\n", encoding="utf-8")
    settings = Settings(blueprint=Blueprint.read("topic.Billing=0.5").canonical)
    desk = Desk(tmp_path / "run", settings, documents_folder=tmp_path / "docs")
    with pytest.raises(UsageError, match="'Billing'"):
        stages.ingest(desk)
    assert not (tmp_path / "run" / "run.sqlite").exists()
    desk.close()
