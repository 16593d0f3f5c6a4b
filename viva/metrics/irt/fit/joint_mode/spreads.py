"""How far item parameters and abilities vary, learned in the course of the search for the joint mode (module map)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# of logit c, of b and of log a, with the items' worth of belief in them
_USUAL_SD = np.array([0.4, 1.0, 0.4])
_USUAL = 10.0
# guessing freer than this takes the search hundreds of passes; discriminations freer than this run away from each
# other where the model does not hold (guessing at items that cannot be guessed)
_LEAST, _MOST = np.log([[0.2, 0.1, 0.1], [0.8, 10.0, 1.0]])
# logs of a spread: no step is believed further
_LONGEST = 0.5


@dataclass(frozen=True, eq=False)
class Spreads:
    """Of the priors: log sds of the items' (logit c, b, log a), of shape (3,), and the sd of abilities."""

    log_items: Floats
    abilities: float

    @property
    def logit_c(self) -> float:
        """The sd of logit c."""
        return float(np.exp(self.log_items[0]))

    @property
    def b(self) -> float:
        """The sd of b."""
        return float(np.exp(self.log_items[1]))

    @property
    def log_a(self) -> float:
        """The sd of log a."""
        return float(np.exp(self.log_items[2]))

    @property
    def precision(self) -> Floats:
        """Of the items' priors, (3,)."""
        return np.asarray(np.exp(-2 * self.log_items), dtype=np.float64)

    def moved(self, step: Floats) -> Spreads:
        """Those of the items by a step (3,) in their logs, as far as it is believed."""
        step = np.minimum(np.maximum(step, -_LONGEST), _LONGEST)
        return Spreads(np.minimum(np.maximum(self.log_items + step, _LEAST), _MOST), self.abilities)


# where nothing is known of these items and abilities
USUAL = Spreads(np.log(_USUAL_SD), 1.0)


def spreads_step(spreads: Spreads, off: Floats, variance: Floats, free: Floats) -> Floats:
    """A step of Fisher scoring in the log sds (3,) of the items' priors, from what is known under `spreads`.

    Items are `off` (m, 3) from the centre of their prior, give or take `variance` (m, 3); what is not `free` (m, 3)
    tells nothing. A step of EM (Dempster, Laird & Rubin 1977) leads to the same end, but takes the items for known:
    where each has few answers it is many times shorter.
    """
    precision = spreads.precision
    # belief: so many items that were found to have the usual spread
    gain = ((off**2 + variance) * precision - 1) * free
    slope = gain.sum(axis=0) + _USUAL * (_USUAL_SD**2 * precision - 1)
    known = (1 - variance * precision) * free
    step = slope / (2 * ((known**2).sum(axis=0) + _USUAL))
    return spreads.moved(step).log_items - spreads.log_items
