"""From responses to everything the report shows: grades, abilities, items, comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import isfinite

import numpy as np

from viva.core.estimates import Ability, OutsideAbility
from viva.core.note_words import OF_ALL_ALIKE
from viva.core.notes import FIRST_OCCASION, Note, NoteCode
from viva.core.records import (
    ComponentEffect,
    Exam,
    Examinee,
    Grade,
    GradeResult,
    ItemParameters,
    JudgeCard,
    Response,
    responses_to,
)
from viva.core.scores import TURN, Estimate, ExamineeScore, GroupScore, ItemScore, Scores, SetAside
from viva.core.scores_open import JudgeUsed
from viva.core.wording import option_letter
from viva.metrics.clusters import QuestionClusters
from viva.metrics.compare_systems import system_usage
from viva.metrics.comparisons import comparisons, document_clusters
from viva.metrics.exam import (
    accuracy,
    accuracy_by,
    failing,
    failures_wrong,
    fixed_choice_baselines,
    format_of,
    grade,
    item_statistics,
    key_position_counts,
    longest_option_baseline,
    option_counts,
    response_matrix,
    right_or_wrong,
)
from viva.metrics.format_scores import format_scores, history_notes, open_notes
from viva.metrics.irt import Fit, NothingToCompare
from viva.metrics.irt.checks.person_fit import strays
from viva.metrics.irt.checks.wrong_keys import expected_information
from viva.metrics.measurement import ATTRIBUTES, FORMAT, choices_of, measurement
from viva.metrics.occasions import first_occasion, occasions_of, over_occasions, stability
from viva.metrics.panel import Panel, panel_of
from viva.metrics.pass_mark import decisions
from viva.metrics.retrieval.scores import retrieval_score, retriever_findings, retrievers_of
from viva.metrics.unfinished import fit_notes, unfinished, unfinished_notes
from viva.metrics.unread_choices import unread_choice_notes
from viva.metrics.vetting import set_aside


def score_exam(
    exam: Exam,
    examinees: Sequence[Examinee],
    responses: Sequence[Response],
    *,
    seed: int,
    judged: Mapping[str, GradeResult] | None = None,
    judge: JudgeCard | None = None,
    named: Collection[tuple[str, str]] = (),
    pass_mark: float = 0.0,
) -> Scores:
    """Grade every response, fit the IRT model, count what must be counted.

    `responses` may hold more than this exam's; what was not asked is missing, not wrong. A failure counts as a wrong
    answer for the examinee, and says nothing of the question. Open answers have the grades `judged` (by response id)
    that `judge` gave them; an open answer is right from a score of .5 on, in every figure but the mean score; what
    the judge did not grade is left out. Of a question that was asked on several occasions the mean counts, for the
    response model and of questions the first answer. Pairs of examinee ids that are `named` are tested alone;
    `pass_mark` is the share of right answers that is asked for (0: none). Examinees come back best first, by
    accuracy. Retrievers by themselves have figures of their own, and no others.
    """
    shown = {item.item.id: item for item in exam.items}
    every = responses_to(exam.items, responses, all_occasions=True)
    left = unfinished(exam, examinees, every)
    not_finished = tuple(unfinished_notes(exam, left, every))
    alone = retrievers_of(every)
    retrievers, retriever_pairs = retriever_findings(exam, examinees, [r for r in every if not r.occasion], seed)
    every = [each for each in every if each.examinee_id not in alone]
    examinees = [each for each in examinees if each.id not in alone]
    scored = [grade(shown[r.item_id], r, judged or {}) for r in every]
    aside = set_aside(exam, examinees, *first_occasion(every, [right_or_wrong(each) for each in scored]))
    if aside:
        exam, every, scored = _without({each.item_id for each in aside}, exam, every, scored)
    all_grades = [right_or_wrong(each) for each in scored]
    counted = over_occasions(failures_wrong(list(zip(every, all_grades, strict=True))))
    asked, grades = first_occasion(every, all_grades)
    found = fitted_panel(exam, examinees, asked, grades, failing(every))
    panel = found if isinstance(found, Panel) else None
    clusters = document_clusters(exam, examinees, failing(every), counted)
    formats = format_scores(exam, scored, every, seed, clusters.accuracy)
    rows = _rows(exam, examinees, zip(every, all_grades, strict=True), panel, seed, clusters.accuracy)
    rows = [row.model_copy(update={"formats": formats.get(row.examinee.id, ())}) for row in rows]
    measured = measurement(panel, choices_of(panel, asked), clusters.pair_effect) if panel else None
    return Scores(
        exam_id=exam.id,
        examinees=tuple(rows),
        items=_item_scores(exam, asked, grades, panel),
        effects=_effects(panel) if panel else (),
        groups=_groups(exam, counted, clusters.accuracy),
        comparisons=comparisons(rows, exam, counted, panel, named, clusters),
        baselines=_baselines(exam),
        key_positions=key_position_counts(exam),
        residual_sd=panel.fit.residual_sd if panel else None,
        measurement=measured,
        notes=(
            *([measured.dimension_note] if measured and measured.dimension_note else []),
            *not_finished,
            *_notes(found, rows, frozenset().union(*left.values())),
            *_notes_on(aside),
            *history_notes(exam, examinees, every),
            *unread_choice_notes(exam, examinees, asked),
            *open_notes(exam, every, scored, examinees),
        ),
        judge=_judge_used(exam, scored, judge),
        set_aside=aside,
        known=len(_known(exam)),
        retrievers=retrievers,
        retriever_pairs=retriever_pairs,
        documents=clusters.record,
        pass_mark=decisions(pass_mark, rows, exam, counted, clusters.accuracy, left.keys()) if pass_mark else None,
    )


def _rows(
    exam: Exam,
    examinees: Sequence[Examinee],
    given: Iterable[tuple[Response, GradeResult]],
    panel: Panel | None,
    seed: int,
    clusters: QuestionClusters,
) -> list[ExamineeScore]:
    """The leaderboard, best first."""
    own: dict[str, list[tuple[Response, GradeResult]]] = {e.id: [] for e in examinees}
    for response, result in given:
        if response.examinee_id in own:
            own[response.examinee_id].append((response, result))
    abilities = _abilities(panel, clusters) if panel else {}
    rows = [_examinee_score(e, exam, own[e.id], abilities.get(e.id), seed, clusters) for e in examinees]
    return sorted(rows, key=lambda row: (*row.standing, row.examinee.name, row.examinee.id))


def fitted_panel(
    exam: Exam,
    examinees: Sequence[Examinee],
    asked: Sequence[Response],
    grades: Sequence[GradeResult],
    unranked: Set[str],
    *,
    like: Fit | None = None,
) -> Panel | NothingToCompare:
    """The model, fitted to the examinees that answered enough to be ranked, as they answered first (see panel_of)."""
    counted = failures_wrong(list(zip(asked, grades, strict=True)))
    # an examinee without a graded answer has shown no ability: the model would place it by its prior alone
    own = {g.examinee_id for g in grades if isinstance(g, Grade)} - unranked
    fitted = [e for e in examinees if e.id in own]
    ids = [e.id for e in fitted]
    answers, all_responses = (
        response_matrix(exam, ids, [g for g in given if g.examinee_id in own]) for given in (grades, counted)
    )
    return panel_of(exam, fitted, answers, failed=np.isnan(answers) & ~np.isnan(all_responses), like=like)


def _without(
    left_out: Set[str],
    exam: Exam,
    asked: Sequence[Response],
    scored: Sequence[GradeResult],
) -> tuple[Exam, list[Response], list[GradeResult]]:
    """All of it without these questions."""
    return (
        exam.without(left_out),
        [each for each in asked if each.item_id not in left_out],
        [each for each in scored if each.item_id not in left_out],
    )


def _notes_on(aside: Sequence[SetAside]) -> list[Note]:
    """What was set aside, by reason."""
    reasons = sorted(Counter(each.reason for each in aside).items())
    return [Note(code=NoteCode.SET_ASIDE, count=count, reason=reason) for reason, count in reasons]


def _known(exam: Exam) -> frozenset[str]:
    """Ids of the questions that a language model knew without documents."""
    return frozenset(shown.item.id for shown in exam.items if shown.item.without_documents)


def _judge_used(exam: Exam, scored: Sequence[GradeResult], judge: JudgeCard | None) -> JudgeUsed | None:
    open_ids = {item.item.id for item in exam.items if item.item.is_open}
    if judge is None or not open_ids:
        return None
    graded = [isinstance(each, Grade) for each in scored if each.item_id in open_ids]
    return JudgeUsed(card=judge, graded=sum(graded), ungraded=len(graded) - sum(graded))


@dataclass(frozen=True)
class _Measured:
    """What the model says of an examinee."""

    ability: Ability | OutsideAbility | None
    expected_score: Estimate
    person_fit: float | None


def _abilities(panel: Panel, clusters: QuestionClusters) -> dict[str, _Measured]:
    """By examinee."""
    wider = clusters.design([shown.item.id for shown in panel.exam.items]).effect ** 0.5
    fit = panel.fit
    rows = zip(panel.examinees, fit.abilities, fit.expected_scores(), fit.person_fit().tolist(), strict=True)
    return {
        each.id: _Measured(
            ability,
            _widened(expected, wider),
            follows if isfinite(follows) else None,
        )
        for each, ability, expected, follows in rows
    }


def _widened(found: Estimate, times: float) -> Estimate:
    low, high = (found.value + times * (bound - found.value) for bound in (found.low, found.high))
    return Estimate(found.value, max(0.0, low), min(1.0, high))


def _effects(panel: Panel) -> tuple[ComponentEffect, ...]:
    return tuple(
        ComponentEffect(component=component, level=level, effect=effect.estimate, se=effect.se, reach=effect.reach)
        for component, levels in panel.fit.effects.items()
        for level, effect in levels.items()
    )


def _parameters(panel: Panel) -> list[ItemParameters]:
    fit = panel.fit
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
        for j, item in enumerate(panel.exam.items)
    ]


def _examinee_score(
    examinee: Examinee,
    exam: Exam,
    own: Sequence[tuple[Response, GradeResult]],
    measured: _Measured | None,
    seed: int,
    clusters: QuestionClusters,
) -> ExamineeScore:
    known, times = _known(exam), occasions_of(own)
    answered, counted = [r for r, _ in own if r.failure is None], failures_wrong(own)
    means = over_occasions(counted)
    result = accuracy(means, clusters, times)
    of_answers = accuracy(over_occasions(g for r, g in own if r.failure is None), clusters, times)
    others = accuracy([g for g in means if g.item_id not in known], clusters, times) if known else None
    shows_options = {shown.item.id for shown in exam.items if not shown.item.is_open}
    return ExamineeScore(
        examinee=examinee,
        asked=len(own),
        graded=sum(isinstance(g, Grade) for g in counted),
        correct=round(sum(g.score for g in counted if isinstance(g, Grade))),
        accuracy=result.share,
        accuracy_answered=of_answers.share,
        accuracy_not_known=others.share if others else None,
        ability=measured.ability if measured else None,
        expected_score=measured.expected_score if measured else None,
        person_fit=measured.person_fit if measured else None,
        failures=dict(sorted(Counter(r.failure.kind.value for r, _ in own if r.failure).items())),
        no_choice=sum(r.choice is None for r in answered if r.item_id in shows_options),
        usage=system_usage(exam, answered),
        retrieval=retrieval_score(exam, [r for r, _ in own if not r.occasion], seed),
        stability=stability(list(zip((r for r, _ in own), counted, strict=True))),
    )


def _item_scores(
    exam: Exam, responses: Sequence[Response], grades: Sequence[GradeResult], panel: Panel | None
) -> tuple[ItemScore, ...]:
    parameters, information = dict[str, ItemParameters](), dict[str, float]()
    if panel:
        fit = panel.fit
        parameters = {p.item_id: p for p in _parameters(panel)}
        told = expected_information(fit.theta, fit.a, fit.b, fit.c).tolist()
        information = {shown.item.id: each for shown, each in zip(exam.items, told, strict=True)}
    rows = zip(item_statistics(exam, grades), option_counts(exam, responses), strict=True)
    return tuple(
        ItemScore(
            item_id=s.item_id,
            graded=s.graded,
            proportion_correct=s.proportion_correct,
            point_biserial=s.point_biserial,
            option_counts=c.chosen,
            parameters=parameters.get(s.item_id),
            information=information.get(s.item_id),
        )
        for s, c in rows
    )


def _groups(exam: Exam, grades: Sequence[GradeResult], clusters: QuestionClusters) -> tuple[GroupScore, ...]:
    found = []
    for name, attribute in ATTRIBUTES.items():
        # nearly every exam is of one format, and says so nowhere
        if name == FORMAT and len({format_of(shown) for shown in exam.items}) < 2:
            continue
        if name == TURN and not any(shown.item.history for shown in exam.items):
            continue
        for examinee_id, levels in sorted(accuracy_by(exam, grades, attribute, clusters).items()):
            for level, result in sorted(levels.items()):
                share = result.share
                if share is not None:
                    found.append(
                        GroupScore(
                            examinee_id=examinee_id,
                            attribute=name,
                            level=level,
                            items=result.graded,
                            accuracy=share,
                        )
                    )
    return tuple(found)


def _baselines(exam: Exam) -> dict[str, float]:
    shares = {f"always {option_letter(n)}": share for n, share in enumerate(fixed_choice_baselines(exam))}
    longest = longest_option_baseline(exam)
    return shares if longest is None else {**shares, "longest option": longest}


def _notes(found: Panel | NothingToCompare, rows: Sequence[ExamineeScore], left: Set[str]) -> Iterator[Note]:
    if isinstance(found, Panel):
        changed = any(row.stability and row.stability.changed.value for row in rows)
        yield from (_of_first(note) if changed else note for note in fit_notes(found, left))
    elif rows:
        yield Note(code=NoteCode.NO_ABILITIES, reason=found.problem)
    if beside := sum(bool(row.examinee.manufactured) for row in rows):
        yield Note(code=NoteCode.MANUFACTURED, count=beside, of=len(rows))
    yield from (_failure_note(row, row.accuracy) for row in rows if row.failures and row.accuracy)
    if isinstance(found, Panel):
        yield from _stray_notes(rows)


def _of_first(note: Note) -> Note:
    return note.model_copy(update={"reason": FIRST_OCCASION}) if note.code in OF_ALL_ALIKE else note


def _failure_note(row: ExamineeScore, counted: Estimate) -> Note:
    figures = {"accuracy": counted.value}
    if not row.failing and row.accuracy_answered:
        figures["answered"] = row.accuracy_answered.value
    return Note(
        code=NoteCode.FAILED_UNRANKED if row.failing else NoteCode.FAILED_WRONG,
        examinees=(row.examinee.id,),
        count=sum(row.failures.values()),
        of=row.asked,
        figures=figures,
    )


def _stray_notes(rows: Sequence[ExamineeScore]) -> Iterator[Note]:
    fits = [np.nan if row.person_fit is None else row.person_fit for row in rows]
    for row, fit, stray in zip(rows, fits, strays(np.array(fits)), strict=True):
        if stray:
            yield Note(code=NoteCode.STRAY, examinees=(row.examinee.id,), figures={"person_fit": fit})
