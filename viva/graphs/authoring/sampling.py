"""Which sources the committee reads, in which order: by topic and cluster, so that an exam covers its corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappush, heappushpop
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from viva.agents.roles import Source, source_id
from viva.core.blueprint import Blueprint, Facet
from viva.core.ids import content_hash, seeded_order
from viva.core.records import PREDICATE, Chunk, Document, ItemKind
from viva.graphs.assembly.constrained_selection import BalancedQueue, weighted_round_robin

if TYPE_CHECKING:
    from viva.agents.offline.corpus_facts import CorpusFacts
    from viva.core.settings import Settings
    from viva.graphs.authoring.editions import EditionMarks
    from viva.storage.runs import RunStore

RESULT = "sampling"
"""The kind under which the run store keeps it."""
MOST_READ = 20_000
"""Chunks that are read and put in an order; of a larger corpus a sample. What they are about is told in memory."""
_FEWEST_OF_TOPIC = 100
# a topic that the blueprint leaves nothing comes after all others
_LAST = 1e-9
_Turn = tuple[str, int]
"""A topic and one of its clusters."""


@dataclass(frozen=True)
class Sample:
    """The sources of a run in walking order, by kind, and what each chunk is about."""

    chunks_in: Mapping[ItemKind, Sequence[tuple[str, ...]]]
    """ids of the chunks of each source"""
    topic_of: Mapping[str, str]
    """topic by chunk id"""
    cluster_of: Mapping[str, str]
    """name of the cluster by chunk id; '' where the corpus has but one"""
    notes: tuple[str, ...] = ()
    """what an exam of these sources does not speak of, in words"""

    @cached_property
    def of_kind(self) -> dict[ItemKind, list[str]]:
        """Every `Source.id`."""
        return {kind: [source_id(kind, own) for own in sources] for kind, sources in self.chunks_in.items()}

    @cached_property
    def chunks_of(self) -> dict[str, tuple[str, ...]]:
        """Ids of the chunks by `Source.id`."""
        pairs = (zip(self.of_kind[kind], self.chunks_in[kind], strict=True) for kind in self.of_kind)
        return {id_: own for of_kind in pairs for id_, own in of_kind}

    @cached_property
    def kind_of(self) -> dict[str, ItemKind]:
        """By `Source.id`."""
        return {id_: kind for kind, ids in self.of_kind.items() for id_ in ids}

    def topic(self, source_id: str) -> str:
        """Of the first chunk."""
        return self.topic_of[self.chunks_of[source_id][0]]

    def source(self, source_id: str, chunks: Mapping[str, Chunk], documents: Mapping[str, Document]) -> Source:
        """With its chunks and documents. KeyError for an id that is none of a source."""
        made: Source | None = None
        for place, chunk_id in reversed(list(enumerate(self.chunks_of[source_id]))):
            chunk, kind = chunks[chunk_id], self.kind_of[source_id] if place == 0 else ItemKind.SINGLE_HOP
            made = Source(chunk, documents[chunk.document_id], kind, made)
        if made is None:
            raise AssertionError("a source has a chunk")
        return made

    def mixed(self, kinds: Mapping[ItemKind, float]) -> list[str]:
        """Ids of one walk over all kinds in these shares, as long as the kind of the largest share lasts."""
        main = max(kinds, key=lambda kind: kinds[kind])
        of_kind = {kind.value: self.of_kind[kind] for kind, share in kinds.items() if share > 0}
        order = weighted_round_robin(of_kind, lambda kind: kinds[ItemKind(kind)], 0, "kinds")
        last = max((n for n, id_ in enumerate(order) if self.kind_of[id_] is main), default=-1)
        return order[: last + 1]


class SampledRun(Protocol):
    """What of a run's context a sample is drawn from."""

    settings: Settings

    @property
    def store(self) -> RunStore: ...
    @property
    def chunks(self) -> Mapping[str, Chunk]: ...
    @property
    def documents(self) -> Mapping[str, Document]: ...
    @property
    def corpus_facts(self) -> CorpusFacts: ...
    @property
    def editions(self) -> EditionMarks: ...


def sample_of(context: SampledRun) -> Sample:
    """The run's sample: drawn when first asked for, and recorded, so that a run goes on in the order it began in."""
    recorded = context.store.latest_result(RESULT)
    if recorded is None:
        settings, documents = context.settings, context.documents
        chunks = chunks_read(context.chunks, documents, settings.seed)
        recorded = drawn(
            chunks,
            documents,
            Blueprint.read(settings.blueprint),
            settings.seed,
            # the offline cast reads for itself what it can use
            passed_over=_passed_over(chunks, documents, context.editions) if settings.model else {},
            first={} if settings.model else _first(context.corpus_facts),
        )
        context.store.add_result(RESULT, recorded)
    return recalled(recorded, context.chunks, context.documents)


