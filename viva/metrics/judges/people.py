"""What people would say of all open answers, from their labels of some: systems, differences, the judge, each other.

Prediction-powered inference (metrics/judges/labelled_systems.py): the judge's scores, mapped to people's by isotonic
maps that are cross-fitted over questions, and put right by the labels. It holds for any judge, as long as the
labelled answers are a random draw of each system's answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from viva.core.ids import content_hash
from viva.core.notes import Note, NoteCode
from viva.core.records import Grade, GradeResult, Measured, Response
from viva.core.records.labels import Label, drawn_scores, standing
from viva.core.scores_open import PeopleDifference, PeopleFindings, PeopleScore
from viva.metrics.intervals import share_in_groups
from viva.metrics.judges.agreement import absolute_error_of, spearman_of
from viva.metrics.judges.calibration_to_people import FOLDS, cross_fitted
from viva.metrics.judges.labelled_systems import LEAST, Labelled, Weighting, system_difference, system_mean, weighting
from viva.metrics.judges.paired import bootstrap
from viva.metrics.judges.pairs import Floats, Scores, Undefined, paired_rows, vector

DATA = "this run"
"""What the labels of a run are called beside those of other data."""
RESAMPLES = 500
"""Enough for the two digits that are shown; scoring should not wait for more."""


@dataclass(frozen=True)
class LabelledAnswer:
    """One open answer: the judge's score, what stands for it on people's scale, and people's mean label."""

    response_id: str
    examinee_id: str
    item_id: str
    judge: float | None
    people: float | None
    predicted: float | None = None


def people_findings(
    examinee_ids: Sequence[str],
    answers: Sequence[Response],
    judged: Mapping[str, GradeResult],
    labels: Iterable[Label],
    *,
    seed: int,
) -> PeopleFindings | None:
    """None without a label of one of these `answers`: those to open questions of one exam, failures left out.

    Systems come in the order of `examinee_ids`; differences are of those with labels enough, each pair once.
    """
    ids = {response.id for response in answers}
    held = [label for label in standing(labels).values() if label.response_id in ids and label.score is not None]
    if not held:
        return None
    drawn = drawn_scores(held)
    rows, notes = on_peoples_scale([_answer(response, judged, drawn) for response in answers], seed)
    by_system = {i: [row for row in rows if row.examinee_id == i] for i in examinee_ids}
    columns = {examinee_id: labelled_answers(own) for examinee_id, own in by_system.items() if own}
    judge = weighting(list(columns.values()))
    alpha = _agreement(drawn)
    return PeopleFindings(
        labels=len(drawn),
        by=dict(sorted(Counter(person for given in drawn.values() for person in given).items())),
        not_drawn=len({label.response_id for label in held} - drawn.keys()),
        agreement=None if isinstance(alpha, Undefined) else alpha,
        agreement_reason=alpha.reason if isinstance(alpha, Undefined) else "",
        judge_agreement=_judge_agreement(rows, seed),
        systems=tuple(_system(i, by_system[i], own, judge, seed) for i, own in columns.items()),
        differences=_differences(columns, judge),
        notes=notes,
    )


def _answer(
    response: Response, judged: Mapping[str, GradeResult], drawn: Mapping[str, Mapping[str, float]]
) -> LabelledAnswer:
    graded, said = judged.get(response.id), drawn.get(response.id)
    return LabelledAnswer(
        response.id,
        response.examinee_id,
        response.item_id,
        graded.score if isinstance(graded, Grade) else None,
        sum(said.values()) / len(said) if said else None,
    )


def on_peoples_scale(rows: Sequence[LabelledAnswer], seed: int) -> tuple[list[LabelledAnswer], tuple[Note, ...]]:
    """The answers of all systems with what people would give; without a map the judge's own score, and a note.

    Rows of one question share a fold, whichever system gave them.
    """
    fitted = cross_fitted(
        [row.judge for row in rows], [row.people for row in rows], [row.item_id for row in rows], seed=seed
    )
    if isinstance(fitted, Undefined):
        note = Note(code=NoteCode.JUDGE_UNMAPPED, reason=fitted.reason, count=FOLDS)
        return [replace(row, predicted=row.judge) for row in rows], (note,)
    values = [None if np.isnan(value) else float(value) for value in fitted.predicted]
    return [replace(row, predicted=value) for row, value in zip(rows, values, strict=True)], ()


def labelled_answers(rows: Sequence[LabelledAnswer]) -> Labelled:
    """One system's answers, with what people would give for each (`on_peoples_scale`), as columns."""
    return Labelled(
        tuple(row.item_id for row in rows),
        vector([row.predicted for row in rows], "Predicted scores"),
        vector([row.people for row in rows], "Scores of the people"),
    )


