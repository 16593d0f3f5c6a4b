"""Those who sat an exam, as the response model takes them: right and wrong, formats of the items, components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.core.records import Exam, Examinee, ExamItem
from viva.metrics.irt import Fit, NothingToCompare, binarised
from viva.metrics.irt import fit as fit_irt
from viva.metrics.irt.checks import levels_of
from viva.metrics.irt.evidence import OPEN, OPTIONS_OF_CHOICE
from viva.metrics.irt.formats import ItemFormats, item_formats
from viva.metrics.irt.inputs import Floats

REFERENCES = frozenset({"oracle", "closed-book"})
"""Levels of components that mark the range of what can be had, and are no candidates."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Responses (n, m) of 1, 0 and nan, rows as `examinees` and columns as the exam's items, and the fit to them.

    `components` holds those in which the examinees differ: name -> level of each (None: it has none).
    """

    exam: Exam
    examinees: tuple[Examinee, ...]
    responses: Floats
    components: Mapping[str, tuple[str | None, ...]]
    fit: Fit

    @property
    def levels(self) -> dict[str, list[str]]:
        """The components with a word for the level of those that have none."""
        return levels_of(self.components)

    @property
    def field(self) -> Floats:
        """Abilities of the systems; of the references where there is nobody else."""
        rows = zip(self.examinees, self.fit.theta.tolist(), strict=True)
        theta = [ability for examinee, ability in rows if not REFERENCES & set(examinee.components.values())]
        return np.array(theta) if theta else self.fit.theta


def panel_of(exam: Exam, examinees: Sequence[Examinee], scores: ArrayLike) -> Panel | NothingToCompare:
    """The model fitted to scores (examinees, items) from 0 to 1, nan for not graded.

    Multiple choice is 3PL with guessing near 1/options, an open question 2PL without guessing; a score is right from
    .5 on (irt.binarised). Raises UsageError for a score outside 0 to 1.
    """
    responses, given = binarised(scores), _components(examinees)
    models, options = zip(*(_format(item) for item in exam.items), strict=True) if exam.items else ((), ())
    try:
        fit = fit_irt(
            responses,
            components=given,
            model=models,
            # an open question has no guessing that options could tell of
            options=[max(count, OPTIONS_OF_CHOICE) for count in options],
            examinees=[each.id for each in examinees],
        )
    except NothingToCompare as too_few:
        return too_few
    return Panel(exam, tuple(examinees), responses, given, fit)


def fit_panel(exam: Exam, examinees: Sequence[Examinee], scores: ArrayLike) -> Fit | NothingToCompare:
    """The fit of panel_of alone."""
    panel = panel_of(exam, examinees, scores)
    return panel.fit if isinstance(panel, Panel) else panel


def option_numbers(exam: Exam) -> list[int]:
    """How many options each item has, as the checks take them: 0 for an open question."""
    return [_format(item)[1] for item in exam.items]


def formats_of(exam: Exam) -> ItemFormats:
    """The formats that panel_of fits."""
    options = [max(count, OPTIONS_OF_CHOICE) for count in option_numbers(exam)]
    return item_formats(len(exam.items), [_format(item)[0] for item in exam.items], None, options)


def varying_components(components: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The components in which the examinees that name them differ: one level that several share explains nothing."""
    carried: dict[str, list[str]] = {}
    for own in components:
        for name, level in own.items():
            carried.setdefault(name, []).append(level)
    shared = {name for name, found in carried.items() if len(found) > 1 and len(set(found)) == 1}
    return [{name: level for name, level in own.items() if name not in shared} for own in components]


def _format(shown: ExamItem) -> tuple[str, int]:
    """The model of an item and its number of options."""
    if shown.item.is_open or len(shown.options) < OPTIONS_OF_CHOICE:
        return "2pl", OPEN
    return "3pl", len(shown.options)


def _components(examinees: Sequence[Examinee]) -> dict[str, tuple[str | None, ...]]:
    own = varying_components([each.components for each in examinees])
    names = sorted({name for components in own for name in components})
    return {name: tuple(components.get(name) for components in own) for name in names}
