"""What an exam tells of those who sat it: information, contrasts of components and checks of items, as one record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite

import numpy as np

from viva.core import scores
from viva.core.notes import Note, NoteCode
from viva.core.records import ExamItem, Response
from viva.metrics.exam import format_of
from viva.metrics.irt.checks.additivity import SIGNIFICANT
from viva.metrics.irt.checks.all_checks import Checks, Choices, checks_of
from viva.metrics.irt.checks.competing_keys import NOT_CHOSEN
from viva.metrics.irt.checks.flags import item_flags
from viva.metrics.irt.checks.item_fit import MeanSquares
from viva.metrics.irt.information import (
    ExamInformation,
    InformationOfGroup,
    detectable_difference,
    exam_information,
    group_information,
)
from viva.metrics.irt.level_contrasts import LevelContrasts, level_contrasts
from viva.metrics.irt.model.curves import information_3pl
from viva.metrics.irt.model.responses import NotJudged
from viva.metrics.panel import Panel, option_numbers

# two systems this far apart on the ability scale answer visibly differently: .5 either way is a fair ruler
FAIR_SE = 0.5
# the checks of more cells take minutes, and scoring should not
MOST_CELLS = 400_000
FORMAT = "format"
ATTRIBUTES: dict[str, Callable[[ExamItem], Sequence[str]]] = {
    "topic": lambda shown: [shown.item.topic],
    "question type": lambda shown: [shown.item.question_type.value],
    "Bloom level": lambda shown: [level.value for level in shown.item.bloom],
    "kind": lambda shown: [shown.item.kind.value],
    FORMAT: lambda shown: [format_of(shown)],
}
_APART = 3
_CURVE = np.linspace(-4.0, 4.0, 33)
_CHECKS = (
    "mean_squares",
    "score_fit",
    "dependence",
    "faults",
    "leaks",
    "level_differences",
    "additivity",
    "second_dimension",
)


def panel_information(panel: Panel) -> ExamInformation:
    """Where the exam measures to within .5, and what it tells apart in the middle of the user's systems."""
    fit, own = panel.fit, panel.own
    middle = float(np.median(own if len(own) > 1 else panel.field))
    return exam_information(fit.places, fit.a, fit.b, fit.c, se_below=FAIR_SE, middle=middle)


def _detectable(panel: Panel, information: ExamInformation) -> scores.DetectableDifference:
    """The smallest difference that is found, of a pair alone and among all pairs of the user's systems."""
    fit, systems, alone = panel.fit, len(panel.own), information.detectable
    pairs = systems * (systems - 1) // 2
    among = detectable_difference(information.middle, fit.a, fit.b, fit.c, pairs=pairs) if pairs > 1 else None
    return scores.DetectableDifference(
        middle=information.middle,
        ability=alone.theta,
        score=alone.score,
        detectable=alone.detectable,
        exact=True,
        systems=systems,
        among_systems=among.score if among and among.detectable else None,
    )


def informative_groups(panel: Panel) -> dict[str, tuple[InformationOfGroup, ...]]:
    """Information over the systems' abilities by each attribute in which the items differ."""
    fit, found = panel.fit, dict[str, tuple[InformationOfGroup, ...]]()
    for name, attribute in ATTRIBUTES.items():
        groups: dict[str, list[int]] = {}
        for place, shown in enumerate(panel.exam.items):
            for level in attribute(shown):
                groups.setdefault(level, []).append(place)
        if len(groups) > 1:
            found[name] = group_information(panel.field, fit.a, fit.b, fit.c, groups)
    return found


def panel_contrasts(panel: Panel) -> LevelContrasts | NotJudged:
    """All pairs of levels of the panel's components."""
    return level_contrasts(panel.fit, panel.components)


def panel_checks(panel: Panel, choices: Choices) -> Checks | NotJudged:
    """Every check of the panel's fit; NotJudged where there are too many answers to be searched."""
    if panel.responses.size > MOST_CELLS:
        return NotJudged(f"{panel.responses.size:,} answers are too many to be searched for faults")
    return checks_of(
        panel.fit,
        panel.responses,
        panel.components,
        options=option_numbers(panel.exam),
        seed=0,
        choices=choices,
    )


def choices_of(panel: Panel, responses: Iterable[Response]) -> Choices:
    """The options chosen in those of the `responses` that are the panel's and were graded."""
    rows = {each.id: row for row, each in enumerate(panel.examinees)}
    columns = {shown.item.id: column for column, shown in enumerate(panel.exam.items)}
    chosen = np.full(panel.responses.shape, NOT_CHOSEN, dtype=np.int64)
    for response in responses:
        row, column = rows.get(response.examinee_id), columns.get(response.item_id)
        if row is None or column is None or response.choice is None:
            continue
        if not np.isnan(panel.responses[row, column]) and response.choice < len(panel.exam.items[column].options):
            chosen[row, column] = response.choice
    return Choices(chosen, np.array([shown.key_position for shown in panel.exam.items], dtype=np.int64))


