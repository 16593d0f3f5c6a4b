"""The run context and the stages on a real run store: turns, batches, the funnel."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from by_hand import document, draft, item

from viva.agents.roles import Source
from viva.core.errors import UsageError
from viva.core.records import Chunk, Document, Rejection, Step, Verdict
from viva.core.settings import Settings
from viva.graphs import results, stages
from viva.graphs.authoring.account import funnel_of
from viva.graphs.authoring.batching import SMALLEST_BATCH
from viva.graphs.chunk import ChunkRecord
from viva.graphs.context import RunContext
from viva.graphs.resources.stage_times import times_of
from viva.reports.write import write_report

WORDS = "Pumps move water. Valves stop it."
DOCUMENTS = [document(f"{WORDS} Tank {n} holds it.", f"{n}.md") for n in range(30)]
CHUNKS = [Chunk.of(d, start, len(d.text) - 6 + start, 9) for d in DOCUMENTS for start in (0, 1, 2)]


def opened(folder: Path, **settings: object) -> RunContext:
    context = RunContext(folder, Settings(items=10, worked_examples=0, **settings))  # type: ignore[arg-type]
    context.bind(folder, "fingerprint")
    context.store.add_corpus(DOCUMENTS, CHUNKS, [])
    return context


@pytest.fixture
def context(tmp_path: Path) -> Iterator[RunContext]:
    found = opened(tmp_path)
    yield found
    found.close()


def walked(
    context: RunContext, chunk_id: str, *, accepted: int = 0, rejected: int = 0, failed: int = 0, left: int = 0
) -> None:
    """Record a walk that accepted, rejected, failed on and left this many units."""
    chunk = context.chunks[chunk_id]
    source = Source(chunk, context.documents[chunk.document_id])
    base = draft(source, WORDS, "What?", "water")
    number = CHUNKS.index(chunk) * 100
    made = [item(number + n, of=source.document) for n in range(accepted)]
    items = [
        i.model_copy(update={"provenance": i.provenance.model_copy(update={"chunk_id": chunk_id})}) for i in made
    ]
    verdict = Verdict(critic="c", passed=False, reason="no", code="unfaithful")
    unheard = Verdict(critic="c", passed=False, reason="no reply", code="model_refused", failed=True)
    ended = range(rejected + failed)
    units = [base.unit.model_copy(update={"id": f"u{number + n}", "chunk_id": chunk_id}) for n in ended]
    step = Step(chunk_id=chunk_id, number=0, role="chair", input="", output="", duration_s=0)
    walk = ChunkRecord(
        found=accepted + rejected + failed + left,
        items=tuple(items),
        rejections=tuple(
            Rejection.of(unit, base, unheard if n >= rejected else verdict) for n, unit in enumerate(units)
        ),
        steps=(step,),
        failure=None,
    )
    stages.record_walk(context.store, chunk_id, walk)


def test_batches_follow_the_order_and_grow_until_there_are_items_enough(context: RunContext) -> None:
    order = stages.walking_order(context.sample, context.settings)
    first = stages.next_batch(context).missing
    assert first == order[:SMALLEST_BATCH]
    for chunk_id in first:
        walked(context, chunk_id)
    second = stages.next_batch(context).missing
    # nothing came of eight chunks: more of them are needed than had been thought
    assert second == order[len(first) : len(first) + len(second)]
    assert len(second) > 2 * len(first)
    for chunk_id in second:
        walked(context, chunk_id, accepted=1)
    assert stages.next_batch(context).missing == []


def test_a_batch_is_no_larger_than_the_items_wanted_make_likely(tmp_path: Path) -> None:
    context = opened(tmp_path, items_per_chunk=2)
    context.settings = context.settings.model_copy(update={"items": 30})
    assert len(stages.next_batch(context).missing) == 18  # 36 items are wanted, to choose 30 from
    context.close()


def test_an_interrupted_batch_is_finished_before_it_is_counted(context: RunContext) -> None:
    batch = stages.next_batch(context).missing
    for chunk_id in batch[:7]:
        walked(context, chunk_id, accepted=2)
    assert stages.next_batch(context).missing == batch[7:]


def test_items_of_chunks_beyond_the_counted_batches_are_not_in_the_exam(context: RunContext) -> None:
    order = stages.walking_order(context.sample, context.settings)
    for chunk_id in [*order[:SMALLEST_BATCH], order[-1]]:
        walked(context, chunk_id, accepted=2)
    stages.assemble(context)
    funnel = funnel_of(context.store)
    assert funnel.left_out["from chunks beyond this exam"] == 2
    assert funnel.accepted == funnel.in_exam + funnel.examples + sum(funnel.left_out.values()) == 18


def test_the_funnel_adds_up(context: RunContext) -> None:
    for n, chunk_id in enumerate(stages.next_batch(context).missing):
        walked(context, chunk_id, accepted=n % 2, rejected=n % 3, failed=n % 5 == 0, left=n % 4)
    funnel = funnel_of(context.store)
    ended = funnel.accepted + sum(funnel.rejected.values()) + sum(funnel.failed.values())
    assert funnel.units == ended + funnel.not_asked
    assert (funnel.chunks, funnel.accepted, funnel.not_asked) == (8, 4, 12)
    assert (funnel.rejected, funnel.failed) == ({"unfaithful": 7}, {"model_refused": 2})


def test_a_chunk_whose_units_could_not_be_found_is_counted_with_its_reason(context: RunContext) -> None:
    chunk_id = stages.next_batch(context).missing[0]
    failure = Verdict(critic="unit extractor", passed=False, reason="no reply", code="model_refused", failed=True)
    stages.record_walk(context.store, chunk_id, ChunkRecord(0, (), (), (), failure))
    assert funnel_of(context.store).failed_chunks == {"model_refused": 1}
    assert funnel_of(context.store).units == 0


def test_without_one_accepted_item_it_is_said_why(context: RunContext) -> None:
    while batch := stages.next_batch(context).missing:
        for chunk_id in batch:
            walked(context, chunk_id, rejected=1)
    with pytest.raises(UsageError, match="Not one item was accepted from 30 documents \\(90 unfaithful\\)"):
        stages.assemble(context)


def test_each_examinee_is_called_once(tmp_path: Path) -> None:
    context = opened(tmp_path, examinees=("bm25", "bm25+lexical", "mine=bm25", "closed-book"))
    assert [spec.examinee.name for spec in context.candidates.specs] == [
        "bm25+lexical",
        "mine",
        "closed-book+lexical",
    ]
    context.close()


def test_nobody_named_means_the_panel(context: RunContext) -> None:
    assert len(context.candidates.specs) >= 12


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (stages.call, "no exam in this run yet"),
        (results.score, "no exam in this run yet"),
        (lambda context: results.scores_of(context.store, context.folder), "no scores yet"),
        (write_report, "no scores yet"),
    ],
)
def test_a_stage_that_comes_too_early_says_what_to_do_first(context: RunContext, stage: object, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        stage(context)  # type: ignore[operator]
    assert caught.value.next_step


def test_time_is_counted_once_where_tasks_overlap_and_kept_over_runs(context: RunContext) -> None:
    with context.times.timed("write"), context.times.timed("write"):
        pass
    with context.times.timed("ingest"):
        pass
    assert [t.stage for t in times_of(context.store)] == ["ingest", "write"]
    with pytest.raises(ZeroDivisionError), context.times.timed("sit"):
        raise ZeroDivisionError
    assert [t.stage for t in times_of(context.store)] == ["ingest", "write", "sit"]


def test_documents_and_chunks_come_back_in_the_order_they_went_in(context: RunContext) -> None:
    assert list(context.documents.values()) == DOCUMENTS
    assert list(context.chunks.values()) == CHUNKS
    assert all(isinstance(d, Document) for d in context.documents.values())
    assert all(a.id != b.id for a, b in pairwise(context.chunks.values()))
