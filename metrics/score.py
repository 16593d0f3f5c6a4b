"""From responses to everything the report shows: grades, abilities, items, comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from viva.core.records import (
    Ability,
    ComponentEffect,
    Exam,
    Examinee,
    ExamItem,
    Grade,
    GradeResult,
    ItemParameters,
    Response,
    Span,
)
from viva.core.scores import Comparison, Estimate, ExamineeScore, GroupScore, ItemScore, RetrievalScore, Scores
from viva.metrics.exam import (
    Accuracy,
    accuracy,
    accuracy_by,
    fixed_choice_baselines,
    grade,
    item_statistics,
    key_position_counts,
    longest_option_baseline,
    option_counts,
    response_matrix,
)
from viva.metrics.intervals import Interval, clustered_mean, compare_paired, holm
from viva.metrics.irt import Fit, NothingToCompare
from viva.metrics.irt import fit as fit_irt
from viva.metrics.retrieval import evidence_recall_at, reciprocal_rank

RECALL_AT = (1, 3, 5)
_ATTRIBUTES: dict[str, Callable[[ExamItem], Sequence[str]]] = {
    "topic": lambda shown: [shown.item.topic],
    "question type": lambda shown: [shown.item.question_type.value],
    "Bloom level": lambda shown: [level.value for level in shown.item.bloom],
    "kind": lambda shown: [shown.item.kind.value],
}


def score_exam(exam: Exam, examinees: Sequence[Examinee], responses: Sequence[Response], *, seed: int) -> Scores:
    """Grade every response, fit the IRT model, count what must be counted.

    `responses` may hold more than this exam's; what was not asked is missing, not wrong. Examinees come back
    best first: by ability, else by accuracy.
    """
    shown = {item.item.id: item for item in exam.items}
    asked = [r for r in responses if r.item_id in shown and r.id == Response.id_of(r.examinee_id, shown[r.item_id])]
    grades = [grade(shown[r.item_id], r) for r in asked]
    # who has no graded answer has shown no ability: the model would place it by its prior alone
    graded = {g.examinee_id for g in grades if isinstance(g, Grade)}
    fitted = [e for e in examinees if e.id in graded]
    matrix = response_matrix(exam, [e.id for e in fitted], [g for g in grades if g.examinee_id in graded])
    fit = fit_panel(exam, fitted, matrix)
    abilities = _abilities(fitted, fit)
    rows = [_examinee_score(e, exam, asked, grades, abilities.get(e.id), seed) for e in examinees]
    rows.sort(key=lambda row: (*_standing(row), row.examinee.name, row.examinee.id))
    return Scores(
        exam_id=exam.id,
        examinees=tuple(rows),
        items=_item_scores(exam, asked, grades, fit),
        effects=_effects(fit),
        groups=_groups(exam, grades),
        comparisons=_comparisons([row.examinee.id for row in rows], exam, grades, fit, list(abilities)),
        baselines=_baselines(exam),
        key_positions=key_position_counts(exam),
        residual_sd=fit.residual_sd if isinstance(fit, Fit) else None,
        notes=_notes(fit, rows, {e.id: e.name for e in examinees}),
    )


def fit_panel(exam: Exam, examinees: Sequence[Examinee], matrix: NDArray[np.float64]) -> Fit | NothingToCompare:
    """The model fitted to these examinees' responses (examinees, items), with the components in which they differ."""
    own = varying_components([e.components for e in examinees])
    names = sorted({name for components in own for name in components})
    try:
        return fit_irt(
            matrix,
            components={name: [components.get(name) for components in own] for name in names},
            options=[max(len(item.options), 2) for item in exam.items],
            examinees=[e.id for e in examinees],
        )
    except NothingToCompare as too_few:
        return too_few


