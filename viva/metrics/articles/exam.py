"""EXAM: an article is worth what share of a query's exam questions it answers (Sander & Dietz, DESIRES 2021).

A question that nobody could grade is nan: it leaves the query's denominator, and is counted. A query that a system
skipped counts 0, as in the paper. Scores that differ by less than rounding are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.metrics.intervals import CONFIDENCE, holm
from viva.metrics.judges.pairs import Floats, Undefined

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

DIGITS = 12
"""A sum of shares depends on the order of its terms by less than this: systems that differ by less are tied."""
FLIPS = 10_000
FLIPS_PER_PAIR = 50
"""So that Holm's adjustment over all pairs can reach .02: a p-value is never below 1 / flips."""
_FLIPS_AT_ONCE = 2_500_000
FEW = 12
"""Queries up to which all 2^n signs are enumerated: p-values and intervals of differences are exact, not drawn."""


@dataclass(frozen=True, eq=False)
class Gradebook:
    """Which questions each system's article answers.

    `right` (n, m) holds 1, 0 or nan (not graded) for n systems and m questions; `query_of` (m,) is the place of each
    question's query among `queries`. `skipped` (n, q): the system has no article for the query. Raises UsageError
    where shapes do not fit, a system is named twice, or a query has no question.
    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    query_of: Ints
    right: Floats
    skipped: Bools

    def __post_init__(self) -> None:
        n, m, q = len(self.systems), len(self.query_of), len(self.queries)
        if self.right.shape != (n, m) or self.skipped.shape != (n, q):
            raise UsageError(
                f"Grades have the shape {self.right.shape}, skipped queries {self.skipped.shape}.",
                allowed=f"({n}, {m}) and ({n}, {q}): systems by questions and by queries.",
            )
        if len(set(self.systems)) != n:
            raise UsageError("A system is named twice.", allowed="Each name stands for one system.")
        if not np.isin(self.right[~np.isnan(self.right)], (0, 1)).all():
            raise UsageError("A grade is neither right nor wrong.", allowed="1, 0, or nan for not graded.")
        if m and not (self.query_of.min() >= 0 and self.query_of.max() < q):
            raise UsageError("A question belongs to no query.", allowed=f"Places from 0 to {q - 1}.")
        if len(self.queries) != len(np.unique(self.query_of)):
            raise UsageError("A query has no question.", allowed="At least one for each.")

    @cached_property
    def asked(self) -> Ints:
        """Questions of each query (q,)."""
        found: Ints = np.bincount(self.query_of, minlength=len(self.queries)).astype(np.int64)
        return found

    @cached_property
    def answered(self) -> Bools:
        """Questions (m,) that at least one system's article answers."""
        found: Bools = (self.right == 1).any(axis=0)
        return found


@dataclass(frozen=True, eq=False)
class PerQuery:
    """A score of each system on each query, `values` (n, q) in [0, 1]; nan where it is not defined.

    Of pairs of systems it holds the differences, in [-1, 1].
    """

    systems: tuple[str, ...]
    values: Floats

    @cached_property
    def counted(self) -> Ints:
        """Queries of each system (n,) that have a value."""
        found: Ints = (~np.isnan(self.values)).sum(axis=1).astype(np.int64)
        return found

    @cached_property
    def means(self) -> Floats:
        """Macro-average over queries (n,); nan where no query has a value."""
        totals = np.nansum(np.sort(self.values, axis=1), axis=1)
        return np.where(self.counted > 0, np.round(totals / np.maximum(self.counted, 1), DIGITS), np.nan)

    @cached_property
    def errors(self) -> Floats:
        """Standard errors of the means over queries (n,): s / sqrt(queries); nan for fewer than two queries."""
        centred = np.where(np.isnan(self.values), 0.0, self.values - self.means[:, None])
        enough = self.counted > 1
        spread = (centred**2).sum(axis=1) / np.where(enough, self.counted - 1, 1)
        return np.where(enough, np.sqrt(spread / np.maximum(self.counted, 1)), np.nan)

    def half_widths(self) -> Floats:
        """Half the interval of each mean (n,): Student's t of queries - 1 degrees of freedom, by the standard error.

        nan for fewer than two queries, and where all have the same score: they show no spread to reckon with. At 5
        queries it covers in 95% of simulated exams, the normal distribution in 88%, a percentile bootstrap in 83%.
        Source: Student (1908); over queries, Sakai (SIGIR Forum 48, 2014).
        """
        return _half_widths(self.errors, self.counted)

    def interval(self, place: int) -> Estimate | Undefined:
        """The mean of one system within [0, 1], by `half_widths`. Undefined where these are nan."""
        own = slice(place, place + 1)
        mean, half = float(self.means[place]), float(_half_widths(self.errors[own], self.counted[own])[0])
        if self.counted[place] < 2:
            scored = "One query has a score" if self.counted[place] else "No query has a score"
            return Undefined(f"{scored}; a standard error needs two.")
        if np.isnan(half):
            return Undefined("All queries have the same score: they show no spread.")
        return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half))


