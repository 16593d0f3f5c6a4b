"""The engine of one process, and of each worker of a cluster: the work that engines spread."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from viva.agents.roles import Source
from viva.core.errors import UsageError
from viva.core.records import Item, RepeatedUnits
from viva.graphs import stages
from viva.graphs.assembly.deduplication import asked_text
from viva.graphs.assembly.option_outliers import FEWEST, option_texts
from viva.graphs.assembly.pair_judging import fact_text
from viva.graphs.authoring.batching import items_wanted
from viva.graphs.chunk import extracted, walk_chunk
from viva.graphs.context import RunContext
from viva.graphs.sitting import reference_examinees
from viva.llm.embeddings import BLOCK


@dataclass
class LocalEngine:
    """Does the work here, on the run's context of this process."""

    context: RunContext

    async def embed(self, part: int, parts: int) -> None:
        """Compute the vectors of every `parts`-th chunk from this `part` on, into the cache of all processes."""
        chunks = self.context.chunks
        ids = list(chunks)[part::parts]
        for start in range(0, len(ids), BLOCK):
            texts = [chunks[id_].text for id_ in ids[start : start + BLOCK]]
            await asyncio.to_thread(self.context.embedder.embed, texts)

    async def read(self, source_id: str) -> None:
        """Find the knowledge units of one source, unless they are on record; record them all, or nothing."""
        context = self.context
        context.indexes.prepare(context.settings.chunk_tokens)
        if context.store.extraction(source_id) is None:
            context.store.add_extraction(await extracted(context.source(source_id), context.committee))

    async def write(self, source_id: str, above_recall: bool) -> Counter[str]:
        """Send one source through its graph; record all it made, or nothing; what that is, by kind.

        Units that repeat others, or differ between editions of a document, are not asked about; `above_recall`:
        questions that ask for more than remembering.
        """
        context, store = self.context, self.context.store
        source = replace(context.source(source_id), above_recall=above_recall)
        found = store.extraction(source_id) or await extracted(source, context.committee)
        repeated = store.repeated_units_of(source_id) or RepeatedUnits(
            chunk_id=source_id, rejections=tuple(context.editions.not_asked(found.units))
        )
        walked = await walk_chunk(source, context.committee, found, repeated)
        made = stages.record_walk(store, source_id, walked)
        if context.settings.model and walked.items:
            context.indexes.embed_ahead(_compared_texts(context, source, walked.items))
        return made

    async def sit(self, place: int, examinee_id: str | None = None) -> None:
        """One of those asked for answers what it has not answered yet; it must be of this id, where one is given."""
        context = self.context
        spec = context.candidates.specs[place]
        _check_same(spec.examinee.id, examinee_id, spec.examinee.spec)
        exam = stages.exam_of(context.store, context.folder)
        await stages.sit(context, spec, exam, context.settings.repeats)

    async def sit_reference(self, place: int, examinee_id: str | None = None) -> None:
        """The same of those set beside them."""
        context = self.context
        exam = stages.exam_of(context.store, context.folder)
        seat = reference_examinees.reference_examinees_of(context, exam)[place]
        _check_same(seat.examinee.id, examinee_id, seat.examinee.name)
        await reference_examinees.sit(context, seat, exam)

    async def aclose(self) -> None:
        """The context is closed by who opened it."""


def _compared_texts(context: RunContext, source: Source, items: Sequence[Item]) -> list[str]:
    """List the texts of these items whose vectors are compared when an exam is chosen."""
    texts = [text for item in items for text in (asked_text(item), fact_text(item))]
    if items_wanted(context.settings) >= FEWEST:
        texts += [source.text, *(text for item in items for text in option_texts(item))]
    return texts


def _check_same(found: str, wanted: str | None, named: str) -> None:
    if wanted not in {None, found}:
        raise UsageError(
            f"{named} is another system here than where the run was begun.",
            allowed="The same files, in the same place, on every node.",
        )
