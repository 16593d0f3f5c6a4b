"""How much of the evidence an examinee's passages cover, over the exam."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from viva.core.records import Exam, Response, Span
from viva.core.scores import Estimate, RetrievalScore
from viva.metrics.intervals import share_in_groups
from viva.metrics.retrieval.evidence_recall import evidence_recall_at, reciprocal_rank

RECALL_AT = (1, 3, 5)


def retrieval_score(exam: Exam, responses: Sequence[Response], seed: int) -> RetrievalScore | None:
    """Recall and reciprocal rank over the items with evidence that an examinee answered; None without passages."""
    evidence = {item.item.id: item.item.evidence for item in exam.items if item.item.evidence}
    # a system that shows passages and found none for a question has missed its evidence, if it has any
    with_passages = [r for r in responses if r.item_id in evidence]
    if not any(r.passages for r in with_passages):
        return None
    groups = [evidence[r.item_id][0].document_id for r in with_passages]

    def mean(value: Callable[[Response], float | None]) -> Estimate:
        found = share_in_groups([value(r) or 0.0 for r in with_passages], groups, seed=seed)
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