def _half_widths(errors: Floats, counted: Ints) -> Floats:
    shown = np.where(errors > 10.0**-DIGITS, errors, np.nan)
    t: Floats = stdtrit(np.maximum(counted - 1, 1), (1 + CONFIDENCE) / 2)
    return t * shown


@dataclass(frozen=True)
class PairedDifference:
    """Two systems on the queries on which both have a score; the difference is the first's less the second's.

    `interval` is None where they differ alike on all queries, which show no spread, and where the queries are too few
    to exclude anything (`flipped_interval`). `p_value` is of the randomisation test (two-sided), `adjusted` after
    Holm over all pairs.
    """

    first: str
    second: str
    queries: int
    difference: float
    interval: Estimate | None
    p_value: float
    adjusted: float


def exam(book: Gradebook) -> PerQuery:
    """EXAM: questions answered / questions, per query; a skipped query is 0. nan where no question was graded."""
    return PerQuery(book.systems, _shares(book, np.ones(len(book.query_of), dtype=np.bool_)))


def normalised_exam(book: Gradebook, answerable: Bools) -> PerQuery:
    """n-EXAM: as `exam`, over the questions (m,) that are `answerable`, so that the best possible score is 1.

    Answerable is what the gold article answers, or what anything that was graded answers. nan, and so left out of
    the mean, where a query has no such question. Raises UsageError for another number of them.
    """
    if answerable.shape != book.query_of.shape:
        raise UsageError(f"{answerable.shape} answerable questions for {len(book.query_of)}.", allowed="One each.")
    return PerQuery(book.systems, _shares(book, answerable))


def _shares(book: Gradebook, counts: Bools) -> Floats:
    def summed(values: Floats | Bools) -> Floats:
        totals = np.zeros((len(book.systems), len(book.queries)))
        np.add.at(totals.T, book.query_of, np.asarray(values, dtype=np.float64).T)
        return totals

    graded = ~np.isnan(book.right) & counts
    known, right = summed(graded), summed((book.right == 1) & counts)
    shares = np.divide(right, known, out=np.full(known.shape, np.nan), where=known > 0)
    there = np.bincount(book.query_of, weights=counts, minlength=len(book.queries)) > 0
    return np.where(book.skipped & there, 0.0, shares)


def compare_systems(scores: PerQuery, *, seed: int) -> list[PairedDifference]:
    """Every pair of systems, paired by query: the mean difference with its interval, and a randomisation test.

    The test flips the sign of each query's difference (Fisher; Smucker, Allan & Carterette 2007). Up to FEW queries
    all 2^n flips are looked at: the p-value is the share of those at least as extreme, never below 2 / 2^n, and the
    interval holds what this test would not reject (`flipped_interval`), so that the two never contradict each other.
    Beyond, flips are drawn, the p-value is (1 + those at least as extreme) / (1 + flips), and the interval is that of
    the paired t test (`PerQuery.half_widths`), within [-1, 1]. Pairs with fewer than two queries in common are left
    out.
    """
    pairs = [(a, b) for a, b in combinations(range(len(scores.systems)), 2)]
    # sorted by content, so that the order in which queries come moves nothing
    values = scores.values[:, np.lexsort(np.nan_to_num(scores.values[::-1], nan=-1.0))] if pairs else scores.values
    found = [(a, b, values[a] - values[b]) for a, b in pairs]
    kept = [(a, b, d) for a, b, d in found if (~np.isnan(d)).sum() > 1]
    if not kept:
        return []
    differences = PerQuery(
        tuple(f"{scores.systems[a]} less {scores.systems[b]}" for a, b, _ in kept), np.array([d for _, _, d in kept])
    )
    few = differences.counted <= FEW
    p_values = np.empty(len(kept))
    p_values[few] = [_exact(own[~np.isnan(own)]) for own in differences.values[few]]
    flips = max(FLIPS, FLIPS_PER_PAIR * len(kept))
    if not few.all():
        p_values[~few] = _randomised(np.nan_to_num(differences.values[~few]), seed, flips)
    adjusted = holm([float(p) for p in p_values])
    intervals = _around(differences, few)
    return [
        PairedDifference(
            scores.systems[a],
            scores.systems[b],
            int(differences.counted[n]),
            float(differences.means[n]),
            intervals[n],
            float(p_values[n]),
            adjusted[n],
        )
        for n, (a, b, _) in enumerate(kept)
    ]


