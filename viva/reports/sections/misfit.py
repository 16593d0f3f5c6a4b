"""Do answers scatter about each question's curve as the model says? Infit and outfit, with chance allowed for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from viva.metrics.irt.checks.discoveries import benjamini_hochberg
from viva.metrics.irt.checks.item_fit import MeanSquares, mean_squares
from viva.metrics.irt.model.responses import NotJudged
from viva.reports.sections.psychometrics import MeasurementView

FALSE_SHARE = 0.05


@dataclass(frozen=True, eq=False)
class ItemFit:
    """Mean squares (m,), the adjusted p-value (m,) of too much scatter, and the places `flagged`, worst first."""

    squares: MeanSquares
    adjusted: NDArray[np.float64]
    flagged: tuple[int, ...]


def item_fit(found: MeasurementView) -> ItemFit | NotJudged:
    """Too much scatter by infit or outfit, adjusted over both and all questions (Benjamini & Hochberg 1995)."""
    squares = mean_squares(found.responses, found.fit.predict())
    if isinstance(squares, NotJudged):
        return squares
    judged = np.vstack([squares.judged, squares.judged])
    p = np.where(judged, ndtr(-np.vstack([squares.infit_z, squares.outfit_z])), 1.0)
    adjusted = np.ones_like(p)
    adjusted[judged] = benjamini_hochberg(p[judged])
    least = adjusted.min(axis=0)
    flagged = [int(place) for place in np.lexsort((np.arange(len(least)), least)) if least[place] <= FALSE_SHARE]
    return ItemFit(squares, least, tuple(flagged))
