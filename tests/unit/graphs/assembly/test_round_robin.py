"""Turns are taken in proportion, and whoever had fewest is next."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viva.graphs.assembly.constrained_selection import BalancedQueue, weighted_round_robin


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(0, 9))
def test_any_beginning_holds_every_group_in_proportion_to_within_one(sizes: list[int], seed: int) -> None:
    groups = {str(n): [str(n)] * size for n, size in enumerate(sizes)}
    order = weighted_round_robin(groups, lambda name: len(groups[name]), seed)
    for count in range(1, len(order) + 1):
        had = Counter(order[:count])
        for name, members in groups.items():
            assert abs(had[name] - count * len(members) / len(order)) < len(groups)


def test_groups_of_one_weight_alternate_and_keep_their_own_order() -> None:
    order = weighted_round_robin({"a": [1, 2, 3], "b": [4, 5, 6]}, lambda _: 1, 0)
    assert [{*order[n : n + 2]} for n in (0, 2, 4)] == [{1, 4}, {2, 5}, {3, 6}]


@given(st.lists(st.integers(0, 5), max_size=60))
def test_the_kind_that_was_taken_least_is_next_and_none_is_lost(kinds: list[int]) -> None:
    taken: Counter[int] = Counter()
    left = Counter(kinds)
    pool = BalancedQueue(enumerate(kinds), lambda m: m[1], lambda kind: taken[kind])
    before: dict[int, int] = {}
    for _ in kinds:
        place, kind = pool.take()
        assert taken[kind] == min(taken[other] for other in left if left[other])
        assert place > before.get(kind, -1)
        before[kind] = place
        taken[kind] += 1
        left[kind] -= 1
    with pytest.raises(IndexError):
        pool.take()
