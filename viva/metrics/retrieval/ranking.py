"""A ranked list of passages against what is relevant: recall, precision, reciprocal rank, MAP, nDCG, R-precision.

Formulas as in trec_eval. `retrieval.py` measures the characters of evidence that are covered; here a passage counts
or does not, so that figures compare with those of information retrieval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.records import Passage, Span
from viva.core.wording import counted
from viva.metrics.intervals import share_in_groups
from viva.metrics.judges.pairs import Undefined
from viva.metrics.retrieval.evidence_recall import reciprocal_rank as passage_reciprocal_rank

K = 5


@dataclass(frozen=True)
class Ranking:
    """One query: `gains` of what was returned, best rank first (0: not relevant), and of all that is `relevant`.

    Raises UsageError for negative gains, and where more relevant passages were returned than there are.
    """

    gains: tuple[float, ...]
    relevant: tuple[float, ...]

    def __post_init__(self) -> None:
        if any(not 0 <= gain < np.inf for gain in (*self.gains, *self.relevant)):
            raise UsageError("A gain is negative, missing or infinite.", allowed="0 for not relevant, else above 0.")
        if any(gain == 0 for gain in self.relevant):
            raise UsageError("What is relevant has a gain of 0.", allowed="Above 0, such as 1.")
        found = sum(gain > 0 for gain in self.gains)
        if found > len(self.relevant):
            raise UsageError(
                f"{found} relevant passages were returned of {len(self.relevant)} that there are.",
                next_step="Count a passage that comes twice once: ranked() does.",
            )


def ranked(returned: Sequence[Hashable], judged: Mapping[str, float]) -> Ranking:
    """A ranking from the ids returned, best first, and the gain of each id that was judged; others count 0.

    An id that comes again keeps its rank and gains nothing. Raises UsageError as `Ranking`.
    """
    seen, gains = set[Hashable](), list[float]()
    for name in returned:
        gains.append(0.0 if name in seen else float(judged.get(str(name), 0.0)))
        seen.add(name)
    return Ranking(tuple(gains), tuple(gain for gain in judged.values() if gain != 0))


def ranked_evidence(passages: Sequence[Passage], evidence: Sequence[Span], threshold: float = 0.5) -> Ranking:
    """A ranking of passages by the evidence spans they hold: relevant is the first that covers `threshold` of a span.

    Spans that the same passage covers first count as one, for in this retriever's index they are one passage; a span
    that none covers counts as one that is missing. Later passages on a span found before gain nothing.
    Raises UsageError for a threshold outside (0, 1] and evidence without characters.
    """
    reciprocal = [passage_reciprocal_rank(passages, span, threshold) for span in evidence]
    ranks = {round(1 / each) for each in reciprocal if each}
    missed = sum(not each for each in reciprocal)
    gains = tuple(float(rank in ranks) for rank in range(1, len(passages) + 1))
    return Ranking(gains, (1.0,) * (len(ranks) + missed))


def recall_at(k: int, ranking: Ranking) -> float | Undefined:
    """Share of all that is relevant within the first k. Undefined where nothing is. Raises UsageError for k < 1."""
    hits = _hits(k, ranking)
    return _over_relevant(ranking, lambda relevant: hits / relevant)


def precision_at(k: int, ranking: Ranking) -> float:
    """Share of the first k that is relevant; of k, also where fewer were returned. Raises UsageError for k < 1."""
    return _hits(k, ranking) / k


def reciprocal_rank(ranking: Ranking) -> float | Undefined:
    """1 / rank of the first relevant one, 0 where none was returned. Undefined where nothing is relevant."""
    first = next((rank for rank, gain in enumerate(ranking.gains, start=1) if gain), None)
    return _over_relevant(ranking, lambda _: 1 / first if first else 0.0)


def average_precision(ranking: Ranking) -> float | Undefined:
    """Mean over all that is relevant of the precision at its rank, 0 for what was not returned."""
    ranks = [rank for rank, gain in enumerate(ranking.gains, start=1) if gain]
    return _over_relevant(ranking, lambda relevant: sum(n / rank for n, rank in enumerate(ranks, start=1)) / relevant)


def r_precision(ranking: Ranking) -> float | Undefined:
    """Precision at as many ranks as there are relevant ones (Prec@R). Undefined where nothing is relevant."""
    return _over_relevant(ranking, lambda relevant: _hits(relevant, ranking) / relevant)


def ndcg_at(k: int, ranking: Ranking) -> float | Undefined:
    """Discounted gain of the first k over that of the best order (Jarvelin & Kekalainen 2002): gain / log2(1 + rank).

    Undefined where nothing is relevant. Raises UsageError for k < 1.
    """
    _at_least_one(k)
    best = sorted(ranking.relevant, reverse=True)
    return _over_relevant(ranking, lambda _: _discounted(ranking.gains[:k]) / _discounted(best[:k]))


@dataclass(frozen=True)
class RankingMeans:
    """Means over `queries`, each with its interval; `undefined` queries have nothing relevant and are left out."""

    recall: Estimate
    precision: Estimate
    mrr: Estimate
    map: Estimate
    ndcg: Estimate
    r_precision: Estimate
    k: int
    queries: int
    undefined: int


def ranking_means(
    rankings: Sequence[Ranking], groups: Sequence[Hashable], *, seed: int, k: int = K
) -> RankingMeans | Undefined:
    """The means with bootstrap intervals that draw whole `groups` (documents); recall, precision and nDCG at k.

    Undefined where fewer than two groups have a query with something relevant. Raises UsageError for k < 1 and
    another number of groups than rankings.
    """
    _at_least_one(k)
    if len(groups) != len(rankings):
        raise UsageError(f"{len(groups)} groups for {len(rankings)} rankings.", allowed="One for each.")
    known = [(ranking, group) for ranking, group in zip(rankings, groups, strict=True) if ranking.relevant]
    own = [group for _, group in known]
    if len(set(own)) < 2:
        return Undefined(
            f"{counted(len(set(own)), 'group')} with a query with something relevant; an interval needs 2."
        )

    def mean(value: Callable[[Ranking], float | Undefined]) -> Estimate:
        values = [found for ranking, _ in known if not isinstance(found := value(ranking), Undefined)]
        interval = share_in_groups(values, own, seed=seed)
        if interval is None:
            raise AssertionError("two groups are at hand, so there is an interval")
        return interval

    return RankingMeans(
        recall=mean(lambda each: recall_at(k, each)),
        precision=mean(lambda each: precision_at(k, each)),
        mrr=mean(reciprocal_rank),
        map=mean(average_precision),
        ndcg=mean(lambda each: ndcg_at(k, each)),
        r_precision=mean(r_precision),
        k=k,
        queries=len(known),
        undefined=len(rankings) - len(known),
    )


def _over_relevant(ranking: Ranking, value: Callable[[int], float]) -> float | Undefined:
    relevant = len(ranking.relevant)
    return value(relevant) if relevant else Undefined("Nothing is relevant to this query.")


def _hits(k: int, ranking: Ranking) -> int:
    _at_least_one(k)
    return sum(gain > 0 for gain in ranking.gains[:k])


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(1 + rank) for rank, gain in enumerate(gains, start=1))


def _at_least_one(k: int) -> None:
    if k < 1:
        raise UsageError(f"A rank of {k} was asked for.", allowed="At least 1.")
