"""Questions of one document hang together: the design effect, pooled over systems.

The correlation of two questions of one document is that of an analysis of variance (Donner 1986), with sums of
squares pooled over the systems; the design effect of a set of questions follows from the sizes of its clusters (Kish
1965). Documents are then dealt out anew at random: unless few of these deals give as much, questions
are taken for independent, so that an exam without such an effect loses nothing by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from viva.core.estimates import DesignEffect
from viva.core.records import ExamItem
from viva.metrics.intervals import INDEPENDENT, ClusterDesign

Floats = NDArray[np.float64]

FEWEST_DOCUMENTS = 10
"""With fewer, how far they differ is hardly known."""
FEWEST_FURTHER = 10
"""Questions beyond the first of each document, without which nothing is said of questions that share one."""
MORE_THAN_NOISE, OF_DIFFERENCES = 0.1, 0.05
"""Share of random deals up to which an effect is allowed for: in shares of right answers, and in differences, whose
test is exact without it and errs on the safe side."""
MOST_SYSTEMS = 50
"""Of more, so many are taken, evenly through them: the effect is pooled."""
_DEALS = 99


def source_of(shown: ExamItem) -> str:
    """What questions share their difficulty by: the document of its evidence, else nothing but itself."""
    return shown.item.evidence[0].document_id if shown.item.evidence else shown.item.id


@dataclass(frozen=True)
class QuestionClusters:
    """The document of each question by its id, and what was found of them."""

    documents: Mapping[str, str] = field(default_factory=dict)
    found: DesignEffect | None = None

    def design(self, item_ids: Collection[str]) -> ClusterDesign:
        """Of a mean over these questions."""
        if self.found is None or self.found.used == 1 or self.found.correlation is None:
            return INDEPENDENT
        sizes = Counter(self.documents[item_id] for item_id in item_ids)
        effect = _effect(self.found.correlation, list(sizes.values()))
        return ClusterDesign(effect, self.found.documents - 1) if effect > 1 else INDEPENDENT


def clusters_of(items: Sequence[ExamItem], answers: Floats, level: float = MORE_THAN_NOISE) -> QuestionClusters:
    """Of answers (systems, items) from 0 to 1, nan for not graded."""
    documents = [source_of(shown) for shown in items]
    ids = [shown.item.id for shown in items]
    return QuestionClusters(dict(zip(ids, documents, strict=True)), design_effect(answers, documents, level))


def differences_of(items: Sequence[ExamItem], answers: Floats) -> QuestionClusters | None:
    """The same of the differences of all pairs of systems; None for fewer than two."""
    if len(answers) < 2:
        return None
    given = np.where(np.isnan(answers).any(axis=0), np.nan, answers)
    # the sums of squares of all differences are those about the mean system, times their number
    return clusters_of(items, given - given.mean(axis=0), OF_DIFFERENCES)


ALIKE = "all systems answer all questions alike"
"""Why there is no design effect, where no document can differ from another."""


def design_effect(answers: Floats, documents: Sequence[str], level: float = MORE_THAN_NOISE) -> DesignEffect:
    """Of values (systems, items), nan where there is none, and the document of each item."""
    used = ~np.isnan(answers).all(axis=0)
    labels = np.unique(np.array(documents)[used], return_inverse=True)[1]
    sizes = np.bincount(labels) if labels.size else np.zeros(0, dtype=np.int64)
    questions, count = int(sizes.sum()), len(sizes)
    reason = ""
    if count < FEWEST_DOCUMENTS:
        reason = f"the questions are from fewer than {FEWEST_DOCUMENTS} documents"
    elif questions - count < FEWEST_FURTHER:
        reason = "too few questions share a document"
    taken = np.unique(np.linspace(0, len(answers) - 1, MOST_SYSTEMS).round().astype(np.int64))
    pooled = None if reason else _Pooled.of(answers[np.ix_(taken, used)], sizes)
    correlation = pooled.correlation(np.argsort(labels, kind="stable")) if pooled else None
    if pooled is None or correlation is None:
        return DesignEffect(
            questions=questions,
            documents=count,
            correlation=None,
            effect=None,
            p_value=None,
            reason=reason or ALIKE,
        )
    random = np.random.default_rng(0)
    deals = [pooled.correlation(random.permutation(questions)) or 0.0 for _ in range(_DEALS)]
    p_value = (1 + sum(each >= correlation for each in deals)) / (1 + _DEALS)
    effect = _effect(correlation, sizes.tolist(), least=-np.inf)
    return DesignEffect(
        questions=questions,
        documents=count,
        correlation=correlation,
        effect=effect,
        p_value=p_value,
        used=max(effect, 1.0) if p_value <= level else 1.0,
    )


def _effect(correlation: float, sizes: Sequence[int], least: float = 1.0) -> float:
    """Kish's, for clusters of these sizes."""
    mean = float(np.square(sizes).sum() / max(np.sum(sizes), 1))
    return max(least, 1 + correlation * (mean - 1))


@dataclass(frozen=True, eq=False)
class _Pooled:
    """Deviations from each system's mean (n, m), 0 where not graded; which are graded; sizes of the clusters."""

    deviations: Floats
    graded: Floats
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, answers: Floats, sizes: NDArray[np.int64]) -> _Pooled:
        graded = ~np.isnan(answers)
        sums = np.nansum(answers, axis=1, keepdims=True)
        means = sums / np.maximum(graded.sum(axis=1, keepdims=True), 1)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        return cls(np.where(graded, answers - means, 0.0), graded.astype(np.float64), starts)

    def correlation(self, order: NDArray[np.int64]) -> float | None:
        """Within clusters, the columns put into them in this order; None where nothing varies."""
        sums = np.add.reduceat(self.deviations[:, order], self.starts, axis=1)
        counts = np.add.reduceat(self.graded[:, order], self.starts, axis=1)
        own, present = counts.sum(axis=1), (counts > 0).sum(axis=1)
        between = float((sums**2 / np.maximum(counts, 1)).sum())
        within = float((self.deviations**2).sum()) - between
        free_between, free_within = float((present - 1).sum()), float((own - present).sum())
        if free_between <= 0 or free_within <= 0 or between + within <= 0:
            return None
        size = float((own - (counts**2).sum(axis=1) / np.maximum(own, 1)).sum()) / free_between
        outer, inner = between / free_between, within / free_within
        total = outer + (size - 1) * inner
        return (outer - inner) / total if total > 0 else None
