"""What others with a fair chance made of a question that an examinee answered wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from viva.core.records import Exam, Examinee, ExamItem, Grade, Response
from viva.core.scores import Scores
from viva.core.scores_diagnosis import Diagnosis
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
    abilities = {row.examinee.id: row.ability for row in scores.examinees if row.ability} if scores else {}
    if not abilities:
        return set()
    least = float(np.quantile([each.place for each in abilities.values()], STRONG))
    return {examinee_id for examinee_id, own in abilities.items() if own.above(least)}


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


def keep_trials(store: RunStore, of: Examinee, responses: Sequence[Response]) -> None:
    """Log what was asked. Questions picked for being answered wrong stand beside a sitting's, not among them."""
    told = [response.model_copy(update={"passages": ()}).model_dump(mode="json") for response in responses]
    store.add_result(_trials(of), told)


def kept_trials(store: RunStore, of: Examinee) -> list[Response]:
    """All that diagnoses of this examinee have asked."""
    return [Response.model_validate(each) for batch in store.results(_trials(of)) for each in batch]


def keep_diagnosis(store: RunStore, diagnosis: Diagnosis) -> None:
    """Make it the examinee's latest."""
    store.add_result(_kind(diagnosis.examinee), diagnosis.model_dump(mode="json"))


def diagnoses_of(store: RunStore, exam: Exam) -> tuple[Diagnosis, ...]:
    """The latest of everybody who was diagnosed on this exam, by name."""
    found = (store.latest_result(_kind(examinee)) for examinee in store.examinees())
    kept = [Diagnosis.model_validate(each) for each in found if each is not None]
    return tuple(sorted((d for d in kept if d.exam_id == exam.id), key=lambda d: (d.examinee.name, d.examinee.id)))


def kinds_of(of: Examinee) -> tuple[str, str]:
    """The kinds of results that hold what diagnoses of this examinee asked and found."""
    return _trials(of), _kind(of)


def _trials(of: Examinee) -> str:
    return f"diagnosis trials {of.id}"


def _kind(of: Examinee) -> str:
    return f"diagnosis {of.id}"
