"""Fit the three-parameter logistic model, hierarchical over components, to graded responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from viva.core.errors import UsageError
from viva.core.records import ComponentEffect, ItemParameters
from viva.metrics.irt.design import Design, component_design
from viva.metrics.irt.grid import ItemGrid, item_grid
from viva.metrics.irt.likelihood import ItemMarginal
from viva.metrics.irt.posterior import AbilityPosterior, ability_posterior
from viva.metrics.irt.result import IRTFit, NotScored

Floats = NDArray[np.float64]

# above this an item's posterior is narrower than the grid's spacing and standard errors are too small
GRID_EXAMINEES = 150
FEW_ITEMS = 10


def fit_irt(
    responses: Floats,
    examinee_ids: Sequence[str],
    item_ids: Sequence[str],
    components: Sequence[Mapping[str, str]],
    *,
    options: int = 4,
) -> IRTFit | NotScored:
    """Abilities and item parameters from responses (examinees x items) of 1, 0 and nan (not graded).

    Items are integrated out over their prior, abilities are an intercept plus component effects plus a residual
    (modules likelihood, design, posterior). An examinee may name no component. `options` sets the mean of the
    guessing parameter to 1/options. NotScored where there is nothing to compare: fewer than two examinees or
    two items with a graded response. Raises UsageError where the arguments do not fit together.
    """
    values = np.asarray(responses, dtype=np.float64)
    _check(values, examinee_ids, item_ids, components, options)
    graded = ~np.isnan(values)
    refusal = _refusal(graded)
    if refusal:
        return NotScored(refusal)
    grid = item_grid(options)
    design = component_design(components)
    likelihood = ItemMarginal(values, grid)
    found = ability_posterior(likelihood, design, _start(values, graded, options))
    return IRTFit(
        examinee_ids=tuple(examinee_ids),
        item_ids=tuple(item_ids),
        theta=found.theta,
        theta_se=np.sqrt(np.diag(found.theta_cov)),
        theta_cov=found.theta_cov,
        effects=_effects(design, found),
        effects_cov=design.to_effects @ found.beta_cov @ design.to_effects.T,
        items=_items(item_ids, likelihood.posterior(found.theta), grid),
        residual_sd=found.residual_sd,
        residual_sd_se=found.residual_sd_se,
        log_likelihood=likelihood.value_and_gradient(found.theta)[0],
        converged=found.converged,
        iterations=found.iterations,
        notes=(*design.notes, *_notes(values, graded, examinee_ids, design, found)),
    )


def _check(
    values: Floats,
    examinee_ids: Sequence[str],
    item_ids: Sequence[str],
    components: Sequence[Mapping[str, str]],
    options: int,
) -> None:
    if values.shape != (len(examinee_ids), len(item_ids)):
        raise UsageError(
            f"The response matrix has the shape {values.shape}.",
            allowed=f"{len(examinee_ids)} examinees x {len(item_ids)} items were named.",
        )
    if len(components) != len(examinee_ids):
        raise UsageError(f"Components are given for {len(components)} of {len(examinee_ids)} examinees.")
    for kind, ids in (("examinee", examinee_ids), ("item", item_ids)):
        if len(set(ids)) != len(ids):
            raise UsageError(f"An {kind} id occurs twice.", allowed="Each id stands for one row or column.")
    if not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise UsageError("A response is neither right nor wrong.", allowed="1, 0, or nan for not graded.")
    if options < 2:
        raise UsageError(f"Items cannot have {options} options.", allowed="At least 2.")


def _refusal(graded: NDArray[np.bool_]) -> str:
    examinees, items = int(graded.any(axis=1).sum()), int(graded.any(axis=0).sum())
    if examinees < 2:
        return f"{examinees} examinee(s) with graded responses: abilities are relative, at least two are needed"
    if items < 2:
        return f"{items} item(s) with graded responses: at least two are needed"
    return ""


def _start(values: Floats, graded: NDArray[np.bool_], options: int) -> Floats:
    right = np.where(graded, values, 0.0).sum(axis=1)
    share = (right + 1) / (graded.sum(axis=1) + 2)
    known = (share - 1 / options) / (1 - 1 / options)
    return np.asarray(logit(np.clip(known, 0.05, 0.95)), dtype=np.float64)


def _effects(design: Design, found: AbilityPosterior) -> tuple[ComponentEffect, ...]:
    effects = design.to_effects @ found.beta
    errors = np.sqrt(np.diag(design.to_effects @ found.beta_cov @ design.to_effects.T))
    return tuple(
        ComponentEffect(component=component, level=level, effect=float(effect), se=float(se))
        for (component, level), effect, se in zip(design.levels, effects, errors, strict=True)
    )


def _items(item_ids: Sequence[str], posterior: Floats, grid: ItemGrid) -> tuple[ItemParameters, ...]:
    moments = [_moments(posterior, nodes) for nodes in (grid.a, grid.b, grid.c)]
    (a, a_sd), (b, b_sd), (c, c_sd) = moments
    return tuple(
        ItemParameters(
            item_id=item_id,
            discrimination=float(a[j]),
            difficulty=float(b[j]),
            guessing=float(c[j]),
            discrimination_se=float(a_sd[j]),
            difficulty_se=float(b_sd[j]),
            guessing_se=float(c_sd[j]),
        )
        for j, item_id in enumerate(item_ids)
    )


def _moments(posterior: Floats, nodes: Floats) -> tuple[Floats, Floats]:
    mean = posterior @ nodes
    off = nodes[None, :] - mean[:, None]
    return mean, np.sqrt((posterior * off**2).sum(axis=1))


def _notes(
    values: Floats,
    graded: NDArray[np.bool_],
    examinee_ids: Sequence[str],
    design: Design,
    found: AbilityPosterior,
) -> list[str]:
    notes = list[str]()
    if not found.converged:
        notes.append("the fit did not converge: read abilities and standard errors with caution")
    if design.x.shape[1] >= len(examinee_ids):
        notes.append("as many effects as examinees: the residual cannot be told from the effects")
    if len(examinee_ids) > GRID_EXAMINEES:
        notes.append(
            f"more than {GRID_EXAMINEES} examinees: the item grid is too coarse, standard errors are too small"
        )
    if values.shape[1] < FEW_ITEMS:
        notes.append(f"{values.shape[1]} items: the prior weighs heavily in abilities and standard errors")
    notes += _examinee_notes(values, graded, examinee_ids)
    notes += _item_notes(values, graded)
    return notes


def _examinee_notes(values: Floats, graded: NDArray[np.bool_], examinee_ids: Sequence[str]) -> list[str]:
    notes = list[str]()
    for row, known, name in zip(values, graded, examinee_ids, strict=True):
        if not known.any():
            notes.append(f"examinee {name} has no graded response: its ability is that of its components")
        elif (row[known] == 1).all():
            notes.append(f"examinee {name} has a perfect score: its ability is bounded by the prior alone")
        elif (row[known] == 0).all():
            notes.append(f"examinee {name} has no right answer: its ability is bounded by the prior alone")
    return notes


def _item_notes(values: Floats, graded: NDArray[np.bool_]) -> list[str]:
    answered = graded.any(axis=0)
    right = answered & (np.where(graded, values, 1.0) == 1).all(axis=0)
    wrong = answered & (np.where(graded, values, 0.0) == 0).all(axis=0)
    counts = (
        (int(right.sum()), "answered right by every examinee"),
        (int(wrong.sum()), "answered right by no examinee"),
        (int((~answered).sum()), "with no graded response: their parameters are those of the prior"),
    )
    return [f"{count} of {values.shape[1]} items {what}" for count, what in counts if count]
