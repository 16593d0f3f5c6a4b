"""New items for a refined exam: first from what was accepted and not used, then from sources that are read for it.

What is chosen depends on the run's facts in one fixed order, so that an interrupted round, begun again, chooses the
same items, reads no source twice and asks no system twice.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from langgraph.runtime import Runtime

from viva.core.errors import BudgetReached, UsageError
from viva.core.ids import seeded_order
from viva.core.records import Exam, Examinee, ExamItem, Item, ItemKind
from viva.examinees.specs.parse import parse_spec
from viva.examinees.specs.records import ReferenceSpec, Spec
from viva.exams.review import REVIEWS_FILE, ReviewLog, reviewed_items
from viva.graphs import stages
from viva.graphs.assembly.assemble import excluded
from viva.graphs.assembly.deduplication import without_repeats
from viva.graphs.assembly.option_outliers import option_outliers
from viva.graphs.authoring.account import own_exam
from viva.graphs.authoring.batching import FURTHEST, SMALLEST_BATCH, BatchScheduler
from viva.graphs.authoring.unit_batches import tell_apart
from viva.graphs.context import RunContext
from viva.graphs.run import AuthoringTask, ReadTask, read, walk
from viva.storage.runs import RunStore

FEWEST = 5
"""Examinees that an item must be answered by."""
BEYOND = "from chunks beyond this exam"
_Work = TypeVar("_Work")


@dataclass(frozen=True)
class NewItems:
    """Items that enough examinees have answered."""

    items: tuple[ExamItem, ...] = ()
    passed_over: tuple[str, ...] = ()
    """stems of those that too few have answered"""
    notes: tuple[str, ...] = ()


def askable(context: RunContext, ids: Collection[str]) -> tuple[tuple[Spec, ...], tuple[str, ...]]:
    """Specs of those examinees that can be asked again, and in words who cannot. UsageError if they are too few.

    viva's own reference systems can; of others those that the command, or the run's last sitting, names unchanged.
    """
    named = {spec.examinee.id: spec for spec in context.candidates.specs}
    found, missing = list[Spec](), list[str]()
    for examinee in sorted(context.store.examinees(), key=lambda each: each.id):
        if examinee.id in ids:
            spec = named.get(examinee.id) or _reference(context, examinee)
            if spec:
                context.candidates.of(spec)
                found.append(spec)
            else:
                missing.append(examinee.name)
    if len(found) < FEWEST:
        raise UsageError(
            f"{len(found)} of the examinees can be asked new questions, and it takes {FEWEST}.",
            allowed="viva's reference systems, and systems named with --examinee that are unchanged since they sat.",
            next_step="Name them, or leave out --replenish.",
        )
    return tuple(found), ((f"Not asked again: {', '.join(missing)}.",) if missing else ())


def _reference(context: RunContext, examinee: Examinee) -> Spec | None:
    """The reference system that the examinee is; None if it is none, or would be another one today."""
    if "retriever" not in examinee.components:
        return None
    try:
        spec = parse_spec(examinee.spec, context.settings)
    except UsageError:
        return None
    return spec if isinstance(spec, ReferenceSpec) and spec.examinee.id == examinee.id else None


async def new_items(
    context: RunContext, exam: Exam, specs: Sequence[Spec], dropped: Sequence[str], gone: Collection[str]
) -> NewItems:
    """As many items as are dropped, of their topics where there are such, answered by all that can be asked.

    Without `specs` there are none. Raises BudgetReached where their writing ends the budget.
    """
    if not specs:
        return NewItems()
    topics = [shown.item.topic for shown in exam.items if shown.item.id in set(dropped)]
    chosen = await replacements(context, exam, topics, gone)
    shown = [placed(item, context.settings.seed) for item in chosen]
    await _sit(context, specs, Exam.of(shown, exam.examples))
    given = Counter(each.item_id for each in context.store.responses_to(shown) if each.failure is None)
    kept = tuple(each for each in shown if given[each.item.id] >= FEWEST)
    passed_over = tuple(each.item.stem for each in shown if given[each.item.id] < FEWEST)
    notes = []
    if len(shown) < len(topics):
        notes.append("Fewer items came than went: no accepted item and no unread source was left.")
    if passed_over:
        notes.append(f"{len(passed_over)} new items were passed over: too few examinees gave an answer to be graded.")
    return NewItems(kept, passed_over, tuple(notes))


async def replacements(
    context: RunContext, exam: Exam, topics: Sequence[str], gone: Collection[str], fresh: Sequence[str] = ()
) -> list[Item]:
    """Give an item for each topic, written where none is left; of the `fresh` sources as far as they give any.

    Raises BudgetReached where their writing ends the budget.
    """
    sources, new = list[str](), set(fresh)
    most = max(FURTHEST * len(topics), SMALLEST_BATCH)
    chosen = _chosen(context, exam, topics, gone, sources, new)
    while len(sources) < most:
        done = set(sources)
        batch = [i for i in fresh if i not in done][:SMALLEST_BATCH]
        enough = [item for item in chosen if not batch or item.provenance.chunk_id in new]
        batch = batch or _unread(context, sources)
        if len(enough) >= len(topics) or not batch:
            break
        await _write(context, exam, batch)
        sources += batch
        chosen = _chosen(context, exam, topics, gone, sources, new)
    return chosen


def _chosen(
    context: RunContext,
    exam: Exam,
    topics: Iterable[str],
    gone: Collection[str],
    sources: Iterable[str],
    first: Collection[str],
) -> list[Item]:
    """Choose an accepted item outside the exam for each topic, of the `first` sources and the topic if possible."""
    spare, chosen = _spare(context, exam, gone, sources), list[Item]()
    embed, taken = context.embedder.embed, [shown.item for shown in exam.items]
    for topic in topics:
        spare.sort(
            key=lambda item: (
                item.provenance.chunk_id not in first,
                item.topic != topic,
                item.known or item.in_reserve,
                item.id,
            )
        )
        before = len(without_repeats(taken, embed)[0])
        unlike = (item for item in spare if len(without_repeats([*taken, item], embed)[0]) > before)
        if item := next(unlike, None):
            spare.remove(item)
            taken.append(item)
            chosen.append(item)
    return chosen


def _spare(context: RunContext, exam: Exam, gone: Collection[str], sources: Iterable[str]) -> list[Item]:
    """Accepted items that the exam has not used, of what it was chosen from and of these sources."""
    written = BatchScheduler.of(context)
    pool = {item.id: item for item in written.items}
    for source_id in sources:
        pool |= {item.id: item for item in written.accepted.get(source_id, ())}
    items = reviewed_items(list(pool.values()), ReviewLog(context.folder / REVIEWS_FILE).read())
    texts = {i: context.source(i).text for i in {item.provenance.chunk_id for item in items} if i}
    outliers = option_outliers(items, texts, context.embedder.embed)
    used = {*(shown.item.stem for shown in exam.items), *(each.stem for each in exam.examples), *gone}
    return [
        item
        for item in items
        # an unanswerable question needs its key among the wrong options of others, which were sat already
        if item.kind is not ItemKind.UNANSWERABLE
        and item.stem not in used
        and item.id not in outliers
        and not excluded(item, written.blueprint)
    ]


def _unread(context: RunContext, sources: Collection[str]) -> list[str]:
    """Ids of the next sources, in walking order, that no exam is chosen from yet."""
    done = {*BatchScheduler.of(context).step().counted, *sources}
    kinds = context.sample.kind_of
    order = stages.walking_order(context.sample, context.settings)
    return [i for i in order if i not in done and kinds[i] is not ItemKind.UNANSWERABLE][:SMALLEST_BATCH]


async def _write(context: RunContext, exam: Exam, batch: Sequence[str]) -> None:
    """Send the sources through the item graph, with all its critics; each source once in a run."""
    runtime = Runtime(context=context)

    async def one(source_id: str) -> None:
        try:
            await walk(AuthoringTask(chunk_id=source_id), runtime)
        finally:
            # stopped in the middle, what another one has just kept must not go uncounted
            context.store.add_result("left_out", left_out(context.store, exam))

    await _all(lambda source_id: read(ReadTask(chunk_id=source_id, batch=len(batch)), runtime), batch)
    if context.stopped is None:
        await asyncio.to_thread(tell_apart, context, batch)
        await _all(one, batch)
    if reached := context.stopped:
        kept = "The exam is as it was; what was written for it is kept."
        raise BudgetReached(reached.problem, allowed=kept, next_step=reached.next_step)


async def _sit(context: RunContext, specs: Sequence[Spec], added: Exam) -> None:
    """All who can be asked answer what they have not answered yet."""

    async def one(spec: Spec) -> None:
        async with context.places:
            await stages.sit(context, spec, added, context.settings.repeats)

    with context.times.timed("sit"):
        await _all(one, specs)


async def _all(work: Callable[[_Work], Awaitable[object]], each: Iterable[_Work]) -> None:
    """Do all at once; what one of them raises is raised when all have ended."""
    for end in await asyncio.gather(*map(work, each), return_exceptions=True):
        if isinstance(end, BaseException):
            raise end


def left_out(store: RunStore, exam: Exam, *, went: int = 0, why: str = "dropped in refining") -> dict[str, int]:
    """Count accepted items outside the exam by reason, so that the funnel adds up; `went`: just now, and `why`."""
    if own_exam(store) is not None:
        # it is made of no accepted items
        return dict(store.latest_result("left_out") or {})
    left = Counter(store.latest_result("left_out") or {})
    left[why] += went
    written = sum(counts["items"] for counts in store.walk_counts().values())
    left[BEYOND] += written - len(exam.items) - len(exam.examples) - sum(left.values())
    while left[BEYOND] < 0 and any(count > 0 for count in left.values()):
        # what came had been left out for another reason
        left[max(left, key=lambda reason: (left[reason], reason))] -= 1
        left[BEYOND] += 1
    return {reason: count for reason, count in sorted(left.items()) if count}


def placed(item: Item, seed: int) -> ExamItem:
    """The item as it is put to everybody: its options in an order that depends on the item alone."""
    options = tuple(seeded_order([item.key, *(wrong.text for wrong in item.distractors)], seed, "placed", item.id))
    return ExamItem(item=item, options=options, key_position=options.index(item.key))
