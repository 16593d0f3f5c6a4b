"""Extrapolation of a search that converges linearly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# steps that are extrapolated from
_MEMORY = 5
# squared length of a combination of their changes, in that of the longest, that is not told from rounding
_NEGLIGIBLE = 1e-12


class History:
    """Anderson's extrapolation (1965): of the last steps, the combination that leaves the shortest step to make."""

    def __init__(self) -> None:
        self._points: list[Floats] = []
        self._steps: list[Floats] = []

    def extrapolated(self, here: Floats, step: Floats) -> Floats:
        """What to move by from `here` (k,), where the search itself proposes `step` (k,)."""
        self._points, self._steps = [*self._points, here][-_MEMORY:], [*self._steps, step][-_MEMORY:]
        if len(self._points) < 2:
            return step
        moved, changed = np.diff(self._points, axis=0), np.diff(self._steps, axis=0)
        weights = np.linalg.lstsq(changed @ changed.T, changed @ step, rcond=_NEGLIGIBLE)[0]
        return np.asarray(step - weights @ (moved + changed), dtype=np.float64)
