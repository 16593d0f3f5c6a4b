"""Agreement among raters against published tables and the definition."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.metrics.judges.paired import bootstrap
from viva.metrics.judges.pairs import Floats, Undefined
from viva.metrics.judges.people import krippendorff_alpha

NONE = None
# Krippendorff (2011), section E: four observers, twelve units
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
    [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
]
# the three-coder example of Wikipedia's article on the coefficient
THREE_CODERS = [
    [NONE, NONE, NONE, NONE, NONE, 3, 4, 1, 2, 1, 1, 3, 3, NONE, 3],
    [1, NONE, 2, 1, 3, 3, 4, 3, NONE, NONE, NONE, NONE, NONE, NONE, NONE],
    [NONE, NONE, 2, 1, 3, 4, 4, NONE, 2, 1, 1, 3, 3, NONE, 4],
]
LABEL = st.one_of(st.none(), st.integers(1, 4))
TABLES = st.integers(2, 4).flatmap(
    lambda raters: st.lists(st.lists(LABEL, min_size=raters, max_size=raters), min_size=1, max_size=12)
)


def columns(rows: list[list[int | None]]) -> Floats:
    return np.array(rows, dtype=np.float64).T


@pytest.mark.parametrize(("ratings", "published"), [(FOUR_OBSERVERS, 0.849), (THREE_CODERS, 0.811)])
def test_published_alphas_come_out(ratings: list[list[int | None]], published: float) -> None:
    assert krippendorff_alpha(columns(ratings)) == pytest.approx(published, abs=5e-4)


def by_definition(table: Floats) -> float | None:
    """Krippendorff's alpha by its coincidence matrix and the sums of his distances."""
    units = [[each for each in unit if not np.isnan(each)] for unit in table]
    units = [unit for unit in units if len(unit) > 1]
    labels = sorted({each for unit in units for each in unit})
    together = {(c, k): 0.0 for c in labels for k in labels}
    for unit in units:
        for c, k in permutations(unit, 2):
            together[c, k] += 1 / (len(unit) - 1)
    total = {c: sum(together[c, k] for k in labels) for c in labels}
    observed = sum(n * (c - k) ** 2 for (c, k), n in together.items())
    expected = sum(total[c] * total[k] * (c - k) ** 2 for c in labels for k in labels)
    return None if expected == 0 else 1 - (sum(total.values()) - 1) * observed / expected


@given(TABLES)
def test_alpha_is_its_definition_for_any_table(rows: list[list[int | None]]) -> None:
    table = np.array(rows, dtype=np.float64)
    found, expected = krippendorff_alpha(table), by_definition(table)
    if expected is None:
        assert isinstance(found, Undefined)
    else:
        assert found == pytest.approx(expected)


@settings(max_examples=40)
@given(TABLES, st.randoms(use_true_random=False))
def test_neither_units_nor_raters_have_an_order(rows: list[list[int | None]], chance: object) -> None:
    table = np.array(rows, dtype=np.float64)
    seed = chance.randrange(10**6)  # type: ignore[attr-defined]
    shuffled = np.random.default_rng(seed).permutation(np.random.default_rng(seed).permutation(table, axis=1))
    one, other = krippendorff_alpha(table), krippendorff_alpha(shuffled)
    assert isinstance(one, Undefined) == isinstance(other, Undefined)
    if isinstance(one, float) and isinstance(other, float):
        assert one == pytest.approx(other)


def test_units_that_one_rater_alone_saw_say_nothing() -> None:
    table = columns(FOUR_OBSERVERS)
    alone = np.vstack([table, [[7, np.nan, np.nan, np.nan]] * 3])
    assert krippendorff_alpha(alone) == pytest.approx(krippendorff_alpha(table))


def test_far_from_zero_the_interval_alpha_stays_the_same() -> None:
    table = columns(FOUR_OBSERVERS)
    assert krippendorff_alpha(table + 1e6) == pytest.approx(krippendorff_alpha(table))


def test_an_interval_of_alpha_draws_units() -> None:
    table = np.repeat(columns(FOUR_OBSERVERS), 4, axis=0)
    found = bootstrap(krippendorff_alpha, table, seed=0, resamples=200)
    assert not isinstance(found, Undefined)
    assert found.interval.low < found.interval.value < found.interval.high


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1, None], [None, 2]], "two raters"),
        ([[3, 3], [3, 3]], "All ratings are the same"),
        ([[0.1, 0.1], [0.1, 0.1]], "All ratings are the same"),
    ],
)
def test_what_is_not_defined_says_why(table: list[list[float | None]], reason: str) -> None:
    found = krippendorff_alpha(table)
    assert isinstance(found, Undefined)
    assert reason in found.reason
