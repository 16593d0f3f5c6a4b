"""The knowledge units of a batch of sources: found in all of them, and told apart, before one is asked about.

Which units repeat others is told of the whole batch at once, in the sample's order, and recorded before the first
walk begins: neither the walk that ends first nor an interruption changes which unit is asked about.

The offline cast finds and writes for nothing, and of two items the better is kept (graphs/assembly/deduplication.py):
nothing is told before its walks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from viva.core.records import Extraction, ItemKind, KnowledgeUnit, Rejection, RepeatedUnits, Verdict
from viva.graphs.authoring.same_units import same_facts
from viva.graphs.authoring.sampling import Sample
from viva.graphs.context import RunContext
from viva.storage.runs import RunStore

FOUND_BEFORE = "unit_found_before"
"""The code under which repeated units are counted."""


def tell_apart(context: RunContext, batch: Sequence[str]) -> None:
    """Record which units of the batch state what a unit before them states. All sources of it must have been read.

    A unit is compared with those that were asked about, for any kind of item that has an answer, with those of its
    own kind that may still be, and with those of its kind before it in the batch. What was told of a source before
    stays. Sources that were walked to their share of items leave units behind that were not asked about: these bar
    no other.
    """
    if not context.settings.model:
        return
    del context.tally["read"]
    store = context.store
    told = store.repeated_units()
    new = [source_id for source_id in batch if source_id not in told]
    if not new:
        return
    extractions = store.extractions()
    rejections = {source_id: context.editions.not_asked(extractions[source_id].units) for source_id in new}
    _add_repeats(context, extractions, told, rejections)
    store.add_repeated_units(
        [RepeatedUnits(chunk_id=source_id, rejections=tuple(own)) for source_id, own in rejections.items()]
    )


def _add_repeats(
    context: RunContext,
    extractions: Mapping[str, Extraction],
    told: Mapping[str, RepeatedUnits],
    rejections: dict[str, list[Rejection]],
) -> None:
    """Add to the rejections of each new source those of its units that state what a unit before them states."""
    asked, walked = _asked(context.store), context.store.finished_chunks()
    apart = {rejection.unit.id for own in rejections.values() for rejection in own}

    def known(source_id: str, kind: ItemKind) -> Iterator[KnowledgeUnit]:
        repeats = {rejection.unit.id for rejection in told[source_id].rejections}
        of = context.sample.kind_of[source_id]
        # what a fact leaves out is another question than the fact
        if of is not kind and ItemKind.UNANSWERABLE in {of, kind}:
            return
        may_be_asked = of is kind and source_id not in walked
        for unit in extractions[source_id].units:
            if unit.id not in repeats and (may_be_asked or (source_id, unit.id) in asked):
                yield unit

    before_of_kind = [source_id for kind in ItemKind for source_id in _ordered(context.sample, kind, told)]
    for kind in ItemKind:
        before = [unit for source_id in before_of_kind for unit in known(source_id, kind)]
        new_of_kind = _ordered(context.sample, kind, rejections)
        units = (unit for source_id in new_of_kind for unit in extractions[source_id].units)
        found = [unit for unit in units if unit.id not in apart]
        for place, first in same_facts(before, found, context.documents, context.embedder.embed).items():
            rejections[found[place].chunk_id].append(_repeating(found[place], first))


def _ordered(sample: Sample, kind: ItemKind, source_ids: Collection[str]) -> list[str]:
    return [source_id for source_id in sample.of_kind[kind] if source_id in source_ids]


def _asked(store: RunStore) -> set[tuple[str, str]]:
    """Source and unit of all that became an item or was rejected."""
    items = ((item.provenance.chunk_id or "", item.provenance.unit_id or "") for item in store.written())
    return {*items, *((rejection.chunk_id, rejection.unit.id) for rejection in store.rejections())}


def _repeating(unit: KnowledgeUnit, first: KnowledgeUnit) -> Rejection:
    reason = f"Unit {first.id[:8]} states the same: “{first.statement}”"
    return Rejection.of(unit, None, Verdict(critic="unit comparison", passed=False, reason=reason, code=FOUND_BEFORE))
