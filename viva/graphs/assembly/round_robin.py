"""Taking turns: the two ways in which sampling and assembly spread what they choose."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

from viva.core.ids import seeded_order

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
