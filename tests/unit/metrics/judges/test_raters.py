"""Agreement among raters against published tables, the definitions, and a library."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from viva.core.errors import UsageError
from viva.metrics.judges.paired import bootstrap
from viva.metrics.judges.pairs import Floats, Undefined
from viva.metrics.judges.raters import Level, Weights, cohen_kappa, fleiss_kappa, krippendorff_alpha

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
# Fleiss (1971), table 1: 30 patients, six psychiatrists, five diagnoses
DIAGNOSES = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445
333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555""".split()

LABEL = st.one_of(st.none(), st.integers(1, 4))
TABLES = st.integers(2, 4).flatmap(
    lambda raters: st.lists(st.lists(LABEL, min_size=raters, max_size=raters), min_size=1, max_size=12)
)


def columns(rows: list[list[int | None]]) -> Floats:
    return np.array(rows, dtype=np.float64).T


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_published_alphas_come_out(level: Level, published: float) -> None:
    assert krippendorff_alpha(columns(FOUR_OBSERVERS), level) == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.691), ("interval", 0.811)])
def test_three_coders_with_many_gaps(level: Level, published: float) -> None:
    assert krippendorff_alpha(columns(THREE_CODERS), level) == pytest.approx(published, abs=5e-4)


def test_fleiss_published_kappa_comes_out() -> None:
    table = [[float(each) for each in unit] for unit in DIAGNOSES]
    assert fleiss_kappa(table) == pytest.approx(0.430, abs=5e-4)


def by_definition(table: Floats, level: Level) -> float | None:
    """Krippendorff's alpha by its coincidence matrix and the sums of his distances."""
    units = [[each for each in unit if not np.isnan(each)] for unit in table]
    units = [unit for unit in units if len(unit) > 1]
    labels = sorted({each for unit in units for each in unit})
    together = {(c, k): 0.0 for c in labels for k in labels}
    for unit in units:
        for c, k in permutations(unit, 2):
            together[c, k] += 1 / (len(unit) - 1)
    total = {c: sum(together[c, k] for k in labels) for c in labels}

    def distance(c: float, k: float) -> float:
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        return (sum(total[g] for g in labels if low <= g <= high) - (total[c] + total[k]) / 2) ** 2

    observed = sum(n * distance(c, k) for (c, k), n in together.items())
    expected = sum(total[c] * total[k] * distance(c, k) for c in labels for k in labels)
    return None if expected == 0 else 1 - (sum(total.values()) - 1) * observed / expected


@given(TABLES, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_its_definition_for_any_table(rows: list[list[int | None]], level: Level) -> None:
    table = np.array(rows, dtype=np.float64)
    found, expected = krippendorff_alpha(table, level), by_definition(table, level)
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
    for level in ("nominal", "ordinal", "interval"):
        one, other = krippendorff_alpha(table, level), krippendorff_alpha(shuffled, level)
        assert isinstance(one, Undefined) == isinstance(other, Undefined)
        if isinstance(one, float) and isinstance(other, float):
            assert one == pytest.approx(other)


def test_units_that_one_rater_alone_saw_say_nothing() -> None:
    table = columns(FOUR_OBSERVERS)
    alone = np.vstack([table, [[7, np.nan, np.nan, np.nan]] * 3])
    assert krippendorff_alpha(alone, "interval") == pytest.approx(krippendorff_alpha(table, "interval"))


def test_far_from_zero_the_interval_alpha_stays_the_same() -> None:
    table = columns(FOUR_OBSERVERS)
    assert krippendorff_alpha(table + 1e6, "interval") == pytest.approx(krippendorff_alpha(table, "interval"))


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=40),
    st.sampled_from(["none", "linear", "quadratic"]),
)
def test_cohens_kappa_is_sklearns(rows: list[tuple[int, int]], weights: Weights) -> None:
    table = np.array(rows, dtype=np.float64)
    found = cohen_kappa(table, weights)
    if len({label for row in rows for label in row}) == 1:
        assert isinstance(found, Undefined)
    else:
        reference = cohen_kappa_score(*table.T, weights=None if weights == "none" else weights)
        assert found == pytest.approx(reference)


def test_two_raters_of_whom_each_gives_one_other_label_agree_no_better_than_chance() -> None:
    assert cohen_kappa([[1, 2], [1, 2]]) == 0


def test_an_interval_of_alpha_draws_units() -> None:
    table = np.repeat(columns(FOUR_OBSERVERS), 4, axis=0)
    found = bootstrap(partial(krippendorff_alpha, level="ordinal"), table, seed=0, resamples=200)
    assert not isinstance(found, Undefined)
    assert found.interval.low < found.interval.value < found.interval.high


UNDEFINED: list[tuple[Callable[[list[list[float | None]]], float | Undefined], list[list[float | None]], str]] = [
    (krippendorff_alpha, [[1, None], [None, 2]], "two raters"),
    (krippendorff_alpha, [[3, 3], [3, 3]], "All ratings are the same"),
    (partial(krippendorff_alpha, level="interval"), [[0.1, 0.1], [0.1, 0.1]], "All ratings are the same"),
    (fleiss_kappa, [[None, None]], "No unit"),
    (fleiss_kappa, [[1, 1], [1, 1]], "All ratings are the same"),
    (cohen_kappa, [[1, None]], "No unit"),
]


@pytest.mark.parametrize(("statistic", "table", "reason"), UNDEFINED)
def test_what_is_not_defined_says_why(
    statistic: Callable[[list[list[float | None]]], float | Undefined], table: list[list[float | None]], reason: str
) -> None:
    found = statistic(table)
    assert isinstance(found, Undefined)
    assert reason in found.reason


def test_bad_tables_are_refused_in_words() -> None:
    with pytest.raises(UsageError, match="from 1 to 2 ratings"):
        fleiss_kappa([[1, None], [1, 2]])
    with pytest.raises(UsageError, match="3 raters"):
        cohen_kappa([[1, 2, 3]])
    with pytest.raises(UsageError, match="ragged"):
        krippendorff_alpha([[1, 2], [1]])
    with pytest.raises(UsageError, match="ratio"):
        krippendorff_alpha([[1, 2]], "ratio")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="cubic"):
        cohen_kappa([[1, 2]], "cubic")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="infinite"):
        krippendorff_alpha([[1, np.inf]])
