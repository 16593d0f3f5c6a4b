"""Choosing some of many items so that shares are kept: as few exchanges as it takes, from an order that spreads.

The order comes of taking turns, by weight or by what was taken least often. Test assembly by exchange of items (van
der Linden 2005, Linear Models for Optimal Test Design, chapter 4), in whole numbers throughout, so that the choice is
the same on every machine.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from viva.core.ids import seeded_order

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Bound:
    """The sum of `amounts` over the chosen must lie within [low, high]; each unit beyond costs `weight`."""

    amounts: Sequence[int]
    """of each item, in order"""
    low: int
    high: int
    weight: int


_FIRST_STEPS = 64
"""First exchanges after which a second one is looked for, the cheapest first."""


def chosen_within(count: int, room: int, bounds: Sequence[Bound]) -> list[int]:
    """Places, sorted, of the `room` of `count` items that cost least; the earlier where it makes no difference.

    Begins with the first `room` and exchanges pairs while that costs less, or two pairs where one costs no less: a
    bound may stand between two others. Items of the same amounts are alike, so that the work grows with the kinds of
    items, not with their number.
    """
    room = min(room, count)
    if not bounds or room == count:
        return list(range(room))
    choice = _Choice.of_first(room, bounds)
    while steps := choice.next_exchanges():
        for leaving, entering in steps:
            choice.exchange(leaving, entering)
    return sorted(place for places in choice.inside for place in places)


@dataclass
class _Choice:
    """Which items are in, by kind: places of items of the same amounts."""

    bounds: Sequence[Bound]
    kinds: Whole
    """(kinds, bounds): amounts"""
    inside: list[list[int]]
    outside: list[list[int]]
    sums: Whole
    """(bounds,): of the items inside"""

    @classmethod
    def of_first(cls, room: int, bounds: Sequence[Bound]) -> _Choice:
        amounts: Whole = np.array([bound.amounts for bound in bounds], dtype=np.int64).T
        kinds, kind_of = np.unique(amounts, axis=0, return_inverse=True)
        inside: list[list[int]] = [[] for _ in kinds]
        outside: list[list[int]] = [[] for _ in kinds]
        for place, kind in enumerate(kind_of.ravel()):
            (inside if place < room else outside)[kind].append(place)
        return cls(bounds, kinds, inside, outside, amounts[:room].sum(axis=0))

    def exchange(self, leaving: int, entering: int) -> None:
        """The last item of the one kind leaves, the first of the other enters."""
        insort(self.outside[leaving], self.inside[leaving].pop())
        insort(self.inside[entering], self.outside[entering].pop(0))
        self.sums = self.sums + self.kinds[entering] - self.kinds[leaving]

    def next_exchanges(self) -> list[tuple[int, int]]:
        """One exchange of kinds (leaving, entering) that saves most; else two that save; none where none do."""
        ranked = self._ranked()
        if ranked and ranked[0][0] > 0:
            return [ranked[0][1]]
        for saved, first in ranked:
            then = _Choice(self.bounds, self.kinds, [*map(list, self.inside)], [*map(list, self.outside)], self.sums)
            then.exchange(*first)
            second = then._ranked(1)
            if second and saved + second[0][0] > 0:
                return [first, second[0][1]]
        return []

    def _ranked(self, most: int = _FIRST_STEPS) -> list[tuple[int, tuple[int, int]]]:
        """Exchanges and what each saves, the best first; of equals the earliest to enter for the last to leave."""
        leaving = [kind for kind, places in enumerate(self.inside) if places]
        entering = [kind for kind, places in enumerate(self.outside) if places]
        if not leaving or not entering:
            return []
        saved: Whole = np.zeros((len(leaving), len(entering)), dtype=np.int64)
        for column, bound in enumerate(self.bounds):
            change = self.kinds[entering, column][None, :] - self.kinds[leaving, column][:, None]
            saved += bound.weight * (_beyond(self.sums[column], bound) - _beyond(self.sums[column] + change, bound))
        first_in = np.array([self.outside[kind][0] for kind in entering])
        last_out = np.array([self.inside[kind][-1] for kind in leaving])
        rows, columns = np.nonzero(np.array(leaving)[:, None] != np.array(entering)[None, :])
        order = np.lexsort((-last_out[rows], first_in[columns], -saved[rows, columns]))[:most]
        return [(int(saved[rows[n], columns[n]]), (leaving[rows[n]], entering[columns[n]])) for n in order]


def _beyond(amount: Whole, bound: Bound) -> Whole:
    return np.maximum(0, np.maximum(bound.low - amount, amount - bound.high))


# --- taking turns -------------------------------------------------------------------------------------------


T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def weighted_round_robin(
    groups: Mapping[str, Sequence[T]], weight: Callable[[str], float], seed: int, *parts: str | int
) -> list[T]:
    """All members, groups taking turns in proportion to their weights; each group's own order is kept."""
    places = {name: place for place, name in enumerate(seeded_order(sorted(groups), seed, *parts))}
    turns = [
        ((turn + 0.5) / weight(name), places[name], member)
        for name, members in groups.items()
        for turn, member in enumerate(members)
    ]
    return [member for _, _, member in sorted(turns, key=lambda turn: turn[:2])]


class BalancedQueue(Generic[T, K]):
    """Members that are taken one by one: first those whose kind was taken least often, then the first in order.

    `taken` counts for a kind, and only ever grows; it is the caller's, who may count over several pools.
    """

    def __init__(self, members: Iterable[T], kind: Callable[[T], K], taken: Callable[[K], int]) -> None:
        self._taken = taken
        self._queues: dict[K, deque[tuple[int, T]]] = {}
        for place, member in enumerate(members):
            self._queues.setdefault(kind(member), deque()).append((place, member))
        # places differ, so that kinds are never compared
        self._heap = [(taken(kind), queue[0][0], kind) for kind, queue in self._queues.items()]
        heapify(self._heap)

    def take(self) -> T:
        """IndexError where none is left."""
        while True:
            before, place, kind = heappop(self._heap)
            now = self._taken(kind)
            if now > before:
                heappush(self._heap, (now, place, kind))
                continue
            queue = self._queues[kind]
            _, member = queue.popleft()
            if queue:
                heappush(self._heap, (now, queue[0][0], kind))
            return member
