"""Fit item response models, hierarchical over components, to graded responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError
from viva.core.gone import replacement
from viva.core.notes import Note, NoteCode
from viva.metrics.irt.fit.methods import METHODS, Calibration, Problem
from viva.metrics.irt.fit.model_choice import AUTO, chosen_formats
from viva.metrics.irt.model.design import Component, Continuous, Design, component_design
from viva.metrics.irt.model.responses import checked, connected_groups, response_notes
from viva.metrics.irt.model.result import Effect, Fit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_EXAMINEES = 5_000
"""A square of so many takes 200 MB, and to factor it some seconds on one core."""
# up to here items are integrated over; with more examinees the joint mode is as good
FEW_EXAMINEES = 150
# with more than these, integrating over items takes many seconds, and the mode is as good
MANY_RESPONSES = 250_000
_WEAK_ITEMS = 10


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
) -> Fit:
    """Abilities, component effects and items from responses (examinees, items) of 1, 0 and nan (not graded).

    `components` maps a name to one level per examinee (None: it has none) or a Continuous; abilities are then an
    intercept, the components' effects, the `interactions` asked for and a residual; without components each stands
    for itself. Effects sum to zero, or start from the level in `references`.

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
    chosen, reason = _chosen(method, values)
    names = _names(examinees, len(values))
    formats, model_told = chosen_formats(values, model, guessing, options)
    design = component_design(len(values), components or {}, interactions=interactions, references=references)
    problem = Problem(values, formats, components or {}, design)
    if method != "auto" or chosen == "map":
        return _result(problem, chosen, reason, METHODS[chosen](problem), names, model_told)
    try:
        found = METHODS[chosen](problem)
        failed = "" if found.converged else f"it did not converge: {found.message}"
    except UsageError as refused:
        failed = str(refused)
    if failed:
        chosen, reason = "map", f"in place of {chosen}: {failed}"
        found = METHODS[chosen](problem)
    return _result(problem, chosen, reason, found, names, model_told)


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


def _result(
    problem: Problem, method: str, reason: str, found: Calibration, names: tuple[str, ...], model: str
) -> Fit:
    groups = connected_groups(problem.values)
    apart = _apart(problem.components, groups[0])
    effects = _effects(problem.design, found.beta, found.beta_cov)
    return Fit(
        theta=found.theta,
        theta_se=np.sqrt(np.diag(found.theta_cov)),
        theta_cov=found.theta_cov,
        a=found.a,
        b=found.b,
        c=found.c,
        a_se=found.a_se,
        b_se=found.b_se,
        c_se=found.c_se,
        effects={name: each for name, each in effects.items() if not apart.intersection(name.split(":"))},
        residual_sd=found.residual_sd,
        residual_sd_se=found.residual_sd_se,
        loglik=found.loglik,
        converged=found.converged,
        method=method,
        iterations=found.iterations,
        model=model,
        message=f"{method} ({reason}); {found.message}; model {model}",
        notes=(
            *_notes(problem, found.converged, names),
            *_notes_on_groups(groups[0], sorted(apart & effects.keys())),
        ),
        probability=found.probability,
        beta=found.beta,
        beta_cov=found.beta_cov,
        components_design=problem.design,
        responses=problem.values,
        components=problem.components,
        formats=problem.formats,
        groups=groups,
    )


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


def _effects(design: Design, beta: Floats, beta_cov: Floats) -> dict[str, dict[str, Effect]]:
    cov = design.to_effects @ beta_cov @ design.to_effects.T
    estimates, errors = design.to_effects @ beta, np.sqrt(np.maximum(np.diag(cov), 0.0))
    effects: dict[str, dict[str, Effect]] = {}
    for (component, level), estimate, se in zip(design.levels, estimates, errors, strict=True):
        effects.setdefault(component, {})[level] = Effect(float(estimate), float(se))
    return effects


def _notes(problem: Problem, converged: bool, names: tuple[str, ...]) -> Iterator[Note]:
    yield from problem.design.notes
    if not converged:
        yield Note(code=NoteCode.NOT_CONVERGED)
    if problem.design.saturated:
        yield Note(code=NoteCode.SATURATED)
    if problem.values.shape[1] < _WEAK_ITEMS:
        yield Note(code=NoteCode.FEW_ITEMS, count=problem.values.shape[1])
    yield from response_notes(problem.values, names)
