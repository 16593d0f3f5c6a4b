"""Accuracy on the whole exam of an examinee who was asked a part of it.

The score is what was answered, plus what the model predicts of the items not asked, plus a correction. Items of the
adaptive phase were picked for their parameters: they measure the ability with an error of the model's misfit (the
blur), and their share of right answers is near one half whoever is asked. The correction is a difference estimator
(Särndal, Swensson & Wretman 1992, 6.3): what randomly drawn items were answered better or worse than predicted,
carried over to the items not asked, stratum by stratum. It is shrunk by its own noise against what the prediction may
be wrong by, so that five random items move the score little and two hundred decide it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from viva.metrics.intervals import CONFIDENCE, Interval
from viva.metrics.irt.adaptive_ability import grid_posterior
from viva.metrics.irt.adaptive_bank import Bank, Plan
from viva.metrics.irt.curves import probability_3pl

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def full_score(
    bank: Bank,
    plan: Plan,
    adaptive: Sequence[tuple[int, float]],
    drawn: Sequence[tuple[int, float]],
    strata: Sequence[Ints],
    confidence: float = CONFIDENCE,
) -> Interval:
    """Share of right answers on all items of the bank, with an interval.

    `adaptive` and `drawn` are graded answers (item, 1 or 0) of the two phases, `strata` the items left by the first.
    """
    items, answers = _columns(adaptive)
    posterior = grid_posterior(
        answers,
        bank.a[items],
        bank.b[items],
        bank.c[items],
        prior_mean=plan.prior_mean,
        prior_sd=plan.prior_sd,
        blur_sd=plan.misfit_sd * plan.prior_sd,
    )
    random_part, random_answers = _columns(drawn)
    right = float(answers.sum() + random_answers.sum())
    rest = np.setdiff1d(np.arange(len(bank)), np.concatenate([items, random_part]))
    p = probability_3pl(posterior.nodes, bank.a, bank.b, bank.c)
    total = p[:, rest].sum(axis=1)
    predicted = float(posterior.weights @ total)
    doubt = (
        float(posterior.weights @ (total - predicted) ** 2)
        + (plan.score_misfit * len(rest)) ** 2
        + float(posterior.weights @ (p[:, rest] * (1 - p[:, rest])).sum(axis=1))
    )
    correction, noise = _difference(posterior.weights @ p, dict(drawn), strata)
    weight = doubt / (doubt + noise) if doubt > 0 else 0.0
    missed = float((1 - answers).sum() + (1 - random_answers).sum())
    half = float(norm.ppf((1 + confidence) / 2)) * (doubt * (1 - weight)) ** 0.5
    low, high = right / len(bank), 1 - missed / len(bank)
    estimate = min(max((right + predicted + weight * correction) / len(bank), low), high)
    return Interval(estimate, max(estimate - half / len(bank), low), min(estimate + half / len(bank), high))


def _columns(answers: Sequence[tuple[int, float]]) -> tuple[Ints, Floats]:
    return (
        np.array([item for item, _ in answers], dtype=np.int64),
        np.array([value for _, value in answers], dtype=np.float64),
    )


def _difference(p: Floats, drawn: dict[int, float], strata: Sequence[Ints]) -> tuple[float, float]:
    """Right answers by which the items not drawn exceed p (m,), and the variance of that (inf: nothing is known)."""
    correction, noise, reached, left = 0.0, 0.0, 0, 0
    for stratum in strata:
        known = [int(item) for item in stratum if int(item) in drawn]
        rest = len(stratum) - len(known)
        left += rest
        if not known:
            continue
        reached += rest
        correction += rest * float(np.mean([drawn[item] - p[item] for item in known]))
        noise += rest**2 * float(np.mean(p[known] * (1 - p[known]))) / len(known)
    if reached == 0:
        return 0.0, 0.0 if left == 0 else float("inf")
    # strata without a graded answer are taken to be like the others
    scale = left / reached
    return correction * scale, noise * scale**2
