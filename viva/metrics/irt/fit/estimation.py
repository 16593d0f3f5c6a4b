"""Fit item response models to graded responses: items to a sample of examinees, abilities of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError
from viva.core.gone import replacement
from viva.core.notes import Note, NoteCode
from viva.metrics.irt.checks.duplicate_examinees import witnesses
from viva.metrics.irt.fit.methods import METHODS, Calibration, Problem
from viva.metrics.irt.fit.model_choice import AUTO, chosen_formats
from viva.metrics.irt.fit.population import drawn_abilities
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.design import Component, Continuous, component_design
from viva.metrics.irt.model.formats import ItemFormats
from viva.metrics.irt.model.responses import NothingToCompare, checked, connected_groups, response_notes
from viva.metrics.irt.model.result import Fit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_EXAMINEES = 5_000
"""A square of so many takes 200 MB, and to factor it some seconds on one core."""
# up to here items are integrated over; with more examinees the joint mode is as good
FEW_EXAMINEES = 150
# with more than these, integrating over items takes many seconds, and the mode is as good
MANY_RESPONSES = 250_000
_WEAK_ITEMS = 10
_ITEMS_COMPARED = 1000


@dataclass(frozen=True, eq=False)
class _Asked:
    """How items are to be fitted, as the caller of `fit` said."""

    model: str | Sequence[str]
    method: str
    guessing: ArrayLike | None
    options: int | Sequence[float]


@dataclass(frozen=True, eq=False)
class _Calibrated:
    """Items fitted to the responses of these `rows`, under these formats; in words, which model and method.

    `copies`: (copy, original) among the rows that were marked; `of_all`: without copies too few were left.
    `predicted`: rows and their probabilities, from a fit that copies are part of: nothing predicts them better than
    each other.
    """

    rows: Ints
    found: Calibration
    formats: ItemFormats
    model: str
    method: str
    reason: str
    predicted: tuple[Ints, Floats]
    copies: tuple[tuple[int, int], ...] = ()
    of_all: bool = False


def fit(
    responses: ArrayLike,
    *,
    components: Mapping[str, Component] | None = None,
    model: str | Sequence[str] = AUTO,
    method: str = "auto",
    guessing: ArrayLike | None = None,
    options: int | Sequence[float] = 4,
    interactions: Sequence[tuple[str, str]] = (),
    references: Mapping[str, object] | None = None,
    examinees: Sequence[str] | None = None,
    calibration: Sequence[bool] | None = None,
) -> Fit:
    """Items and abilities from responses (examinees, items) of 1, 0 and nan (not graded), and components' effects.

    Items are fitted to the examinees that `calibration` marks (all of them without it), taken for draws from one
    normal population; of those that nearly copy each other (checks.duplicate_examinees) to the first. Where fewer
    than two are left, items are fitted to all, with a note.

    `components` maps a name to one level per examinee (None: it has none) or a Continuous. Effects of them, and the
    `interactions` asked for, are found from the abilities of the examinees that `calibration` marks (module effects);
    they sum to zero, or start from the level in `references`. They change no ability.

    `model` is "1pl" (all discriminations equal), "2pl" or "3pl", for all items or one per item: multiple choice and
    open questions share a scale. "auto" takes the likeliest of these for the responses, with guessing near
    1/`options` or below it, and says so in `message` (module model_choice). `guessing` fixes c (one number or one per
    item, nan: free); a free c (3pl) is held near 1/`options`. Responses that are not right or wrong: see `binarised`.

    `method`: "mml-items" integrates over items (few examinees), "map" is the joint mode by Fisher scoring (many);
    "auto" chooses by size and says why in `message`. `examinees` names the rows in notes. Responses that a numpy mask
    covers are not graded.

    Raises NothingToCompare (a UsageError) with fewer than two examinees or items that have a graded response,
    UsageError where the arguments do not fit together, or there are more than 5,000 examinees.
    """
    values = checked(responses)
    names = _names(examinees, len(values))
    marked = np.flatnonzero(np.ones(len(values)) if calibration is None else np.asarray(calibration))
    too_few = len(marked) < len(values) and not _enough(values[marked])
    if too_few:
        marked = np.arange(len(values))
    made = component_design(
        len(marked),
        {name: _of_rows(each, marked, len(values), name) for name, each in (components or {}).items()},
        interactions=interactions,
        references=references,
    )
    asked = _Asked(model, method, guessing, options)
    items = _calibrated_once(values, marked, asked)
    theta, theta_se, probability = _all_abilities(values, items)
    found, groups = items.found, _groups(values, items.rows)
    apart = _apart(components or {}, groups[0])
    named = {component for component, _ in made.levels}
    return Fit(
        theta=theta,
        theta_se=theta_se,
        a=found.a,
        b=found.b,
        c=found.c,
        a_se=found.a_se,
        b_se=found.b_se,
        c_se=found.c_se,
        loglik=found.loglik,
        converged=found.converged,
        method=items.method,
        iterations=found.iterations,
        model=items.model,
        message=f"{items.method} ({items.reason}); {found.message}; model {items.model}",
        notes=(
            *made.notes,
            *([Note(code=NoteCode.CALIBRATED_ON_ALL, of=len(values))] if too_few or items.of_all else []),
            *_notes(values, found.converged, names),
            *([Note(code=NoteCode.SATURATED)] if made.saturated else []),
            *_notes_on_groups(groups[0], sorted(apart & named)),
        ),
        probability=probability,
        components_design=made,
        levels_apart=frozenset(apart),
        marked=marked,
        system=_systems(len(marked), items.copies),
        calibration=items.rows,
        responses=values,
        components=components or {},
        formats=items.formats,
        groups=groups,
    )


def _systems(examinees: int, copies: Sequence[tuple[int, int]]) -> Ints:
    found = np.arange(examinees)
    for copy, original in copies:
        found[copy] = original
    return found


def _of_rows(component: Component, rows: Ints, examinees: int, name: str) -> Component:
    own = component.values if isinstance(component, Continuous) else component
    if len(own) != examinees:
        raise UsageError(f"Component '{name}' is given for {len(own)} of {examinees} examinees.")
    if isinstance(component, Continuous):
        return Continuous([component.values[row] for row in rows.tolist()], component.degree)
    return [own[row] for row in rows.tolist()]


def _calibrated_once(values: Floats, marked: Ints, asked: _Asked) -> _Calibrated:
    """Items fitted to the `marked` rows, copies counted once unless too few are left."""
    items = of_marked = _calibrated(values, marked, asked)
    # of many items a part shows copies as well
    part = slice(None, None, -(-values.shape[1] // _ITEMS_COMPARED))
    seen = witnesses(values[marked, part], of_marked.found.probability[:, part])
    if seen.copies and _enough(values[marked[seen.rows]]):
        items = _calibrated(values, marked[seen.rows], asked)
    return replace(
        items,
        copies=seen.copies,
        of_all=bool(seen.copies) and items is of_marked,
        predicted=(marked, of_marked.found.probability),
    )


def _enough(values: Floats) -> bool:
    try:
        checked(values)
    except NothingToCompare:
        return False
    return True


def _calibrated(values: Floats, rows: Ints, asked: _Asked) -> _Calibrated:
    own = values if len(rows) == len(values) else values[rows]
    chosen, reason = _chosen(asked.method, own)
    formats, model = chosen_formats(own, asked.model, asked.guessing, asked.options)
    problem = Problem(own, formats)
    if asked.method != "auto" or chosen == "map":
        found = METHODS[chosen](problem)
        return _Calibrated(rows, found, formats, model, chosen, reason, (rows, found.probability))
    try:
        found = METHODS[chosen](problem)
        failed = "" if found.converged else f"it did not converge: {found.message}"
    except UsageError as refused:
        failed = str(refused)
    if failed:
        chosen, reason = "map", f"in place of {chosen}: {failed}"
        found = METHODS[chosen](problem)
    return _Calibrated(rows, found, formats, model, chosen, reason, (rows, found.probability))


def _all_abilities(values: Floats, items: _Calibrated) -> tuple[Floats, Floats, Floats]:
    """Abilities and standard errors (n,), drawn towards the population, and predictions (n, m), of all examinees."""
    found, n = items.found, len(values)
    theta, theta_se, probability = np.empty(n), np.empty(n), np.empty(values.shape)
    theta[items.rows], theta_se[items.rows] = found.theta, np.sqrt(np.diag(found.theta_cov))
    others = np.setdiff1d(np.arange(n), items.rows)
    if len(others):
        known = (found.a, found.b, found.c)
        population = float(found.theta.mean()), found.spread
        theta[others], theta_se[others] = drawn_abilities(values[others], known, population)
        probability[others] = probability_3pl(theta[others], *known)
    rows, predicted = items.predicted
    probability[rows] = predicted
    return theta, theta_se, probability


def _groups(values: Floats, rows: Ints) -> tuple[Ints, Ints]:
    """Those that responses connect; who items were not fitted to connects none, and is of the group it answered."""
    own, items = connected_groups(values[rows])
    if own.max(initial=0) == 0:
        return connected_groups(values)
    found = np.full(len(values), -1)
    answered = (~np.isnan(values)).astype(np.int64) @ (items[:, None] == np.arange(own.max() + 1))
    found[answered.any(axis=1)] = answered[answered.any(axis=1)].argmax(axis=1)
    found[rows] = own
    return found, items


def _names(examinees: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if examinees is None:
        return tuple(str(place) for place in range(1, count + 1))
    if len(examinees) != count:
        raise UsageError(f"Names are given for {len(examinees)} of {count} examinees.")
    if len(set(examinees)) != count:
        raise UsageError("An examinee is named twice.", allowed="Each name stands for one row.")
    return tuple(examinees)


def _chosen(method: str, values: Floats) -> tuple[str, str]:
    """The method and why. UsageError for one that is not known, and for too many examinees."""
    examinees = len(values)
    if method != "auto" and method not in METHODS:
        raise UsageError(
            replacement(f"--method {method}") or f"There is no method '{method}'.",
            allowed=f"Known: auto, {', '.join(METHODS)}.",
        )
    if examinees > MOST_EXAMINEES:
        raise UsageError(
            f"{examinees} examinees are too many: abilities take tables of {examinees} x {examinees} numbers, "
            f"{8 * examinees**2 / 2**30:.3g} GiB each.",
            allowed=f"At most {MOST_EXAMINEES} examinees.",
            next_step="Draw a sample of the examinees.",
        )
    if method != "auto":
        return method, "as asked"
    if examinees <= FEW_EXAMINEES:
        if values.size > MANY_RESPONSES:
            return "map", f"{values.size} responses, more than {MANY_RESPONSES}: joint mode of abilities and items"
        return "mml-items", f"{examinees} examinees, at most {FEW_EXAMINEES}: items are integrated over"
    return "map", f"{examinees} examinees, more than {FEW_EXAMINEES}: joint mode of abilities and items"


def _apart(components: Mapping[str, Component], groups: Ints) -> set[str]:
    """Components some of whose levels were seen only by groups of examinees that no item connects with the others."""
    found = set[str]()
    for name, levels in components.items():
        if groups.max(initial=0) == 0 or isinstance(levels, Continuous):
            continue
        seen: dict[object, set[int]] = {}
        for level, group in zip(levels, groups.tolist(), strict=True):
            if group >= 0:
                seen.setdefault(level, set()).add(group)
        reached, rest = set[int](), list(seen.values())
        while near := [each for each in rest if not reached or each & reached]:
            reached |= near[0]
            rest.remove(near[0])
        if rest:
            found.add(name)
    return found


def _notes_on_groups(groups: Ints, apart: Sequence[str]) -> Iterator[Note]:
    if groups.max(initial=0) > 0:
        yield Note(code=NoteCode.DISCONNECTED, count=int(groups.max()) + 1, of=int((groups >= 0).sum()))
        if apart:
            yield Note(code=NoteCode.LEVELS_APART, names=tuple(apart))


def _notes(values: Floats, converged: bool, names: tuple[str, ...]) -> Iterator[Note]:
    if not converged:
        yield Note(code=NoteCode.NOT_CONVERGED)
    if values.shape[1] < _WEAK_ITEMS:
        yield Note(code=NoteCode.FEW_ITEMS, count=values.shape[1])
    yield from response_notes(values, names)
