"""Accuracy on the whole exam of an examinee who was asked a part of it.

The score is what was answered, plus what the model predicts of the items not asked from all the answers, plus a
correction. Whether an examinee is as good on the whole exam as the model says, only randomly drawn items tell:
chosen ones were picked for their parameters. The correction is a difference estimator (Särndal, Swensson & Wretman
1992, 6.3): the mean by which drawn items were answered better or worse than predicted. It is shrunk by its own noise
against what the prediction may be wrong by, so that five drawn items move the score little and two hundred decide it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from viva.metrics.intervals import Interval, Z
from viva.metrics.irt.adaptive.ability import GridPosterior
from viva.metrics.irt.adaptive.bank import Bank
from viva.metrics.irt.model.curves import probability_3pl

Floats = NDArray[np.float64]
Graded = Sequence[tuple[int, float]]


def full_score(
    bank: Bank,
    posterior: GridPosterior,
    chosen: Graded,
    drawn: Graded,
    *,
    score_misfit: float,
) -> Interval:
    """Share of right answers on all items of the bank, with an interval.

    `chosen` and `drawn` are the graded answers (item, 1 or 0), `posterior` is the ability's after all of them, and
    `score_misfit` is as of the Plan.
    """
    answers = dict([*chosen, *drawn])
    rest = np.setdiff1d(np.arange(len(bank)), np.array(list(answers), dtype=np.int64))
    p = probability_3pl(posterior.nodes, bank.a, bank.b, bank.c)
    total = p[:, rest].sum(axis=1)
    predicted = float(posterior.weights @ total)
    known = float(posterior.weights @ ((total - predicted) ** 2 + (p[:, rest] * (1 - p[:, rest])).sum(axis=1)))
    excess, misfit = _excess(posterior.weights @ p, drawn, score_misfit**2)
    half = Z * (known + misfit * len(rest) ** 2) ** 0.5
    right, wrong = sum(answers.values()), sum(1 - answer for answer in answers.values())
    low, high = right / len(bank), 1 - wrong / len(bank)
    estimate = min(max((right + predicted + excess * len(rest)) / len(bank), low), high)
    return Interval(estimate, max(estimate - half / len(bank), low), min(estimate + half / len(bank), high))


def _excess(p: Floats, drawn: Graded, misfit: float) -> tuple[float, float]:
    """By what share of right answers an examinee exceeds the predicted p (m,), and the variance left of `misfit`."""
    if not drawn or misfit == 0:
        return 0.0, misfit
    items, answers = [item for item, _ in drawn], np.array([answer for _, answer in drawn])
    noise = float(np.mean(p[items] * (1 - p[items]))) / len(items)
    weight = misfit / (misfit + noise)
    return weight * float(np.mean(answers - p[items])), misfit * (1 - weight)
