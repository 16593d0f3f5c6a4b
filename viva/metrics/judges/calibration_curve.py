"""Whether a judge's scores mean what they say: the calibration curve and the expected calibration error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viva.core.errors import UsageError
from viva.metrics.intervals import Interval, wilson
from viva.metrics.judges.pairs import Floats, Scores, Undefined, paired_rows

BINS = 10


@dataclass(frozen=True)
class CalibrationBin:
    """Rows whose judge score lies in [low, high) (the last bin holds its upper end too).

    `people` is the mean of what people said with Wilson's interval: exact where they said 0 or 1, too wide where
    they gave parts.
    """

    low: float
    high: float
    rows: int
    judge: float
    people: Interval


def calibration_curve(judge: Scores, people: Scores) -> tuple[CalibrationBin, ...]:
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
    return sum(each.rows * abs(each.judge - each.people.estimate) for each in curve) / len(rows)


def _curve(rows: Floats) -> tuple[CalibrationBin, ...]:
    if ((rows < 0) | (rows > 1)).any():
        raise UsageError("A score is outside 0 to 1.", allowed="Judge and people on the scale from 0 to 1.")
    judge, people = rows.T
    # linspace ends some bins past .3, .6 and .7
    edges = np.arange(BINS + 1) / BINS
    places = np.clip(np.searchsorted(edges, judge, side="right") - 1, 0, BINS - 1)
    found = []
    for place in np.unique(places):
        inside = places == place
        count = int(inside.sum())
        share = wilson(min(float(people[inside].sum()), count), count)
        if share is not None:
            low, high = map(float, edges[place : place + 2])
            found.append(CalibrationBin(low, high, count, float(judge[inside].mean()), share))
    return tuple(found)
