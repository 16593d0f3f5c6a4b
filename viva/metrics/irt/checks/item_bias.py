"""DIF and leakage by component: is an item easier for one level than ability says (its answer known to one corpus)?

Two figures per item and level. The residual contrast z is a score test of a shift of the item's logit in that level
(uniform DIF) with intercept and slope of the item's own logit taken out, since they were fitted to the same
responses (C(alpha), Neyman 1959; adjusted by Benjamini & Hochberg 1995). The leak evidence asks more narrowly for a
level that knows the answer; it ranks leaks better, the contrast also sees what works to a level's disadvantage.

The effect of a difference found is told in points: the share of right answers in the level less that expected of its
examinees from the answers of the others at their abilities, the standardised p-difference of Dorans & Kulick (1986,
Journal of Educational Measurement 23, 355-368) with the item's curve, moved to fit the others, in place of strata.
Its interval joins Wilson's for the share with that of the expectation (Newcombe 1998, Statistics in Medicine 17,
873-890).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, logsumexp, ndtr

from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.notes import Note, NoteCode
from viva.metrics.intervals import Z, wilson
from viva.metrics.irt.checks.discoveries import FALSE_SHARE, benjamini_hochberg, expected_false_share
from viva.metrics.irt.checks.fault_evidence import PRIOR_SHARE, leak_evidence
from viva.metrics.irt.model.responses import Bools, Floats, NotJudged, probability_matrix, response_matrix

# fewer on either side and a contrast rests on one or two answers
FEW_EXAMINEES = 3
# expected right and wrong answers of the level: below this the normal approximation of z is no guide
LEAST_VARIANCE = 0.5
# the item's curve is of these answers too, those of the level included: others may ask for another one by so much
SHIFT_SD = 2.0
# Newton's, each of at most one logit
_STEPS = 25


@dataclass(frozen=True)
class LevelDifference:
    """An item (its column) that is easier (z > 0) or harder for one level of a component than ability says."""

    item: int
    component: str
    level: str
    z: float
    adjusted: float
    effect: Estimate
    """share of right answers beyond what the others' answers let expect of the level's examinees"""


@dataclass(frozen=True, eq=False)
class ComponentFit:
    """Residual contrasts of k levels (component, level) on m items.

    z, p_value (two-sided) and adjusted (over all judged contrasts, Benjamini-Hochberg) are (k, m); those that are not
    `judged` stand at 0, 1 and 1. `differences` are those found, the largest first; `notes` say what was left out.
    """

    levels: tuple[tuple[str, str], ...]
    z: Floats
    p_value: Floats
    adjusted: Floats
    judged: Bools
    differences: tuple[LevelDifference, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class LeakSuspicion:
    """An item (its column) whose answer one level of a component seems to know; `evidence` is for that level."""

    item: int
    component: str
    level: str
    evidence: float


@dataclass(frozen=True, eq=False)
class Leaks:
    """Log Bayes factors against a sound item: `evidence` (k, m) that a level alone knows the item's answer.

    `any_level` (m,) is that of some one level knowing it, whichever (components, and levels within them, as likely);
    it ranks items. `suspected` are those believed, the surest first, with the level that explains most.
    """

    levels: tuple[tuple[str, str], ...]
    evidence: Floats
    any_level: Floats
    suspected: tuple[LeakSuspicion, ...]


def level_carriers(
    components: Mapping[str, Sequence[str]], examinees: int
) -> tuple[tuple[tuple[str, str], ...], Bools]:
    """Levels (component, level) in sorted order and who carries each, (k, n). Raises UsageError on a wrong length."""
    levels, carriers = list[tuple[str, str]](), list[Bools]()
    for component in sorted(components):
        given = np.asarray([str(level) for level in components[component]])
        if len(given) != examinees:
            raise UsageError(
                f"Component {component} names {len(given)} examinees.", allowed=f"One level for each of {examinees}."
            )
        for level in sorted(set(given.tolist())):
            levels.append((component, level))
            carriers.append(given == level)
    return tuple(levels), np.array(carriers, dtype=bool).reshape(len(levels), examinees)


def component_fit(
    responses: ArrayLike,
    probabilities: ArrayLike,
    components: Mapping[str, Sequence[str]],
) -> ComponentFit | NotJudged:
    """Residual contrasts of every component level on every item.

    Responses (n, m) of 1, 0 and nan, the model's probabilities (n, m) of a fit with the components (a level's ability
    is no difference), and for each component a level per examinee. A contrast is judged where three examinees inside
    and outside the level answered and the level's answers vary enough. NotJudged where none is.
    """
    values = response_matrix(responses)
    p = probability_matrix(probabilities, values.shape)
    levels, carriers = level_carriers(components, len(values))
    usable = (carriers.sum(axis=1) >= FEW_EXAMINEES) & ((~carriers).sum(axis=1) >= FEW_EXAMINEES)
    if not usable.any():
        return NotJudged(f"no component level has {FEW_EXAMINEES} examinees inside and outside it")
    z, judged = _contrasts(values, p, carriers)
    if not judged.any():
        return NotJudged("no level has answers to an item that vary enough to be compared with the others'")
    p_value = np.where(judged, 2 * ndtr(-np.abs(z)), 1.0)
    adjusted = np.ones_like(p_value)
    adjusted[judged] = benjamini_hochberg(p_value[judged])
    left_out = tuple("=".join(level) for level, kept in zip(levels, usable.tolist(), strict=True) if not kept)
    notes = (Note(code=NoteCode.LEVELS_NOT_JUDGED, names=left_out),) if left_out else ()
    return ComponentFit(levels, z, p_value, adjusted, judged, _found(values, p, levels, carriers, z, adjusted), notes)


def leaks(
    responses: ArrayLike,
    theta: ArrayLike,
    components: Mapping[str, Sequence[str]],
    *,
    options: int | Sequence[int] = 4,
) -> Leaks | NotJudged:
    """Items whose answer one component level knows, whatever its ability (evidence.leak_evidence).

    The expected share of false alarms among the suspected is at most FALSE_SHARE, where PRIOR_SHARE of the items
    leak to some level. NotJudged where no component tells examinees apart.
    """
    values = response_matrix(responses)
    levels, carriers = level_carriers(components, len(values))
    partial = np.asarray(~carriers.all(axis=1), dtype=bool)
    if not partial.any():
        return NotJudged("no component tells examinees apart")
    kept = tuple(level for level, told in zip(levels, partial.tolist(), strict=True) if told)
    evidence = leak_evidence(values, theta, carriers[partial], options=options)
    weighted = evidence + _log_prior(kept)[:, None]
    any_level = np.asarray(logsumexp(weighted, axis=0), dtype=np.float64)
    sound = expit(-(any_level + logit(PRIOR_SHARE)))
    found = np.flatnonzero(expected_false_share(sound) <= FALSE_SHARE)
    level = weighted.argmax(axis=0)
    surest = found[np.lexsort((found, -any_level[found]))]
    suspected = [
        LeakSuspicion(int(j), kept[k][0], kept[k][1], float(evidence[k, j]))
        for j, k in zip(surest, level[surest], strict=True)
    ]
    return Leaks(kept, evidence, any_level, tuple(suspected))


def _log_prior(levels: Sequence[tuple[str, str]]) -> Floats:
    """Log of one over the number of components and of one over the number of levels of its own, per level."""
    names = [component for component, _ in levels]
    return np.array([-np.log(len(set(names)) * names.count(name)) for name in names])


def _contrasts(values: Floats, p: Floats, carriers: Bools) -> tuple[Floats, Bools]:
    """z (k, m) and whether it is judged: group indicators less their weighted projection on (1, logit p)."""
    graded = (~np.isnan(values)).astype(np.float64)
    residual = np.where(graded > 0, values - p, 0.0)
    weight = p * (1 - p) * graded
    along = logit(p)
    groups = carriers.astype(np.float64)
    total = weight.sum(axis=0)
    centred = along - np.divide((weight * along).sum(axis=0), total, out=np.zeros_like(total), where=total > 0)
    spread = (weight * centred**2).sum(axis=0)
    inside, tilted = groups @ weight, groups @ (weight * centred)
    off, slope = _ratio(inside, total), _ratio(tilted, spread)
    score = groups @ residual - off * residual.sum(axis=0) - slope * (centred * residual).sum(axis=0)
    variance = inside - off * inside - slope * tilted
    enough = (groups @ graded >= FEW_EXAMINEES) & ((1 - groups) @ graded >= FEW_EXAMINEES)
    judged = enough & (variance >= LEAST_VARIANCE)
    return np.where(judged, score / np.sqrt(np.where(judged, variance, 1.0)), 0.0), judged


def _ratio(above: Floats, below: Floats) -> Floats:
    # a spread of rounding errors: everybody is as able, and there is no slope to take out
    told = below > 1e-9
    return np.asarray(np.where(told, above / np.where(told, below, 1.0), 0.0), dtype=np.float64)


def _found(
    values: Floats, p: Floats, levels: tuple[tuple[str, str], ...], carriers: Bools, z: Floats, adjusted: Floats
) -> tuple[LevelDifference, ...]:
    rows, items = np.nonzero(adjusted <= FALSE_SHARE)
    order = np.lexsort((items, rows, -np.abs(z[rows, items])))
    return tuple(
        LevelDifference(
            int(j),
            levels[k][0],
            levels[k][1],
            float(z[k, j]),
            float(adjusted[k, j]),
            standardised_difference(values[:, j], p[:, j], carriers[k]),
        )
        for k, j in zip(rows[order], items[order], strict=True)
    )


def standardised_difference(answers: Floats, p: Floats, carriers: Bools) -> Estimate:
    """Share of right `answers` (n,) among carriers less the share expected from the others' at the same abilities.

    p (n,) are probabilities of the item's curve. Its logit is moved by what the others ask for, under the prior.
    """
    graded = ~np.isnan(answers)
    inside, outside = graded & carriers, graded & ~carriers
    logits = logit(p)
    shift, se = _shift(answers[outside], logits[outside])
    low, expected, high = (float(expit(logits[inside] + shift + reach).mean()) for reach in (-Z * se, 0.0, Z * se))
    count = int(inside.sum())
    share = float(answers[inside].mean())
    seen = wilson(share * count, count) or Estimate(share, 0.0, 1.0)
    value = share - expected
    return Estimate(
        value,
        value - float(np.hypot(share - seen.low, high - expected)),
        value + float(np.hypot(seen.high - share, expected - low)),
    )


def _shift(answers: Floats, logits: Floats) -> tuple[float, float]:
    """What to add to the logits so that they fit the answers, by the posterior's mode, and its standard error."""
    shift = 0.0
    for _ in range(_STEPS):
        p = expit(logits + shift)
        precision = float((p * (1 - p)).sum()) + SHIFT_SD**-2
        step = (float((answers - p).sum()) - shift / SHIFT_SD**2) / precision
        shift += float(np.clip(step, -1.0, 1.0))
    return shift, precision**-0.5
