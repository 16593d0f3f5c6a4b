"""Where abilities come from when persons are integrated over: a regression on their components.

theta_i ~ N(x_i beta, s^2). Given the items, each posterior under the present population is taken apart into the
population and what the responses say alone, a normal measurement; the regression of these measurements (maximum of
the restricted likelihood in s) is the next population. Where it rests, so does EM (Bock & Aitkin 1981; Mislevy 1984):
a step of either sees the same posteriors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from viva.metrics.irt.fit.persons_integrated.marginal import Population
from viva.metrics.irt.model.design import Design

Floats = NDArray[np.float64]

# less is as good as none where abilities have an sd of 1, and the nodes must not be farther apart
LEAST_SD, _MOST_SD = 0.05, 2.0
# responses that would say less than this of an ability with an sd of 1 say nothing
_NO_PRECISION = 1e-6


@dataclass(frozen=True, eq=False)
class Regression:
    """Abilities on components: beta (p,) with its covariance (p, p), and the sd of the residual."""

    beta: Floats
    beta_cov: Floats
    sd: float

    def population(self, design: Design) -> Population:
        """The abilities' means and sd before anything is answered."""
        return Population(np.asarray(design.x @ self.beta, dtype=np.float64), self.sd)

    def standardised(self, design: Design) -> tuple[Regression, float, float]:
        """On the scale where abilities have mean 0 and sd 1 over the examinees; and the mean and sd they had."""
        means = design.x @ self.beta
        middle, spread = float(means.mean()), float(np.sqrt(means.var() + self.sd**2))
        beta = self.beta.copy()
        # the intercept comes first
        beta[0] -= middle
        return Regression(beta / spread, self.beta_cov / spread**2, self.sd / spread), middle, spread


def regressed(design: Design, population: Population, mean: Floats, variance: Floats) -> Regression:
    """From the posterior means and variances (n,) of abilities under `population`."""
    precision = np.maximum(1 / np.maximum(variance, _NO_PRECISION) - population.sd**-2, _NO_PRECISION)
    alone = (mean / np.maximum(variance, _NO_PRECISION) - population.mean * population.sd**-2) / precision
    measured = _Measured(design, alone, 1 / precision)
    found = minimize_scalar(measured.height, bounds=np.log([LEAST_SD, _MOST_SD]), method="bounded")
    sd = float(np.exp(found.x))
    beta, beta_cov, _ = measured.solved(sd)
    return Regression(beta, beta_cov, sd)


@dataclass(frozen=True, eq=False)
class _Measured:
    """Abilities `alone` (n,) as the responses say, each with an error of this variance (n,)."""

    design: Design
    alone: Floats
    error: Floats

    def solved(self, sd: float) -> tuple[Floats, Floats, Floats]:
        """beta (p,), its covariance (p, p) and the weights (n,) where the residual has this sd."""
        x, weight = self.design.x, 1 / (self.error + sd**2)
        cov = np.linalg.inv(np.diag(self.design.prior_sd**-2.0) + x.T @ (weight[:, None] * x))
        return cov @ (x.T @ (weight * self.alone)), np.asarray(cov, dtype=np.float64), weight

    def height(self, log_sd: float) -> float:
        """Minus the restricted log-likelihood (Patterson & Thompson 1971)."""
        beta, cov, weight = self.solved(float(np.exp(log_sd)))
        left = self.alone - self.design.x @ beta
        prior = float(((beta / self.design.prior_sd) ** 2).sum())
        squares = float(weight @ left**2) + prior
        return 0.5 * (squares - float(np.log(weight).sum()) - float(np.linalg.slogdet(cov)[1]))
