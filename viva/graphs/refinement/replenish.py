"""Items for what an exam lacks: first from what was accepted and not used, then from sources that are read for it.

What is chosen depends on the run's facts in one fixed order, so that an interrupted refinement, begun again, chooses
the same items, reads no source twice and asks nobody twice.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import cycle

import numpy as np
from langgraph.runtime import Runtime
from numpy.typing import NDArray

from viva.core.blueprint import levels_of
from viva.core.errors import BudgetReached, UsageError
from viva.core.ids import seeded_order
from viva.core.records import Exam, Examinee, ExamItem, Item, ItemKind
from viva.core.settings import Settings
from viva.examinees.specs.parse import parse_spec
from viva.examinees.specs.records import Spec
from viva.exams.review import REVIEWS_FILE, ReviewLog, reviewed_items
from viva.graphs import stages
from viva.graphs.assembly.deduplication import without_repeats
from viva.graphs.assembly.option_outliers import option_outliers
from viva.graphs.authoring.batching import FURTHEST, SMALLEST_BATCH, BatchScheduler
from viva.graphs.authoring.difficulty import hardness
from viva.graphs.authoring.unit_batches import tell_apart
from viva.graphs.context import RunContext
from viva.graphs.refinement.notes import left_out_after
from viva.graphs.resources.candidates import Candidates
from viva.graphs.run import AuthoringTask, ReadTask, read, walk
from viva.llm import interrupts
from viva.optimizers.shortfall import Shortfall
from viva.storage.runs import RunStore

# --- who can be asked -------------------------------------------------------------------------------------


def who_can_be_asked(
    candidates: Candidates, settings: Settings, examinees: Sequence[Examinee]
) -> tuple[list[Spec], tuple[str, ...]]:
    """Specs of those examinees that can be asked again, and in words why the others cannot.

    viva's own reference systems can; of others those that the command, or the run's last sitting, names.
    """
    try:
        named = {spec.examinee.id: spec for spec in candidates.specs}
    except UsageError as error:
        named, problem = {}, [f"Systems of one's own are not asked again: {error}"]
    else:
        problem = list[str]()
    found, missing = list[Spec](), list[str]()
    for examinee in examinees:
        spec = named.get(examinee.id) or _reference(settings, examinee)
        try:
            if spec is not None:
                candidates.of(spec)
                found.append(spec)
                continue
            missing.append(examinee.name)
        except UsageError as error:
            missing.append(f"{examinee.name} ({error.problem})")
    if missing:
        told = f"Not asked again: {', '.join(missing)}. A system of one's own is named with --examinee, unchanged."
        problem.append(told)
    return found, tuple(problem)


def _reference(settings: Settings, examinee: Examinee) -> Spec | None:
    """The reference system that the examinee is, whatever the settings are today; None where it is none."""
    own = examinee.components
    if not {"retriever", "reader", "k", "chunk", "examples"} <= own.keys():
        return None
    name = f"{examinee.name}=" if examinee.spec.startswith(f"{examinee.name}=") else ""
    options = ",".join(f"{option}={own[option]}" for option in ("k", "chunk", "examples"))
    try:
        spec = parse_spec(f"{name}{own['retriever']}+{own['reader']},{options}", settings)
    except UsageError:
        return None
    return spec if spec.examinee.id == examinee.id else None


# --- what is asked ----------------------------------------------------------------------------------------


@dataclass
class Replenisher:
    """Finds items for shortfalls, has them sat, and hands on those that were graded.

    `gone` are stems that do not come back, `latest` gives the difficulties of the items calibrated last. `sat` is
    told the items once everybody who can has answered them, and says which of them enough examinees were graded on;
    `run` runs coroutines on the one loop of this refinement.
    """

    context: RunContext
    exam: Exam
    specs: Sequence[Spec]
    gone: Collection[str]
    most: int
    """items per round at most"""
    latest: Callable[[], NDArray[np.float64]]
    sat: Callable[[Sequence[ExamItem]], Sequence[str]]
    run: asyncio.Runner
    offered: dict[str, ExamItem] = field(default_factory=dict)
    wanted_for: dict[str, str] = field(default_factory=dict)
    """the topic that an item was chosen for, by its id"""
    notes: list[str] = field(default_factory=list)
    _read: list[str] = field(default_factory=list)

    def __call__(self, lacking: tuple[Shortfall, ...]) -> list[str]:
        """Ids of new items, at most `most`. Raises BudgetReached where their writing ends the budget."""
        spare = self.spare()
        topics = {lack.topic for lack in lacking}
        wanted = min(self.most, sum(lack.items for lack in lacking))
        before = len(self._read)
        while _of(topics, spare) < wanted and len(self._read) - before < max(FURTHEST * wanted, SMALLEST_BATCH):
            batch = self.further(topics)
            if not batch:
                break
            self._walk(batch)
            self._read += batch
            spare = self.spare()
        chosen = self._chosen(lacking, spare, wanted)
        if not chosen:
            names = ", ".join(sorted(topics)) or "any topic"
            self.notes.append(
                f"Nothing was added at the end: no accepted item and no unread source is left of {names}."
            )
            return []
        shown = [placed(item, self.context.settings.seed) for item in chosen]
        self.offered |= {each.item.id: each for each in shown}
        self._sit(shown)
        kept = list(self.sat(shown))
        failed = len(shown) - len(kept)
        if failed:
            self.notes.append(f"{failed} new items were passed over: too few examinees gave an answer to be graded.")
        return kept

    def spare(self) -> list[Item]:
        """Accepted items that neither the exam nor a round has used, each unlike those used; sorted by id."""
        walking = BatchScheduler.of(self.context)
        further = [item for source_id in self._read for item in walking.accepted.get(source_id, ())]
        pool = {item.id: item for item in [*reversed(further), *reversed(walking.items)]}
        decisions = ReviewLog(self.context.folder / REVIEWS_FILE).read()
        items = [item for item in reviewed_items(list(pool.values()), decisions) if self._allowed(item, walking)]
        texts = {i: self.context.source(i).text for i in {item.provenance.chunk_id for item in items} if i}
        outliers = option_outliers(items, texts, self.context.embedder.embed)
        used = self._used()
        distinct, _ = without_repeats([i for i in items if i.id not in outliers], self.context.embedder.embed)
        return [item for item in distinct if item.stem not in used]

    def _allowed(self, item: Item, walking: BatchScheduler) -> bool:
        # an unanswerable question needs its key among the wrong options of others, which were sat already
        if item.kind is ItemKind.UNANSWERABLE:
            return False
        shares = walking.blueprint.shares.items()
        return not any(own.get(level, 1) == 0 for facet, own in shares for level in levels_of(item, facet))

    def _used(self) -> set[str]:
        shown = [*self.exam.items, *self.offered.values()]
        return {*(each.item.stem for each in shown), *(each.stem for each in self.exam.examples), *self.gone}

    def further(self, topics: Collection[str]) -> list[str]:
        """Ids of the next sources of these topics, in walking order, that no exam is chosen from yet."""
        done = {*BatchScheduler.of(self.context).step().counted, *self._read}
        sample = self.context.sample
        order = [
            source_id
            for source_id in stages.walking_order(sample, self.context.settings)
            if source_id not in done
            and sample.kind_of[source_id] is not ItemKind.UNANSWERABLE
            and (sample.topic(source_id) in topics or "" in topics)
        ]
        return order[:SMALLEST_BATCH]

    def _walk(self, batch: Sequence[str]) -> None:
        """Through the item graph, with all its critics; what has walked before is not walked again."""
        runtime = Runtime(context=self.context)

        async def look_into(source_id: str) -> None:
            await read(ReadTask(chunk_id=source_id, batch=len(batch)), runtime)

        async def one(source_id: str) -> None:
            try:
                await walk(AuthoringTask(chunk_id=source_id), runtime)
            finally:
                # stopped in the middle, what another one has just kept must not go uncounted
                count_left_out(self.context.store, self.exam)

        self._all(look_into, batch)
        if self.context.stopped is None:
            tell_apart(self.context, batch)
            self._all(one, batch)
        if self.context.stopped is not None:
            said = self.context.stopped
            raise BudgetReached(
                said.problem,
                allowed="The exam is as it was; what was written for it is kept.",
                next_step=said.next_step,
            )

    def _all(self, work: Callable[[str], Awaitable[None]], batch: Sequence[str]) -> None:
        """At once; what one of them raises is raised when all have ended."""

        async def all_of_them() -> list[BaseException | None]:
            return await asyncio.gather(*map(work, batch), return_exceptions=True)

        for end in interrupts.run(all_of_them(), self.run):
            if end is not None:
                raise end

    def _chosen(self, lacking: Sequence[Shortfall], spare: Sequence[Item], wanted: int) -> list[Item]:
        """Each shortfall in turn, the greatest first, takes the item whose guessed difficulty is nearest to it."""
        difficulty = sorted(self.latest().tolist())
        hard = sorted(hardness(shown.item) for shown in self.exam.items)
        left, chosen = list(spare), list[Item]()
        asking = {lack: lack.items for lack in lacking}
        for lack in cycle(lacking):
            if len(chosen) == wanted or not any(asking.values()):
                return chosen
            place = bisect_left(difficulty, lack.difficulty) / max(len(difficulty), 1)
            own = [item for item in left if lack.topic in ("", item.topic)] if asking[lack] else []
            # what is known without documents is in reserve here too
            own.sort(
                key=lambda item: (
                    item.known or item.in_reserve,
                    abs(bisect_left(hard, hardness(item)) / len(hard) - place),
                    item.id,
                )
            )
            found = next((item for item in own if self._unlike(item, chosen)), None)
            asking[lack] = asking[lack] - 1 if found else 0
            if found:
                left.remove(found)
                chosen.append(found)
                self.wanted_for[found.id] = lack.topic
        return chosen

    def _unlike(self, item: Item, chosen: Sequence[Item]) -> bool:
        """Whether it asks something else than every item of the exam and those chosen before it."""
        taken = [each.item for each in (*self.exam.items, *self.offered.values())] + list(chosen)
        embed = self.context.embedder.embed
        return len(without_repeats([*taken, item], embed)[0]) > len(without_repeats(taken, embed)[0])

    def _sit(self, shown: Sequence[ExamItem]) -> None:
        """All who can be asked answer what they have not answered yet."""
        added = Exam.of(shown, self.exam.examples)

        async def one(spec: Spec) -> None:
            async with self.context.places:
                await stages.sit(self.context, spec, added)

        async def everybody() -> list[BaseException | None]:
            return await asyncio.gather(*(one(spec) for spec in self.specs), return_exceptions=True)

        with self.context.times.timed("sit"):
            for end in interrupts.run(everybody(), self.run):
                if end is not None:
                    raise end


def _of(topics: Collection[str], items: Sequence[Item]) -> int:
    return sum(item.topic in topics or "" in topics for item in items)


def count_left_out(store: RunStore, exam: Exam) -> None:
    """Count what was accepted since the run's exam was made among what is not in it, so that the funnel adds up."""
    left = store.latest_result("left_out") or {}
    made = sum(counts["items"] for counts in store.walk_counts().values())
    written = made - len(exam.items) - len(exam.examples) - sum(left.values())
    if written:
        twice = made - len(store.items())
        store.add_result("left_out", left_out_after(left, written=written, twice=twice))


def placed(item: Item, seed: int) -> ExamItem:
    """The item as it is put to everybody: its options in an order that hangs on the item alone."""
    options = tuple(seeded_order([item.key, *(wrong.text for wrong in item.distractors)], seed, "placed", item.id))
    return ExamItem(item=item, options=options, key_position=options.index(item.key))