def extended(context: SampledRun, recorded: Mapping[str, Any], added: Collection[str]) -> dict[str, Any]:
    """Give the recorded sample without chunks that are gone, and with chunks of the documents `added` at its end."""
    settings, documents = context.settings, context.documents
    topic_of = {chunk.id: documents[chunk.document_id].topic for chunk in context.chunks.values()}
    chunks = [chunk for chunk in context.chunks.values() if chunk.document_id in added][:MOST_READ]
    kept: dict[str, Any] = {
        "order": [i for i in recorded["order"] if i in topic_of],
        "links": [pair for pair in recorded["links"] if topic_of.keys() >= set(pair)],
        "clusters": list(recorded["clusters"]),
        "cluster_of": {i: number for i, number in recorded["cluster_of"].items() if i in topic_of},
        "passed_over": {i: why for i, why in recorded.get("passed_over", {}).items() if i in topic_of},
    }
    if chunks:
        passed_over = _passed_over(chunks, documents, context.editions) if settings.model else {}
        first = {} if settings.model else _first(context.corpus_facts)
        blueprint = Blueprint.read(settings.blueprint)
        new = drawn(chunks, documents, blueprint, settings.seed, passed_over=passed_over, first=first)
        before = len(kept["clusters"])
        kept["cluster_of"] |= {i: number + before for i, number in new["cluster_of"].items()}
        kept["passed_over"] |= new["passed_over"]
        for name in ("order", "links", "clusters"):
            kept[name] += new[name]
    return {**kept, "topic_of": {i: topic_of[i] for i in kept["cluster_of"]}}


