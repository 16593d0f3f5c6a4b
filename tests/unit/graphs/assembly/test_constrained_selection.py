"""Shares are met by as few exchanges as it takes, and the same items are chosen every time."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from viva.graphs.assembly.constrained_selection import Bound, chosen_within


def test_without_bounds_the_first_are_chosen() -> None:
    assert chosen_within(10, 3, []) == [0, 1, 2]
    assert chosen_within(2, 3, []) == [0, 1]


def test_the_earliest_of_what_is_missing_enters_for_the_last_of_what_is_there() -> None:
    odd = Bound([n % 2 for n in range(10)], low=3, high=3, weight=1)
    assert chosen_within(10, 4, [odd]) == [0, 1, 3, 5]


def test_the_weightier_bound_is_kept_where_both_cannot_be() -> None:
    first = [1, 1, 0, 0]
    assert chosen_within(4, 2, [Bound(first, 2, 2, weight=1), Bound(first, 0, 0, weight=2)]) == [2, 3]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=60, max_size=60), st.data())
def test_bounds_that_some_choice_keeps_are_kept(levels: list[tuple[int, int]], data: st.DataObject) -> None:
    room = 15
    feasible = data.draw(st.lists(st.integers(0, 59), min_size=room, max_size=room, unique=True))
    bounds = []
    for facet in range(2):
        for level in range(2):
            amounts = [own[facet] == level for own in levels]
            wanted = sum(amounts[n] for n in feasible)
            bounds.append(Bound(amounts, wanted, wanted, weight=4))
    chosen = chosen_within(60, room, bounds)
    assert len(set(chosen)) == room
    assert [sum(b.amounts[n] for n in chosen) for b in bounds] == [b.low for b in bounds]
