"""How far the committee must read: batches of sources for each kind of item, and on for a blueprint's shares."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viva.agents.roles import Source
from viva.core.blueprint import Blueprint, Facet, levels_of
from viva.core.coverage import Coverage
from viva.core.records import Exam, Item, ItemKind
from viva.core.settings import Settings
from viva.graphs.sampling import Sample

if TYPE_CHECKING:
    from viva.graphs.desk import Desk

SMALLEST_BATCH, LARGEST_BATCH = 8, 1000
"""Sources walked before the accepted items are counted again."""
SPARE = 1.2
"""Items accepted per item wanted, so that the exam can be chosen for spread."""
FURTHEST = 3
"""A blueprint's shares are looked for in so many times the sources that the number of items alone takes."""
Short = tuple[Facet, str, int, int]
"""A level of the blueprint, the items there are, and the items wanted, spare ones included."""


@dataclass(frozen=True)
class Walking:
    """Where the writing stands; a picture of the run store at one moment."""

    settings: Settings
    blueprint: Blueprint
    sample: Sample
    made: Mapping[str, int]
    """items accepted from each source that was walked, as its walk made them"""
    accepted: Mapping[str, Sequence[Item]]
    """the items themselves; two overlapping chunks may both have one"""

    @classmethod
    def of(cls, desk: Desk) -> Walking:
        """As the run store has it now."""
        accepted: dict[str, list[Item]] = {}
        for item in desk.store.written():
            accepted.setdefault(item.provenance.chunk_id or "", []).append(item)
        made = {source_id: counts["items"] for source_id, counts in desk.store.walk_counts().items()}
        return cls(desk.settings, Blueprint.read(desk.settings.blueprint), desk.sample, made, accepted)

    def step(self) -> tuple[list[str], list[str]]:
        """Ids of the sources that must walk next, and of those whose items count."""
        missing: list[str] = []
        counted: list[str] = []
        for kind, share in self.blueprint.kinds.items():
            if share > 0:
                of_kind, walked = self._for_number(kind, share)
                missing += of_kind
                counted += walked
        # shares are looked at when all kinds have their number: what is counted never hangs on who came first
        return self._for_shares(counted) if not missing else (missing, counted)

    @property
    def items(self) -> list[Item]:
        """What the exam is chosen from."""
        return self._items(self.step()[1])

    def shares_short(self, counted: Collection[str]) -> list[Short]:
        """Levels of the blueprint with fewer items among these sources than the exam is to be chosen from."""
        items = self._items(counted)
        short = []
        for facet in self.blueprint.shares:
            have = Counter(level for item in items for level in levels_of(item, facet))
            for level, quota in self.blueprint.wanted(facet, self.settings.items).items():
                wanted = math.ceil(quota * SPARE)
                if have[level] < wanted:
                    short.append((facet, level, have[level], wanted))
        return short

    def _items(self, counted: Collection[str]) -> list[Item]:
        # each once, by the first source that counts: what is beyond them has no say
        items = (item for source_id in counted for item in self.accepted.get(source_id, ()))
        found: dict[str, Item] = {}
        for item in items:
            found.setdefault(item.id, item)
        return list(found.values())

    def _for_number(self, kind: ItemKind, share: float) -> tuple[list[str], list[str]]:
        """The walk that the number of items of one kind takes: what is missing of it, and what counts.

        All sources of the main kind may be walked; of another, three for each item that is wanted.
        """
        wanted = math.ceil(round(share * self.settings.items * SPARE, 9))
        wanted += self.settings.worked_examples * (kind is ItemKind.SINGLE_HOP)
        order = [source.id for source in self.sample.of_kind[kind]]
        if kind is not self._main:
            order = order[: FURTHEST * wanted]
        counted: list[str] = []
        accepted = 0
        while accepted < wanted and len(counted) < len(order):
            size = batch_size(wanted, accepted, len(counted), self.settings.items_per_chunk)
            batch = order[len(counted) : len(counted) + size]
            missing = [source_id for source_id in batch if source_id not in self.made]
            if missing:
                return missing, counted
            counted += batch
            accepted += sum(self.made[source_id] for source_id in batch)
        return [], counted

    def _for_shares(self, counted: Sequence[str]) -> tuple[list[str], list[str]]:
        """The walk on for shares that are short, in steps of half of what the number took, of short topics first.

        It ends with the shares, at `FURTHEST`, or with a step that brought nothing of what is short.
        """
        order = self.sample.of_kind[self._main]
        walked, done = list(counted), set(counted)
        number = sum(source.id in done for source in order)
        left = (FURTHEST - 1) * number
        before: list[Short] | None = None
        while left > 0 and (short := [s for s in self.shares_short(walked) if s[0] is not Facet.KIND]) != before:
            before = short
            unread = [source for source in order if source.id not in done]
            pool = self._where_short(short, unread)
            batch = pool[: min(max(number // 2, SMALLEST_BATCH), LARGEST_BATCH, left)]
            missing = [source_id for source_id in batch if source_id not in self.made]
            if missing or not batch:
                return missing, walked
            walked += batch
            done.update(batch)
            left -= len(batch)
        return [], walked

    @staticmethod
    def _where_short(short: Sequence[Short], unread: Sequence[Source]) -> list[str]:
        """Sources of the topics that are short; where none are, all, if something else is short."""
        topics = {level for facet, level, _, _ in short if facet is Facet.TOPIC}
        of_topic = [source.id for source in unread if source.document.topic in topics]
        other = any(facet is not Facet.TOPIC for facet, *_ in short)
        return of_topic or ([source.id for source in unread] if other else [])

    @property
    def _main(self) -> ItemKind:
        return max(self.blueprint.kinds, key=lambda kind: self.blueprint.kinds[kind])


def items_wanted(settings: Settings) -> int:
    """Accepted items that the writing aims for, to choose the exam from."""
    return math.ceil(round(settings.items * SPARE, 9)) + settings.worked_examples


def batch_size(wanted: int, accepted: float, walked: int, items_per_chunk: int) -> int:
    """Sources in the next batch, when so many have walked and so many items were accepted from them."""
    # as many as a chunk may give, until chunks have shown what they do give
    per_chunk = (accepted + items_per_chunk) / (walked + 1)
    return min(max(math.ceil((wanted - accepted) / per_chunk), SMALLEST_BATCH), LARGEST_BATCH)


def coverage(sample: Sample, walked: Collection[str], exam: Exam) -> list[Coverage]:
    """What the exam covers, by topic and by cluster, the largest first. `walked` are ids of sources."""
    chunks = {source.chunk.id: source for source in sample.of_kind[ItemKind.SINGLE_HOP]}
    read = {
        part.chunk.id
        for source_id in walked
        if source_id in sample.sources
        for part in sample.sources[source_id].parts
    }
    # of two linked chunks the first gives an item its topic
    asked = Counter(
        source.chunk.id
        for shown in exam.items
        if (source := sample.sources.get(shown.item.provenance.chunk_id or ""))
    )
    names = {
        "topic": {chunk_id: source.document.topic for chunk_id, source in chunks.items()},
        "cluster": dict(sample.cluster_of),
    }
    rows = []
    for by, name_of in names.items():
        sizes, seen, questions = (
            Counter(name_of[chunk_id] for chunk_id in ids) for ids in (chunks, sorted(read), asked.elements())
        )
        rows += [
            Coverage.model_validate(
                {"by": by, "name": name, "chunks": size, "walked": seen[name], "in_exam": questions[name]}
            )
            for name, size in sorted(sizes.items(), key=lambda row: (-row[1], row[0]))
        ]
    return rows
