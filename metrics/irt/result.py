"""What a fit hands on: abilities, effects and items with their uncertainty, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from viva.core.errors import UsageError
from viva.core.records import Ability, ComponentEffect, ItemParameters
from viva.metrics.irt.curves import probability_3pl, standard_error_curve

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NotScored:
    """Abilities could not be estimated; `reason` says why in words."""

    reason: str


@dataclass(frozen=True, eq=False)
class IRTFit:
    """Abilities on the scale of the items' prior: difficulties of mean 0 and sd 1, median discrimination 1.

    On an exam whose items are sharper or duller than that, theta is stretched or shrunk as a whole (by about 1.5 and
    .7 at median discriminations of 2 and .6); order and `probability_better` hold.

    theta, theta_se (n,) and theta_cov (n, n) in the order of `examinee_ids`; effects_cov (k, k) in the order of
    `effects`. Items come in the order of `item_ids`, with posterior means and sds. `log_likelihood` is the
    marginal one (items integrated out) at `theta`. `converged` was checked, not assumed; `notes` say in words
    what a reader of the numbers must know.
    """

    examinee_ids: tuple[str, ...]
    item_ids: tuple[str, ...]
    theta: Floats
    theta_se: Floats
    theta_cov: Floats
    effects: tuple[ComponentEffect, ...]
    effects_cov: Floats
    items: tuple[ItemParameters, ...]
    residual_sd: float
    residual_sd_se: float
    log_likelihood: float
    converged: bool
    iterations: int
    notes: tuple[str, ...]

    def abilities(self) -> tuple[Ability, ...]:
        """One record per examinee, in the order of `examinee_ids`."""
        rows = zip(self.examinee_ids, self.theta, self.theta_se, strict=True)
        return tuple(Ability(examinee_id=i, theta=float(t), se=float(s)) for i, t, s in rows)

    def expected_score(self, theta: ArrayLike) -> Floats:
        """Expected share of right answers on these items at each theta, of shape (len(theta),)."""
        return np.asarray(probability_3pl(theta, *self._item_arrays()).mean(axis=1), dtype=np.float64)

    def standard_error(self, theta: ArrayLike) -> Floats:
        """Standard error of an ability measured with these items (parameters taken as known), per theta."""
        return standard_error_curve(theta, *self._item_arrays())

    def probability_better(self) -> Floats:
        """Probability (n, n) that the examinee of the row is abler than that of the column; .5 on the diagonal."""
        difference = self.theta[:, None] - self.theta[None, :]
        variance = np.diag(self.theta_cov)
        spread = variance[:, None] + variance[None, :] - 2 * self.theta_cov
        np.fill_diagonal(spread, 1.0)
        # a rounding error away from zero where two examinees are tied by their components
        return np.asarray(norm.cdf(difference / np.sqrt(np.maximum(spread, 1e-12))), dtype=np.float64)

    def contrast(self, component: str, level: str, reference: str) -> tuple[float, float]:
        """Effect of `level` less that of `reference`, and its standard error, on the theta scale.

        Raises UsageError for a component or level that has no effect in this fit.
        """
        first, second = self._effect_index(component, level), self._effect_index(component, reference)
        weights = np.zeros(len(self.effects))
        weights[first] += 1
        weights[second] -= 1
        estimate = float(weights @ np.array([effect.effect for effect in self.effects]))
        variance = float(weights @ self.effects_cov @ weights)
        return estimate, max(variance, 0.0) ** 0.5

    def _effect_index(self, component: str, level: str) -> int:
        known = [(effect.component, effect.level) for effect in self.effects]
        if (component, level) not in known:
            raise UsageError(
                f"There is no effect of {component}={level} in this fit.",
                allowed="Known: " + (", ".join(f"{c}={v}" for c, v in known) or "none") + ".",
                next_step="Choose one of these; the fit's notes say which components were left out.",
            )
        return known.index((component, level))

    def _item_arrays(self) -> tuple[Floats, Floats, Floats]:
        return (
            np.array([item.discrimination for item in self.items]),
            np.array([item.difficulty for item in self.items]),
            np.array([item.guessing for item in self.items]),
        )
