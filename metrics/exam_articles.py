"""EXAM: an article is worth what share of a query's exam questions it answers (Sander & Dietz, DESIRES 2021).

A question that nobody could grade is nan: it leaves the query's denominator, and is counted. A query that a system
skipped counts 0, as in the paper. Scores that differ by less than rounding are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from viva.core.errors import UsageError
from viva.metrics.intervals import CONFIDENCE, Interval, holm
from viva.metrics.irt.inputs import share
from viva.metrics.pairs import Floats, Undefined

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

DIGITS = 12
"""A sum of shares depends on the order of its terms by less than this: systems that differ by less are tied."""
RESAMPLES = 2000
FLIPS = 10_000
FLIPS_PER_PAIR = 50
"""So that Holm's adjustment over all pairs can reach .02: a p-value is never below 1 / flips."""
_FLIPS_AT_ONCE = 2_500_000


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
    """A score of each system on each query, `values` (n, q) in [0, 1]; nan where it is not defined."""

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

    def interval(self, place: int, confidence: float = CONFIDENCE) -> Interval | Undefined:
        """The mean of one system, by its standard error, within [0, 1]. Undefined for fewer than two queries."""
        mean, error = float(self.means[place]), float(self.errors[place])
        if np.isnan(error):
            return Undefined(f"{self.counted[place]} query has a score; a standard error needs two.")
        half = float(norm.ppf((1 + share(confidence, "The confidence")) / 2)) * error
        return Interval(mean, max(0.0, mean - half), min(1.0, mean + half))


@dataclass(frozen=True)
class PairedDifference:
    """Two systems on the queries on which both have a score; the difference is the first's less the second's.

    `p_value` is of the randomisation test (two-sided), `adjusted` after Holm over all pairs.
    """

    first: str
    second: str
    queries: int
    difference: Interval
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


def compare_systems(
    scores: PerQuery, *, seed: int, confidence: float = CONFIDENCE, resamples: int = RESAMPLES
) -> list[PairedDifference]:
    """Every pair of systems, paired by query: percentile bootstrap of the difference, and a randomisation test.

    The test flips the sign of each query's difference at random (Smucker, Allan & Carterette 2007); its p-value is
    (1 + flips at least as extreme) / (1 + flips). Pairs with fewer than two queries in common are left out.
    """
    share(confidence, "The confidence")
    pairs = [(a, b) for a, b in combinations(range(len(scores.systems)), 2)]
    # sorted by content, so that the order in which queries come moves nothing
    values = scores.values[:, np.lexsort(np.nan_to_num(scores.values[::-1], nan=-1.0))] if pairs else scores.values
    found = [(a, b, values[a] - values[b]) for a, b in pairs]
    kept = [(a, b, d) for a, b, d in found if (~np.isnan(d)).sum() > 1]
    if not kept:
        return []
    table = np.array([d for _, _, d in kept])
    known = ~np.isnan(table)
    table = np.where(known, table, 0.0)
    lows, highs = _bootstrapped(table, known, seed, resamples, confidence)
    p_values = _randomised(table, seed, max(FLIPS, FLIPS_PER_PAIR * len(kept)))
    means = np.round(table.sum(axis=1) / known.sum(axis=1), DIGITS)
    return [
        PairedDifference(
            scores.systems[a],
            scores.systems[b],
            int(known[n].sum()),
            Interval(float(means[n]), float(lows[n]), float(highs[n])),
            float(p_values[n]),
            adjusted,
        )
        for n, ((a, b, _), adjusted) in enumerate(zip(kept, holm([float(p) for p in p_values]), strict=True))
    ]


def _bootstrapped(table: Floats, known: Bools, seed: int, resamples: int, confidence: float) -> tuple[Floats, Floats]:
    """Percentiles of mean differences (pairs,), queries drawn with replacement: one draw for all pairs."""
    queries = table.shape[1]
    drawn = np.random.default_rng([seed, 1]).multinomial(queries, np.full(queries, 1 / queries), size=resamples)
    weights = drawn.astype(np.float64)
    counts = weights @ known.T.astype(np.float64)
    means = np.divide(weights @ table.T, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    low, high = np.nanquantile(means, ((1 - confidence) / 2, (1 + confidence) / 2), axis=0)
    return low, high


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


def gradebook(
    systems: Sequence[str], questions: Sequence[tuple[str, str]], right: Floats, skipped: Bools | None = None
) -> Gradebook:
    """A gradebook of questions given as (query, question id), in the order of the columns of `right` (n, m)."""
    queries = tuple(dict.fromkeys(query for query, _ in questions))
    place = {query: n for n, query in enumerate(queries)}
    none = np.zeros((len(systems), len(queries)), dtype=np.bool_)
    query_of = np.array([place[query] for query, _ in questions], dtype=np.int64)
    return Gradebook(tuple(systems), queries, query_of, right, none if skipped is None else skipped)