def _abilities(examinees: Sequence[Examinee], fit: Fit | NothingToCompare) -> dict[str, Ability]:
    """By examinee, in the order of the fit's rows."""
    if not isinstance(fit, Fit):
        return {}
    rows = zip(examinees, fit.theta, fit.theta_se, strict=True)
    return {e.id: Ability(examinee_id=e.id, theta=float(theta), se=float(se)) for e, theta, se in rows}


def _effects(fit: Fit | NothingToCompare) -> tuple[ComponentEffect, ...]:
    if not isinstance(fit, Fit):
        return ()
    return tuple(
        ComponentEffect(component=component, level=level, effect=effect.estimate, se=effect.se)
        for component, levels in fit.effects.items()
        for level, effect in levels.items()
    )


def _parameters(exam: Exam, fit: Fit | NothingToCompare) -> list[ItemParameters]:
    if not isinstance(fit, Fit):
        return []
    return [
        ItemParameters(
            item_id=item.item.id,
            discrimination=float(fit.a[j]),
            difficulty=float(fit.b[j]),
            guessing=float(fit.c[j]),
            discrimination_se=float(fit.a_se[j]),
            difficulty_se=float(fit.b_se[j]),
            guessing_se=float(fit.c_se[j]),
        )
        for j, item in enumerate(exam.items)
    ]


