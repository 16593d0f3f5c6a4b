"""Units of a batch are found first and written once, whichever walk ends first and wherever a run is interrupted."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from by_hand import WordEmbedder, document
from fakes import Writer, cast

from viva.agents.roles import ItemPairVerdict, Source
from viva.core.blueprint import Blueprint
from viva.core.errors import BudgetReached, RoleFailed
from viva.core.records import Chunk, Draft, Item, ItemKind, KnowledgeUnit, Span, Verdict
from viva.core.settings import Settings
from viva.graphs.authoring.account import funnel_of
from viva.graphs.authoring.state import Committee
from viva.graphs.authoring.unit_batches import FOUND_BEFORE, tell_apart
from viva.graphs.context import RunContext
from viva.graphs.engines.local import LocalEngine
from viva.graphs.run import graph

RULES = "Pump 1 moves water. Pump 2 moves oil. Pump 3 moves sand. Pump 4 moves brine."
DOCUMENTS = [
    document(RULES, "rules.md"),
    document(RULES, "copy-of-rules.md"),
    document("By night pump 1 rests. Pump 5 moves gas.", "nights.md"),
    document("Pump 1 rests by night. Pump 5 moves no gas.", "days.md"),
]
CHUNKS = [
    *(Chunk.of(DOCUMENTS[0], *place, 9) for place in ((0, 37), (20, 56), (38, len(RULES)))),
    *(Chunk.of(each, 0, len(each.text), 9) for each in DOCUMENTS[1:]),
]


class Units:
    """Every sentence is a unit. Counts what is read; `stop` ends the budget after so many."""

    def __init__(self, stop: int = 99) -> None:
        self.read: list[str] = []
        self._stop = stop

    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        if len(self.read) == self._stop:
            raise BudgetReached("enough", next_step="more")
        self.read.append(source.id)
        if source.document.path == "days.md" and source.kind is ItemKind.UNANSWERABLE:
            raise RoleFailed("model_refused", "no reply")
        found, start = [], source.chunk.start
        for words in source.chunk.text.split(". "):
            place = source.document.text.index(words, start)
            span = Span(document_id=source.document.id, start=place, end=place + len(words), quote=words)
            found.append(KnowledgeUnit.of(source.chunk, words, span, at=source.id))
        return found


class Slow(Writer):
    """Writes in an order of its own; `stop` ends the budget after so many drafts."""

    def __init__(self, turns: Callable[[str], int], stop: int = 999) -> None:
        super().__init__()
        self._turns = turns
        self._stop = stop
        self.written: list[tuple[ItemKind, str]] = []

    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        for _ in range(self._turns(unit.chunk_id)):
            await asyncio.sleep(0)
        if len(self.written) == self._stop:
            raise BudgetReached("enough", next_step="more")
        self.written.append((source.kind, unit.statement.rstrip(".")))
        return await super().write(unit, source, previous, feedback)


Open = Callable[..., RunContext]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    contexts: list[RunContext] = []

    def open_(
        name: str, units: Units, writer: Writer, *, kinds: str = "", model: str = "fake:any", per_chunk: int = 9
    ) -> RunContext:
        settings = Settings(
            items=60,
            worked_examples=0,
            items_per_chunk=per_chunk,
            model=(model,) if model else (),
            blueprint=Blueprint.read(kinds).canonical,
        )
        context = RunContext(tmp_path / name, settings)
        context.bind(tmp_path, "fingerprint")
        context.store.add_corpus(DOCUMENTS, CHUNKS, [])
        context.__dict__["embedder"] = WordEmbedder()
        context.__dict__["committee"] = Committee(replace(cast([], writer=writer), units=units), per_chunk, 2, 2)
        contexts.append(context)
        return context

    yield open_
    for context in contexts:
        context.close()


def write(context: RunContext) -> RunContext:
    context.stopped = None
    asyncio.run(graph.ainvoke({"first": "write", "last": "write"}, context=context))
    return context


def ended(context: RunContext) -> tuple[dict[str, str], dict[str, str]]:
    """Where each question was written, and what each unit that was not asked about repeats, by source and unit."""
    items = {f"{i.provenance.chunk_id} {i.provenance.unit_id}": i.stem for i in context.store.written()}
    rejected = {f"{r.chunk_id} {r.unit.id}": r.verdict.reason for r in context.store.rejections()}
    return items, rejected


def quick(_: str) -> int:
    return 0


def test_a_unit_of_overlapping_chunks_or_of_copied_documents_is_written_once(opened: Open) -> None:
    writer = Slow(quick)
    context = write(opened("a", Units(), writer))
    times = Counter(statement for _, statement in writer.written)
    assert times == dict.fromkeys([*RULES.rstrip(".").split(". "), "Pump 5 moves gas", "Pump 5 moves no gas"], 1) | {
        statement: 1 for statement in times if "night" in statement
    }
    # the same fact in other words, of another document
    assert sum("night" in statement for statement in times) == 1
    funnel = funnel_of(context.store)
    assert funnel.rejected == {FOUND_BEFORE: 7}
    assert funnel.units == funnel.accepted + 7 + funnel.not_asked == 14


def test_what_is_kept_is_the_first_in_the_samples_order_whichever_walk_ends_first(opened: Open) -> None:
    first = ended(write(opened("a", Units(), Slow(quick))))
    chunks = [chunk.id for chunk in CHUNKS]
    for name, turns in (("b", chunks.index), ("c", lambda i: 20 - 3 * chunks.index(i))):
        assert ended(write(opened(name, Units(), Slow(turns)))) == first


@pytest.mark.parametrize("read", [1, 4])
@pytest.mark.parametrize("written", [0, 2, 5])
def test_an_interrupted_run_ends_in_the_same_units_and_finds_none_twice(
    opened: Open, read: int, written: int
) -> None:
    whole = Units()
    first = ended(write(opened("a", whole, Slow(quick))))
    before, after = Units(stop=read), Units()
    context = write(opened("b", before, Slow(quick)))
    assert not context.store.finished_chunks()
    write(opened("b", after, Slow(quick, stop=written)))
    last = Units()
    assert ended(write(opened("b", last, Slow(quick)))) == first
    assert sorted(before.read + after.read) == sorted(whole.read)
    assert last.read == []


def test_a_fact_is_written_once_for_each_kind_of_item_and_a_failed_reading_is_on_record(opened: Open) -> None:
    writer = Slow(quick)
    context = write(opened("a", Units(), writer, kinds="kind.unanswerable=0.5"))
    times = Counter(writer.written)
    assert set(times.values()) == {1}
    assert {kind for kind, _ in times} == {ItemKind.SINGLE_HOP, ItemKind.UNANSWERABLE}
    assert funnel_of(context.store).failed_chunks == {"model_refused": 1}


def test_a_fact_that_was_asked_about_is_not_given_to_the_writer_of_another_kind(opened: Open) -> None:
    writer = Slow(quick)
    context = opened("a", Units(), writer, kinds="kind.follow-up=0.5")
    single, other = (context.sample.of_kind[kind] for kind in (ItemKind.SINGLE_HOP, ItemKind.FOLLOW_UP))
    asyncio.run(written(context, single))
    before = [statement for _, statement in writer.written]
    asyncio.run(written(context, other))
    again = [statement for kind, statement in writer.written if kind is ItemKind.FOLLOW_UP]
    assert before
    assert not set(again) & set(before)


async def written(context: RunContext, batch: list[str]) -> None:
    """Read a batch, compare its units, and write."""
    engine = LocalEngine(context)
    for source_id in batch:
        await engine.read(source_id)
    tell_apart(context, batch)
    for source_id in batch:
        await engine.write(source_id, above_recall=False)


def test_what_a_model_judges_not_to_go_together_is_parted_when_the_exam_is_chosen(opened: Open) -> None:
    class OneFact:
        async def judge(self, pairs: Sequence[tuple[Item, Item]]) -> list[ItemPairVerdict | None]:
            return [ItemPairVerdict.SAME_FACT] * len(pairs)

    context = opened("a", Units(), Slow(quick))
    committee = context.committee
    context.__dict__["committee"] = replace(committee, cast=replace(committee.cast, pair_critic=OneFact()))
    left = funnel_of(write(context).store).left_out
    assert left["asks the same fact as another item"] >= 1


def test_a_repeated_unit_can_be_traced_to_the_one_that_is_kept(opened: Open) -> None:
    context = write(opened("a", Units(), Slow(quick)))
    rejection = context.store.rejections()[0]
    steps = [step for step in context.store.steps(rejection.chunk_id) if step.unit_id == rejection.unit.id]
    assert [(step.role, step.verdict) for step in steps] == [("unit comparison", FOUND_BEFORE)]
    kept = steps[0].output.split()[1]
    assert kept in {(item.provenance.unit_id or "")[:8] for item in context.store.written()}


def test_the_offline_cast_is_left_to_choose_the_better_of_two_items(opened: Open) -> None:
    writer = Slow(quick)
    context = write(opened("a", Units(), writer, model=""))
    assert len(writer.written) == 14
    assert context.store.extractions() == context.store.repeated_units() == {}
