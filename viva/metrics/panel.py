"""Those who sat an exam, as the response model takes them: right and wrong, formats of the items, components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.core.records import Exam, Examinee, ExamItem
from viva.metrics.irt import Fit, NothingToCompare, binarised
from viva.metrics.irt.checks.fault_evidence import OPEN, OPTIONS_OF_CHOICE
from viva.metrics.irt.fit.estimation import fit as fit_irt
from viva.metrics.irt.fit.model_choice import AUTO
from viva.metrics.irt.model.responses import Floats

FEWEST_CALIBRATING = 8
"""Systems of which items are fitted to them alone."""
REFERENCES = frozenset({"oracle", "closed-book"})
"""Levels of components that mark the range of what can be had, and are no candidates."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Answers (n, m) of 1, 0 and nan, rows as `examinees` and columns as the exam's items, and the fit to them.

    A failure is nan here, for it says nothing of a question, and wrong in the responses of the fit.

    `components` holds those in which the examinees differ: name -> level of each (None: it has none).
    """

    exam: Exam
    examinees: tuple[Examinee, ...]
    responses: Floats
    components: Mapping[str, tuple[str | None, ...]]
    fit: Fit

    @property
    def field(self) -> Floats:
        """Abilities of the systems; of the references where there is no other."""
        theta = [ability for who, ability in self._rows() if not _marks_range(who)]
        return np.array(theta) if theta else self.fit.places

    @property
    def own(self) -> Floats:
        """Abilities of the user's own systems."""
        return np.array([ability for who, ability in self._rows() if is_own(who)])

    def _rows(self) -> Iterable[tuple[Examinee, float]]:
        return zip(self.examinees, self.fit.places.tolist(), strict=True)


def is_own(examinee: Examinee) -> bool:
    """Whether it is a system of the user's, and not one that viva made or that marks the range."""
    return not (examinee.manufactured or examinee.reference or _marks_range(examinee))


def _marks_range(examinee: Examinee) -> bool:
    return bool(REFERENCES & set(examinee.components.values()))


def panel_of(
    exam: Exam,
    examinees: Sequence[Examinee],
    scores: ArrayLike,
    *,
    failed: ArrayLike | None = None,
    like: Fit | None = None,
) -> Panel | NothingToCompare:
    """The model fitted to scores (examinees, items) from 0 to 1, nan for not graded.

    Where `failed` (examinees, items) is true, the fit counts a wrong answer. The model is the likeliest for these
    answers (irt.fit, "auto"), open questions without guessing; a score is right from .5 on (irt.binarised). Items are
    fitted to the systems: what marks the range has abilities from these items, and so has what viva manufactured
    where there are eight others. With
    `like`, the fit of another exam of this kind, the model is that fit's: only fits of one model can be linked.
    Raises UsageError for a score outside 0 to 1.
    """
    responses, given, options = binarised(scores), _components(examinees), option_numbers(exam)
    try:
        fit = fit_irt(
            responses if failed is None else np.where(failed, 0.0, responses),
            components=given,
            model=AUTO if like is None else like.formats.models[0],
            guessing=[0.0 if count == OPEN else np.nan for count in options],
            # an open question has no guessing that options could tell of
            options=[
                max(count, OPTIONS_OF_CHOICE) / (like.formats.share_of_chance if like else 1) for count in options
            ],
            examinees=[each.id for each in examinees],
            calibration=_calibrating(examinees),
        )
    except NothingToCompare as too_few:
        return too_few
    return Panel(exam, tuple(examinees), responses, given, fit)


def _calibrating(examinees: Sequence[Examinee]) -> list[bool]:
    """Whom items are fitted to: few systems tell of no item how hard it is, so those set beside them count too."""
    own = [not (each.manufactured or _marks_range(each)) for each in examinees]
    return own if sum(own) >= FEWEST_CALIBRATING else [not _marks_range(each) for each in examinees]


def fit_panel(
    exam: Exam, examinees: Sequence[Examinee], scores: ArrayLike, *, like: Fit | None = None
) -> Fit | NothingToCompare:
    """The fit of panel_of alone."""
    panel = panel_of(exam, examinees, scores, like=like)
    return panel.fit if isinstance(panel, Panel) else panel


def option_numbers(exam: Exam) -> list[int]:
    """How many options each item has, as the checks take them: 0 for an open question."""
    return [_options(item) for item in exam.items]


def varying_components(components: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The components in which the examinees that name them differ: one level that several share explains nothing."""
    carried: dict[str, list[str]] = {}
    for own in components:
        for name, level in own.items():
            carried.setdefault(name, []).append(level)
    shared = {name for name, found in carried.items() if len(found) > 1 and len(set(found)) == 1}
    return [{name: level for name, level in own.items() if name not in shared} for own in components]


def _options(shown: ExamItem) -> int:
    return OPEN if shown.item.is_open or len(shown.options) < OPTIONS_OF_CHOICE else len(shown.options)


def _components(examinees: Sequence[Examinee]) -> dict[str, tuple[str | None, ...]]:
    own = varying_components([each.components for each in examinees])
    names = sorted({name for components in own for name in components})
    return {name: tuple(components.get(name) for components in own) for name in names}
