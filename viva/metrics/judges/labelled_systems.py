"""Mean scores of systems as people would give them, and their differences, from few labels of each.

Prediction-powered inference (metrics/judges/prediction_powered.py) of scores from 0 to 1, with what a handful of
labels takes: one weight of the judge for all systems, and a variance that is never less than so few labels can have
shown. The interval of a mean is Wilson's with the effective number of labels (as Korn & Graubard 1998 do for
surveys), that of a difference is put together from two of them (Newcombe 1998, method 10; Zou & Donner 2008).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.core.estimates import Estimate
from viva.core.wording import counted
from viva.metrics.intervals import wilson
from viva.metrics.judges.pairs import MIN_PAIRS, Floats, Undefined
from viva.metrics.judges.prediction_powered import PredictionPowered, prediction_powered_mean

LEAST = MIN_PAIRS
"""Labels that the mean of a system takes."""
BELIEF = 0.5
"""The squares of one answer of 1 and one of 0 that the judge did not foresee, believed in before any label: a judge
is trusted by as much as labels that differ have shown of it, and where none differ not at all."""
EACH_SIDE = 5.0
"""Labels of 1 and of 0 from which the interval of labels alone is one to compare with (the usual n p >= 5)."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """A system's answers: `predicted` (n,), the judge's score on people's scale, and `people` (n,), both from 0 to 1.

    nan where there is no score or no label. `questions` (n,): no question twice.
    """

    questions: tuple[Hashable, ...]
    predicted: Floats
    people: Floats

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which answers have a label (n,)."""
        return ~np.isnan(self.people)

    @property
    def labels(self) -> int:
        """How many answers have a label."""
        return int(self.known.sum())

    @property
    def filled(self) -> Floats:
        """The predictions (n,); the mean of the others for one that is missing, which the labels put right alike."""
        graded = ~np.isnan(self.predicted)
        mean = float(self.predicted[graded].mean()) if graded.any() else 0.0
        return np.where(graded, self.predicted, mean)

    def on(self, questions: set[Hashable]) -> Labelled:
        """The answers to these questions alone, in their order."""
        kept = [place for place, question in enumerate(self.questions) if question in questions]
        return Labelled(tuple(self.questions[n] for n in kept), self.predicted[kept], self.people[kept])


@dataclass(frozen=True)
class Weighting:
    """Of the labels of all systems: the judge's `weight` (lambda of PPI++, from 0 to 1), and degrees of `freedom`."""

    weight: float
    freedom: int


@dataclass(frozen=True)
class SystemMean:
    """The mean that people would give, `labels_alone` without the judge, and how many labels alone would do as well.

    `effective_labels` is at most the number of answers; None where the labels are too few, or too much alike, for an
    interval of their own to be compared with (EACH_SIDE).
    """

    mean: Estimate
    labels_alone: Estimate
    effective_labels: float | None


@dataclass(frozen=True, eq=False)
class _Estimate:
    """An estimate with its interval, variance, and each answer's share (n,) in its deviation."""

    interval: Estimate
    variance: float
    deviations: Floats


def weighting(systems: Sequence[Labelled]) -> Weighting | Undefined:
    """How far the judge is taken into account. Undefined where no system has 3 labels.

    One weight for all: chosen on a system's few labels it would make its variance look less than it is.
    """
    held = [each for each in systems if each.labels > 1]
    beyond = sum(each.labels - 1 for each in held)
    if beyond < 2:
        return Undefined(f"No system has {LEAST} labels.")
    found = prediction_powered_mean(
        np.concatenate([each.filled for each in held]),
        np.concatenate([each.people for each in held]),
        clusters=[question for each in held for question in each.questions],
        strata=[n for n, each in enumerate(held) for _ in each.questions],
    )
    weight = min(max(found.weight, 0.0), 1.0) if isinstance(found, PredictionPowered) else 0.0
    return Weighting(weight, beyond - 1)


