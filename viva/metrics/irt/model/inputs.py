"""What every check asks of the arrays it is given, refused in words where they do not fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.metrics.irt.model.responses import as_floats

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

# closer to 0 or 1 than this a probability is an assertion that one wrong answer would refute without bound
LEAST_PROBABILITY = 1e-9


@dataclass(frozen=True)
class NotJudged:
    """A check could not be made; `reason` says why in words."""

    reason: str


def response_matrix(responses: ArrayLike) -> Floats:
    """Responses as floats (n, m) of 1, 0 and nan (not graded). Raises UsageError for anything else."""
    values = as_floats(responses)
    if values.ndim != 2:
        raise UsageError(f"Responses have {counted(values.ndim, 'dimension')}.", allowed="Examinees x items.")
    if not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise UsageError("A response is neither right nor wrong.", allowed="1, 0, or nan for not graded.")
    return values


def probability_matrix(probabilities: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Predicted probabilities (n, m), kept off 0 and 1 by 1e-9. Raises UsageError where one is none or missing."""
    values = np.asarray(probabilities, dtype=np.float64)
    if values.shape != shape:
        raise UsageError(
            f"Predicted probabilities have the shape {values.shape}.", allowed=f"That of the responses, {shape}."
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise UsageError("A predicted probability is missing or outside 0 to 1.", allowed="One for every cell.")
    return np.clip(values, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)


def finite_vector(values: ArrayLike, length: int, name: str) -> Floats:
    """A vector (length,) of finite numbers. Raises UsageError naming it where it is not."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (length,):
        raise UsageError(f"{name} has the shape {vector.shape}.", allowed=f"({length},).")
    if not np.isfinite(vector).all():
        raise UsageError(f"{name} holds a value that is missing or infinite.", allowed="Finite numbers.")
    return vector


def share(value: float, name: str) -> float:
    """A number strictly between 0 and 1. Raises UsageError naming it where it is not."""
    if not 0 < value < 1:
        raise UsageError(f"{name} is {value}.", allowed="Between 0 and 1.")
    return value
