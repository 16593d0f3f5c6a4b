"""Choosing some of many items so that shares are kept: as few exchanges as it takes, from an order that spreads.

Test assembly by exchange of items (van der Linden 2005, Linear Models for Optimal Test Design, chapter 4), in whole
numbers throughout, so that the choice is the same on every machine.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Bound:
    """The sum of `amounts` over the chosen must lie within [low, high]; each unit beyond costs `weight`."""

    amounts: Sequence[int]
    """of each item, in order"""
    low: int
    high: int
    weight: int


def chosen_within(count: int, room: int, bounds: Sequence[Bound]) -> list[int]:
    """Places, sorted, of the `room` of `count` items that cost least; the earlier where it makes no difference.

    Begins with the first `room` and exchanges pairs while that costs less. Items of the same amounts are alike, so
    that the work grows with the kinds of items, not with their number.
    """
    room = min(room, count)
    if not bounds or room == count:
        return list(range(room))
    amounts: Whole = np.array([bound.amounts for bound in bounds], dtype=np.int64).T
    kinds, kind_of = np.unique(amounts, axis=0, return_inverse=True)
    inside: list[list[int]] = [[] for _ in kinds]
    outside: list[list[int]] = [[] for _ in kinds]
    for place, kind in enumerate(kind_of.ravel()):
        (inside if place < room else outside)[kind].append(place)
    sums: Whole = amounts[:room].sum(axis=0)
    while (found := _best_exchange(kinds, sums, inside, outside, bounds)) is not None:
        leaving, entering = found
        insort(outside[leaving], inside[leaving].pop())
        insort(inside[entering], outside[entering].pop(0))
        sums = sums + kinds[entering] - kinds[leaving]
        # what has just left is the last of its kind, and may not be the first to come back
    return sorted(place for places in inside for place in places)


def _best_exchange(
    kinds: Whole,
    sums: Whole,
    inside: Sequence[Sequence[int]],
    outside: Sequence[Sequence[int]],
    bounds: Sequence[Bound],
) -> tuple[int, int] | None:
    """The kinds of the item to leave and of the one to enter; None where no exchange costs less than none."""
    leaving = [kind for kind, places in enumerate(inside) if places]
    entering = [kind for kind, places in enumerate(outside) if places]
    if not leaving or not entering:
        return None
    saved: Whole = np.zeros((len(leaving), len(entering)), dtype=np.int64)
    for column, bound in enumerate(bounds):
        change = kinds[entering, column][None, :] - kinds[leaving, column][:, None]
        saved += bound.weight * (_beyond(sums[column], bound) - _beyond(sums[column] + change, bound))
    most = int(saved.max())
    if most <= 0:
        return None
    ties = np.argwhere(saved == most)
    row, column = min(ties.tolist(), key=lambda t: (outside[entering[t[1]]][0], -inside[leaving[t[0]]][-1]))
    return leaving[row], entering[column]


def _beyond(amount: Whole, bound: Bound) -> Whole:
    return np.maximum(0, np.maximum(bound.low - amount, amount - bound.high))
