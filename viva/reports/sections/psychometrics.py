"""What the scores say of the exam as a measure, in words: where it measures, which parts differ, whether they add up.

All of it is stored with the scores: a report fits no model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from viva.core.note_words import nothing_separates
from viva.core.notes import NoteCode
from viva.core.records import ItemParameters
from viva.core.scores import GroupInformation, LevelContrast, Measurement, Scores
from viva.core.wording import counted, listed, number, p_value, plain
from viva.metrics.irt.checks.additivity import SIGNIFICANT
from viva.metrics.irt.model.curves import probability_3pl
from viva.reports.data import ReportData
from viva.reports.sections.items import ItemView
from viva.reports.sections.pairs import GradeBook
from viva.reports.sections.systems import REFERENCES, SystemRow

Floats = NDArray[np.float64]

# components with more levels are shown against their best level only: 15 pairs can be read, 210 cannot
MOST_LEVELS = 6


@dataclass(frozen=True, eq=False)
class MeasurementView:
    """The measurement of this exam: `rows` have an ability, `views` parameters, `responses` (n, m) are theirs.

    Right, wrong and not graded or failed are 1, 0 and nan. Questions that the scores set aside are no columns.
    """

    scores: Scores
    measured: Measurement
    rows: tuple[SystemRow, ...]
    views: tuple[ItemView, ...]
    responses: Floats

    @cached_property
    def theta(self) -> Floats:
        """Abilities (n,); bounds where the exam does not measure them."""
        return np.array([row.score.ability.place for row in self.rows if row.score.ability])

    @cached_property
    def parameters(self) -> tuple[ItemParameters, ...]:
        """Those of the m questions."""
        return tuple(view.parameters for view in self.views if view.parameters)

    @cached_property
    def a(self) -> Floats:
        """Discriminations (m,)."""
        return np.array([each.discrimination for each in self.parameters])

    @cached_property
    def b(self) -> Floats:
        """Difficulties (m,)."""
        return np.array([each.difficulty for each in self.parameters])

    def curves(self, theta: Floats) -> Floats:
        """Probability of the key at abilities (k,), of shape (k, m)."""
        return np.asarray(
            probability_3pl(theta, self.a, self.b, np.array([each.guessing for each in self.parameters]))
        )

    @property
    def groups(self) -> dict[str, tuple[GroupInformation, ...]]:
        """Information over the systems' abilities by topic, question type, Bloom level and kind, where these vary."""
        names = dict.fromkeys(each.attribute for each in self.measured.groups)
        return {name: tuple(each for each in self.measured.groups if each.attribute == name) for name in names}


def measurement(
    data: ReportData, rows: Sequence[SystemRow], views: Sequence[ItemView], book: GradeBook
) -> MeasurementView | str:
    """What the scores hold; or why they hold none, in words."""
    placed = tuple(row for row in rows if row.score.ability)
    columns = [place for place, view in enumerate(views) if view.parameters]
    measured = data.scores.measurement
    if measured is None or not placed or not columns or nothing_separates(data.scores):
        return _reason(data.scores, book)
    grades = [[book.rows[row.id][place] for place in columns] for row in placed]
    values = np.array([[np.nan if grade is None else grade for grade in own] for own in grades])
    return MeasurementView(data.scores, measured, placed, tuple(views[place] for place in columns), values)


def _reason(scores: Scores, book: GradeBook) -> str:
    if all(grade is None for own in book.rows.values() for grade in own):
        return "no answer could be graded"
    if nothing_separates(scores):
        return "no question tells two systems apart"
    told = [note.reason for note in scores.notes if note.code == NoteCode.NO_ABILITIES]
    return told[0] if told else "the scores are of an earlier version (viva score makes them anew)"


def measured_sentence(found: MeasurementView) -> str:
    """Where the exam measures well, and how many abilities of those who sat it are there."""
    told, within = found.measured, found.measured.se_below
    if not told.ranges:
        return f"Nowhere is ability known to within {within}: the exam is too short for that."
    spans = listed([f"from {number(one.low, 1)} to {number(one.high, 1)}" for one in told.ranges])
    only = "only " if 2 * told.inside < len(found.rows) else ""
    there = f"{told.inside} of {counted(len(found.rows), 'system')} {'is' if told.inside == 1 else 'are'} there"
    return f"Ability is known to within {within} {only}{spans}; {there}."


def scale_sentence(found: MeasurementView) -> str:
    """What a step on the ability scale means for the median question of this exam."""
    median = float(np.median(found.a))
    return (
        f"The median question here has discrimination {number(median, 1)}: on it, a step of 1 turns even odds "
        f"(beyond guessing) into {number(float(np.exp(median)), 1)} to 1."
    )


def differences(found: MeasurementView) -> dict[str, tuple[LevelContrast, ...]]:
    """By component, every pair of its levels, widest first; against the best level alone where there are many."""
    shown: dict[str, tuple[LevelContrast, ...]] = {}
    for name in dict.fromkeys(each.component for each in found.measured.contrasts):
        levels = {each.level: each.effect for each in found.scores.effects if each.component == name}
        best = max(levels, key=lambda level: (levels[level], level), default="")
        own = [each.better_first() for each in found.measured.contrasts if each.component == name]
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
        which = "The one pair of levels is not" if len(every) == 1 else f"None of the {len(every)} pairs of levels is"
        return f"{which} told apart."
    kept = plain_levels(told)
    aside = ", references aside" if len(kept) < len(told) else ""
    widest = max(kept, key=lambda each: each.score.value)
    score = widest.score
    which = f"{len(told)} of the {len(every)} pairs of levels {'is' if len(told) == 1 else 'are'}"
    which = "The one pair of levels is" if len(every) == 1 else which
    return (
        f"{which} told apart. The {'difference' if len(told) == 1 else 'widest difference'}"
        f"{aside}: {widest.level} over {widest.reference} ({plain(widest.component)}), "
        f"{number(100 * score.value, 0)} points of expected accuracy (95% interval "
        f"{number(100 * score.low, 0)} to {number(100 * score.high, 0)})."
    )


def additivity_sentence(found: MeasurementView) -> str:
    """Whether the parts add up, in words; or why that cannot be said; '' in scores of an earlier version."""
    if found.measured.checks is None:
        return ""
    tested = found.measured.checks.additivity
    if tested is None:
        reason = found.measured.not_made.get("additivity", "no check was made")
        return f"Whether parts work together otherwise than one by one could not be tested: {reason}."
    together = [f"{plain(first)} with {plain(second)}" for first, second in tested.together]
    tail = f" These work together better or worse than apart: {listed(together)}." if together else ""
    if tested.p_value >= SIGNIFICANT and not together:
        return f"No sign that parts work together otherwise than one by one ({p_value(tested.p_value)})."
    return (
        f"The parts do not simply add up (test of additivity, {p_value(tested.p_value)}): systems are off the sum "
        f"of their parts by a standard deviation of {number(tested.residual_sd, 1)}.{tail}"
    )
