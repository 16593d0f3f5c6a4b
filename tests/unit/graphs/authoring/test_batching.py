"""How far the committee reads: for each kind of item, and on for the shares of a blueprint, but not without end."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from by_hand import document, item

from viva.agents.roles import Cast, ChosenItem, Source
from viva.api.results.listings import rejections_result
from viva.core.accounts import Coverage
from viva.core.blueprint import Blueprint, Facet, LevelFill, asks_more
from viva.core.errors import UsageError
from viva.core.records import BloomLevel, Chunk, Item, ItemKind, Step
from viva.core.settings import Settings
from viva.graphs import stages
from viva.graphs.assembly.judged_choice import JudgedChoice
from viva.graphs.authoring.batching import FURTHEST, BatchScheduler
from viva.graphs.authoring.call_allowance import PLANNED
from viva.graphs.authoring.sampling import RESULT
from viva.graphs.context import RunContext

TOPICS = ("tides", "crew", "crew", "crew")
DOCUMENTS = [
    document(f"They call the tank Kettle{n // 2}. It is tank {n}.", f"{n}.md", topic=TOPICS[n % 4])
    for n in range(120)
]
CHUNKS = [Chunk.of(d, 0, len(d.text), 9) for d in DOCUMENTS]
MODEL = ("fake:any",)
Maker = Callable[[Source], int]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[str], RunContext]]:
    contexts = []

    def open_(blueprint: str = "", items: int = 20, model: tuple[str, ...] = ()) -> RunContext:
        canonical = Blueprint.read(blueprint).canonical
        settings = Settings(items=items, worked_examples=0, blueprint=canonical, model=model)
        context = RunContext(tmp_path / str(len(contexts)), settings)
        context.folder.mkdir()
        context.bind(tmp_path, "fingerprint")
        context.store.add_corpus(DOCUMENTS, CHUNKS, [])
        contexts.append(context)
        return context

    yield open_
    for context in contexts:
        context.close()


def write(context: RunContext, made: Maker = lambda _: 1, calls: int = 0, **changes: Any) -> list[Source]:
    """Walk until nothing is missing; every source gives as many items as `made` says. What was read, in order."""
    read = []
    while batch := stages.next_batch(context).missing:
        read += walked(context, batch, made, calls, **changes)
    return read


def walked(
    context: RunContext, batch: Sequence[str], made: Maker = lambda _: 1, calls: int = 0, **changes: Any
) -> list[Source]:
    """Walk these; each takes so many calls to models."""
    read = []
    for source_id in batch:
        source = context.source(source_id)
        number = 1000 * len(ItemKind) * CHUNKS.index(source.chunk) + 1000 * list(ItemKind).index(source.kind)
        items = tuple(_item(source, number + n, changes) for n in range(made(source)))
        keys = tuple(f"{source_id} {n}" for n in range(calls))
        step = Step(
            chunk_id=source_id, number=0, role="writer", input="", output="", duration_s=0, calls=(*keys, *keys)
        )
        context.store.finish_chunk(source_id, items, (), (step,), units=len(items))
        read.append(source)
    return read


def _item(source: Source, number: int, changes: dict[str, Any]) -> Item:
    base = item(number, of=source.document)
    where = base.provenance.model_copy(update={"chunk_id": source.id})
    return base.model_copy(
        update={"provenance": where, "kind": source.kind, "topic": source.document.topic, **changes}
    )


def test_where_too_many_questions_are_known_without_documents_it_reads_on_for_others(
    opened: Callable[..., RunContext],
) -> None:
    context = opened(items=10)
    seen = 0

    def known() -> bool:
        nonlocal seen
        seen += 1
        return seen <= 12

    while batch := stages.next_batch(context).missing:
        for source_id in batch:
            walked(context, [source_id], known=known())
    standing = BatchScheduler.of(context)
    assert sum(not item.known for item in standing.items) >= 9
    assert len(standing.items) < 30


def test_where_too_many_questions_can_be_guessed_it_reads_on_for_others(opened: Callable[..., RunContext]) -> None:
    context = opened(items=10)
    read = 0
    while batch := stages.next_batch(context).missing:
        for source_id in batch:
            read += 1
            walked(context, [source_id], guessable=read <= 8)
    assert sum(not item.guessable for item in BatchScheduler.of(context).items) >= 12
    assert read < 30


@pytest.mark.parametrize("mark", ["known", "guessable"])
def test_where_the_share_shows_that_the_bound_cannot_be_met_it_says_so_and_searches_no_further(
    mark: str, opened: Callable[..., RunContext]
) -> None:
    context = opened(items=20, model=("fake:any",))
    read = 0
    while batch := stages.next_batch(context).missing:
        for source_id in batch:
            read += 1
            walked(context, [source_id], bloom=(BloomLevel.APPLY,), **{mark: read % 10 != 0})
    step = BatchScheduler.of(context).step()
    # the items that were wanted in any case, and none beyond
    assert read <= 30
    told = next(note for note in step.given_up if "not answered without documents" in note)
    assert "calls to models" in told
    assert "--items" in told


def test_where_too_few_questions_ask_for_more_than_remembering_it_reads_on_for_others(
    opened: Callable[..., RunContext],
) -> None:
    context = opened(items=10, model=("fake:any",))
    read = 0
    while batch := stages.next_batch(context).missing:
        for source_id in batch:
            read += 1
            walked(context, [source_id], bloom=(BloomLevel.REMEMBER if read <= 14 else BloomLevel.UNDERSTAND,))
    assert sum(asks_more(item) for item in BatchScheduler.of(context).items) >= 5
    assert 14 < read < 30


def test_the_search_for_more_than_remembering_asks_for_nothing_else_unless_a_wish_of_the_blueprint_is_short_too(
    opened: Callable[..., RunContext],
) -> None:
    demanded = {}
    for blueprint in ("", "type.date=0.5"):
        context = opened(blueprint, items=10, model=("fake:any",))
        demanded[blueprint] = []
        while (step := stages.next_batch(context)).missing:
            demanded[blueprint].append(step.above_recall)
            walked(context, step.missing, bloom=(BloomLevel.REMEMBER,))
    # first come as many questions as are wanted, of whatever level
    assert demanded[""] == sorted(demanded[""])
    assert set(demanded[""]) == {False, True}
    assert not any(demanded["type.date=0.5"])


def test_where_more_than_remembering_cannot_be_had_the_search_for_the_rest_goes_on_without_it(
    opened: Callable[..., RunContext],
) -> None:
    context = opened(items=10, model=("fake:any",))
    demanded, read = [], 0
    while (step := stages.next_batch(context)).missing:
        demanded.append(step.above_recall)
        for source_id in step.missing:
            read += 1
            # who is asked for more than remembering of details alone gives nothing
            made = 0 if step.above_recall else 1
            walked(context, [source_id], lambda _, n=made: n, bloom=(BloomLevel.REMEMBER,), guessable=bool(read % 2))
    assert True in demanded
    assert demanded[-1] is False
    assert sum(not item.guessable for item in BatchScheduler.of(context).items) >= 12
    told = BatchScheduler.of(context).step().given_up
    assert [note.split(" was given up")[0] for note in told] == ["The search for questions above remembering"]


def test_what_asks_for_more_and_can_be_guessed_does_not_end_the_search_for_more(
    opened: Callable[..., RunContext],
) -> None:
    context = opened(items=10, model=("fake:any",))
    read = 0
    while batch := stages.next_batch(context).missing:
        for source_id in batch:
            read += 1
            walked(context, [source_id], bloom=(BloomLevel.APPLY,), guessable=read <= 12)
    assert sum(not item.guessable for item in BatchScheduler.of(context).items) >= 12


@pytest.mark.parametrize(("blueprint", "model"), [("", ()), ("bloom.remember=1", ("fake:any",))])
def test_nobody_looks_for_more_than_remembering_without_models_or_where_levels_are_wished(
    blueprint: str, model: tuple[str, ...], opened: Callable[..., RunContext]
) -> None:
    context = opened(blueprint, items=10, model=model)
    assert len(write(context, bloom=(BloomLevel.REMEMBER,))) <= 16


def test_where_all_questions_are_known_the_search_for_others_ends_and_is_told(
    opened: Callable[..., RunContext],
) -> None:
    context = opened(items=10)
    while batch := stages.next_batch(context).missing:
        walked(context, batch, known=True)
    told = BatchScheduler.of(context).step().given_up
    assert len(told) == 1
    assert told[0].startswith(
        "The search for questions not answered without documents was given up at 0 of 9 accepted, spare ones "
        "included: two batches"
    )


@pytest.mark.parametrize(("model", "last"), [(MODEL, 2), ((), 8)])
def test_where_models_are_paid_the_last_batches_are_as_small_as_what_is_missing(
    model: tuple[str, ...], last: int, opened: Callable[..., RunContext]
) -> None:
    context = opened(items=40, model=model)
    batches: list[int] = []

    def made(source: Source) -> int:
        # after the first batch one item is lacking
        return 1 if len(batches) == 1 and source.id == batch[0] else 2

    while batch := stages.next_batch(context).missing:
        batches.append(len(batch))
        walked(context, batch, made, bloom=(BloomLevel.APPLY,))
    assert batches[1:] == [last]


def test_without_models_it_reads_on_until_the_exam_is_full_or_all_is_read(opened: Callable[..., RunContext]) -> None:
    """Of what is accepted, assembly leaves out what repeats."""
    assert len(write(opened(), stem="What do they call the tank?", key="Kettle")) == len(CHUNKS)
    assert 20 < len(write(opened())) < len(CHUNKS)


def test_each_kind_is_walked_for_its_share_of_the_items(opened: Callable[..., RunContext]) -> None:
    context = opened("kind.multi-hop=0.25,kind.unanswerable=0.25", items=40)
    read = Counter(source.kind.value for source in write(context))
    # of 48 items that are wanted, spare ones included, 24, 12 and 12; no more of the few than are wanted
    assert (read["single-hop"], read["multi-hop"], read["unanswerable"]) == (24, 12, 12)
    stages.assemble(context)
    kinds = Counter(shown.item.kind.value for shown in stages.exam_of(context.store, context.folder).items)
    assert kinds == {"single-hop": 20, "multi-hop": 10, "unanswerable": 10}


def test_a_kind_of_which_nothing_comes_is_given_up(opened: Callable[..., RunContext]) -> None:
    context = opened("kind.unanswerable=0.25")
    read = write(context, lambda source: source.kind is ItemKind.SINGLE_HOP)
    tried = sum(source.kind is ItemKind.UNANSWERABLE for source in read)
    assert tried == FURTHEST * 6
    assert (Facet.KIND, "unanswerable", 0, 6) in BatchScheduler.of(context).shares_short({s.id for s in read})
    assert "Short of the blueprint: kind unanswerable (0 of 6)" in stages.remaining(context)


def test_a_topic_that_is_short_is_looked_for_where_it_is_written_about(opened: Callable[..., RunContext]) -> None:
    context = opened("topic.tides=0.6")
    # of the tides hardly anything comes
    read = write(context, lambda s: s.document.topic == "crew" or DOCUMENTS.index(s.document) % 8 == 0)
    tides = [source for source in read if source.document.topic == "tides"]
    fill = BatchScheduler.of(context).shares_short({s.id for s in read})
    assert fill == []
    assert len(tides) > len(read) / 2
    assert len(read) < len(CHUNKS)


def test_a_level_that_never_comes_costs_two_batches_and_no_more(opened: Callable[..., RunContext]) -> None:
    plain = len(write(opened()))
    context = opened("bloom.create=0.5")
    # twelve items are short, and a source may give two
    assert len(write(context)) == plain + 2 * 6
    assert "bloom create (0 of 12)" in stages.remaining(context)
    stages.assemble(context)
    assert "two batches in a row brought none of it" in context.store.latest_result("exam_notes")[0]


@pytest.mark.parametrize("calls", [9, 20, 27])
def test_a_share_that_cannot_be_had_ends_within_half_as_many_calls_again_with_an_exam(
    opened: Callable[..., RunContext], calls: int
) -> None:
    context = opened("bloom.create=0.5,type.comparison=0.5", model=MODEL)
    comes = 0

    def sometimes(_: Source) -> int:
        nonlocal comes
        comes += 1
        return 2 * (comes % 8 != 0)

    read = write(context, sometimes, calls)
    assert len(read) * calls <= 1.5 * PLANNED[ItemKind.SINGLE_HOP] * 24
    stages.assemble(context)
    assert len(stages.exam_of(context.store, context.folder).items) == 20
    notes = context.store.latest_result("exam_notes")
    assert any("bloom create was given up at 0 of 12" in note for note in notes)
    assert stages.ended_early(context.store)
    assert not stages.is_incomplete(context.store)


def test_the_number_is_given_up_when_it_takes_too_many_calls(opened: Callable[..., RunContext]) -> None:
    context = opened("kind.unanswerable=0.1", model=MODEL)
    read = write(context, calls=24)
    for kind, wanted in ((ItemKind.SINGLE_HOP, 22), (ItemKind.UNANSWERABLE, 3)):
        # the source that reaches the limit is read to its end
        assert 24 * sum(source.kind is kind for source in read) < 1.5 * PLANNED[kind] * wanted + 24
    stages.assemble(context)
    told = context.store.latest_result("exam_notes")
    read_on = math.ceil(1.5 * PLANNED[ItemKind.SINGLE_HOP] * 22 / 24)
    assert any(f"Of single-hop questions {read_on} of 22" in note and "were given up" in note for note in told)


def test_of_a_kind_that_few_are_wanted_of_no_more_are_written_than_are_wanted(
    opened: Callable[..., RunContext],
) -> None:
    read = write(opened("kind.unanswerable=0.1", model=MODEL), calls=10)
    assert sum(source.kind is ItemKind.UNANSWERABLE for source in read) == 3


def test_of_a_kind_that_few_are_wanted_of_those_that_can_be_guessed_do_not_count(
    opened: Callable[..., RunContext],
) -> None:
    context = opened("kind.unanswerable=0.1", model=MODEL)
    absent = 0
    while batch := stages.next_batch(context).missing:
        for source_id in batch:
            of_kind = context.source(source_id).kind is ItemKind.UNANSWERABLE
            absent += of_kind
            walked(context, [source_id], calls=5, guessable=of_kind and absent <= 2)
    kept = [item for item in BatchScheduler.of(context).items if item.kind is ItemKind.UNANSWERABLE]
    assert [item.guessable for item in kept].count(False) >= 3
    assert len(kept) < 10


def test_where_all_of_a_kind_can_be_guessed_half_as_many_again_are_written(opened: Callable[..., RunContext]) -> None:
    context = opened("kind.unanswerable=0.1", model=MODEL)
    while batch := stages.next_batch(context).missing:
        for source_id in batch:
            of_kind = context.source(source_id).kind is ItemKind.UNANSWERABLE
            walked(context, [source_id], calls=5, guessable=of_kind)
    kept = [item for item in BatchScheduler.of(context).items if item.kind is ItemKind.UNANSWERABLE]
    assert 5 <= len(kept) <= 6
    assert not [note for note in stages.remaining(context) if "unanswerable" in note]


@pytest.mark.parametrize("fewer", range(1, 5))
def test_where_items_that_join_others_leave_fewer_than_before_the_walk_for_a_kind_goes_on(
    opened: Callable[..., RunContext], fewer: int
) -> None:
    context = opened("kind.unanswerable=0.1", model=MODEL)
    walked(context, stages.next_batch(context).missing, calls=5)
    joining = replace(BatchScheduler.of(context), distinct=lambda items: -len(items) // fewer)
    assert joining.step().missing


def test_where_some_are_refused_the_walk_for_a_kind_goes_on_in_small_batches(
    opened: Callable[..., RunContext],
) -> None:
    context = opened("kind.unanswerable=0.1", model=MODEL)
    tried: list[str] = []

    def every_third(source: Source) -> int:
        if source.kind is ItemKind.SINGLE_HOP:
            return 1
        tried.append(source.id)
        return len(tried) % 3 == 0

    write(context, every_third, calls=5)
    assert len(tried) <= 10
    assert "kind unanswerable" not in stages.remaining(context)


def test_what_the_budget_leaves_makes_an_exam_and_more_budget_makes_the_whole_one(
    opened: Callable[..., RunContext],
) -> None:
    blueprint = "kind.unanswerable=0.2,bloom.create=0.3"
    whole, parted = opened(blueprint, model=MODEL), opened(blueprint, model=MODEL)
    write(whole, calls=11)
    stages.assemble(whole)
    stages.assemble_incomplete(parted)
    assert parted.store.latest_exam() is None
    walked(parted, stages.next_batch(parted).missing[2::2], calls=11)
    stages.assemble_incomplete(parted)
    part = stages.exam_of(parted.store, parted.folder)
    assert 0 < len(part.items) < 20
    assert stages.is_incomplete(parted.store)
    assert "This exam is incomplete" in parted.store.latest_result("exam_notes")[0]
    assert "marked incomplete" in stages.remaining(parted)
    write(parted, calls=11)
    stages.assemble_incomplete(parted)
    assert stages.exam_of(parted.store, parted.folder) == part
    stages.assemble(parted)
    assert stages.exam_of(parted.store, parted.folder) == stages.exam_of(whole.store, whole.folder)
    assert not stages.is_incomplete(parted.store)


def test_a_level_that_comes_slowly_is_looked_for_to_the_bound(opened: Callable[..., RunContext]) -> None:
    plain = len(write(opened(items=15)))
    context = opened("bloom.create=1", items=15)
    done = 0

    def slowly(_: Source) -> int:
        nonlocal done
        done += 1
        return 1

    while batch := stages.next_batch(context).missing:
        for source_id in batch:
            source = context.source(source_id)
            bloom = BloomLevel.CREATE if slowly(source) and done % 8 == 0 else BloomLevel.APPLY
            made = _item(source, done, {"bloom": (bloom,)})
            context.store.finish_chunk(source_id, (made,), (), (), units=1)
    assert done == FURTHEST * plain


def test_a_walk_that_was_interrupted_goes_on_as_if_it_had_not_been(opened: Callable[..., RunContext]) -> None:
    blueprint = "kind.unanswerable=0.2,bloom.create=0.3"
    whole, parted = opened(blueprint), opened(blueprint)
    write(whole)
    for source_id in reversed(stages.next_batch(parted).missing[3:]):
        source = parted.source(source_id)
        number = 1000 * len(ItemKind) * CHUNKS.index(source.chunk) + 1000 * list(ItemKind).index(source.kind)
        parted.store.finish_chunk(source_id, (_item(source, number, {}),), (), (), units=1)
    write(parted)
    stages.assemble(whole)
    stages.assemble(parted)
    assert stages.exam_of(whole.store, whole.folder) == stages.exam_of(parted.store, parted.folder)


def test_the_order_that_was_recorded_is_walked_on(opened: Callable[..., RunContext]) -> None:
    context = opened()
    first = stages.next_batch(context).missing
    recorded = context.store.latest_result(RESULT)
    assert recorded["order"][: len(first)] == first
    context.store.add_result(RESULT, {**recorded, "order": recorded["order"][::-1]})
    del context.__dict__["sample"]  # as another process would begin
    assert stages.next_batch(context).missing == recorded["order"][::-1][: len(first)]


def test_what_is_covered_adds_up_to_the_corpus_and_the_exam(opened: Callable[..., RunContext]) -> None:
    context = opened("topic.tides=0.5,bloom.create=0.5")
    read = write(context)
    stages.assemble(context)
    rows = [Coverage.model_validate(row) for row in context.store.latest_result("coverage")]
    for by in ("topic", "cluster"):
        chosen = [row for row in rows if row.by == by]
        assert sum(row.chunks for row in chosen) == len(CHUNKS)
        assert sum(row.walked for row in chosen) == len(read)
        assert sum(row.in_exam for row in chosen) == 20
    fill = [LevelFill.model_validate(row) for row in context.store.latest_result("blueprint")]
    assert [(f.level, f.wanted, f.got) for f in fill] == [("tides", 10, 10), ("create", 10, 0)]


def test_a_topic_that_is_not_in_the_documents_stops_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Tides\n\nThe tide turns twice a day.\n", encoding="utf-8")
    settings = Settings(blueprint=Blueprint.read("topic.Billing=0.5").canonical)
    context = RunContext(tmp_path / "run", settings, documents_folder=tmp_path / "docs")
    with pytest.raises(UsageError, match="'Billing'"):
        stages.ingest(context)
    assert not (tmp_path / "run" / "run.sqlite").exists()
    context.close()


def test_an_exam_of_follow_ups_reads_for_nothing_else(opened: Callable[..., RunContext]) -> None:
    context = opened("kind.follow-up=1", model=MODEL)
    read = write(context, calls=PLANNED[ItemKind.FOLLOW_UP], bloom=(BloomLevel.REMEMBER,))
    assert {source.kind for source in read} == {ItemKind.FOLLOW_UP}
    # questions above remembering are not looked for
    assert len(read) <= 24 + 2
    assert stages.next_batch(context).given_up == ()


class Editor:
    """A final reader who refuses what `refuses` says, by the number of the item read; of one kind, or of any."""

    def __init__(self, refuses: Callable[[int], bool], kind: ItemKind | None = None) -> None:
        self._refuses, self._kind, self.read_ = refuses, kind, Counter[str]()

    async def read(self, chosen: Sequence[ChosenItem]) -> list[str | None]:
        faults = []
        for each in chosen:
            of_kind = self._kind in {None, each.item.kind}
            faults.append("Dull." if of_kind and self._refuses(len(self.read_)) else "")
            self.read_[each.item.id] += 1
        return list(faults)


def judged(context: RunContext, editor: Editor, calls: int = 5, **changes: Any) -> list[Source]:
    """Walk and have the choice judged until nothing is missing, as the run graph does; what was read for lack."""
    committee = context.committee
    context.__dict__["committee"] = replace(committee, cast=replace(offline(committee.cast), final_reader=editor))
    changes = {"bloom": (BloomLevel.APPLY,), **changes}
    write(context, calls=calls, **changes)
    read = []
    while True:
        asyncio.run(stages.judge_chosen(context))
        batch = stages.next_batch(context).missing
        if not batch:
            return read
        read += walked(context, batch, calls=calls, **changes)
        read += write(context, calls=calls, **changes)


def offline(cast: Cast) -> Cast:
    """Without those who would ask a model."""
    return replace(cast, blind_solver=None, pair_critic=None)


def test_places_that_refused_items_leave_empty_are_filled_by_walking_on(opened: Callable[..., RunContext]) -> None:
    context, editor = opened(items=20, model=MODEL), Editor(lambda n: n % 2 == 0)
    read = judged(context, editor)
    assert 0 < len(read) < 40
    assert set(editor.read_.values()) == {1}
    stages.assemble(context)
    exam = stages.exam_of(context.store, context.folder)
    assert len(exam.items) == 20
    refused = context.judged.reading.refused
    assert not {shown.item.id for shown in exam.items} & refused.keys()
    # what they are and why is listed with what was rejected before
    (table,) = rejections_result(context, None, None, 0).tables
    assert [row[2:] for row in table.cells] == [("final reader", "not_printed", "Dull.")] * len(refused)


def test_a_place_of_a_kind_that_few_are_wanted_of_is_filled_by_that_kind(opened: Callable[..., RunContext]) -> None:
    context = opened("kind.unanswerable=0.2", items=20, model=MODEL)
    refusals = iter([True, True, False, True, *[False] * 99])
    read = judged(context, Editor(lambda _: next(refusals), ItemKind.UNANSWERABLE))
    assert {source.kind for source in read} == {ItemKind.UNANSWERABLE}
    stages.assemble(context)
    exam = stages.exam_of(context.store, context.folder)
    assert sum(shown.item.kind is ItemKind.UNANSWERABLE for shown in exam.items) == 4


def test_where_all_can_be_guessed_places_with_refused_items_are_filled_and_no_others(
    opened: Callable[..., RunContext],
) -> None:
    context = opened(items=20, model=MODEL)
    read = judged(context, Editor(lambda n: n < 6), guessable=True)
    assert 0 < len(read) < 20
    stages.assemble(context)
    exam = stages.exam_of(context.store, context.folder)
    assert not {shown.item.id for shown in exam.items} & context.judged.reading.refused.keys()


def test_where_none_is_refused_no_further_source_is_read(opened: Callable[..., RunContext]) -> None:
    assert judged(opened(items=20, model=MODEL), Editor(lambda _: False)) == []


def test_the_walk_for_lacking_items_ends_within_the_calls_allowed_where_all_are_refused(
    opened: Callable[..., RunContext],
) -> None:
    context = opened(items=20, model=MODEL)
    read = judged(context, Editor(lambda n: n > 3), calls=9)
    taken = 9 * len(context.store.finished_chunks())
    assert taken <= 1.5 * PLANNED[ItemKind.SINGLE_HOP] * 24 + 9
    assert len(read) <= 30
    stages.assemble(context)
    assert any("The final reader would not print" in note for note in context.store.latest_result("exam_notes"))


def test_an_interrupted_walk_for_lacking_items_goes_on_to_the_same_exam(opened: Callable[..., RunContext]) -> None:
    whole, parted = opened(items=20, model=MODEL), opened(items=20, model=MODEL)
    refuses: Callable[[int], bool] = lambda n: n % 3 == 0  # noqa: E731
    judged(whole, Editor(refuses))
    stages.assemble(whole)
    judged(parted, Editor(refuses))
    # another process knows nothing of what was judged, and asks again
    parted.judged = JudgedChoice()
    assert judged(parted, Editor(refuses)) == []
    stages.assemble(parted)
    assert stages.exam_of(parted.store, parted.folder) == stages.exam_of(whole.store, whole.folder)


def test_a_full_exam_whose_better_questions_the_budget_left_unwritten_says_so(
    opened: Callable[..., RunContext],
) -> None:
    context, changes = opened(items=20, model=MODEL), {"bloom": (BloomLevel.APPLY,)}
    committee = context.committee
    cast = replace(offline(committee.cast), final_reader=Editor(lambda n: n % 2 == 0))
    context.__dict__["committee"] = replace(committee, cast=cast)
    write(context, calls=5, **changes)
    asyncio.run(stages.judge_chosen(context))
    assert stages.next_batch(context).missing
    stages.assemble_incomplete(context)
    assert len(stages.exam_of(context.store, context.folder).items) == 20
    notes = context.store.latest_result("exam_notes")
    assert any("ended its writing before all its questions were as good as asked" in note for note in notes)