def _system(
    examinee_id: str, rows: Sequence[LabelledAnswer], columns: Labelled, judge: Weighting | Undefined, seed: int
) -> PeopleScore:
    graded = [(row.judge, row.item_id) for row in rows if row.judge is not None]
    found = system_mean(columns, judge)
    known = None if isinstance(found, Undefined) else found
    return PeopleScore(
        examinee_id=examinee_id,
        answers=len(rows),
        labels=columns.labels,
        judge_mean=share_in_groups([s for s, _ in graded], [item for _, item in graded], seed=seed),
        people_mean=known.mean if known else None,
        labels_alone=known.labels_alone if known else None,
        effective_labels=known.effective_labels if known else None,
        reason=found.reason if isinstance(found, Undefined) else "",
    )


def _differences(systems: Mapping[str, Labelled], judge: Weighting | Undefined) -> tuple[PeopleDifference, ...]:
    found = []
    for (first_id, first), (second_id, second) in combinations(systems.items(), 2):
        common = set(first.questions) & set(second.questions)
        difference = system_difference(first, second, judge)
        if isinstance(difference, Undefined):
            continue
        found.append(
            PeopleDifference(
                first_id=first_id,
                second_id=second_id,
                questions=len(common),
                labels=first.on(common).labels + second.on(common).labels,
                difference=difference,
            )
        )
    return tuple(found)


# --- people and judge ---------------------------------------------------------------------------------------


def _agreement(drawn: Mapping[str, Mapping[str, float]]) -> float | Undefined:
    people = sorted({person for given in drawn.values() for person in given})
    if len(people) < 2:
        return Undefined("One person alone labelled.")
    shared = sum(len(given) > 1 for given in drawn.values())
    if shared < LEAST:
        return Undefined(f"{shared} of the answers labelled by two people; at least {LEAST} are needed.")
    return krippendorff_alpha([[given.get(person) for person in people] for given in drawn.values()])


def krippendorff_alpha(ratings: Sequence[Scores] | Floats) -> float | Undefined:
    """Krippendorff's alpha (2011, "Computing Krippendorff's alpha-reliability") of interval ratings (units, raters).

    1 - observed / expected disagreement over pairs of ratings of one unit; nan or None where a rater gave none. A
    unit with one rating says nothing and is left out. Undefined where no unit has two, and where all are the same.
    """
    values = np.asarray(ratings, dtype=np.float64)
    given = ~np.isnan(values)
    kept = given.sum(axis=1) >= 2
    values, given = values[kept], given[kept]
    if not len(values):
        return Undefined("No unit was rated by two raters.")
    # all the same comes out as rounding, not as 0
    if np.ptp(values[given]) == 0:
        return Undefined("All ratings are the same: no disagreement was possible, so agreement says nothing.")
    scores = np.where(given, values - values[given].mean(), 0.0)
    rated, total = given.sum(axis=1), int(given.sum())
    mean = scores.sum(axis=1) / rated
    within = np.where(given, (scores - mean[:, None]) ** 2, 0.0).sum(axis=1)
    observed = float((2 * rated * within / (rated - 1)).sum()) / total
    return 1 - observed / (2 * float((scores[given] ** 2).sum()) / (total - 1))


def _judge_agreement(rows: Sequence[LabelledAnswer], seed: int) -> tuple[Measured, ...]:
    """Spearman and the mean absolute error on what both scored, by question; what is undefined is left out.

    Nothing of fewer than LEAST answers.
    """
    labelled = [row for row in rows if row.people is not None]
    both = [row for row in labelled if row.judge is not None]
    if len(both) < LEAST:
        return ()
    paired = paired_rows(judge=[row.judge for row in both], people=[row.people for row in both])
    groups: list[Hashable] = [row.item_id for row in both]
    statistics = (("spearman", spearman_of), ("mean absolute error", absolute_error_of))
    found = []
    for name, statistic in statistics:
        resampled = bootstrap(statistic, paired.rows, groups, seed=seed, resamples=RESAMPLES)
        if isinstance(resampled, Undefined):
            continue
        found.append(
            Measured(
                data=DATA,
                data_fingerprint=content_hash("labels", *(f"{row.response_id}={row.people}" for row in labelled)),
                statistic=name,
                estimate=resampled.interval.value,
                low=resampled.interval.low,
                high=resampled.interval.high,
                labels=len(both),
                unjudged=len(labelled) - len(both),
            )
        )
    return tuple(found)
