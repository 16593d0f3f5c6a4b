"""A fit and every check of it, in one record: what somebody who brings a matrix of right and wrong wants to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.core.errors import UsageError
from viva.metrics.intervals import Interval
from viva.metrics.irt.checks import Checks, checks_of
from viva.metrics.irt.design import Component, Continuous
from viva.metrics.irt.estimation import fit
from viva.metrics.irt.flags import ItemFlag, item_flags
from viva.metrics.irt.formats import item_formats
from viva.metrics.irt.held_out import HeldOut, held_out
from viva.metrics.irt.information import DetectableDifference, MeasuredRange, detectable_difference, measured_ranges
from viva.metrics.irt.inputs import Floats, Ints, NotJudged
from viva.metrics.irt.readings import Contrast
from viva.metrics.irt.responses import checked
from viva.metrics.irt.result import Fit

# the joint distribution of more contrasts takes minutes; of many more nobody reads the list
MOST_MAX_T = 400
MOST_CONTRASTS = 5000
_ENOUGH_SE = 0.3


@dataclass(frozen=True)
class ExamInformation:
    """How well the items measure, taken as known.

    `best` is the ability at which the standard error is least (`best_se`); `ranges` where it stays below `se_below`.
    `inside` counts the examinees within them. `detectable` is the smallest difference between two examinees around
    the `middle` (the mean ability) that answers to all items show with 80% power at level .05.
    """

    best: float
    best_se: float
    se_below: float
    ranges: tuple[MeasuredRange, ...]
    inside: int
    middle: float
    detectable: DetectableDifference


@dataclass(frozen=True, eq=False)
class Analysis:
    """The fit of responses (n, m), its readings and checks; a check that could not be made is a NotJudged.

    `right` and `graded` count per examinee (n,), `item_right` and `item_graded` per item (m,); `expected_scores` (n)
    are on the whole exam. `contrasts` compare levels on the theta scale, adjusted together as `adjustment` says in
    words ('' without components); `score_contrasts` are the same pairs in expected shares of right answers, each
    interval by itself. `held_out` is None where it was not asked for. `flags` are what the checks find wrong with
    items, the gravest first.
    """

    fit: Fit
    examinees: tuple[str, ...]
    items: tuple[str, ...]
    right: Ints
    graded: Ints
    item_right: Ints
    item_graded: Ints
    expected_scores: tuple[Interval, ...] | NotJudged
    contrasts: tuple[Contrast, ...] | NotJudged
    score_contrasts: tuple[Contrast, ...]
    adjustment: str
    checks: Checks
    information: ExamInformation
    held_out: HeldOut | NotJudged | None
    flags: tuple[ItemFlag, ...]


def analyse(
    responses: ArrayLike,
    *,
    examinees: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    components: Mapping[str, Component] | None = None,
    model: str = "3pl",
    method: str = "auto",
    guessing: float | None = None,
    options: int = 4,
    interactions: Sequence[tuple[str, str]] = (),
    references: Mapping[str, object] | None = None,
    seed: int = 0,
    hold_out: bool = False,
) -> Analysis:
    """Fit responses (n, m) of 1, 0 and nan and make every check that they allow.

    Arguments as for `fit`; `items` names the columns. `hold_out` fits once more without a fifth of the cells and
    compares the losses on them with those of item and examinee means. Raises what `fit` raises.
    """
    values, named = checked(responses), components or {}

    def fitted(given: Floats) -> Fit:
        return fit(
            given,
            components=components,
            model=model,
            method=method,
            guessing=guessing,
            options=options,
            interactions=interactions,
            references=references,
            examinees=examinees,
            seed=seed,
        )

    found = fitted(values)
    item_names = _names(items, values.shape[1])
    right, graded = values == 1, ~np.isnan(values)
    formats = item_formats(values.shape[1], model, guessing, options)
    checks = checks_of(found, values, named, formats=formats, options=options, seed=seed)
    contrasts, adjustment = _contrasts(found, named, seed)
    return Analysis(
        fit=found,
        examinees=_names(examinees, len(values)),
        items=item_names,
        right=right.sum(axis=1),
        graded=graded.sum(axis=1),
        item_right=right.sum(axis=0),
        item_graded=graded.sum(axis=0),
        expected_scores=_no_errors(found) if np.isnan(found.theta_se).any() else found.expected_scores(),
        contrasts=contrasts,
        score_contrasts=()
        if isinstance(contrasts, NotJudged)
        else tuple(found.score_contrast(each.component, each.level, each.reference) for each in contrasts),
        adjustment=adjustment,
        checks=checks,
        information=_information(found),
        held_out=held_out(values, lambda seen: fitted(seen).predict(), seed=seed) if hold_out else None,
        flags=item_flags(checks, item_names),
    )


def _names(given: Sequence[str] | None, count: int) -> tuple[str, ...]:
    names = tuple(str(place) for place in range(1, count + 1)) if given is None else tuple(given)
    if len(names) != count:
        raise UsageError(f"Names are given for {len(names)} of {count} items.")
    return names


def _no_errors(found: Fit) -> NotJudged:
    return NotJudged(f"the method '{found.method}' gives no standard errors")


def _contrasts(
    found: Fit, components: Mapping[str, Component], seed: int
) -> tuple[tuple[Contrast, ...] | NotJudged, str]:
    names = [name for name in found.effects if name in components]
    sizes = [len(found.effects[name]) for name in names if not isinstance(components[name], Continuous)]
    pairs = sum(size * (size - 1) // 2 for size in sizes)
    if pairs == 0:
        return NotJudged("no component has levels to compare"), ""
    if np.isnan(found.theta_se).any():
        return _no_errors(found), ""
    if pairs > MOST_CONTRASTS:
        return NotJudged(f"{pairs} pairs of levels, more than {MOST_CONTRASTS}: read the effects instead"), ""
    if len(names) == len(found.effects) and pairs <= MOST_MAX_T:
        return found.contrasts(seed=seed), f"max-t over all {pairs} contrasts"
    return _by_component(found, names, pairs, seed)


def _by_component(found: Fit, names: Sequence[str], pairs: int, seed: int) -> tuple[tuple[Contrast, ...], str]:
    """Main effects alone where there are interactions, and a quicker adjustment where there are many levels."""
    few = pairs <= MOST_MAX_T
    every = [found.contrasts(name, adjust="max-t" if few else "holm", seed=seed) for name in names]
    words = "max-t" if few else "p-values by Holm, intervals by Bonferroni,"
    return tuple(each for contrasts in every for each in contrasts), f"{words} within each component"


def _information(found: Fit) -> ExamInformation:
    scale = np.linspace(-8.0, 8.0, 801)
    errors = found.standard_error(scale)
    best = int(np.argmin(errors))
    # an exam that nowhere measures that well is told where it comes within a tenth of its best
    bound = _ENOUGH_SE if errors[best] < _ENOUGH_SE else float(errors[best]) * 1.1
    ranges = measured_ranges(found.a, found.b, found.c, se_below=bound)
    inside = np.zeros(len(found.theta), dtype=bool)
    for each in ranges:
        inside |= (found.theta >= each.low) & (found.theta <= each.high)
    middle = float(found.theta.mean())
    return ExamInformation(
        best=float(scale[best]),
        best_se=float(errors[best]),
        se_below=bound,
        ranges=ranges,
        inside=int(inside.sum()),
        middle=middle,
        detectable=detectable_difference(middle, found.a, found.b, found.c),
    )
