"""The work that an engine spreads: functions of a run's context, whichever process holds it."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

from viva.core.errors import UsageError
from viva.graphs import stages
from viva.graphs.chunk import extracted, walk_chunk
from viva.graphs.context import RunContext
from viva.graphs.sitting import reference_examinees
from viva.llm.embeddings import BLOCK


async def embed(context: RunContext, part: int, parts: int) -> None:
    """Compute the vectors of every `parts`-th chunk from this `part` on, into the cache that all processes share."""
    ids = list(context.chunks)[part::parts]
    for start in range(0, len(ids), BLOCK):
        texts = [context.chunks[id_].text for id_ in ids[start : start + BLOCK]]
        await asyncio.to_thread(context.embedder.embed, texts)


async def read(context: RunContext, source_id: str) -> None:
    """Find the knowledge units of one source, unless they are on record; record them all, or nothing."""
    if context.store.extraction(source_id) is None:
        context.store.add_extraction(await extracted(context.source(source_id), context.committee))


async def write(context: RunContext, source_id: str, above_recall: bool) -> Counter[str]:
    """Send one source through its graph; record all it made, or nothing; what that is, by kind.

    Units that repeat others are not asked about; `above_recall`: questions that ask for more than remembering alone.
    """
    store, source = context.store, replace(context.source(source_id), above_recall=above_recall)
    repeated = store.repeated_units_of(source_id)
    walked = await walk_chunk(source, context.committee, store.extraction(source_id), repeated)
    return stages.record_walk(store, source_id, walked)


async def sit(context: RunContext, place: int, examinee_id: str | None = None) -> None:
    """One of those asked for answers what it has not answered yet; it must be of this id, where one is given."""
    spec = context.candidates.specs[place]
    _check_same(spec.examinee.id, examinee_id, spec.examinee.spec)
    await stages.sit(context, spec, stages.exam_of(context.store, context.folder))


async def sit_reference(context: RunContext, place: int, examinee_id: str | None = None) -> None:
    """The same of those set beside them."""
    exam = stages.exam_of(context.store, context.folder)
    seat = reference_examinees.reference_examinees_of(context, exam)[place]
    _check_same(seat.examinee.id, examinee_id, seat.examinee.name)
    await reference_examinees.sit(context, seat, exam)


def _check_same(found: str, wanted: str | None, named: str) -> None:
    if wanted not in {None, found}:
        raise UsageError(
            f"{named} is another system here than where the run was begun.",
            allowed="The same files, in the same place, on every node.",
        )