def varying_components(components: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The components in which the examinees that name them differ: one level that several share explains nothing."""
    carried: dict[str, list[str]] = {}
    for own in components:
        for name, level in own.items():
            carried.setdefault(name, []).append(level)
    shared = {name for name, found in carried.items() if len(found) > 1 and len(set(found)) == 1}
    return [{name: level for name, level in own.items() if name not in shared} for own in components]


def _standing(row: ExamineeScore) -> tuple[bool, float]:
    """By ability, else by accuracy; who was never graded comes last."""
    value = row.ability.theta if row.ability else (row.accuracy.value if row.accuracy else 0.0)
    return row.accuracy is None, -value


def _estimate(interval: Interval | None) -> Estimate | None:
    return Estimate(value=interval.estimate, low=interval.low, high=interval.high) if interval else None


def _examinee_score(
    examinee: Examinee,
    exam: Exam,
    responses: Sequence[Response],
    grades: Sequence[GradeResult],
    ability: Ability | None,
    seed: int,
) -> ExamineeScore:
    own = [r for r in responses if r.examinee_id == examinee.id]
    own_grades = [g for g in grades if g.examinee_id == examinee.id]
    result: Accuracy = accuracy(own_grades)
    answered = [r for r in own if r.failure is None]
    return ExamineeScore(
        examinee=examinee,
        asked=len(own),
        graded=result.graded,
        correct=round(sum(g.score for g in own_grades if isinstance(g, Grade))),
        accuracy=_estimate(result.share),
        ability=ability,
        failures=dict(sorted(Counter(r.failure.kind.value for r in own if r.failure).items())),
        no_choice=sum(r.choice is None for r in answered),
        retrieval=_retrieval(exam, answered, seed),
        mean_latency_s=sum(r.latency_s for r in answered) / len(answered) if answered else None,
    )


def _retrieval(exam: Exam, responses: Sequence[Response], seed: int) -> RetrievalScore | None:
    evidence = {item.item.id: item.item.evidence for item in exam.items if item.item.evidence}
    # a system that shows passages and found none for a question has missed its evidence, if it has any
    with_passages = [r for r in responses if r.item_id in evidence]
    if not any(r.passages for r in with_passages):
        return None
    groups = [evidence[r.item_id][0].document_id for r in with_passages]
    items = [r.item_id for r in with_passages]

    def mean(value: Callable[[Response], float | None]) -> Estimate:
        values = [value(r) or 0.0 for r in with_passages]
        # evidence of a single document: its questions are the only groups there are
        found = clustered_mean(values, groups, seed=seed) or clustered_mean(values, items, seed=seed)
        # one response alone has no spread: nothing is known of the mean but that it is a share
        return _estimate(found) or Estimate(value=values[0], low=0.0, high=1.0)

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


def _item_scores(
    exam: Exam, responses: Sequence[Response], grades: Sequence[GradeResult], fit: Fit | NothingToCompare
) -> tuple[ItemScore, ...]:
    parameters = {p.item_id: p for p in _parameters(exam, fit)}
    rows = zip(item_statistics(exam, grades), option_counts(exam, responses), strict=True)
    return tuple(
        ItemScore(
            item_id=s.item_id,
            graded=s.graded,
            proportion_correct=s.proportion_correct,
            point_biserial=s.point_biserial,
            option_counts=c.chosen,
            parameters=parameters.get(s.item_id),
        )
        for s, c in rows
    )


def _groups(exam: Exam, grades: Sequence[GradeResult]) -> tuple[GroupScore, ...]:
    found = []
    for name, attribute in _ATTRIBUTES.items():
        for examinee_id, levels in sorted(accuracy_by(exam, grades, attribute).items()):
            for level, result in sorted(levels.items()):
                estimate = _estimate(result.share)
                if estimate is not None:
                    found.append(
                        GroupScore(
                            examinee_id=examinee_id,
                            attribute=name,
                            level=level,
                            items=result.graded,
                            accuracy=estimate,
                        )
                    )
    return tuple(found)


def _comparisons(
    ids: Sequence[str],
    exam: Exam,
    grades: Sequence[GradeResult],
    fit: Fit | NothingToCompare,
    fitted_ids: Sequence[str],
) -> tuple[Comparison, ...]:
    """Every pair, the one that stands higher first; p-values adjusted over all pairs."""
    scores = {(g.examinee_id, g.item_id): g.score for g in grades if isinstance(g, Grade)}
    rows = {i: [scores.get((i, item.item.id)) for item in exam.items] for i in ids}
    better = fit.probability_better() if isinstance(fit, Fit) else None
    place = {i: n for n, i in enumerate(fitted_ids)}
    tested = [(a, b, compare_paired(rows[a], rows[b])) for a, b in combinations(ids, 2)]
    found = [(a, b, c) for a, b, c in tested if c is not None]
    adjusted = holm([c.p_value for _, _, c in found])
    return tuple(
        Comparison(
            first_id=a,
            second_id=b,
            items=c.items,
            difference=c.difference.estimate,
            low=c.difference.low,
            high=c.difference.high,
            p_value=p,
            probability_better=(
                float(better[place[a], place[b]]) if better is not None and a in place and b in place else None
            ),
        )
        for (a, b, c), p in zip(found, adjusted, strict=True)
    )


def _baselines(exam: Exam) -> dict[str, float]:
    shares = {f"always {'ABCDEF'[n]}": share for n, share in enumerate(fixed_choice_baselines(exam))}
    longest = longest_option_baseline(exam)
    return shares if longest is None else {**shares, "longest option": longest}


def _named(note: str, names: Mapping[str, str]) -> str:
    """The note with examinees called by name instead of by id."""
    for examinee_id, name in sorted(names.items()):
        note = note.replace(f"examinee {examinee_id}", name).replace(examinee_id, name)
    return note


def _notes(fit: Fit | NothingToCompare, rows: Sequence[ExamineeScore], names: Mapping[str, str]) -> tuple[str, ...]:
    notes = (
        [_named(note, names) for note in fit.notes]
        if isinstance(fit, Fit)
        else [f"No abilities were estimated: {fit.problem}"]
    )
    if isinstance(fit, Fit) and not fit.converged:
        notes.append(
            "The estimation of abilities did not converge: take the abilities as rough, the accuracies as firm."
        )
    for row in rows:
        failed = sum(row.failures.values())
        if failed:
            notes.append(
                f"{row.examinee.name} failed on {failed} of {row.asked} items; they are left out of its accuracy, "
                "not counted as wrong."
            )
    return tuple(notes)