def measurement(panel: Panel, choices: Choices) -> scores.Measurement:
    """All of it as a record for RUN/scores.json."""
    information, contrasts = panel_information(panel), panel_contrasts(panel)
    checks = panel_checks(panel, choices)
    ids = [shown.item.id for shown in panel.exam.items]
    # reasons name items as `viva items` does
    flags = () if isinstance(checks, NotJudged) else item_flags(checks, ids, names=[item_id[:8] for item_id in ids])
    return scores.Measurement(
        method=panel.fit.message,
        converged=panel.fit.converged,
        model=panel.fit.model,
        second_dimension=_second_dimension(checks),
        dimension_note=_dimension_note(panel, checks),
        best=information.best,
        best_se=_finite(information.best_se),
        se_below=information.se_below,
        ranges=information.ranges,
        inside=information.inside,
        curve=_curve(panel),
        detectable=_detectable(panel, information),
        groups=_groups(panel),
        contrasts=() if isinstance(contrasts, NotJudged) else contrasts.pairs,
        adjustment="" if isinstance(contrasts, NotJudged) else contrasts.adjustment,
        flags=flags,
        read_first=() if isinstance(checks, NotJudged) else tuple(ids[place] for place in checks.read_first),
        nobody_right=() if isinstance(checks, NotJudged) else tuple(ids[place] for place in checks.nobody_right),
        checks=_findings(panel, checks, ids),
        not_made=_not_made(checks, contrasts),
        notes=() if isinstance(checks, NotJudged) else checks.notes,
    )


def _findings(panel: Panel, checks: Checks | NotJudged, ids: Sequence[str]) -> scores.CheckFindings:
    """What a report shows of the checks and no flag says."""
    rows = [each.id for each in panel.examinees]
    if isinstance(checks, NotJudged):
        return scores.CheckFindings(witnesses=len(rows), copies=(), curves=(), additivity=None)
    tested = checks.additivity
    return scores.CheckFindings(
        witnesses=len(checks.witnesses.rows),
        copies=tuple((rows[copy], rows[original]) for copy, original in checks.witnesses.copies),
        curves=_curve_fits(checks.mean_squares, ids),
        additivity=None
        if isinstance(tested, NotJudged)
        else scores.AdditivityFinding(
            p_value=tested.p_value,
            residual_sd=tested.residual_sd,
            together=tuple((each.first, each.second) for each in tested.interactions if each.adjusted < SIGNIFICANT),
        ),
    )


def _curve_fits(squares: MeanSquares | NotJudged, ids: Sequence[str]) -> tuple[scores.CurveFit, ...]:
    if isinstance(squares, NotJudged):
        return ()
    names = ("infit", "infit_z", "outfit", "outfit_z")
    return tuple(
        scores.CurveFit(item_id=ids[place], **{name: float(getattr(squares, name)[place]) for name in names})
        for place in np.flatnonzero(squares.judged).tolist()
    )


def _dimension_note(panel: Panel, checks: Checks | NotJudged) -> Note | None:
    """What a second ability explains, where it matters, and whom it sets apart; None elsewhere."""
    second = checks if isinstance(checks, NotJudged) else checks.second_dimension
    if isinstance(checks, NotJudged) or isinstance(second, NotJudged) or not second.matters:
        return None
    order = [int(checks.witnesses.rows[place]) for place in np.argsort(second.places, kind="stable")]
    one, other = (tuple(panel.examinees[n].id for n in some) for some in (order[-_APART:][::-1], order[:_APART]))
    figures = {"gain": second.gain.value, "low": second.gain.low, "high": second.gain.high}
    return Note(code=NoteCode.SECOND_DIMENSION, examinees=one, others=other, figures=figures)


def _second_dimension(checks: Checks | NotJudged) -> scores.Estimate | None:
    second = checks if isinstance(checks, NotJudged) else checks.second_dimension
    return None if isinstance(second, NotJudged) else second.gain


def _curve(panel: Panel) -> tuple[scores.InformationPoint, ...]:
    fit = panel.fit
    information = information_3pl(_CURVE, fit.a, fit.b, fit.c).sum(axis=1)
    return tuple(
        scores.InformationPoint(ability=ability, information=told, se=told**-0.5 if told > 0 else None)
        for ability, told in zip(_CURVE.tolist(), information.tolist(), strict=True)
    )


def _groups(panel: Panel) -> tuple[scores.GroupInformation, ...]:
    return tuple(
        scores.GroupInformation(
            attribute=attribute, level=each.name, items=each.items, share=each.share, per_item=each.per_item
        )
        for attribute, groups in informative_groups(panel).items()
        for each in groups
    )


def _not_made(checks: Checks | NotJudged, contrasts: LevelContrasts | NotJudged) -> dict[str, str]:
    every = {name: checks if isinstance(checks, NotJudged) else getattr(checks, name) for name in _CHECKS}
    named: dict[str, object] = {"contrasts": contrasts, **every}
    return {name: found.reason for name, found in named.items() if isinstance(found, NotJudged)}


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
