"""Several judges on the same answers: one verdict of all of them, and how far they agree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.metrics.judges.agreement import spearman_of
from viva.metrics.judges.confusion import matthews_of
from viva.metrics.judges.paired import RESAMPLES, Resampled, bootstrap
from viva.metrics.judges.pairs import Floats, PairedRows, Scores, Undefined, kept_groups, paired_rows, table
from viva.metrics.judges.raters import Level, fleiss_kappa, krippendorff_alpha

Rule = Literal["majority", "mean"]


@dataclass(frozen=True)
class Jury:
    """Verdicts (units,) in the order given, each with its reason where there is none, and how judges agree.

    `fleiss` is for the rule "majority", over the units that every judge graded. `with_others` has, for each judge,
    its agreement with the verdict of all others (MCC for "majority", Spearman for "mean"): the odd one stands low;
    `with_others_resampled` has its bootstrap interval.
    `hung` counts units without a verdict, `missing` cells without a grade.
    """

    verdicts: tuple[float | Undefined, ...]
    alpha: Resampled | Undefined
    fleiss: Resampled | Undefined
    with_others: tuple[float | Undefined, ...]
    with_others_resampled: tuple[Resampled | Undefined, ...]
    hung: int
    missing: int


def jury(
    votes: Sequence[Scores] | Floats,
    rule: Rule,
    level: Level,
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int,
    quorum: int = 1,
    resamples: int = RESAMPLES,
) -> Jury:
    """The verdicts on votes (units, judges), None or nan for ungraded; `quorum`: votes that a verdict needs.

    `level` is what the scores are, for Krippendorff's alpha; intervals are bootstrapped over `groups` (units,), else
    over units. Raises UsageError for an unknown rule, fewer than two judges and a quorum that cannot be met.
    """
    values = table(votes, "judge")
    judges = values.shape[1]
    if rule not in ("majority", "mean"):
        raise UsageError(f"'{rule}' is no rule of a jury.", allowed="majority or mean.")
    if judges < 2:
        raise UsageError(f"A jury of {counted(judges, 'judge')}.", allowed="At least 2.")
    if not 1 <= quorum <= judges:
        raise UsageError(f"A quorum of {quorum} among {judges} judges.", allowed=f"From 1 to {judges}.")
    verdict = majority if rule == "majority" else mean_vote
    verdicts = tuple(verdict(row, quorum) for row in values)
    complete = paired_rows(**{f"judge_{n}": column for n, column in enumerate(values.T)})
    own = kept_groups(complete, groups)
    agreement = matthews_of if rule == "majority" else spearman_of
    beside = [_beside_others(values, judge, rule) for judge in range(judges)]
    means = Undefined("Fleiss' kappa is for classes; these scores are averaged.")
    return Jury(
        verdicts=verdicts,
        alpha=bootstrap(partial(krippendorff_alpha, level=level), values, groups, seed=seed, resamples=resamples),
        fleiss=bootstrap(fleiss_kappa, complete.rows, own, seed=seed, resamples=resamples)
        if rule == "majority"
        else means,
        with_others=tuple(agreement(each.rows) for each in beside),
        with_others_resampled=tuple(
            bootstrap(agreement, each.rows, kept_groups(each, groups), seed=seed, resamples=resamples)
            for each in beside
        ),
        hung=sum(isinstance(each, Undefined) for each in verdicts),
        missing=int(np.isnan(values).sum()),
    )


def majority(votes: Scores, quorum: int = 1) -> float | Undefined:
    """The label that most judges gave; Undefined for a tie at the top and below the quorum. No lot is drawn."""
    given = _given(votes, quorum)
    if isinstance(given, Undefined):
        return given
    labels, counts = np.unique(given, return_counts=True)
    top = labels[counts == counts.max()]
    if len(top) > 1:
        return Undefined(
            f"A tie: {counted(int(counts.max()), 'vote')} each for {', '.join(f'{label:g}' for label in top)}."
        )
    return float(top[0])


def mean_vote(votes: Scores, quorum: int = 1) -> float | Undefined:
    """The mean of the scores that were given; Undefined below the quorum."""
    given = _given(votes, quorum)
    # sorted, so that the order of the judges does not move the last digit
    return given if isinstance(given, Undefined) else float(np.sort(given).mean())


def _given(votes: Scores, quorum: int) -> Floats | Undefined:
    values = np.asarray(votes, dtype=np.float64)
    given: Floats = values[~np.isnan(values)]
    if len(given) < max(quorum, 1):
        return Undefined(f"{len(given)} of {len(values)} judges gave a grade; {max(quorum, 1)} are needed.")
    return given


def _beside_others(values: Floats, judge: int, rule: Rule) -> PairedRows:
    """The judge's scores beside the verdicts of all others, where there are both."""
    verdict = majority if rule == "majority" else mean_vote
    found = [verdict(rest) for rest in np.delete(values, judge, axis=1)]
    others = [None if isinstance(each, Undefined) else each for each in found]
    return paired_rows(judge=values[:, judge], others=others)
