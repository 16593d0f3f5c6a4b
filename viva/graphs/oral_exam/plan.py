"""What is examined orally: the units of all chunks, each once, in clusters of what lies together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.core.ids import content_hash, rng
from viva.core.records import OralCluster, OralPlan, OralUnit
from viva.core.text.overlap import normalised_tokens
from viva.graphs.assembly.deduplication import Embed
from viva.metrics.text.cosines import Whole, cosines_of_whole, whole

Vectors = NDArray[np.float64]

SAME_COSINE, SAME_WORDS = 0.95, 0.85
"""From these on, both together, two units with one set of numbers are one (cosine of meaning, Jaccard of words)."""
FEWEST_UNITS = 8
"""Units below which there is nothing to cluster."""
UNITS_PER_CLUSTER = 8
"""On average at least: a question is to reach several units at once."""
MOST_CLUSTERS = 60
MOST_CLUSTERED = 2000
"""Units clustered against each other, in time and memory that grow with the square; more go to the nearest centre."""
_BLOCK = 512


@dataclass(frozen=True)
class _Grouping:
    """The cluster of each unit, the place of each within its cluster's reading order, and the choice in words."""

    labels: NDArray[np.int64]
    places: NDArray[np.int64]
    told: str


def make_plan(units: Sequence[OralUnit], embed: Embed, seed: int) -> OralPlan:
    """The plan over these units, given in the order of the documents. Raises ValueError where there are none."""
    if not units:
        raise ValueError("an examination needs units")
    kept, meanings = distinct(units, embed)
    vectors = _beside_neighbours(kept, meanings)
    found = _grouped(vectors, seed)
    order = sorted(range(len(kept)), key=lambda n: (int(found.places[n]), n))
    members: dict[int, list[int]] = {}
    for n in order:
        members.setdefault(int(found.labels[n]), []).append(n)
    # the largest first, so that numbers do not depend on how the tree was built
    groups = sorted(members.values(), key=lambda group: (-len(group), kept[group[0]].id))
    names = _names(groups, kept, vectors)
    clusters = tuple(
        OralCluster(number=number, name=name, unit_ids=tuple(kept[n].id for n in group))
        for number, (name, group) in enumerate(zip(names, groups, strict=True))
    )
    left = len(units) - len(kept)
    told = f"{len(kept)} units ({left} more say the same as another) {found.told}"
    return OralPlan(
        id=content_hash("oral plan", told, *(unit_id for each in clusters for unit_id in each.unit_ids)),
        units=tuple(kept),
        clusters=clusters,
        how_clustered=told,
        map={unit.id: (float(x), float(y)) for unit, (x, y) in zip(kept, _flat_map(vectors), strict=True)},
    )


# --- each once --------------------------------------------------------------------------------------------


def distinct(units: Sequence[OralUnit], embed: Embed) -> tuple[list[OralUnit], Vectors]:
    """The units, of those that say the same the first, and their vectors (units, d).

    Meaning alone cannot tell a fact from its opposite, nor one number from another: words and numbers have a say.
    """
    worded: dict[tuple[str, ...], OralUnit] = {}
    for unit in units:
        worded.setdefault(normalised_tokens(unit.description) or (unit.id,), unit)
    kept = list({unit.id: unit for unit in worded.values()}.values())
    embedded = embed([unit.description for unit in kept])
    words = [frozenset(normalised_tokens(unit.description)) for unit in kept]
    repeated = {second for first, second in _near(whole(embedded)) if _same_words(words[first], words[second])}
    left = [n for n in range(len(kept)) if n not in repeated]
    return [kept[n] for n in left], np.asarray(embedded[left], dtype=np.float64)


def _near(vectors: Whole) -> Iterator[tuple[int, int]]:
    for start in range(0, len(vectors), _BLOCK):
        cosine = cosines_of_whole(vectors[start : start + _BLOCK], vectors)
        rows, columns = np.nonzero(np.triu(cosine >= SAME_COSINE, k=start + 1))
        yield from zip((rows + start).tolist(), columns.tolist(), strict=True)