def system_mean(system: Labelled, judge: Weighting | Undefined) -> SystemMean | Undefined:
    """A system's mean over questions like these. Undefined for fewer than 3 labels."""
    if system.labels < LEAST:
        return Undefined(f"{counted(system.labels, 'label')}; at least {LEAST} are needed.")
    if isinstance(judge, Undefined):
        return judge
    found, alone = _estimate(system, judge, judge.weight), _estimate(system, judge, 0.0)
    given = float(np.nansum(system.people))
    comparable = min(given, system.labels - given) >= EACH_SIDE
    worth = min(system.labels * alone.variance / found.variance, len(system.people))
    return SystemMean(found.interval, alone.interval, worth if comparable else None)


def system_difference(first: Labelled, second: Labelled, judge: Weighting | Undefined) -> Estimate | Undefined:
    """The first's mean less the second's over questions like those that both answered.

    Labels need not be of the same questions; what makes a question hard for both cancels as far as the scores show
    it. Undefined where either has fewer than 3 labels of these questions.
    """
    common = set(first.questions) & set(second.questions)
    rows = [each.on(common) for each in (first, second)]
    fewest = min(each.labels for each in rows)
    if fewest < LEAST:
        return Undefined(f"{counted(fewest, 'label')} on the common questions; at least {LEAST} are needed.")
    if isinstance(judge, Undefined):
        return judge
    one, other = (_estimate(each, judge, judge.weight) for each in rows)
    place = {question: n for n, question in enumerate(rows[1].questions)}
    together = one.deviations @ other.deviations[[place[question] for question in rows[0].questions]]
    correlation = float(np.clip(together / np.sqrt(one.variance * other.variance), -1.0, 1.0))
    a, b = one.interval, other.interval
    gap = a.value - b.value
    below = _joined(a.value - a.low, b.high - b.value, correlation)
    above = _joined(a.high - a.value, b.value - b.low, correlation)
    return Estimate(gap, max(gap - below, -1.0), min(gap + above, 1.0))


def _joined(one: float, other: float, correlation: float) -> float:
    return float(np.sqrt(max(one**2 + other**2 - 2 * correlation * one * other, 0.0)))


def _left(system: Labelled, weight: float) -> float:
    """The share of the squares possible with labels of this mean (all 0 or 1) that the judge leaves unexplained."""
    people = system.people[system.known]
    rest = people - weight * system.filled[system.known]
    squares, possible = np.square(rest - rest.mean()).sum(), people.sum() * (1 - people.mean())
    return float((squares + BELIEF) / (possible + BELIEF))


def _estimate(system: Labelled, judge: Weighting, weight: float) -> _Estimate:
    known, scores, labels = system.known, system.filled, system.labels
    unknown = scores[~known]
    # a single answer without a label has no spread: there the labels stand alone
    weight = weight if len(unknown) > 1 else 0.0
    rest = system.people[known] - weight * scores[known]
    deviations = np.zeros(len(scores))
    deviations[known] = (rest - rest.mean()) / labels
    estimate, spread = float(system.people[known].mean()), 0.0
    if weight:
        estimate = float(np.clip(rest.mean() + weight * unknown.mean(), 0.0, 1.0))
        deviations[~known] = weight * (unknown - unknown.mean()) / len(unknown)
        spread = weight**2 * float(unknown.var(ddof=1)) / len(unknown)
    # the same two answers as in BELIEF: at 0 and 1 no variance would be left
    share = (labels * estimate + 1) / (labels + 2)
    variance = _left(system, weight) * share * (1 - share) / labels + spread
    # no more is known of questions like these than if every answer had a label
    trials = min(share * (1 - share) / variance, len(scores))
    interval = wilson(estimate * trials, trials, freedom=judge.freedom)
    if interval is None:
        raise AssertionError("there are labels, so there are trials")
    return _Estimate(interval, variance, deviations)
