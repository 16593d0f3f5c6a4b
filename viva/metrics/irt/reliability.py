"""How much of the differences between examinees another exam of this kind would show again: reliability.

KR-20 (Kuder & Richardson 1937, Psychometrika 2, 151-160, formula 20; of parts of points it is coefficient alpha) is
of the scores on these items, for the examinees that have every item graded. Marginal reliability is of the abilities:
their variance over that variance and the mean squared standard error (Green, Bock, Humphreys, Linn & Reckase 1984,
Journal of Educational Measurement 21, 347-360, for abilities drawn towards their mean). Intervals: Feldt (1965),
Psychometrika 30, 357-370: (1 - reliability) / (1 - estimate) has an F distribution of n - 1 and (n - 1)(m - 1)
degrees of freedom; for the abilities with the second taken as infinite.
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtri, fdtri

from viva.core.estimates import Estimate
from viva.core.scores import Reliability
from viva.metrics.intervals import CONFIDENCE
from viva.metrics.irt.model.responses import Floats, Ints, NotJudged

# the variance of two numbers is hardly one
FEWEST_EXAMINEES = 3
_SAME = "all have the same score"
_FEW = f"needs {FEWEST_EXAMINEES} systems"


def reliability(responses: Floats, theta: Floats, theta_se: Floats, groups: Ints, rows: Ints) -> Reliability:
    """Both reliabilities for the examinees `rows`, or why there is none.

    From responses (n, m), nan for not graded; abilities (n,) drawn towards their mean, their errors (n,),
    and the groups of examinees (n,) that items connect: those of different groups have no common scale.
    """
    scores, marginal = alpha(responses[rows]), marginal_reliability(theta[rows], theta_se[rows])
    if len(set(groups[rows].tolist()) - {-1}) > 1:
        marginal = NotJudged("groups of examinees share too few items, so that their abilities have no common scale")
    found = {"kr20": scores, "marginal": marginal}
    return Reliability(
        examinees=len(rows),
        complete=int((~np.isnan(responses[rows])).all(axis=1).sum()),
        not_made={name: each.reason for name, each in found.items() if isinstance(each, NotJudged)},
        kr20=scores if isinstance(scores, Estimate) else None,
        marginal=marginal if isinstance(marginal, Estimate) else None,
    )


def alpha(scores: Floats) -> Estimate | NotJudged:
    """Coefficient alpha of scores (n, m) over the rows without nan, KR-20 if all are 1 or 0; with Feldt's interval.

    NotJudged for fewer than three such rows or two items, and where they all have the same total.
    """
    complete = scores[~np.isnan(scores).any(axis=1)]
    n, items = complete.shape
    if items < 2:
        return NotJudged("fewer than 2 items")
    if n < FEWEST_EXAMINEES:
        return NotJudged(f"{_FEW} that answered all questions")
    total = float(complete.sum(axis=1).var())
    if total < 1e-12:
        return NotJudged(_SAME)
    error = 1 - items / (items - 1) * (1 - float(complete.var(axis=0).sum()) / total)
    freedom = n - 1, (n - 1) * (items - 1)
    low, high = (float(fdtri(*freedom, share)) for share in ((1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2))
    return Estimate(1 - error, 1 - error * low, 1 - error * high)


def marginal_reliability(theta: Floats, theta_se: Floats) -> Estimate | NotJudged:
    """Reliability of abilities (n,) with these errors (n,), that are drawn towards their mean; with an interval.

    NotJudged for fewer than three examinees, and where all have the same ability.
    """
    n = len(theta)
    if n < FEWEST_EXAMINEES:
        return NotJudged(_FEW)
    spread = float(theta.var(ddof=1))
    if spread < 1e-12:
        return NotJudged(_SAME)
    noise = float((theta_se**2).mean())
    error = noise / (spread + noise)
    # the quantiles that this share leaves above
    low, high = (float(chdtri(n - 1, share)) / (n - 1) for share in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Estimate(1 - error, 1 - error * low, 1 - error * high)
