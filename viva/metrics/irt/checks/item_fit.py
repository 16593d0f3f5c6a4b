"""Infit and outfit: do an item's responses scatter about its curve as much as the model says?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.metrics.irt.model.responses import Bools, Floats, NotJudged, probability_matrix, response_matrix

# a mean square of fewer hangs on one or two of them
_FEW_EXAMINEES = 10


@dataclass(frozen=True, eq=False)
class MeanSquares:
    """Mean squares (m,) of standardised residuals, 1 where responses scatter as the model says.

    Below 1 they follow the curve too closely, above 1 too loosely. `outfit` weighs every cell alike and is moved by
    surprises far from the item's difficulty; `infit` weighs by the variance p q. `outfit_z` and `infit_z` are about
    standard normal under the model. All of an item that is not `judged` (m,) stand at 1 and 0.
    """

    outfit: Floats
    outfit_z: Floats
    infit: Floats
    infit_z: Floats
    judged: Bools


def mean_squares(responses: ArrayLike, probabilities: ArrayLike) -> MeanSquares | NotJudged:
    """Infit and outfit of items from responses (n, m) of 1, 0 and nan and the model's probabilities (n, m).

    Source: Wright & Masters (1982), Rating Scale Analysis, ch. 5; z by the Wilson-Hilferty cube root. Parameters
    fitted to the same responses draw the mean squares a little below 1. Items with fewer than ten responses are not
    judged; NotJudged where that holds of all.
    """
    values = response_matrix(responses)
    p = probability_matrix(probabilities, values.shape)
    graded = ~np.isnan(values)
    count = graded.sum(axis=0)
    judged = count >= _FEW_EXAMINEES
    if not judged.any():
        return NotJudged(f"no item has responses of {_FEW_EXAMINEES} examinees")
    residual = np.where(graded, values - p, 0.0)
    variance = np.where(graded, p * (1 - p), 0.0)
    # fourth central moment of a response
    fourth = variance * (1 - 3 * p * (1 - p))
    outfit, outfit_sd = _outfit(residual, variance, fourth, graded)
    with np.errstate(divide="ignore", invalid="ignore"):
        infit = (residual**2).sum(axis=0) / variance.sum(axis=0)
        infit_sd = np.sqrt((fourth - variance**2).clip(0).sum(axis=0)) / variance.sum(axis=0)
    return MeanSquares(
        outfit=np.where(judged, outfit, 1.0),
        outfit_z=_cube_root_z(outfit, outfit_sd, judged),
        infit=np.where(judged, infit, 1.0),
        infit_z=_cube_root_z(infit, infit_sd, judged),
        judged=judged,
    )


def _outfit(residual: Floats, variance: Floats, fourth: Floats, graded: Bools) -> tuple[Floats, Floats]:
    safe = np.where(graded, variance, 1.0)
    count = np.maximum(graded.sum(axis=0), 1)
    mean = (residual**2 / safe).sum(axis=0) / count
    spread = np.where(graded, fourth / safe**2 - 1, 0.0).clip(0).sum(axis=0)
    return mean, np.sqrt(spread) / count


def _cube_root_z(mean_square: Floats, sd: Floats, judged: Bools) -> Floats:
    # sd is 0 where every p is 1/2: all mean squares are 1 then
    told = judged & (sd > 0)
    spread = np.where(told, sd, 1.0)
    z = (np.cbrt(mean_square) - 1) * 3 / spread + spread / 3
    return np.asarray(np.where(told, z, 0.0), dtype=np.float64)
