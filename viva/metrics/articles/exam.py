"""EXAM: an article is worth what share of a query's exam questions it answers (Sander & Dietz, DESIRES 2021).

A question that could not be graded is nan: it leaves the query's denominator, and is counted. A query that a system
skipped counts 0, as in the paper. Scores that differ by less than rounding are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from viva.core.scores_articles import Mean, SystemDifference
from viva.metrics.intervals import CONFIDENCE, holm
from viva.metrics.judges.pairs import Floats

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

DIGITS = 12
"""A sum of shares depends on the order of its terms by less than this: systems that differ by less are tied."""
FEW = 12
"""Queries up to which p-values of differences are exact: all 2^n signs are enumerated."""


@dataclass(frozen=True, eq=False)
class Gradebook:
    """Which questions each system's article answers.

    `right` (n, m) holds 1, 0 or nan (not graded) for n systems and m questions; `query_of` (m,) is the place of each
    question's query among `queries`. `skipped` (n, q): the system has no article for the query.
    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    query_of: Ints
    right: Floats
    skipped: Bools


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
        """Half the 95% interval of each mean (n,): Student's t of queries - 1 degrees of freedom, by the error.

        nan for fewer than two queries, and where all have the same score, which shows no spread. At 5 queries it
        covers in 95% of simulated exams, the normal distribution in 88%. Source: Student (1908); over queries, Sakai
        (SIGIR Forum 48, 2014).
        """
        shown = np.where(self.errors > 10.0**-DIGITS, self.errors, np.nan)
        t: Floats = stdtrit(np.maximum(self.counted - 1, 1), (1 + CONFIDENCE) / 2)
        return t * shown

    def mean(self, place: int) -> Mean | None:
        """The mean of one system, its interval within [0, 1]; None where no query has a value."""
        if not self.counted[place]:
            return None
        value, half = float(self.means[place]), float(self.half_widths()[place])
        spread = not np.isnan(half)
        return Mean(
            value=value,
            # scores that are all the same are no sign that others would be
            se=float(self.errors[place]) if spread else None,
            low=max(0.0, value - half) if spread else None,
            high=min(1.0, value + half) if spread else None,
            queries=int(self.counted[place]),
        )


def exam(book: Gradebook) -> PerQuery:
    """EXAM: questions answered / questions, per query; a skipped query is 0. nan where no question was graded."""
    return normalised_exam(book, np.ones(len(book.query_of), dtype=np.bool_))


def normalised_exam(book: Gradebook, answerable: Bools) -> PerQuery:
    """n-EXAM: as `exam`, over the questions (m,) that are `answerable`, so that the best possible score is 1.

    Answerable is what the gold article answers, or what anything that was graded answers. nan, and so left out of
    the mean, where a query has no such question.
    """

    def summed(values: Bools) -> Floats:
        totals = np.zeros((len(book.systems), len(book.queries)))
        np.add.at(totals.T, book.query_of, values.astype(np.float64).T)
        return totals

    known, right = summed(~np.isnan(book.right) & answerable), summed((book.right == 1) & answerable)
    shares = np.divide(right, known, out=np.full(known.shape, np.nan), where=known > 0)
    there = np.bincount(book.query_of, weights=answerable, minlength=len(book.queries)) > 0
    return PerQuery(book.systems, np.where(book.skipped & there, 0.0, shares))


def compare_systems(scores: PerQuery) -> list[SystemDifference]:
    """Every pair of systems, paired by query: the mean difference and its p-value, adjusted after Holm.

    Up to FEW queries the p-value is that of the exact sign-flip test (Fisher; Smucker, Allan & Carterette 2007): the
    share of the 2^n flips that are at least as extreme, never below 2 / 2^n. Beyond, p-value and interval are of the
    paired t test. Pairs with fewer than two queries in common are left out.
    """
    pairs = [(a, b, scores.values[a] - scores.values[b]) for a, b in combinations(range(len(scores.systems)), 2)]
    kept = [(a, b, d) for a, b, d in pairs if (~np.isnan(d)).sum() > 1]
    if not kept:
        return []
    differences = PerQuery(tuple(f"{a}, {b}" for a, b, _ in kept), np.array([d for _, _, d in kept]))
    halves = np.where(differences.counted <= FEW, np.nan, differences.half_widths())
    p_values = [_p_value(own[~np.isnan(own)]) for own in differences.values]
    adjusted = holm(p_values)
    return [
        SystemDifference(
            first=scores.systems[a],
            second=scores.systems[b],
            queries=int(differences.counted[n]),
            difference=float(mean),
            low=None if np.isnan(half) else max(-1.0, float(mean - half)),
            high=None if np.isnan(half) else min(1.0, float(mean + half)),
            p_value=p_values[n],
            adjusted=adjusted[n],
        )
        for n, ((a, b, _), mean, half) in enumerate(zip(kept, differences.means, halves, strict=True))
    ]


def _p_value(values: Floats) -> float:
    """Of differences (n,): exact for few, else of the t test; two-sided."""
    count, mean, spread = len(values), abs(float(values.mean())), float(values.std(ddof=1))
    if count <= FEW:
        signs = 2 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(np.float64) - 1
        return float((np.abs(signs @ values) / count >= mean - 10.0**-DIGITS).mean())
    if spread <= 10.0**-DIGITS:
        return least_p(count) if mean > 10.0**-DIGITS else 1.0
    return float(2 * stdtr(count - 1, -mean / (spread / np.sqrt(count))))


def least_p(queries: int) -> float:
    """The least p-value that a sign-flip test of so many queries can give: all signs agree by chance."""
    return 2.0 ** (1 - queries)
