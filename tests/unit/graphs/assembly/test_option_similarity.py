"""Options may be alike, but not too alike, nor copied from their source."""

from __future__ import annotations

import numpy as np
import pytest

from viva.graphs.assembly.option_outliers import OptionSimilarity, option_similarity, similarity_outliers

UNLIKE = np.eye(3, dtype=np.float32)


def test_options_that_share_words_and_meaning_are_alike() -> None:
    apart = option_similarity(("a red pump", "old rope", "cold tea"), "rust", UNLIKE, UNLIKE[0])
    same = np.ones((2, 1), dtype=np.float32)
    close = option_similarity(("a red pump", "the red pump"), "rust", same, same[0])
    assert apart.within == 0
    assert close.within == 1


def test_amounts_of_one_unit_are_meant_to_be_alike() -> None:
    figures = option_similarity(("40 litres", "1,500 litres", "two litres"), "rust", UNLIKE, UNLIKE[0])
    assert figures.within is None


def test_nearness_to_the_source_counts_the_words_that_stand_in_it() -> None:
    zero = np.zeros(3, dtype=np.float32)
    source = "the red pump stands by the old rope"
    held = option_similarity(("red pump", "old rope", "cold tea"), source, UNLIKE, zero)
    assert held.to_source == pytest.approx(2 / 3 / 2)


def test_outliers_are_the_tail_of_either_figure_and_too_few_items_have_none() -> None:
    usual = [OptionSimilarity(within=0.3, to_source=0.2)] * 98
    odd = [OptionSimilarity(within=0.9, to_source=0.2), OptionSimilarity(within=None, to_source=0.9)]
    assert similarity_outliers([*usual, *odd]) == (98, 99)
    assert similarity_outliers(odd) == ()
    assert similarity_outliers(usual) == ()