def _same_words(first: frozenset[str], second: frozenset[str]) -> bool:
    if {word for word in first ^ second if any(char.isdigit() for char in word)}:
        return False
    return len(first & second) >= SAME_WORDS * len(first | second)


def _beside_neighbours(units: Sequence[OralUnit], meanings: Vectors) -> Vectors:
    """Each unit's meaning beside the mean of its document's units: a sentence alone says little of its subject.

    A question about a cluster is then one that a search can answer: what lies together stands together.
    """
    places = {document: n for n, document in enumerate(dict.fromkeys(u.evidence.document_id for u in units))}
    rows = np.array([places[unit.evidence.document_id] for unit in units])
    sums = np.zeros((len(places), meanings.shape[1]))
    np.add.at(sums, rows, meanings)
    return _normalised(meanings + _normalised(sums)[rows])


# --- clusters ---------------------------------------------------------------------------------------------


def _grouped(vectors: Vectors, seed: int) -> _Grouping:
    """Ward's hierarchy over unit vectors, cut where the silhouette (Rousseeuw 1987) is highest."""
    count = len(vectors)
    most = min(MOST_CLUSTERS, count // UNITS_PER_CLUSTER)
    if count < FEWEST_UNITS or most < 2 or len(np.unique(vectors, axis=0)) <= most:
        return _Grouping(np.zeros(count, dtype=np.int64), np.arange(count), "in one cluster: too few to part.")
    sampled = sorted(rng(seed, "oral clusters").sample(range(count), min(count, MOST_CLUSTERED)))
    labels, places, silhouette = _cut(vectors[sampled], most)
    clusters = int(labels.max()) + 1
    beyond = f", {count - len(sampled)} of them by the nearest centre" if len(sampled) < count else ""
    told = (
        f"in {clusters} clusters{beyond}: Ward's hierarchy over their embeddings; of 2 to {most} clusters, "
        f"{clusters} have the highest silhouette ({silhouette:.2f})."
    )
    if len(sampled) == count:
        return _Grouping(labels, places, told)
    centres = _normalised(np.stack([vectors[sampled][labels == n].mean(axis=0) for n in range(clusters)]))
    return _Grouping(np.argmax(np.round(vectors @ centres.T, 6), axis=1), np.arange(count), told)


def _cut(vectors: Vectors, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:
    """Labels (n,), places in the order of the tree's leaves (n,), and the silhouette."""
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
    from sklearn.metrics import silhouette_score

    tree = linkage(vectors, method="ward")
    distances = np.clip(1 - vectors @ vectors.T, 0, 2)
    np.fill_diagonal(distances, 0)
    best, found = -2.0, np.zeros(len(vectors), dtype=np.int64)
    for wanted in range(2, most + 1):
        labels = fcluster(tree, wanted, criterion="maxclust")
        if len(np.unique(labels)) != wanted:
            continue
        score = round(float(silhouette_score(distances, labels, metric="precomputed")), 4)
        if score > best:
            best, found = score, labels.astype(np.int64) - 1
    places = np.empty(len(vectors), dtype=np.int64)
    places[leaves_list(tree)] = np.arange(len(vectors))
    return found, places, best


def _names(groups: Sequence[Sequence[int]], units: Sequence[OralUnit], vectors: Vectors) -> list[str]:
    """Of each cluster the keyword of the unit nearest its centre, of those no other cluster is named by."""
    names: list[str] = []
    for group in groups:
        near = np.round(vectors[list(group)] @ vectors[list(group)].mean(axis=0), 6)
        ranked = [units[group[n]].keyword for n in np.argsort(-near, kind="stable")]
        names.append(next((name for name in ranked if name not in names), ranked[0]))
    return names


def _flat_map(vectors: Vectors) -> Vectors:
    """The first two principal components, of shape (units, 2); a side's sign is that of its largest loading."""
    flat = np.zeros((len(vectors), 2))
    if len(vectors) < 3:
        return flat
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    for side in range(min(2, axes.shape[1])):
        axis = axes[:, -1 - side]
        flat[:, side] = centred @ axis * np.sign(axis[np.argmax(np.abs(axis))])
    return np.round(flat, 4) + 0.0


def _normalised(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-12)
