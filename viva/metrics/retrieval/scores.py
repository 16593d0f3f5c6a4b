"""How much of the evidence an examinee's passages cover, over the exam; and retrievers by themselves, in pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from viva.core.records import Exam, Examinee, Response, Span
from viva.core.scores import Estimate, RetrievalScore, RetrieverScore
from viva.core.scores_pairs import PairVerdict, RetrieverPair, verdict_of
from viva.metrics.compare_systems import system_usage
from viva.metrics.intervals import CONFIDENCE, holm, share_in_groups
from viva.metrics.judges.pairs import Undefined
from viva.metrics.retrieval.evidence_recall import evidence_recall_at, reciprocal_rank
from viva.metrics.retrieval.ranking import K, ndcg_at, ranked_evidence

RECALL_AT = (1, 3, 5)


def retrieval_score(exam: Exam, responses: Sequence[Response], seed: int) -> RetrievalScore | None:
    """Recall and reciprocal rank over an examinee's items with evidence, failures as 0; None without passages."""
    evidence = {item.item.id: item.item.evidence for item in exam.items if item.item.evidence}
    # a system that shows passages and found none for a question has missed its evidence, if it has any
    with_passages = [r for r in responses if r.item_id in evidence]
    if not any(r.passages for r in with_passages):
        return None
    groups = [evidence[r.item_id][0].document_id for r in with_passages]

    def mean(value: Callable[[Response], float | None]) -> Estimate:
        found = share_in_groups([0.0 if r.failure else value(r) or 0.0 for r in with_passages], groups, seed=seed)
        if found is None:
            raise AssertionError("some response has passages")
        return found

    return RetrievalScore(
        recall_at={k: mean(_recall(k, evidence)) for k in RECALL_AT},
        mrr=mean(lambda r: _over(evidence[r.item_id], lambda span: reciprocal_rank(r.passages, span))),
        responses=sum(bool(r.passages) for r in with_passages),
    )


def _recall(k: int, evidence: Mapping[str, Sequence[Span]]) -> Callable[[Response], float | None]:
    return lambda r: _over(evidence[r.item_id], lambda span: evidence_recall_at(k, r.passages, span))


def _over(spans: Sequence[Span], value: Callable[[Span], float | None]) -> float | None:
    """The mean over the spans an item rests on, each worth the same; None where there are no passages."""
    values = [found for span in spans if (found := value(span)) is not None]
    return sum(values) / len(values) if values else None


# --- retrievers by themselves -----------------------------------------------------------------------------

MEASURES: dict[str, Callable[[Response, Sequence[Span]], float]] = {
    f"recall@{K}": lambda r, evidence: _over(evidence, lambda span: evidence_recall_at(K, r.passages, span)) or 0.0,
    f"nDCG@{K}": lambda r, evidence: _ndcg(r, evidence),
    "MRR": lambda r, evidence: _over(evidence, lambda span: reciprocal_rank(r.passages, span)) or 0.0,
}
"""What retrievers are compared by, of one question; 0 where nothing was found, and for a failure."""
_EXACT = 12
"""Documents with a difference, up to which every exchange of signs is looked at."""
_DRAWS = 9_999


def retrievers_of(responses: Sequence[Response]) -> frozenset[str]:
    """Ids of the examinees that returned passages and no answer."""
    return frozenset(response.examinee_id for response in responses if response.is_retrieval)


def retriever_findings(
    exam: Exam, examinees: Sequence[Examinee], responses: Sequence[Response], seed: int
) -> tuple[tuple[RetrieverScore, ...], tuple[RetrieverPair, ...]]:
    """The retrievers by themselves among the examinees, and their pairs; a failure counts as nothing found."""
    alone = retrievers_of(responses)
    own = [each for each in responses if each.examinee_id in alone]
    rows = _rows(exam, [each for each in examinees if each.id in alone], own, seed)
    return rows, _pairs(exam, rows, own, seed)


def _rows(
    exam: Exam, examinees: Sequence[Examinee], responses: Sequence[Response], seed: int
) -> tuple[RetrieverScore, ...]:
    """Recall, nDCG and reciprocal rank of each, best first by nDCG; a failure has found nothing."""
    evidence = _evidence(exam)
    rows = []
    for examinee in examinees:
        own = [each for each in responses if each.examinee_id == examinee.id]
        asked = [each for each in own if each.item_id in evidence]
        groups = [evidence[each.item_id][0].document_id for each in asked]
        found = retrieval_score(exam, own, seed)
        if found is not None:
            ndcg = share_in_groups([_ndcg(r, evidence[r.item_id]) for r in asked], groups, seed=seed)
            found = found.model_copy(update={"ndcg": ndcg})
        rows.append(
            RetrieverScore(
                examinee=examinee,
                asked=len(own),
                failures=dict(sorted(Counter(r.failure.kind.value for r in own if r.failure).items())),
                retrieval=found,
                usage=system_usage(exam, [r for r in own if r.failure is None]),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-_standing(row), row.examinee.name)))


