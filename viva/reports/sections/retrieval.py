"""Retrievers by themselves in words: what each finds of the evidence, and which of two finds more."""

from __future__ import annotations

from collections.abc import Sequence

from viva.core.estimates import Estimate
from viva.core.scores import RetrieverScore, Scores
from viva.core.scores_pairs import PairVerdict, RetrieverPair
from viva.core.wording import counted, number, p_value, signed

COLUMNS = ("recall@1", "recall@5", "nDCG@5", "MRR")
MOST_TOLD = 6
"""Pairs that have a sentence; of more, the first ones."""
_COMPARED = {
    PairVerdict.BETTER: "{} finds more than {}",
    PairVerdict.WORSE: "{} finds less than {}",
    PairVerdict.NOT_TOLD_APART: "{} and {} are not told apart",
}


def retriever_cells(row: RetrieverScore) -> tuple[str, ...]:
    """The figures of COLUMNS with their intervals; '-' where there are none."""
    found = row.retrieval
    figures = (found.recall_at.get(1), found.recall_at.get(5), found.ndcg, found.mrr) if found else (None,) * 4
    return tuple(map(_figure, figures))


def _figure(estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    return f"{number(estimate.value)} ({number(estimate.low)} to {number(estimate.high)})"


def retriever_sentences(scores: Scores) -> tuple[str, ...]:
    """The verdicts on pairs of retrievers, a sentence for each pair, of all measures."""
    names = {row.examinee.id: row.examinee.name for row in scores.retrievers}
    pairs: dict[tuple[str, str], list[RetrieverPair]] = {}
    for each in scores.retriever_pairs:
        pairs.setdefault((each.first_id, each.second_id), []).append(each)
    return tuple(_sentence(own, names[a], names[b]) for (a, b), own in list(pairs.items())[:MOST_TOLD])


def _sentence(own: Sequence[RetrieverPair], first: str, second: str) -> str:
    parts = []
    for verdict, words in _COMPARED.items():
        measures = [each for each in own if each.verdict is verdict]
        if measures:
            parts.append(f"{words.format(first, second)} by {', '.join(map(_measured, measures))}")
    adjusted = f"; p after Holm over {counted(own[0].adjusted_over, 'pair')}" if own[0].adjusted_over > 1 else ""
    return f"{'; '.join(parts)} (95% intervals, {counted(own[0].questions, 'question')}{adjusted})."


def _measured(pair: RetrieverPair) -> str:
    interval = f"{signed(pair.low)} to {signed(pair.high)}"
    return f"{pair.measure} ({signed(pair.difference)}, {interval}, {p_value(pair.p_adjusted)})"


def retriever_headline(scores: Scores) -> str:
    """What is said first of an exam that retrievers alone took; '' where there are none."""
    best = next((row for row in scores.retrievers if row.retrieval and row.retrieval.ndcg), None)
    if best is None or best.retrieval is None or best.retrieval.ndcg is None:
        return ""
    many = f"the first of {len(scores.retrievers)} retrievers" if len(scores.retrievers) > 1 else "a retriever"
    return f"{best.examinee.name}, {many}, reaches nDCG@5 {number(best.retrieval.ndcg.value)}"
