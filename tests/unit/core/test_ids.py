"""Ids and draws depend on their parts and on nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from viva.core.ids import content_hash, rng, seeded_order

PARTS = st.lists(st.one_of(st.text(max_size=8), st.integers()), max_size=4)


def test_a_hash_is_the_same_on_every_machine_and_under_every_hash_seed() -> None:
    code = "from viva.core.ids import content_hash, rng; print(content_hash('unit', 3, 'é'), rng(1, 'a').random())"
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "7")
    }
    assert said == {f"{content_hash('unit', 3, 'é')} {rng(1, 'a').random()}\n"}
    assert content_hash("unit", 3, "é") == "bec6a38abd8eae2a"


@given(PARTS, PARTS)
def test_other_parts_have_another_hash(first: list[str | int], second: list[str | int]) -> None:
    alike = list(map(str, first)) == list(map(str, second))
    joined_alike = "\x1f".join(map(str, first)) == "\x1f".join(map(str, second))
    assert (content_hash(*first) == content_hash(*second)) == (
        alike or (joined_alike and bool(first) == bool(second))
    )


def test_parts_do_not_run_together() -> None:
    assert content_hash("ab", "c") != content_hash("a", "bc")
    assert content_hash("a") != content_hash("a", "")


def test_text_that_is_no_unicode_has_a_hash_too() -> None:
    assert content_hash("\ud800") != content_hash("\ud801")


@given(st.lists(st.integers(), max_size=20), st.integers(0, 9))
def test_a_seeded_order_keeps_all_values_and_hangs_on_its_seed(values: list[int], seed: int) -> None:
    assert sorted(seeded_order(values, seed, "x")) == sorted(values)
    assert seeded_order(values, seed, "x") == seeded_order(tuple(values), seed, "x")


def test_orders_of_different_things_differ() -> None:
    orders = {tuple(seeded_order(range(8), 0, "thing", n)) for n in range(50)}
    assert len(orders) > 45
    firsts = Counter(order[0] for order in orders)
    assert max(firsts.values()) < 20