def chunks_read(
    chunks: Mapping[str, Chunk], documents: Mapping[str, Document], seed: int, most: int = MOST_READ
) -> list[Chunk]:
    """All chunks; where there are more than `most`, about so many that repeat no other, drawn by the seed, in order.

    Every topic has its share of them, and a hundred chunks where it has that many and topics are few.
    """
    if len(chunks) <= most:
        return list(chunks.values())

    def firsts() -> Iterator[tuple[str, str]]:
        own = (chunk for chunk in chunks.values() if chunk.duplicate_of is None)
        return ((documents[chunk.document_id].topic, chunk.id) for chunk in own)

    sizes = Counter(topic for topic, _ in firsts())
    least, share = min(_FEWEST_OF_TOPIC, most // len(sizes)), most / sizes.total()
    room = {topic: min(size, max(least, round(share * size))) for topic, size in sizes.items()}
    lots: dict[str, list[tuple[int, str]]] = {topic: [] for topic in sizes}
    for topic, chunk_id in firsts():
        full = len(lots[topic]) == room[topic]
        # the smallest numbers stay
        (heappushpop if full else heappush)(lots[topic], (-int(content_hash(seed, "read", chunk_id), 16), chunk_id))
    kept = {chunk_id for drawn in lots.values() for _, chunk_id in drawn}
    return [chunk for chunk in chunks.values() if chunk.id in kept]


def _first(known: CorpusFacts) -> dict[str, int]:
    """Ranks of chunks that are read before all others: those that hold a fact of the sure tier, then those that say
    something of a subject."""
    ranks = {}
    for chunk_id, facts in known.facts.items():
        if any(fact.sure for fact in facts):
            ranks[chunk_id] = 0
        elif any(question.pattern == PREDICATE for fact in facts for question in fact.questions):
            ranks[chunk_id] = 1
    return ranks


def _passed_over(
    chunks: Sequence[Chunk], documents: Mapping[str, Document], editions: EditionMarks
) -> dict[str, str]:
    """Chunks that hold nothing to ask about, by id, and why.

    Where every chunk looks so, the rules do not fit these documents, and none is passed over.
    """
    from viva.agents.rules.nothing_to_ask import nothing_to_ask

    told = {c.id: nothing_to_ask(c, documents[c.document_id]) or editions.covers(c) for c in chunks}
    return {chunk_id: why for chunk_id, why in told.items() if why} if not all(told.values()) else {}


def drawn(
    chunks: Sequence[Chunk],
    documents: Mapping[str, Document],
    blueprint: Blueprint,
    seed: int,
    passed_over: Mapping[str, str] = MappingProxyType({}),
    first: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Any]:
    """The sample as JSON: ids of chunks in walking order, linked pairs, clusters. `documents` are by id.

    Chunks that are `passed_over` (why, by id) are in no source; those in `first` walk before the others, the lowest
    rank first.
    """
    from viva.graphs.authoring.chunk_pairs import linked_chunks
    from viva.graphs.authoring.clusters import clustered

    found = clustered([chunk.text for chunk in chunks], seed)
    topic_of = {chunk.id: documents[chunk.document_id].topic for chunk in chunks}
    cluster_of = {chunk.id: number for chunk, number in zip(chunks, found.of, strict=True)}
    order = walking_order([c for c in chunks if c.id not in passed_over], topic_of, cluster_of, blueprint, seed)
    last = max(first.values(), default=0) + 1
    order.sort(key=lambda chunk_id: first.get(chunk_id, last))
    links: list[tuple[str, str]] = []
    if blueprint.kinds[ItemKind.MULTI_HOP]:
        pairs = linked_chunks(chunks, found.of, found.vectors, seed)
        links = [pair for pair in pairs if passed_over.keys().isdisjoint(pair)]
    return {
        "order": order,
        "links": links,
        "clusters": list(found.names),
        "cluster_of": cluster_of,
        "topic_of": topic_of,
        "passed_over": dict(passed_over),
    }


def recalled(recorded: Mapping[str, Any], chunks: Mapping[str, Chunk], documents: Mapping[str, Document]) -> Sample:
    """The sample from its JSON."""
    names = recorded["clusters"]
    cluster_of = {chunk_id: names[number] for chunk_id, number in recorded["cluster_of"].items()}
    # a run of an earlier version keeps no topics
    topic_of = recorded.get("topic_of") or {c.id: documents[c.document_id].topic for c in chunks.values()}
    note = (
        f"The questions are from {len(cluster_of):,} of the {len(chunks):,} chunks, drawn at random by topic; "
        "passages are searched for in all of them."
    )
    notes = (note,) if len(cluster_of) < len(chunks) else ()
    return Sample(_chunks_in(recorded), topic_of, cluster_of, notes)


def chunks_of_sources(recorded: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """`Sample.chunks_of` of the sample from its JSON."""
    return Sample(_chunks_in(recorded), {}, {}).chunks_of


def _chunks_in(recorded: Mapping[str, Any]) -> dict[ItemKind, Sequence[tuple[str, ...]]]:
    order = recorded["order"]
    # what is asked in vain is asked about other chunks than those whose facts are asked for, while there are such
    elsewhere = [*order[len(order) // 2 :], *order[: len(order) // 2]]
    return {
        ItemKind.SINGLE_HOP: [(chunk_id,) for chunk_id in order],
        ItemKind.MULTI_HOP: [tuple(pair) for pair in recorded["links"]],
        ItemKind.UNANSWERABLE: [(chunk_id,) for chunk_id in elsewhere],
        ItemKind.FOLLOW_UP: [(chunk_id,) for chunk_id in elsewhere],
    }


def walking_order(
    chunks: Sequence[Chunk],
    topic_of: Mapping[str, str],
    cluster_of: Mapping[str, int],
    blueprint: Blueprint,
    seed: int,
) -> list[str]:
    """All chunk ids: topics take turns, within a topic clusters, within a cluster documents. Repeats come last.

    Topics get turns in proportion to their chunks, or to the blueprint's shares; clusters get as many as each other,
    so that what little is written about comes up too; and a cluster gives a chunk of the document that had fewest.
    """
    order: list[str] = []
    taken: Counter[str] = Counter()
    for repeats in (False, True):
        part = [chunk for chunk in chunks if (chunk.duplicate_of is not None) is repeats]
        of_turn: dict[_Turn, list[Chunk]] = {}
        for chunk in seeded_order(sorted(part, key=lambda c: c.id), seed, "chunks"):
            of_turn.setdefault((topic_of[chunk.id], cluster_of[chunk.id]), []).append(chunk)
        pools = {
            turn: BalancedQueue(own, lambda c: c.document_id, lambda d: taken[d]) for turn, own in of_turn.items()
        }
        for turn in _turns({turn: len(own) for turn, own in of_turn.items()}, blueprint, seed):
            chunk = pools[turn].take()
            taken[chunk.document_id] += 1
            order.append(chunk.id)
    return order


def _turns(sizes: Mapping[_Turn, int], blueprint: Blueprint, seed: int) -> list[_Turn]:
    """Whose turn it is, one for each chunk of each topic's clusters."""
    by_topic: dict[str, dict[str, list[_Turn]]] = {}
    for (topic, cluster), size in sorted(sizes.items()):
        by_topic.setdefault(topic, {})[str(cluster)] = [(topic, cluster)] * size
    clusters = {
        topic: weighted_round_robin(found, lambda _: 1, seed, "clusters", topic) for topic, found in by_topic.items()
    }
    weights = _topic_weights({topic: len(turns) for topic, turns in clusters.items()}, blueprint)
    return weighted_round_robin(clusters, lambda topic: weights[topic], seed, "topics")


def _topic_weights(sizes: Mapping[str, int], blueprint: Blueprint) -> dict[str, float]:
    shares = blueprint.shares.get(Facet.TOPIC, {})
    named = {topic: shares[topic] for topic in sizes if topic in shares}
    others = sum(size for topic, size in sizes.items() if topic not in named)
    left = max(1 - sum(shares.values()), 0)
    weights = {topic: left * size / others for topic, size in sizes.items() if topic not in named} if others else {}
    return {topic: max(weight, _LAST) for topic, weight in {**named, **weights}.items()}
