"""What the response model says beyond the scores: what the exam tells apart, which parts differ, what tells most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from viva.core.scores import LevelContrast
from viva.core.wording import counted, listed, number, p_value, plain
from viva.metrics import measurement as measuring
from viva.metrics.irt import Fit
from viva.metrics.irt.checks.additivity import additivity, level_columns
from viva.metrics.irt.checks.unshrunk import unshrunk_abilities
from viva.metrics.irt.information import ExamInformation, InformationOfGroup
from viva.metrics.irt.model.responses import NotJudged
from viva.metrics.measurement import FAIR_SE
from viva.metrics.panel import Panel, panel_of
from viva.reports.data import ReportData
from viva.reports.sections.items import ItemView
from viva.reports.sections.pairs import GradeBook
from viva.reports.sections.systems import REFERENCES, SystemRow

Floats = NDArray[np.float64]

# components with more levels are shown against their best level only: 15 pairs can be read, 210 cannot
MOST_LEVELS = 6
_SAME_THETA = 0.05


@dataclass(frozen=True, eq=False)
class MeasurementView:
    """The panel of this exam: `rows` are those of its answers (n, m) and of its fit, `views` their columns.

    Questions that the scores set aside are no columns.
    """

    rows: tuple[SystemRow, ...]
    views: tuple[ItemView, ...]
    panel: Panel

    @property
    def responses(self) -> Floats:
        """Right, wrong and not graded or failed (1, 0, nan), of shape (n, m)."""
        return self.panel.responses

    @property
    def fit(self) -> Fit:
        """The model as it was fitted for the scores."""
        return self.panel.fit

    @cached_property
    def components(self) -> dict[str, list[str]]:
        """A component in which they differ -> the level of each row."""
        return self.panel.levels

    @cached_property
    def information(self) -> ExamInformation:
        """Where the exam measures well, and what it tells apart."""
        return measuring.panel_information(self.panel)

    @property
    def field(self) -> Floats:
        """Abilities of the systems; of the references where there is nobody else."""
        return self.panel.field

    @property
    def restated(self) -> bool:
        """The abilities stored with the scores are others: another version estimated them."""
        stored = [row.score.ability.theta if row.score.ability else np.nan for row in self.rows]
        return not bool(np.all(np.abs(np.array(stored) - self.fit.theta) < _SAME_THETA))


def measurement(
    data: ReportData, rows: Sequence[SystemRow], views: Sequence[ItemView], book: GradeBook
) -> MeasurementView | NotJudged:
    """The model fitted as the scores were, with what they do not store; or why there is none."""
    exam = data.counted
    asked = {shown.item.id for shown in exam.items}
    counted = [place for place, view in enumerate(views) if view.shown.item.id in asked]
    grades = {row.id: [book.rows[row.id][place] for place in counted] for row in rows}
    graded = [row for row in rows if not row.score.failing and any(grade is not None for grade in grades[row.id])]
    if not graded or not counted:
        return NotJudged("no answer could be graded")
    values = [[np.nan if grade is None else grade for grade in grades[row.id]] for row in graded]
    failed = [[book.failed[row.id][place] for place in counted] for row in graded]
    panel = panel_of(exam, [row.score.examinee for row in graded], values, failed=failed)
    if not isinstance(panel, Panel):
        return NotJudged(panel.problem)
    return MeasurementView(tuple(graded), tuple(views[place] for place in counted), panel)


def measured_sentence(found: MeasurementView) -> str:
    """Where the exam measures well, and how many of those who sat it stand there."""
    told = found.information
    if not told.ranges:
        return f"Nowhere does it place an ability to within {FAIR_SE} (standard error): it is too short for that."
    spans = listed([f"from {number(one.low, 1)} to {number(one.high, 1)}" for one in told.ranges])
    return (
        f"It places abilities {spans} to within {FAIR_SE} (standard error); {told.inside} of the "
        f"{counted(len(found.rows), 'examinee')} stand there."
    )


def informative_groups(found: MeasurementView) -> dict[str, tuple[InformationOfGroup, ...]]:
    """Information over the systems' abilities by topic, question type, Bloom level and kind, where these vary."""
    return measuring.informative_groups(found.panel)


def differences(found: MeasurementView) -> dict[str, tuple[LevelContrast, ...]] | NotJudged:
    """By component, every pair of its levels, widest first; against the best level alone where there are many."""
    if not any(len(levels) > 1 for levels in found.fit.effects.values()):
        return {}
    compared = measuring.panel_contrasts(found.panel)
    if isinstance(compared, NotJudged):
        return compared
    shown: dict[str, tuple[LevelContrast, ...]] = {}
    for name, levels in found.fit.effects.items():
        best = max(levels, key=lambda level: (levels[level].estimate, level))
        own = [each.better_first() for each in compared.pairs if each.component == name]
        own = [each for each in own if len(levels) <= MOST_LEVELS or each.level == best]
        own.sort(key=lambda each: (-each.difference, each.level, each.reference))
        shown[name] = tuple(own)
    kept = [(name, own) for name, own in shown.items() if own]
    return dict(sorted(kept, key=lambda pair: (-pair[1][0].difference, pair[0])))


def plain_levels(found: Sequence[LevelContrast]) -> list[LevelContrast]:
    """Those between levels that are no references; all where there are no others."""
    plain_ones = [one for one in found if not {one.level, one.reference} & REFERENCES.keys()]
    return plain_ones or list(found)


def differences_sentence(found: Mapping[str, Sequence[LevelContrast]]) -> str:
    """How many pairs of levels the exam tells apart, and the widest difference in points."""
    every = [each for own in found.values() for each in own]
    told = [each for each in every if each.told_apart]
    if not told:
        return f"None of the {counted(len(every), 'pair')} of levels can be told apart."
    kept = plain_levels(told)
    aside = ", references aside" if len(kept) < len(told) else ""
    widest = max(kept, key=lambda each: each.score.value)
    score = widest.score
    return (
        f"{len(told)} of the {counted(len(every), 'pair')} of levels can be told apart. The widest difference"
        f"{aside}: {widest.level} over {widest.reference} ({plain(widest.component)}), "
        f"{number(100 * score.value, 0)} points of expected accuracy (95% interval "
        f"{number(100 * score.low, 0)} to {number(100 * score.high, 0)})."
    )


def additivity_sentence(found: MeasurementView) -> str:
    """Whether the parts add up, in words; or why that cannot be said."""
    fit = found.fit
    theta, cov = unshrunk_abilities(fit.responses, fit.a, fit.b, fit.c)
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
