"""Whether a judge's scores mean what they say: the calibration curve and the expected calibration error."""

from __future__ import annotations

import numpy as np

from viva.core.errors import UsageError
from viva.core.records.tuning import Bin
from viva.metrics.judges.pairs import Floats, Scores, Undefined, paired_rows

BINS = 10


def calibration_curve(judge: Scores, people: Scores) -> tuple[Bin, ...]:
    """Of ten bins of equal width those that hold rows, lowest first; rows (n,) that lack a score are left out.

    Judge and people are in [0, 1]. Raises UsageError for scores outside and different lengths.
    """
    return _curve(paired_rows(judge=judge, people=people).rows)


def calibration_error_of(rows: Floats) -> float | Undefined:
    """Expected calibration error of rows (n, 2) of (judge, people) in ten bins of equal width; in [0, 1].

    The mean over rows of |judge - people| of their bin (Naeini et al. 2015; Guo et al. 2017, eq. 3). It is biased
    upwards where bins hold few rows.
    """
    curve = _curve(rows)
    if not curve:
        return Undefined("No row has both scores.")
    return sum(each.cases * abs(each.judge - each.people) for each in curve) / len(rows)


def _curve(rows: Floats) -> tuple[Bin, ...]:
    if ((rows < 0) | (rows > 1)).any():
        raise UsageError("A score is outside 0 to 1.", allowed="Judge and people on the scale from 0 to 1.")
    judge, people = rows.T
    # linspace ends some bins past .3, .6 and .7
    edges = np.arange(BINS + 1) / BINS
    places = np.clip(np.searchsorted(edges, judge, side="right") - 1, 0, BINS - 1)
    found = []
    for place in np.unique(places):
        inside = places == place
        low, high = map(float, edges[place : place + 2])
        found.append(
            Bin(
                low=low,
                high=high,
                cases=int(inside.sum()),
                judge=float(judge[inside].mean()),
                people=float(people[inside].mean()),
            )
        )
    return tuple(found)
