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
        self._last: tuple[Floats, Floats] | None = None
        self._moved: list[Floats] = []
        self._changed: list[Floats] = []

    def extrapolated(self, here: Floats, step: Floats) -> Floats:
        """What to move by from `here` (k,), where the search itself proposes `step` (k,)."""
        if self._last is None:
            self._last = here, step
            return step
        self._moved = [*self._moved, here - self._last[0]][1 - _MEMORY :]
        self._changed = [*self._changed, step - self._last[1]][1 - _MEMORY :]
        self._last = here, step
        changed = np.array(self._changed)
        weights = np.linalg.lstsq(changed @ changed.T, changed @ step, rcond=_NEGLIGIBLE)[0]
        return np.asarray(step - weights @ (np.array(self._moved) + changed), dtype=np.float64)
