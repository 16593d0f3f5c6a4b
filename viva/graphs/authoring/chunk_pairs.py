"""Pairs of chunks that one question can join: both name something that few others name, or they stand close."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from viva.core.ids import seeded_order
from viva.core.records import Chunk
from viva.core.text.overlap import ngrams, normalised_tokens
from viva.metrics.text.cosines import COSINE_DECIMALS

FEW = 5
"""Documents that may name an entity for it to be rare; in a single document, chunks."""
_HOLDERS = 8
"""Chunks of an entity that are paired, so that the pairs stay linear in the chunks."""
_MEMBERS = 100
"""Chunks of a cluster among which the nearest are looked for, for the same reason."""
_CLOSE, _ALIKE, _SAME = 0.3, 0.7, 0.95
"""Cosines from which two chunks have a subject in common, mostly tell the same, and are the same text."""
_TWINS, _FEWEST_RUNS = 0.25, 20
"""Share of the shorter text's runs of three words, and their least number, from which both are one form filled in."""

# within a sentence a capital marks a name; so do underscores, inner capitals and runs of capitals in code
_NAME = re.compile(r"(?<=[\w,;:)] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
_IDENTIFIER = re.compile(r"\b(?:\w*[^\W_]_[^\W_]\w*|[A-Za-z][a-z]+[A-Z]\w*|[A-Z]{2,}\w*)\b")
# an address names nothing that a question could be about
_ADDRESS = re.compile(r"\b(?:https?://|www\.|mailto:)\S+|(?<=\]\()[^)\s]+")


def entities(text: str) -> frozenset[str]:
    """Names and identifiers in a text, without case; addresses hold none."""
    bare = _ADDRESS.sub(" ", text)
    return frozenset(found.casefold() for found in (*_NAME.findall(bare), *_IDENTIFIER.findall(bare)))


def linked_chunks(
    chunks: Sequence[Chunk],
    cluster_of: Sequence[int],
    vectors: NDArray[np.float64],
    seed: int,
) -> list[tuple[str, str]]:
    """Pairs of chunk ids, strongest first: a shared rare entity, then nearness within a cluster.

    Pairs that are mostly about the same come last: such texts tell one thing twice, and a question that joins two
    needs two. Pairs from two documents come before those from one; no chunk comes again before the others had their
    turn. `vectors` are of shape (chunks, d). Chunks that repeat or overlap others make no pair, nor do forms and
    notices that say the same twice.
    """
    usable = [n for n, chunk in enumerate(chunks) if chunk.duplicate_of is None]
    by_entity = _by_entity([chunks[n] for n in usable])
    strength: dict[tuple[int, int], float] = {}
    for holders in by_entity.values():
        rarity = math.log(1 + len(usable) / len(holders))
        for first, second in combinations(_taken(holders, chunks, usable), 2):
            strength[first, second] = strength.get((first, second), 0.0) + rarity
    near = _nearest(usable, cluster_of, vectors)
    possible = (pair for pair in sorted(strength.keys() | near.keys()) if not _overlap(chunks, pair))
    runs: dict[int, frozenset[tuple[str, ...]]] = {}
    pairs = [pair for pair in possible if not _twins(chunks, pair, runs)]
    tie = {pair: place for place, pair in enumerate(seeded_order(pairs, seed, "links"))}

    def rank(pair: tuple[int, int]) -> tuple[bool, bool, bool, float, int]:
        of_one = chunks[pair[0]].document_id == chunks[pair[1]].document_id
        alike = round(float(vectors[pair[0]] @ vectors[pair[1]]), COSINE_DECIMALS) > _ALIKE
        return (alike, pair not in strength, of_one, -round(strength.get(pair) or near[pair], 6), tie[pair])

    used: Counter[int] = Counter()
    turns = []
    for place, pair in enumerate(sorted(pairs, key=rank)):
        used.update(pair)
        turns.append((max(used[n] for n in pair), place, pair))
    return [(chunks[first].id, chunks[second].id) for _, _, (first, second) in sorted(turns)]


def _by_entity(chunks: Sequence[Chunk]) -> dict[str, list[int]]:
    """Of each rare entity the places of the chunks that name it."""
    holders: dict[str, list[int]] = {}
    for place, chunk in enumerate(chunks):
        for entity in entities(chunk.text):
            holders.setdefault(entity, []).append(place)

    def rare(places: Sequence[int]) -> bool:
        documents = len({chunks[place].document_id for place in places})
        return 2 <= (documents if documents > 1 else len(places)) <= FEW

    return {entity: places for entity, places in sorted(holders.items()) if rare(places)}


def _taken(holders: Iterable[int], chunks: Sequence[Chunk], usable: Sequence[int]) -> list[int]:
    """A few of the chunks that hold an entity, documents taking turns; places among all chunks."""
    of_document: Counter[str] = Counter()
    turns = []
    for place in (usable[holder] for holder in holders):
        of_document[chunks[place].document_id] += 1
        turns.append((of_document[chunks[place].document_id], place))
    return sorted(place for _, place in sorted(turns)[:_HOLDERS])


def _nearest(
    usable: Sequence[int], cluster_of: Sequence[int], vectors: NDArray[np.float64]
) -> dict[tuple[int, int], float]:
    """Each chunk with the one that stands nearest in its cluster, and their cosine."""
    members: dict[int, list[int]] = {}
    for place in usable:
        members.setdefault(cluster_of[place], []).append(place)
    found = {}
    for places in members.values():
        some = np.array(places[:: math.ceil(len(places) / _MEMBERS)])
        cosines = np.round(vectors[some] @ vectors[some].T, COSINE_DECIMALS)
        np.fill_diagonal(cosines, -1)
        cosines[cosines > _SAME] = -1
        for row, column in enumerate(cosines.argmax(axis=1)):
            if cosines[row, column] >= _CLOSE:
                pair = (int(min(some[row], some[column])), int(max(some[row], some[column])))
                found[pair] = float(cosines[row, column])
    return found


def _overlap(chunks: Sequence[Chunk], pair: tuple[int, int]) -> bool:
    first, second = chunks[pair[0]], chunks[pair[1]]
    return first.document_id == second.document_id and first.start < second.end and second.start < first.end


def _twins(chunks: Sequence[Chunk], pair: tuple[int, int], runs: dict[int, frozenset[tuple[str, ...]]]) -> bool:
    """Whether the two share so much wording that one is the other filled in anew; `runs` keeps what was read."""
    for place in pair:
        if place not in runs:
            runs[place] = ngrams(normalised_tokens(chunks[place].text), 3)
    first, second = (runs[place] for place in pair)
    shorter = min(len(first), len(second))
    return len(first & second) >= max(_TWINS * shorter, _FEWEST_RUNS)