def _standing(row: RetrieverScore) -> float:
    return row.retrieval.ndcg.value if row.retrieval and row.retrieval.ndcg else -1.0


def _pairs(
    exam: Exam, rows: Sequence[RetrieverScore], responses: Sequence[Response], seed: int
) -> tuple[RetrieverPair, ...]:
    """Every pair by every measure, the better-placed first; p-values after Holm over the pairs of a measure.

    The test exchanges the signs of the differences, those of a document together: questions of one document are no
    independent draws.
    """
    evidence = _evidence(exam)
    given = {(r.examinee_id, r.item_id): r for r in responses if r.item_id in evidence}
    ids = [row.examinee.id for row in rows]
    found: list[RetrieverPair] = []
    for measure, value in MEASURES.items():
        values = {key: value(response, evidence[key[1]]) for key, response in given.items()}
        tests = []
        for a, b in combinations(ids, 2):
            common = [i for i in evidence if (a, i) in values and (b, i) in values]
            differences = [values[a, i] - values[b, i] for i in common]
            if common:
                tests.append((a, b, _by_document(differences, [evidence[i][0].document_id for i in common])))
        alone = [_sign_flips(sums, seed) for _, _, (sums, _) in tests]
        for (a, b, (sums, counts)), p, adjusted in zip(tests, alone, holm(alone), strict=True):
            found.append(_pair(a, b, measure, sums, counts, p, adjusted, len(tests), seed))
    return tuple(found)


def _pair(
    a: str,
    b: str,
    measure: str,
    sums: NDArray[np.float64],
    counts: NDArray[np.float64],
    p: float,
    adjusted: float,
    over: int,
    seed: int,
) -> RetrieverPair:
    difference = float(sums.sum() / counts.sum())
    verdict = verdict_of(difference, adjusted)
    drawn = np.random.default_rng(seed).integers(len(sums), size=(2000, len(sums)))
    tail = (1 - CONFIDENCE) / 2 / over
    low, high = np.quantile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), (tail, 1 - tail)).tolist()
    if verdict is PairVerdict.NOT_TOLD_APART:
        low, high = min(low, 0.0), max(high, 0.0)
    elif verdict is PairVerdict.BETTER:
        low = max(low, 0.0)
    else:
        high = min(high, 0.0)
    return RetrieverPair(
        first_id=a,
        second_id=b,
        measure=measure,
        questions=int(counts.sum()),
        difference=difference,
        low=low,
        high=high,
        p_value=p,
        p_adjusted=adjusted,
        adjusted_over=over,
        verdict=verdict,
    )


def _by_document(
    differences: Sequence[float], documents: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum and number of the differences of each document."""
    held: dict[str, list[float]] = {}
    for difference, document in zip(differences, documents, strict=True):
        held.setdefault(document, []).append(difference)
    table = np.array([(sum(held[document]), len(held[document])) for document in sorted(held)], dtype=np.float64)
    return table[:, 0], table[:, 1]


def _sign_flips(sums: NDArray[np.float64], seed: int) -> float:
    """Share of the exchanges of signs whose total is as far from 0: of all, or of so many drawn ones with this."""
    differing = sums[np.abs(sums) > 1e-12]
    if not len(differing):
        return 1.0
    least = abs(differing.sum()) - 1e-9
    if len(differing) <= _EXACT:
        signs = np.array(list(product((1.0, -1.0), repeat=len(differing))))
        return float((np.abs(signs @ differing) >= least).mean())
    signs = np.random.default_rng(seed).choice((1.0, -1.0), size=(_DRAWS, len(differing)))
    return float((1 + (np.abs(signs @ differing) >= least).sum()) / (1 + _DRAWS))


def _evidence(exam: Exam) -> dict[str, tuple[Span, ...]]:
    return {shown.item.id: shown.item.evidence for shown in exam.items if shown.item.evidence}


def _ndcg(response: Response, evidence: Sequence[Span]) -> float:
    found = ndcg_at(K, ranked_evidence(response.passages, evidence))
    return 0.0 if isinstance(found, Undefined) else found
