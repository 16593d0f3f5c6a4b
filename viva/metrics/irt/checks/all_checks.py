"""All checks of a fit, each made where the responses allow it and with its reason where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from viva.core.notes import Note, NoteCode
from viva.metrics.irt.checks.additivity import Additivity, additivity
from viva.metrics.irt.checks.competing_keys import chosen_key_evidence
from viva.metrics.irt.checks.duplicate_examinees import Witnesses, witnesses
from viva.metrics.irt.checks.fault_evidence import OPEN, FaultEvidence, fault_evidence
from viva.metrics.irt.checks.item_bias import ComponentFit, Leaks, component_fit, leaks
from viva.metrics.irt.checks.item_fit import MeanSquares, mean_squares
from viva.metrics.irt.checks.local_dependence import Dependence, local_dependence
from viva.metrics.irt.checks.s_x2 import ScoreFit, score_fit
from viva.metrics.irt.checks.second_dimension import SecondDimension, second_dimension
from viva.metrics.irt.checks.wrong_keys import share_abilities, slope_scores
from viva.metrics.irt.model.design import Component, Continuous
from viva.metrics.irt.model.responses import Floats, Ints, NotJudged
from viva.metrics.irt.model.result import Fit

NO_LEVEL = "(none)"
# with fewer items an ability rests in good part on the very item that is judged by it
FEW_ITEMS = 10
# evidence of a fault in an item is overwhelming long before, and nodes grow with the examinees
MOST_EXAMINEES = 500
# work grows as the items' square; the covariance of abilities is factored dozens of times
MOST_ITEMS_S_X2 = 1000
MOST_EXAMINEES_ADDITIVITY = 1000

# as many keys as somebody reads for a first look, and of how many items each is one at least
READ_FIRST, READ_ONE_IN = 10, 5
# examinees that share a part fail together: among fewer that looks like items that hang together
FEW_WITNESSES = 20


@dataclass(frozen=True, eq=False)
class Choices:
    """The options chosen (n, m), as indices, -1 for none; and the keyed ones (m,)."""

    chosen: Ints
    key: Ints


@dataclass(frozen=True, eq=False)
class Checks:
    """What each check of a fit found, or why it could not be made.

    Infit and outfit, S-X2, Q3, evidence of wrong keys, unanswerable and leaked items, leaks to one level of a
    component, residual contrasts by level, whether components' effects add up, and what a second ability explains;
    `slope_z` (m,) is the signed slope score (wrong_keys.slope_scores). `witnesses` are those whose answers count in
    Q3, evidence, contrasts and dimensions: an examinee that copies another is none. `notes` tell what was left out.
    `nobody_right` are items that were answered and that no examinee has right: answers cannot say whether the key is
    wrong or the item hard.
    """

    mean_squares: MeanSquares | NotJudged
    score_fit: ScoreFit | NotJudged
    dependence: Dependence | NotJudged
    faults: FaultEvidence | NotJudged
    leaks: Leaks | NotJudged
    level_differences: ComponentFit | NotJudged
    additivity: Additivity | NotJudged
    second_dimension: SecondDimension | NotJudged
    slope_z: Floats
    witnesses: Witnesses
    notes: tuple[Note, ...]
    nobody_right: tuple[int, ...]

    @property
    def read_first(self) -> tuple[int, ...]:
        """Up to ten items whose keys to read first, flagged or not; of short exams one in five.

        None that nobody has right: these are a list of their own, most of them hard.
        """
        if isinstance(self.faults, NotJudged):
            return ()
        order = self.faults.reading_order
        judged = order[np.isfinite(self.faults.wrong_key[order])].tolist()
        first = [item for item in judged if item not in set(self.nobody_right)]
        return tuple(first[: min(READ_FIRST, max(1, len(order) // READ_ONE_IN))])


@dataclass(frozen=True, eq=False)
class _Judged:
    """Whom the evidence of faults is taken from: responses, abilities (share_abilities), levels of components."""

    values: Floats
    theta: Floats
    levels: Mapping[str, Sequence[str]]
    choices: Choices | None


def checks_of(
    found: Fit,
    values: Floats,
    components: Mapping[str, Component],
    *,
    options: int | Sequence[int],
    seed: int,
    choices: Choices | None = None,
) -> Checks:
    """Every check of the fit `found` of responses `values` (n, m); `components` are those it had.

    `options` says how many options items have, all as many or one number each; of open questions (0) neither guessing
    nor leaks are judged. `choices` (the options chosen) sharpen the evidence of wrong keys.
    """
    probability = found.predict()
    seen = witnesses(values, probability, None if choices is None else choices.chosen)
    judged = _judged(share_abilities(values, probability), values, components, seen.rows, choices, seed)
    differences = _level_differences(values, probability, levels_of(components), seen.rows)
    faults = _faults(judged, options)
    return Checks(
        mean_squares=mean_squares(values, probability),
        score_fit=_score_fit(found, values),
        dependence=_dependence(values, probability, seen.rows),
        faults=faults,
        leaks=_leaks(judged, options),
        level_differences=differences,
        additivity=_additivity(found),
        second_dimension=second_dimension(values[seen.rows], found.formats, seed=seed),
        slope_z=slope_scores(values, found.theta),
        witnesses=seen,
        notes=tuple(_notes(seen, judged, faults, differences, options)),
        nobody_right=tuple(np.flatnonzero((values == 0).any(axis=0) & ~(values == 1).any(axis=0)).tolist()),
    )


def _notes(
    seen: Witnesses,
    judged: _Judged,
    faults: FaultEvidence | NotJudged,
    differences: ComponentFit | NotJudged,
    options: int | Sequence[int],
) -> Iterator[Note]:
    if not isinstance(differences, NotJudged):
        yield from differences.notes
    if seen.copies:
        yield Note(code=NoteCode.COPIES, count=len(seen.copies))
    if isinstance(faults, NotJudged):
        return
    if len(judged.values) < len(seen.rows):
        yield Note(code=NoteCode.FAULTS_DRAWN, count=len(judged.values), of=len(seen.rows))
    if opens := int((np.broadcast_to(np.asarray(options), judged.values.shape[1]) == OPEN).sum()):
        yield Note(code=NoteCode.OPEN_NOT_JUDGED, count=opens)


def levels_of(components: Mapping[str, Component]) -> dict[str, list[str]]:
    """Those components that have levels, as texts."""
    return {
        name: [NO_LEVEL if level is None else str(level) for level in given]
        for name, given in components.items()
        if not isinstance(given, Continuous)
    }


def _judged(
    ability: Floats,
    values: Floats,
    components: Mapping[str, Component],
    rows: Ints,
    choices: Choices | None,
    seed: int,
) -> _Judged:
    if len(rows) > MOST_EXAMINEES:
        rows = rows[np.sort(np.random.default_rng(seed).choice(len(rows), MOST_EXAMINEES, replace=False))]
    levels = {name: [given[row] for row in rows] for name, given in levels_of(components).items()}
    chosen = None if choices is None else Choices(choices.chosen[rows], choices.key)
    return _Judged(values[rows], ability[rows], levels, chosen)


def _few_items(judged: _Judged) -> NotJudged | None:
    items = judged.values.shape[1]
    if items >= FEW_ITEMS:
        return None
    return NotJudged(f"with {items} items, fewer than {FEW_ITEMS}, abilities rest too much on the item to be judged")


def _dependence(values: Floats, probability: Floats, rows: Ints) -> Dependence | NotJudged:
    if len(rows) < FEW_WITNESSES:
        return NotJudged(
            "examinees that share a part fail together, and among fewer than "
            f"{FEW_WITNESSES} that answer each in its own way this looks the same"
        )
    return local_dependence(values[rows], probability[rows])


def _faults(judged: _Judged, options: int | Sequence[int]) -> FaultEvidence | NotJudged:
    if few := _few_items(judged):
        return few
    found, given = fault_evidence(judged.values, judged.theta, options=options), judged.choices
    wrong_key = found.wrong_key
    if given is not None:
        wrong_key = chosen_key_evidence(wrong_key, given.chosen, given.key, judged.theta, options=options)
    # where nobody misses it, nothing speaks against a key
    return replace(found, wrong_key=np.where((judged.values == 0).any(axis=0), wrong_key, -np.inf))


def _leaks(judged: _Judged, options: int | Sequence[int]) -> Leaks | NotJudged:
    if not judged.levels:
        return NotJudged("no component with levels is given")
    if not np.asarray(options).any():
        return NotJudged("answers in words: who knows one is no suspect")
    return _few_items(judged) or leaks(judged.values, judged.theta, judged.levels, options=options)


def _level_differences(
    values: Floats, probability: Floats, levels: Mapping[str, Sequence[str]], rows: Ints
) -> ComponentFit | NotJudged:
    if not levels:
        return NotJudged("no component with levels is given")
    own = {name: [given[row] for row in rows] for name, given in levels.items()}
    return component_fit(values[rows], probability[rows], own)


def _score_fit(found: Fit, values: Floats) -> ScoreFit | NotJudged:
    items, formats = values.shape[1], found.formats
    if items > MOST_ITEMS_S_X2:
        return NotJudged(f"{items} items are too many pairs of item and score: made for at most {MOST_ITEMS_S_X2}")
    population = float(found.theta.mean()), float(found.theta.std())
    if population[1] <= 0:
        return NotJudged("all examinees are as able: no score tells them apart")
    fitted = 1 + formats.free_slope.astype(np.int64) + formats.free_guessing.astype(np.int64)
    return score_fit(values, found.a, found.b, found.c, fitted_parameters=fitted, population=population)


def _additivity(found: Fit) -> Additivity | NotJudged:
    if len(found.theta) > MOST_EXAMINEES_ADDITIVITY:
        return NotJudged(f"{len(found.theta)} examinees: it is tested with at most {MOST_EXAMINEES_ADDITIVITY}")
    made = found.components_design
    told = {name: block for name, block in made.blocks.items() if found.used_up or name in found.effects}
    return additivity(found.measured, made.x, told)
