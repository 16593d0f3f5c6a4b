"""What the response model says beyond the scores: what the exam tells apart, which parts differ, what tells most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt import Contrast, Fit
from viva.metrics.irt import fit as fit_irt
from viva.metrics.irt.additivity import additivity, level_columns
from viva.metrics.irt.information import (
    DetectableDifference,
    GroupInformation,
    detectable_difference,
    group_information,
    measured_ranges,
)
from viva.metrics.irt.inputs import NotJudged
from viva.metrics.irt.unshrunk import unshrunk_abilities
from viva.metrics.score import varying_components
from viva.reports.data import ReportData
from viva.reports.items import ItemView
from viva.reports.pairs import GradeBook
from viva.reports.systems import REFERENCES, SystemRow
from viva.reports.words import counted, listed, number, p_value, plain

Floats = NDArray[np.float64]

# components with more levels are shown against their best level only: 15 pairs can be read, 210 cannot
MOST_LEVELS = 6
# the joint distribution of more differences takes minutes
MOST_MAX_T, MOST_PAIRS = 400, 5000
# two systems this far apart on the ability scale answer visibly differently: .5 either way is a fair ruler
FAIR_SE = 0.5
_SAME_THETA = 0.05
NO_LEVEL = "(none)"
_ATTRIBUTES: dict[str, Callable[[ItemView], Sequence[str]]] = {
    "topic": lambda view: [view.shown.item.topic],
    "question type": lambda view: [view.shown.item.question_type.value],
    "Bloom level": lambda view: [level.value for level in view.shown.item.bloom],
}


@dataclass(frozen=True, eq=False)
class Measurement:
    """A fit of this exam: `rows` are those of `responses` (n, m) and of the fit, `views` its columns.

    `components` maps a component in which they differ to the level of each row.
    """

    rows: tuple[SystemRow, ...]
    views: tuple[ItemView, ...]
    responses: Floats
    fit: Fit
    components: Mapping[str, tuple[str, ...]]

    @property
    def field(self) -> Floats:
        """Abilities of the systems; of the references where there is nobody else."""
        theta = [float(t) for row, t in zip(self.rows, self.fit.theta, strict=True) if not row.reference]
        return np.array(theta) if theta else self.fit.theta

    @property
    def restated(self) -> bool:
        """The abilities stored with the scores are others: another version estimated them."""
        stored = [row.score.ability.theta if row.score.ability else np.nan for row in self.rows]
        return not bool(np.all(np.abs(np.array(stored) - self.fit.theta) < _SAME_THETA))


def measurement(
    data: ReportData, rows: Sequence[SystemRow], views: Sequence[ItemView], book: GradeBook
) -> Measurement | NotJudged:
    """The model fitted as the scores were, with what they do not store; or why there is none."""
    graded = [row for row in rows if any(grade is not None for grade in book.rows[row.id])]
    if not graded or not views:
        return NotJudged("no answer could be graded")
    grades = [[np.nan if grade is None else float(grade > 0) for grade in book.rows[row.id]] for row in graded]
    responses = np.array(grades, dtype=np.float64)
    own = varying_components([row.score.examinee.components for row in graded])
    names = sorted({name for levels in own for name in levels})
    try:
        fit = fit_irt(
            responses,
            components={name: [levels.get(name) for levels in own] for name in names},
            options=[max(len(shown.options), 2) for shown in data.exam.items],
            examinees=[row.id for row in graded],
        )
    except UsageError as refused:
        return NotJudged(refused.problem)
    components = {name: tuple(levels.get(name, NO_LEVEL) for levels in own) for name in names}
    return Measurement(tuple(graded), tuple(views), responses, fit, components)


def detectable(found: Measurement) -> DetectableDifference:
    """The smallest difference between two systems around the middle of the field that the exam finds in 4 of 5."""
    return detectable_difference(float(np.median(found.field)), found.fit.a, found.fit.b, found.fit.c)


def detectable_sentence(found: Measurement) -> str:
    """The same in plain words, in points of expected accuracy."""
    difference, questions = detectable(found), counted(len(found.views), "question")
    gap = counted(max(1, round(100 * difference.score)), "point")
    if not difference.detectable:
        return f"With {questions} this exam cannot be counted on to tell any two systems of this field apart."
    return (
        f"With {questions}, two systems in the middle of this field must differ by about {gap} of expected "
        "accuracy before this exam can be counted on to tell them apart."
    )


def measured_sentence(found: Measurement) -> str:
    """Where the exam measures well, and how many of those who sat it stand there."""
    fit = found.fit
    ranges = measured_ranges(fit.a, fit.b, fit.c, se_below=FAIR_SE)
    if not ranges:
        return f"Nowhere does it place an ability to within {FAIR_SE} (standard error): it is too short for that."
    spans = listed([f"from {number(one.low, 1)} to {number(one.high, 1)}" for one in ranges])
    inside = sum(any(one.low <= theta <= one.high for one in ranges) for theta in fit.theta.tolist())
    return (
        f"It places abilities {spans} to within {FAIR_SE} (standard error); {inside} of the "
        f"{counted(len(fit.theta), 'examinee')} stand there."
    )


def informative_groups(found: Measurement) -> dict[str, tuple[GroupInformation, ...]]:
    """Information over the systems' abilities by topic, question type and Bloom level, where these vary."""
    fit, shown = found.fit, dict[str, tuple[GroupInformation, ...]]()
    for name, attribute in _ATTRIBUTES.items():
        groups: dict[str, list[int]] = {}
        for place, view in enumerate(found.views):
            for level in attribute(view):
                groups.setdefault(level, []).append(place)
        if len(groups) > 1:
            shown[name] = group_information(found.field, fit.a, fit.b, fit.c, groups)
    return shown


