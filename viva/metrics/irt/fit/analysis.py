"""A fit and every check of it, in one record: what somebody who brings a matrix of right and wrong wants to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.scores import ItemFlag, Reliability
from viva.metrics.irt.checks.all_checks import Checks, checks_of
from viva.metrics.irt.checks.factors import fit_factors
from viva.metrics.irt.checks.fault_evidence import OPEN, OPTIONS_OF_CHOICE
from viva.metrics.irt.checks.flags import item_flags
from viva.metrics.irt.checks.held_out import HeldOut, held_out
from viva.metrics.irt.checks.second_dimension import SecondDimension
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.fit.model_choice import AUTO
from viva.metrics.irt.information import ExamInformation, exam_information
from viva.metrics.irt.level_contrasts import LevelContrasts, level_contrasts
from viva.metrics.irt.model.design import Component
from viva.metrics.irt.model.responses import Floats, Ints, NotJudged, checked
from viva.metrics.irt.model.result import Fit
from viva.metrics.irt.reliability import reliability

# with fewer examinees two dimensions were measured on no real answers (docs/decisions/0059)
FEWEST_OF_TWO_DIMENSIONS = 12


@dataclass(frozen=True, eq=False)
class Analysis:
    """The fit of responses (n, m), its readings and checks; a check that could not be made is a NotJudged.

    `right` and `graded` count per examinee (n,), `item_right` and `item_graded` per item (m,); `expected_scores` (n)
    are on questions like these, `person_fit` (n,) says how far answers follow the model. `held_out` is None where it
    was not asked for. `reliability` is of those that copy no other. `flags` are what the checks find wrong with
    items, the gravest first.
    """

    fit: Fit
    examinees: tuple[str, ...]
    items: tuple[str, ...]
    right: Ints
    graded: Ints
    item_right: Ints
    item_graded: Ints
    expected_scores: tuple[Estimate, ...]
    person_fit: Floats
    contrasts: LevelContrasts | NotJudged
    checks: Checks
    reliability: Reliability
    information: ExamInformation
    held_out: HeldOut | NotJudged | None
    flags: tuple[ItemFlag, ...]


def analyse(
    responses: ArrayLike,
    *,
    examinees: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    components: Mapping[str, Component] | None = None,
    model: str = AUTO,
    method: str = "auto",
    guessing: float | None = None,
    options: int = 4,
    interactions: Sequence[tuple[str, str]] = (),
    references: Mapping[str, object] | None = None,
    seed: int = 0,
    hold_out: bool = False,
) -> Analysis:
    """Fit responses (n, m) of 1, 0 and nan and make every check that they allow.

    Arguments as for `fit`, but that `options` may be 0: questions answered in words, without guessing. `items` names
    the columns. `hold_out` fits once more without a fifth of the cells and
    compares the losses on them with those of item and examinee means. Raises what `fit` raises.
    """
    values, named = checked(responses), components or {}
    if options != OPEN and options < OPTIONS_OF_CHOICE:
        raise UsageError(f"Items cannot have {options} options.", allowed="At least 2, or 0: answered in words.")

    def fitted(given: Floats) -> Fit:
        return fit(
            given,
            components=components,
            model=model,
            method=method,
            guessing=0.0 if options == OPEN and guessing is None else guessing,
            options=OPTIONS_OF_CHOICE if options == OPEN else options,
            interactions=interactions,
            references=references,
            examinees=examinees,
        )

    found = fitted(values)
    item_names = _names(items, values.shape[1])
    right, graded = values == 1, ~np.isnan(values)
    checks = checks_of(found, values, named, options=options, seed=seed)
    contrasts = level_contrasts(found, named, seed=seed)
    return Analysis(
        fit=found,
        examinees=_names(examinees, len(values)),
        items=item_names,
        right=right.sum(axis=1),
        graded=graded.sum(axis=1),
        item_right=right.sum(axis=0),
        item_graded=graded.sum(axis=0),
        expected_scores=found.expected_scores(_predicted(values, checks.second_dimension)),
        person_fit=found.person_fit(),
        contrasts=contrasts,
        checks=checks,
        reliability=reliability(found.responses, found.theta, found.theta_se, found.groups[0], checks.witnesses.rows),
        information=exam_information(found.places, found.a, found.b, found.c),
        held_out=held_out(values, lambda seen: fitted(seen).predict(), seed=seed) if hold_out else None,
        flags=item_flags(checks, item_names),
    )


def _predicted(values: Floats, second: SecondDimension | NotJudged) -> Floats | None:
    """Probabilities (n, m) by two dimensions, where these predict missing cells better; None elsewhere."""
    if isinstance(second, NotJudged) or not second.matters or len(values) < FEWEST_OF_TWO_DIMENSIONS:
        return None
    return fit_factors(values, 2).probability if np.isnan(values).any() else None


def _names(given: Sequence[str] | None, count: int) -> tuple[str, ...]:
    names = tuple(str(place) for place in range(1, count + 1)) if given is None else tuple(given)
    if len(names) != count:
        raise UsageError(f"Names are given for {len(names)} of {count} items.")
    if len(set(names)) != count:
        raise UsageError("A name is given twice.", allowed="Each name for one item.")
    return names