def _around(differences: PerQuery, few: Bools) -> list[Estimate | None]:
    """The intervals of mean differences (pairs,); None where there is none."""
    found: list[Estimate | None] = []
    for own, exactly, m, h in zip(
        differences.values, few, differences.means.tolist(), differences.half_widths().tolist(), strict=True
    ):
        if np.isnan(h):
            found.append(None)
        elif exactly:
            found.append(flipped_interval(own[~np.isnan(own)]))
        else:
            found.append(Estimate(m, max(-1.0, m - h), min(1.0, m + h)))
    return found


def flipped_interval(values: Floats) -> Estimate | None:
    """The mean of a few differences (n,) with what the exact sign-flip test does not reject.

    Its ends are the k-th smallest and k-th largest mean of the non-empty subsets, k = (1 - .95) / 2 x 2^n
    rounded down (Hartigan, JASA 64, 1969): 0 lies outside exactly where the p-value is at most .05. None
    where k is 0: so few differences exclude nothing, at 95% fewer than 6. Raises UsageError for more than FEW.
    """
    if len(values) > FEW:
        raise UsageError(f"{len(values)} differences are too many to enumerate.", allowed=f"At most {FEW}.")
    subsets = _subsets(len(values))[1:]
    # 1 / 40 is not a binary fraction: .025 x 2^n must not lose one by rounding
    place = int((1 - CONFIDENCE) / 2 * 2 ** len(values) + 10.0**-DIGITS)
    if not place:
        return None
    means = np.sort(np.round(subsets @ values / subsets.sum(axis=1), DIGITS))
    return Estimate(float(np.round(values.mean(), DIGITS)), float(means[place - 1]), float(means[-place]))


def _subsets(n: int) -> Floats:
    """All subsets of n, the empty one first: (2^n, n) of 0 and 1."""
    return ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)


def _exact(values: Floats) -> float:
    """The share of all flips of signs of differences (n,) that are as far from 0 as they are."""
    sums = np.abs((2 * _subsets(len(values)) - 1) @ values)
    return float((sums >= abs(values.sum()) - 10.0**-DIGITS).mean())


def least_p(queries: int) -> float:
    """The least p-value that a sign-flip test of so many queries can give: all signs agree by chance."""
    return 2.0 ** (1 - queries)


def _randomised(table: Floats, seed: int, flips: int) -> Floats:
    observed = np.abs(table.sum(axis=1))
    draw, extreme = np.random.default_rng([seed, 2]), np.zeros(len(table), dtype=np.int64)
    batch = max(1, _FLIPS_AT_ONCE // max(table.shape))
    for start in range(0, flips, batch):
        signs = draw.integers(0, 2, size=(min(batch, flips - start), table.shape[1]), dtype=np.int8)
        sums = np.abs((2.0 * signs - 1) @ table.T)
        extreme += (sums >= observed - 10.0**-DIGITS).sum(axis=0)
    found: Floats = (1 + extreme) / (1 + flips)
    return found


def question_rates(book: Gradebook) -> Floats:
    """Share of the systems whose articles answer each question (m,); a skipped query is no. nan: nobody graded."""
    skipped = book.skipped[:, book.query_of]
    values = np.where(skipped, 0.0, book.right)
    known = ~np.isnan(values)
    counts = known.sum(axis=0)
    rates: Floats = np.divide(np.nansum(values, axis=0), counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return rates


def responses(book: Gradebook) -> Floats:
    """The matrix (n, m) of 1, 0 and nan for item response theory: a skipped query's questions are 0."""
    return np.where(book.skipped[:, book.query_of], 0.0, book.right)
