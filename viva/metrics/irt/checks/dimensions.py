"""Does one ability describe the answers, or do they have a second dimension?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.core.estimates import Estimate
from viva.metrics.irt.checks.factors import fit_factors
from viva.metrics.irt.checks.held_out import gain_over_items, item_losses, split_cells
from viva.metrics.irt.model.inputs import Floats, NotJudged, probability_matrix, response_matrix

# fewer leave nothing to be told apart in two ways
FEWEST_EXAMINEES, FEWEST_ITEMS = 8, 20
# of more cells a sample is looked at: what hangs together shows in a part
_MOST_EXAMINEES, _MOST_ITEMS = 200, 500
# a gain below this changes no reading: a hundredth of what a coin tells
MATTERS = 0.005


@dataclass(frozen=True, eq=False)
class SecondDimension:
    """What a second ability adds, beside one, to the prediction of held-out answers.

    `one` and `two` are the mean log-losses of a logistic factor model with one and with two dimensions, `gain` the
    first less the second with a 95% interval over items. `places` (n,) are the examinees along the second dimension
    (nan for those not looked at). It `matters` where the gain is above .005 for sure.
    """

    one: float
    two: float
    gain: Estimate
    places: Floats

    @property
    def matters(self) -> bool:
        """Whether one ability leaves out what these answers show."""
        return self.gain.low > MATTERS


def second_dimension(responses: ArrayLike, *, seed: int = 0) -> SecondDimension | NotJudged:
    """The second dimension of responses (n, m) of 1, 0 and nan; of large matrices, of a sample drawn by the seed.

    NotJudged below 8 examinees or 20 items, and where too few cells can be held out.
    """
    values = response_matrix(responses)
    n, m = values.shape
    if n < FEWEST_EXAMINEES or m < FEWEST_ITEMS:
        return NotJudged(f"it takes at least {FEWEST_EXAMINEES} examinees and {FEWEST_ITEMS} items")
    draw = np.random.default_rng([seed, 2])
    rows = np.sort(draw.choice(n, min(n, _MOST_EXAMINEES), replace=False))
    columns = np.sort(draw.choice(m, min(m, _MOST_ITEMS), replace=False))
    seen = values[np.ix_(rows, columns)]
    hidden = split_cells(seen, seed=seed)
    if int(hidden.any(axis=0).sum()) < FEWEST_ITEMS:
        return NotJudged(f"fewer than {FEWEST_ITEMS} items have answers that could be held out")
    kept = np.where(hidden, np.nan, seen)
    predicted = [probability_matrix(fit_factors(kept, k).probability, seen.shape) for k in (1, 2)]
    losses = [item_losses(each, seen, hidden)[0] for each in predicted]
    places = np.full(n, np.nan)
    places[rows] = fit_factors(seen, 2).z[:, 1]
    cells = hidden.sum()
    return SecondDimension(
        one=float(losses[0].sum() / cells),
        two=float(losses[1].sum() / cells),
        gain=gain_over_items(losses[0] - losses[1], hidden, seed=seed),
        places=places,
    )
