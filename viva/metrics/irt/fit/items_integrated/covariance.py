"""The covariance of abilities, held without a square of the examinees where they are many."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from viva.core.errors import UsageError

Floats = NDArray[np.float64]

# a square of so many examinees takes 200 MB, and to factor it some seconds on one core
MOST_SQUARE = 5_000


def require_square(examinees: int, what: str) -> None:
    """Raises UsageError, before anything is laid out, where a square of the examinees is too much to ask for."""
    if examinees > MOST_SQUARE:
        raise UsageError(
            f"{what} takes tables of {examinees} x {examinees} numbers, {8 * examinees**2 / 2**30:.3g} GiB each.",
            allowed=f"At most {MOST_SQUARE} examinees.",
            next_step="Fit with method 'auto' or 'mml-persons', which integrate over so many; or draw a sample.",
        )


@dataclass(frozen=True, eq=False)
class AbilityCovariance:
    """diag(`own`) + `shared` @ shared' of n abilities, `own` (n,) and `shared` (n, r); or `square` (n, n) alone.

    What abilities share is what they are all uncertain about, such as the effects of components.
    """

    own: Floats
    shared: Floats
    square: Floats | None = field(default=None, repr=False)

    @staticmethod
    def of_square(square: Floats) -> AbilityCovariance:
        """From a matrix (n, n)."""
        n = len(square)
        return AbilityCovariance(np.diag(square).copy(), np.zeros((n, 0)), square)

    @staticmethod
    def apart(variance: Floats) -> AbilityCovariance:
        """Of abilities whose errors have nothing in common, from their variances (n,)."""
        return AbilityCovariance(variance, np.zeros((len(variance), 0)))

    @property
    def variance(self) -> Floats:
        """Of each ability, (n,)."""
        return np.asarray(self.own + (self.shared**2).sum(axis=1), dtype=np.float64)

    def matrix(self) -> Floats:
        """The whole of it, (n, n). Raises UsageError beyond 5,000 examinees, before it is laid out."""
        if self.square is not None:
            return self.square
        n = len(self.own)
        if n > MOST_SQUARE:
            raise UsageError(
                f"Comparing {n} abilities, each with each, takes a table of {8 * n**2 / 2**30:.3g} GiB.",
                allowed=f"At most {MOST_SQUARE} examinees.",
                next_step="Read the standard errors, or fit those examinees alone that are to be compared.",
            )
        whole = self.shared @ self.shared.T
        whole[range(n), range(n)] += self.own
        return np.asarray(whole, dtype=np.float64)