@dataclass(frozen=True)
class Difference:
    """Two levels of a component, the better one first, on the ability scale and as a share of right answers.

    The interval of `ability` holds for all differences at once, that of `score` for this one alone.
    """

    ability: Contrast
    score: Contrast

    @property
    def told_apart(self) -> bool:
        """The simultaneous interval leaves out zero."""
        return self.ability.low > 0


def differences(found: Measurement) -> dict[str, tuple[Difference, ...]] | NotJudged:
    """By component, every pair of its levels, widest first; against the best level alone where there are many."""
    if np.isnan(found.fit.theta_se).any():
        return NotJudged(f"the method '{found.fit.method}' gives no standard errors")
    sizes = [len(levels) for levels in found.fit.effects.values()]
    pairs = sum(size * (size - 1) // 2 for size in sizes)
    if pairs > MOST_PAIRS:
        return NotJudged(f"{pairs:,} pairs of levels are too many to be compared")
    turned = [_better_first(one) for one in found.fit.contrasts(adjust="max-t" if pairs <= MOST_MAX_T else "holm")]
    shown: dict[str, tuple[Difference, ...]] = {}
    for name, levels in found.fit.effects.items():
        best = max(levels, key=lambda level: (levels[level].estimate, level))
        own = [c for c in turned if c.component == name and (len(levels) <= MOST_LEVELS or c.level == best)]
        own.sort(key=lambda contrast: (-contrast.estimate, contrast.level, contrast.reference))
        shown[name] = tuple(Difference(c, found.fit.score_contrast(name, c.level, c.reference)) for c in own)
    kept = [(name, own) for name, own in shown.items() if own]
    return dict(sorted(kept, key=lambda pair: (-pair[1][0].ability.estimate, pair[0])))


def _better_first(contrast: Contrast) -> Contrast:
    if contrast.estimate >= 0:
        return contrast
    return Contrast(
        component=contrast.component,
        level=contrast.reference,
        reference=contrast.level,
        estimate=-contrast.estimate,
        se=contrast.se,
        low=-contrast.high,
        high=-contrast.low,
        p_value=contrast.p_value,
    )


def plain_levels(found: Sequence[Difference]) -> list[Difference]:
    """Those between levels that are no references; all where there are no others."""
    plain_ones = [one for one in found if not {one.ability.level, one.ability.reference} & REFERENCES.keys()]
    return plain_ones or list(found)


def differences_sentence(found: Mapping[str, Sequence[Difference]]) -> str:
    """How many pairs of levels the exam tells apart, and the widest difference in points."""
    every = [difference for own in found.values() for difference in own]
    told = [difference for difference in every if difference.told_apart]
    if not told:
        return f"None of the {counted(len(every), 'pair')} of levels can be told apart."
    widest = max(plain_levels(told), key=lambda difference: difference.score.estimate)
    one, score = widest.ability, widest.score
    return (
        f"{len(told)} of the {counted(len(every), 'pair')} of levels can be told apart. The widest difference, "
        f"references aside: {one.level} over {one.reference} ({plain(one.component)}), "
        f"{number(100 * score.estimate, 0)} points of expected accuracy (95% interval "
        f"{number(100 * score.low, 0)} to {number(100 * score.high, 0)})."
    )


def additivity_sentence(found: Measurement) -> str:
    """Whether the parts add up, in words; or why that cannot be said."""
    fit = found.fit
    theta, cov = unshrunk_abilities(found.responses, fit.a, fit.b, fit.c)
    columns = {name: level_columns(levels) for name, levels in found.components.items()}
    tested = additivity(theta, cov, columns)
    if isinstance(tested, NotJudged):
        return f"Whether the parts simply add up could not be tested: {tested.reason}."
    together = [
        f"{plain(each.first)} with {plain(each.second)}" for each in tested.interactions if each.adjusted < 0.05
    ]
    tail = f" These work together better or worse than apart: {listed(together)}." if together else ""
    if tested.p_value >= 0.05 and not together:
        return (
            f"As far as this exam can see, the parts simply add up (test of additivity, {p_value(tested.p_value)}): "
            "no pair of them works together better than the two do apart."
        )
    return (
        f"The parts do not simply add up (test of additivity, {p_value(tested.p_value)}): systems stand off the sum "
        f"of their parts by a standard deviation of {number(tested.residual_sd)}.{tail}"
    )
