"""Whether a judge's scores mean what they say: the calibration curve and the expected calibration error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from viva.core.errors import UsageError
from viva.metrics.intervals import Interval, wilson
from viva.metrics.judges.pairs import Floats, Scores, Undefined, paired_rows

BINS = 10
Binning = Literal["width", "count"]


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


def calibration_curve(
    judge: Scores, people: Scores, *, bins: int = BINS, binning: Binning = "width"
) -> tuple[CalibrationBin, ...]:
    """The bins that hold rows, lowest first; judge (n,) and people (n,) in [0, 1], rows that lack one left out.

    `binning`: bins of equal width over [0, 1], or of about equally many rows (tied scores stay together). Raises
    UsageError for scores outside [0, 1], different lengths and fewer than one bin.
    """
    rows = paired_rows(judge=judge, people=people).rows
    return _curve(rows, bins, binning)


def calibration_error_of(rows: Floats) -> float | Undefined:
    """Expected calibration error of rows (n, 2) of (judge, people) in ten bins of equal width; in [0, 1].

    The mean over rows of |judge - people| of their bin (Naeini et al. 2015; Guo et al. 2017, eq. 3). It is biased
    upwards where bins hold few rows.
    """
    curve = _curve(rows, BINS, "width")
    if not curve:
        return Undefined("No row has both scores.")
    return sum(each.rows * abs(each.judge - each.people.estimate) for each in curve) / len(rows)


def _curve(rows: Floats, bins: int, binning: Binning) -> tuple[CalibrationBin, ...]:
    if bins < 1:
        raise UsageError(f"{bins} bins were asked for.", allowed="At least 1.")
    if ((rows < 0) | (rows > 1)).any():
        raise UsageError("A score is outside 0 to 1.", allowed="Judge and people on the scale from 0 to 1.")
    if not len(rows):
        return ()
    judge, people = rows.T
    shares = np.linspace(0, 1, bins + 1)
    edges = shares if binning == "width" else np.unique(np.quantile(judge, shares))
    last = max(len(edges) - 2, 0)
    places = np.clip(np.searchsorted(edges, judge, side="right") - 1, 0, last)
    found = []
    for place in np.unique(places):
        inside = places == place
        count = int(inside.sum())
        share = wilson(min(float(people[inside].sum()), count), count)
        if share is not None:
            top = float(edges[min(place + 1, len(edges) - 1)])
            found.append(CalibrationBin(float(edges[place]), top, count, float(judge[inside].mean()), share))
    return tuple(found)
