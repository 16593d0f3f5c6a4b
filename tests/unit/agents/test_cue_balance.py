"""Sets of wrong options beside a key: in the best of them nothing that can be seen tells the key."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from by_hand import draft, source

from viva.agents.offline.distractors.cue_balance import balanced_sets
from viva.core.ids import rng
from viva.core.records import CLOSING_PHRASE

HARBOUR = source("A post stands there.")

SINGULAR = ("A blue post", "A grey post", "A pink post")
PLURAL = ("The blue posts", "The grey posts", "The pink posts")


def best(
    key: str, options: tuple[str, ...], draw: int, *, to_stem: tuple[float, ...] = (), form: str = "phrase"
) -> list[str]:
    """The first set for a key and options that are equally near to each other, and to the stem if not told."""
    near = np.array(to_stem or [0.5] * (1 + len(options)))
    own = np.sqrt(1 - near**2)
    vectors = np.zeros((2 + len(options), 3), dtype=np.float32)
    vectors[0, 0], vectors[1:, 0], vectors[1:, 1] = 1, near, own
    asked = draft(HARBOUR, "A post stands there.", "What stands there?", key, form, CLOSING_PHRASE)
    chosen = next(islice(balanced_sets(asked, options, vectors, 3, rng(draw, "set")), 1))
    return [options[n - 1] for n in chosen]


@pytest.mark.parametrize("draw", range(8))
def test_a_key_is_never_the_only_one_of_its_number_and_article(draw: int) -> None:
    assert set(best("A red post", (*SINGULAR, *PLURAL), draw)) & set(SINGULAR)
    assert set(best("The red posts", (*SINGULAR, *PLURAL), draw)) & set(PLURAL)


def test_the_key_is_the_nearest_to_the_stem_in_few_of_the_first_sets() -> None:
    options = (*SINGULAR, "A dark post", "A tall post", "A wide post")
    near = (0.6, 0.2, 0.2, 0.2, 0.7, 0.7, 0.7)
    leads = [set(best("A red post", options, draw, to_stem=near)) <= set(SINGULAR) for draw in range(40)]
    assert not any(leads)


@pytest.mark.parametrize(("key", "larger"), [("A post", {3}), ("A post of stone", {0}), ("A teal post", {1, 2, 3})])
def test_the_key_s_rank_by_length_is_one_that_can_be_had_and_each_of_them_comes(key: str, larger: set[int]) -> None:
    options = ("A big post", "A white post", "A brown post", "A black post", "A green post", "A red post")
    found = {sum(len(text) > len(key) for text in best(key, options, draw)) for draw in range(40)}
    assert found == larger


@pytest.mark.parametrize(("form", "most"), [("phrase", 0.5), ("quantity:litre", 0.35)])
def test_the_key_is_the_largest_seldom_more_often_than_the_others(form: str, most: float) -> None:
    words = ("A tall post", "A wide post", "A post", "A dim post", "A painted post", "A stone post", "A wooden post")
    values = tuple(f"{n} litres" for n in (20, 25, 30, 35, 45, 50, 55, 60))
    key, options = ("A steel post", words) if form == "phrase" else ("40 litres", values)
    figure = (lambda text: float(text.split()[0])) if form != "phrase" else len
    largest = sum(figure(key) >= max(map(figure, best(key, options, n, form=form))) for n in range(200))
    assert 0.15 < largest / 200 < most


def test_of_too_few_options_there_is_no_set() -> None:
    with pytest.raises(StopIteration):
        best("A red post", SINGULAR[:2], 0)


def test_equal_sets_come_in_the_order_in_which_their_options_are_plausible() -> None:
    assert best("A red post", SINGULAR * 2, 0) == list(SINGULAR)
