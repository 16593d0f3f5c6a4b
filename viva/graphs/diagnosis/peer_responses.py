"""What others with a fair chance made of a question that an examinee answered wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from viva.core.records import Exam, ExamItem, Grade
from viva.core.scores import Scores
from viva.examinees.interventions import CONTEXTS
from viva.examinees.manufactured import ablation
from viva.examinees.specs.records import READERS, Spec
from viva.graphs.grading.grade_open import judged
from viva.metrics.exam import grade, right_or_wrong
from viva.storage.runs import RunStore

ORACLE = "oracle"
STRONG = 0.75
"""Quantile of the abilities from which an examinee is a witness."""


@dataclass(frozen=True)
class PeerResponses:
    """Grades by (examinee, item) of those who were handed the evidence or are able; suspicions against items."""

    grades: Mapping[tuple[str, str], float]
    ids: frozenset[str]
    flags: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, store: RunStore, spec: Spec, exam: Exam, scores: Scores | None) -> PeerResponses:
        """All but the examinee itself and its ablations. Without scores: who was handed the evidence alone."""
        itself = {ablation(spec, context, reader).examinee.id for context in CONTEXTS for reader in (None, *READERS)}
        itself.add(spec.examinee.id)
        handed = {each.id for each in store.examinees() if ORACLE in each.components.values()}
        flags: dict[str, tuple[str, ...]] = {}
        for flag in scores.measurement.flags if scores and scores.measurement else ():
            flags[flag.item_id] = (*flags.get(flag.item_id, ()), flag.kind)
        return cls(_grades(store, exam), frozenset((handed | _able(scores)) - itself), flags)

    def fared(self, shown: ExamItem) -> tuple[int, int]:
        """How many of them were right, of how many."""
        found = [self.grades[i, shown.item.id] for i in sorted(self.ids) if (i, shown.item.id) in self.grades]
        return round(sum(found)), len(found)


def _able(scores: Scores | None) -> set[str]:
    abilities = {row.examinee.id: row.ability.theta for row in scores.examinees if row.ability} if scores else {}
    if not abilities:
        return set()
    least = float(np.quantile(list(abilities.values()), STRONG))
    return {examinee_id for examinee_id, theta in abilities.items() if theta >= least}


def _grades(store: RunStore, exam: Exam) -> dict[tuple[str, str], float]:
    shown = {each.item.id: each for each in exam.items}
    found: dict[tuple[str, str], float] = {}
    responses = store.responses_to(exam.items)
    graded_open = judged(store, responses)
    for response in responses:
        graded = right_or_wrong(grade(shown[response.item_id], response, graded_open))
        if isinstance(graded, Grade):
            found[response.examinee_id, response.item_id] = graded.score
    return found
