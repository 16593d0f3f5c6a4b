"""Examinees whose answers refine an exam: who chooses its items, who is kept to judge them, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from viva.core.ids import content_hash
from viva.core.records import Exam, Examinee, ExamItem
from viva.metrics.irt import Fit, NothingToCompare, common_items, link, slope_scores
from viva.metrics.irt.linking.constants import AnchorItems
from viva.metrics.panel import fit_panel
from viva.optimizers.refinement import ItemCalibration

Floats = NDArray[np.float64]

FEWEST = 5
"""Examinees that say something of an item, be it in choosing or in judging."""
KEPT_SHARE = 3
"""Of so many examinees one is kept for judging, if that leaves `FEWEST` on both sides."""


@dataclass
class Answers:
    """Graded answers: of each item a column (n,) of 1, 0 and nan, in the order of the examinees.

    `shown` holds the items themselves, by id. Items may be added.
    """

    examinees: tuple[Examinee, ...]
    columns: dict[str, Floats]
    shown: dict[str, ExamItem]

    def matrix(self, items: Sequence[str]) -> Floats:
        """Grades (n, m) of these items."""
        return np.column_stack([self.columns[item] for item in items])

    def of(self, ids: Sequence[str]) -> Answers:
        """The same of some of the examinees, in this order."""
        place = {examinee.id: n for n, examinee in enumerate(self.examinees)}
        rows = [place[each] for each in ids]
        columns = {item: column[rows] for item, column in self.columns.items()}
        return Answers(tuple(self.examinees[row] for row in rows), columns, dict(self.shown))


@dataclass(frozen=True)
class Split:
    """Ids of examinees whose answers choose items, and of those kept for judging (none where they are too few).

    `copies` names pairs of which the first answered every question as the second did: it has no say.
    """

    choosing: tuple[str, ...]
    judging: tuple[str, ...]
    copies: tuple[tuple[str, str], ...]


def split(answers: Answers, items: Sequence[str], spent: Sequence[str] = ()) -> Split:
    """Who chooses and who judges, by the hash of the examinees' ids.

    `spent` have chosen items of this exam before and can no longer judge it. Examinees of the same answers throughout
    count once: kept for judging, a copy would see what the other has chosen.
    """
    matrix = answers.matrix(items)
    first: dict[bytes, str] = {}
    copies = []
    for row, examinee in sorted(zip(matrix, answers.examinees, strict=True), key=lambda pair: pair[1].id):
        original = first.setdefault(row.tobytes(), examinee.id)
        if original != examinee.id:
            copies.append((examinee.id, original))
    used = set(spent) | {original for copy, original in copies if copy in spent}
    order = sorted(first.values(), key=lambda each: content_hash("kept for judging", each))
    fresh = [each for each in order if each not in used]
    wanted = max(FEWEST, len(order) // KEPT_SHARE)
    judging = fresh[:wanted] if len(fresh) >= FEWEST and len(order) - wanted >= FEWEST else []
    choosing = [each for each in order if each not in judging]
    return Split(tuple(sorted(choosing)), tuple(sorted(judging)), tuple(copies))


@dataclass
class PanelScale:
    """Calibrates items by these examinees' answers, each time on the scale of the first (through common items)."""

    answers: Answers
    notes: list[str] = field(default_factory=list)
    """what a reader must know of the fits"""
    latest: ItemCalibration | None = None
    _first: tuple[tuple[str, ...], Fit] | None = None

    def refit(self, items: Sequence[str]) -> ItemCalibration:
        """These items alone, with their slope scores. Raises what fit and link raise."""
        names, matrix = tuple(items), self.answers.matrix(items)
        found = self._fit(names, matrix)
        if self._first is None:
            self._first = (names, found)
        theta, a, b = self._on_first_scale(names, found)
        topics = tuple(self.answers.shown[item].item.topic for item in names)
        calibration = ItemCalibration(theta, a, b, found.c, slope_scores(matrix, found.theta), topics)
        self.latest = calibration
        return calibration

    def _fit(self, names: tuple[str, ...], matrix: Floats) -> Fit:
        exam = Exam(id="", items=tuple(self.answers.shown[item] for item in names))
        found = fit_panel(exam, self.answers.examinees, matrix, like=self._first[1] if self._first else None)
        if isinstance(found, NothingToCompare):
            raise found
        if not found.converged:
            self.notes.append(f"A fit to {len(names)} items did not converge ({found.message}).")
        return found

    def _on_first_scale(self, names: tuple[str, ...], found: Fit) -> tuple[Floats, Floats, Floats]:
        if self._first is None or self._first[1] is found:
            return found.theta, found.a, found.b
        old_names, old = self._first
        before, after = common_items(old_names, names)
        linked = link(_anchors(old, before), _anchors(found, after), theta=old.theta, purify=False, resamples=2)
        return (
            linked.slope * found.theta + linked.shift,
            found.a / linked.slope,
            linked.slope * found.b + linked.shift,
        )


@dataclass
class JudgingPanel:
    """What exams tell about examinees whose answers did not choose them, by those answers alone.

    All items ever seen are calibrated together, so that exams are compared on one calibration; when items have come,
    on the scale of the one before.
    """

    scale: PanelScale
    _seen: tuple[str, ...] = ()
    _all: ItemCalibration | None = None

    def __call__(self, items: Sequence[str]) -> ItemCalibration:
        """The calibration of these items. Raises what fit and link raise."""
        every = tuple(dict.fromkeys([*self._seen, *items]))
        if self._all is None or every != self._seen:
            self._seen, self._all = every, self.scale.refit(every)
        place = {item: n for n, item in enumerate(self._seen)}
        chosen = [place[item] for item in items]
        found = self._all
        return ItemCalibration(found.theta, found.a[chosen], found.b[chosen], found.c[chosen])


def _anchors(found: Fit, places: NDArray[np.int64]) -> AnchorItems:
    return AnchorItems(found.a[places], found.b[places], found.c[places])
