"""All checks of a fit, each made where the responses allow it and with its reason where they do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from viva.metrics.irt.additivity import Additivity, additivity, level_columns
from viva.metrics.irt.dependence import Dependence, local_dependence
from viva.metrics.irt.design import Component, Continuous
from viva.metrics.irt.evidence import FaultEvidence, fault_evidence, on_item_scale
from viva.metrics.irt.formats import ItemFormats
from viva.metrics.irt.inputs import Floats, NotJudged
from viva.metrics.irt.item_fit import MeanSquares, mean_squares
from viva.metrics.irt.leakage import ComponentFit, Leaks, component_fit, leaks
from viva.metrics.irt.result import Fit
from viva.metrics.irt.s_x2 import ScoreFit, score_fit
from viva.metrics.irt.unshrunk import unshrunk_abilities
from viva.metrics.irt.wrong_keys import slope_scores

NO_LEVEL = "(none)"
# with fewer items an ability rests in good part on the very item that is judged by it
FEW_ITEMS = 10
# evidence of a fault in an item is overwhelming long before, and nodes grow with the examinees
MOST_EXAMINEES = 500
# work grows as the items' square; the covariance of abilities is factored dozens of times
MOST_ITEMS_S_X2 = 1000
MOST_EXAMINEES_ADDITIVITY = 1000


@dataclass(frozen=True, eq=False)
class Checks:
    """What each check of a fit found, or why it could not be made.

    Infit and outfit, S-X2, Q3, evidence of wrong keys, unanswerable and leaked items, leaks to one level of a
    component, residual contrasts by level, and whether components' effects add up; `slope_z` (m,) is the signed slope
    score (wrong_keys.slope_scores). `notes` tell what was left out.
    """

    mean_squares: MeanSquares | NotJudged
    score_fit: ScoreFit | NotJudged
    dependence: Dependence | NotJudged
    faults: FaultEvidence | NotJudged
    leaks: Leaks | NotJudged
    level_differences: ComponentFit | NotJudged
    additivity: Additivity | NotJudged
    slope_z: Floats
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Judged:
    """Whom the evidence of faults is taken from: responses, abilities on the items' scale, levels of components."""

    values: Floats
    theta: Floats
    levels: Mapping[str, Sequence[str]]


def checks_of(
    found: Fit,
    values: Floats,
    components: Mapping[str, Component],
    *,
    formats: ItemFormats,
    options: int,
    seed: int,
) -> Checks:
    """Every check of the fit `found` of responses `values` (n, m); `components` and `formats` are those it had."""
    probability, judged = found.predict(), _judged(found, values, components, seed)
    differences = _level_differences(values, probability, levels_of(components))
    notes = list(differences.notes) if not isinstance(differences, NotJudged) else []
    faults = _faults(judged, options)
    if len(judged.values) < len(values) and not isinstance(faults, NotJudged):
        notes.append(f"faults and leaks are judged on {len(judged.values)} of {len(values)} examinees, drawn by lot")
    return Checks(
        mean_squares=mean_squares(values, probability),
        score_fit=_score_fit(found, values, formats),
        dependence=local_dependence(values, probability),
        faults=faults,
        leaks=_leaks(judged, options),
        level_differences=differences,
        additivity=_additivity(found, values, components),
        slope_z=slope_scores(values, found.theta),
        notes=tuple(notes),
    )


def levels_of(components: Mapping[str, Component]) -> dict[str, list[str]]:
    """Those components that have levels, as texts."""
    return {
        name: [NO_LEVEL if level is None else str(level) for level in given]
        for name, given in components.items()
        if not isinstance(given, Continuous)
    }


def _judged(found: Fit, values: Floats, components: Mapping[str, Component], seed: int) -> _Judged:
    theta = on_item_scale(found.theta, found.b)
    if found.method in ("mml-persons", "guinet2024"):
        # the evidence of faults takes items for N(0, 1): these scales have origin and unit from the persons or boxes
        theta = (found.theta - found.b.mean()) * float(np.exp(np.log(np.maximum(found.a, 1e-6)).mean()))
    rows = np.arange(len(values))
    if len(rows) > MOST_EXAMINEES:
        rows = np.sort(np.random.default_rng(seed).choice(len(rows), MOST_EXAMINEES, replace=False))
    levels = {name: [given[row] for row in rows] for name, given in levels_of(components).items()}
    return _Judged(values[rows], theta[rows], levels)


def _few_items(judged: _Judged) -> NotJudged | None:
    items = judged.values.shape[1]
    if items >= FEW_ITEMS:
        return None
    return NotJudged(f"with {items} items, fewer than {FEW_ITEMS}, abilities rest too much on the item to be judged")


def _faults(judged: _Judged, options: int) -> FaultEvidence | NotJudged:
    return _few_items(judged) or fault_evidence(judged.values, judged.theta, options=options)


def _leaks(judged: _Judged, options: int) -> Leaks | NotJudged:
    if not judged.levels:
        return NotJudged("no component with levels is given")
    return _few_items(judged) or leaks(judged.values, judged.theta, judged.levels, options=options)


def _level_differences(
    values: Floats, probability: Floats, levels: Mapping[str, Sequence[str]]
) -> ComponentFit | NotJudged:
    if not levels:
        return NotJudged("no component with levels is given")
    return component_fit(values, probability, levels)


def _score_fit(found: Fit, values: Floats, formats: ItemFormats) -> ScoreFit | NotJudged:
    items = values.shape[1]
    if items > MOST_ITEMS_S_X2:
        return NotJudged(f"{items} items are too many pairs of item and score: made for at most {MOST_ITEMS_S_X2}")
    persons = found.method == "mml-persons"
    population = (0.0, 1.0) if persons else (float(found.theta.mean()), float(found.theta.std()))
    if population[1] <= 0:
        return NotJudged("all examinees are as able: no score tells them apart")
    # one format for all items: the most parameters any has is what each has
    fitted = 1 + int(formats.free_slope.any()) + int(formats.free_guessing.any())
    return score_fit(values, found.a, found.b, found.c, fitted_parameters=fitted, population=population)


def _additivity(found: Fit, values: Floats, components: Mapping[str, Component]) -> Additivity | NotJudged:
    if len(values) > MOST_EXAMINEES_ADDITIVITY:
        return NotJudged(f"{len(values)} examinees: it is tested with at most {MOST_EXAMINEES_ADDITIVITY}")
    columns = {name: _columns(components[name]) for name in found.effects if name in components}
    theta, covariance = unshrunk_abilities(values, found.a, found.b, found.c)
    return additivity(theta, covariance, columns)


def _columns(component: Component) -> Floats:
    if not isinstance(component, Continuous):
        return level_columns([NO_LEVEL if level is None else str(level) for level in component])
    values = np.array([np.nan if value is None else value for value in component.values], dtype=np.float64)
    known = values[~np.isnan(values)]
    centred = np.nan_to_num((values - known.mean()) / known.std())
    return np.stack([centred**power for power in range(1, component.degree + 1)], axis=1)
