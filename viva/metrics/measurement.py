"""What an exam tells of those who sat it: information, contrasts of components and checks of items, as one record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite

import numpy as np

from viva.core import scores
from viva.core.notes import Note, NoteCode
from viva.core.records import ExamItem, Response
from viva.core.wording import listed
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
from viva.metrics.irt.model.curves import information_3pl, probability_3pl
from viva.metrics.irt.model.responses import Bools, NotJudged
from viva.metrics.irt.reliability import reliability
from viva.metrics.panel import REFERENCES, Panel, is_own, option_numbers

# two systems this far apart on the ability scale answer visibly differently: .5 either way is a fair ruler
FAIR_SE = 0.5
# the checks of more cells take minutes, and scoring should not
MOST_CELLS = 400_000
# a variance of fewer systems is known too badly to be worth their own line
FEWEST_OWN = 5
FORMAT = "format"
_LAST_TURN = 3
"""From which on turns are counted together."""
ATTRIBUTES: dict[str, Callable[[ExamItem], Sequence[str]]] = {
    "topic": lambda shown: [shown.item.topic],
    "question type": lambda shown: [shown.item.question_type.value],
    "Bloom level": lambda shown: [level.value for level in shown.item.bloom],
    "kind": lambda shown: [shown.item.kind.value],
    FORMAT: lambda shown: [format_of(shown)],
    scores.TURN: lambda shown: [str(shown.item.turn) if shown.item.turn < _LAST_TURN else f"{_LAST_TURN}+"],
}
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


def _detectable(panel: Panel, information: ExamInformation, effect: float) -> scores.DetectableDifference:
    """The smallest difference that is found, of a pair alone and among all pairs of the user's systems.

    By the questions that both of a pair were asked. It grows with the standard error of a difference where questions
    of one document hang together.
    """
    fit, systems, middle, wider = panel.fit, len(panel.own), information.middle, effect**0.5
    common, pairs = _common_questions(panel)
    items = (fit.a[common], fit.b[common], fit.c[common])
    alone = detectable_difference(middle, *items)
    among = detectable_difference(middle, *items, pairs=pairs) if systems > 1 and pairs > 1 else None
    return scores.DetectableDifference(
        middle=middle,
        ability=alone.theta * wider,
        score=min(1.0, alone.score * wider),
        detectable=alone.detectable,
        exact=True,
        systems=systems,
        among_systems=min(1.0, among.score * wider) if among and among.detectable else None,
        accuracy=float(probability_3pl([middle], *items).mean()),
        questions=int(common.sum()),
    )


def _common_questions(panel: Panel) -> tuple[Bools, int]:
    """Those (m,) of the pair of the user's systems that has the median number in common, and how many pairs have any.

    Of all systems' pairs where the user has fewer than two systems.
    """
    own = [n for n, each in enumerate(panel.examinees) if is_own(each)]
    asked = ~np.isnan(panel.fit.responses[own if len(own) > 1 else slice(None)])
    counts = asked.astype(np.int64) @ asked.T.astype(np.int64)
    first, second = np.triu_indices(len(asked), k=1)
    compared = np.flatnonzero(counts[first, second])
    if not len(compared):
        return np.ones(asked.shape[1], dtype=bool), 0
    ordered = compared[np.argsort(counts[first, second][compared], kind="stable")]
    median = ordered[(len(ordered) - 1) // 2]
    return np.asarray(asked[first[median]] & asked[second[median]]), len(compared)


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


def measurement(panel: Panel, choices: Choices, pair_effect: float = 1.0) -> scores.Measurement:
    """All of it as a record for RUN/scores.json; `pair_effect`: the design effect of differences between systems."""
    information, contrasts = panel_information(panel), panel_contrasts(panel)
    checks = panel_checks(panel, choices)
    gain, specialists = _second_dimension(checks), _specialists(panel, checks)
    ids = [shown.item.id for shown in panel.exam.items]
    # reasons name items as `viva items` does
    flags = () if isinstance(checks, NotJudged) else item_flags(checks, ids, names=[item_id[:8] for item_id in ids])
    return scores.Measurement(
        method=panel.fit.message,
        converged=panel.fit.converged,
        model=panel.fit.model,
        second_dimension=gain,
        specialists=specialists,
        dimension_note=_dimension_note(gain, specialists),
        reliability=_reliability(panel, checks),
        best=information.best,
        best_se=_finite(information.best_se),
        se_below=information.se_below,
        ranges=information.ranges,
        inside=information.inside,
        curve=_curve(panel),
        detectable=_detectable(panel, information, pair_effect),
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


def _reliability(panel: Panel, checks: Checks | NotJudged) -> scores.Reliability:
    """Of the user's own systems; of all that are no reference, where there are few. Copies count once."""
    rows = list(range(len(panel.examinees))) if isinstance(checks, NotJudged) else checks.witnesses.rows.tolist()
    own = [row for row in rows if is_own(panel.examinees[row])]
    candidates = [row for row in rows if not REFERENCES & set(panel.examinees[row].components.values())]
    few = len(own) < FEWEST_OWN
    fit, kept = panel.fit, np.array(candidates if few else own, dtype=np.int64)
    found = reliability(fit.responses, fit.theta, fit.theta_se, fit.groups[0], kept)
    return found.model_copy(update={"own": not few})


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


def _specialists(panel: Panel, checks: Checks | NotJudged) -> tuple[scores.SpecialistGroup, ...]:
    """Who does better on which questions, where a second dimension matters."""
    second = checks if isinstance(checks, NotJudged) else checks.second_dimension
    if isinstance(checks, NotJudged) or isinstance(second, NotJudged) or not second.matters:
        return ()
    rows, items = checks.witnesses.rows.tolist(), panel.exam.items
    return tuple(
        scores.SpecialistGroup(
            examinees=tuple(panel.examinees[rows[place]].id for place in side.examinees),
            items=tuple(items[place].item.id for place in side.items),
            topics=side.topics,
        )
        for side in second.sides([shown.item.topic for shown in items])
    )


def _dimension_note(gain: scores.Estimate | None, groups: Sequence[scores.SpecialistGroup]) -> Note | None:
    """What a second dimension explains, where it matters, and whom it sets apart; None elsewhere."""
    if gain is None or not groups:
        return None
    one, other = groups
    return Note(
        code=NoteCode.SECOND_DIMENSION,
        examinees=one.examinees,
        others=other.examinees,
        names=(_questions_like(one), _questions_like(other)),
        figures={"gain": gain.value, "low": gain.low, "high": gain.high},
    )


def _questions_like(group: scores.SpecialistGroup) -> str:
    if group.topics:
        return f"those on {listed([f'“{topic}”' for topic in group.topics])}"
    return listed([item_id[:8] for item_id in group.items])


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
