"""Reading component effects: differences between levels, with intervals that allow for how many were looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from viva.core.errors import UsageError
from viva.metrics.intervals import CONFIDENCE, holm
from viva.metrics.irt.effects import Regression
from viva.metrics.irt.model.curves import probability_3pl

Floats = NDArray[np.float64]

Adjustment = Literal["max-t", "holm", "none"]

# the share beyond a drawn 95% quantile is then off by .0015 (its standard error)
_DRAWS = 20_000
# a contrast this sure is one of a level with itself
_NO_SPREAD = 1e-12
# degrees of freedom with which t is a normal
_NORMAL = 1e9


@dataclass(frozen=True)
class Contrast:
    """`level` less `reference` of a component: estimate, standard error, interval and two-sided p-value."""

    component: str
    level: str
    reference: str
    estimate: float
    se: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, eq=False)
class EffectTable:
    """Effects (k,) = to_effects (k, p) @ beta (p,), as a regression found beta, with the effects' names."""

    names: tuple[tuple[str, str], ...]
    to_effects: Floats
    found: Regression

    @property
    def df(self) -> float:
        """Of the t distribution; without any left, errors of measurement alone are known: normal."""
        return float(self.found.df) if self.found.df > 0 else _NORMAL

    @property
    def reach(self) -> float:
        """How many standard errors an interval reaches."""
        return float(stdtrit(self.df, (1 + CONFIDENCE) / 2))

    def index(self, component: str, level: str) -> int:
        """Place of an effect. Raises UsageError where there is none."""
        if (component, level) not in self.names:
            raise UsageError(
                f"There is no effect of {component}={level} in this fit.",
                allowed="Known: " + (", ".join(f"{c}={v}" for c, v in self.names) or "none") + ".",
                next_step="Choose one of these; the fit's notes say which components were left out.",
            )
        return self.names.index((component, level))

    def weights(self, pair: tuple[str, str, str]) -> Floats:
        """The contrast (component, level, reference) as a combination (p,) of beta."""
        component, level, reference = pair
        return np.asarray(
            self.to_effects[self.index(component, level)] - self.to_effects[self.index(component, reference)]
        )


def compared(
    effects: EffectTable, pairs: Sequence[tuple[str, str, str]], adjust: Adjustment, seed: int
) -> tuple[Contrast, ...]:
    """Contrasts (component, level, reference), their intervals and p-values adjusted over all of them."""
    if adjust not in ("max-t", "holm", "none"):
        raise UsageError(f"There is no adjustment '{adjust}'.", allowed="max-t, holm or none.")
    if not pairs:
        return ()
    weights = np.stack([effects.weights(pair) for pair in pairs])
    cov = weights @ effects.found.beta_cov @ weights.T
    se = np.sqrt(np.maximum(np.diag(cov), 0.0))
    estimate = weights @ effects.found.beta
    t = np.abs(estimate) / np.maximum(se, _NO_SPREAD)
    reach, p_values = _adjusted(t, effects.df, cov, se, adjust, seed)
    return tuple(
        Contrast(*pair, float(e), float(s), float(e - reach * s), float(e + reach * s), float(p))
        for pair, e, s, p in zip(pairs, estimate, se, p_values, strict=True)
    )


def compared_scores(effects: EffectTable, pair: tuple[str, str, str], a: Floats, b: Floats, c: Floats) -> Contrast:
    """The contrast between expected shares of right answers, at the mean of all other components."""
    component, level, reference = pair
    # effects may be told from a reference level, abilities are those beside the mean level
    own = effects.to_effects[[name == component for name, _ in effects.names]]
    rows = effects.to_effects[[effects.index(component, level), effects.index(component, reference)]] - own.mean(
        axis=0
    )
    # each examinee has the intercept, which is the first of beta
    rows[:, 0] = 1.0
    theta = rows @ effects.found.beta
    score, slope = _score_and_slope(theta, a, b, c)
    gradient = slope[0] * rows[0] - slope[1] * rows[1]
    estimate, se = float(score[0] - score[1]), float(np.sqrt(max(gradient @ effects.found.beta_cov @ gradient, 0.0)))
    reach = effects.reach * se
    p_value = float(2 * stdtr(effects.df, -abs(estimate) / max(se, _NO_SPREAD)))
    return Contrast(component, level, reference, estimate, se, estimate - reach, estimate + reach, p_value)


def _adjusted(
    t: Floats, df: float, cov: Floats, se: Floats, adjust: Adjustment, seed: int
) -> tuple[float, Sequence[float]]:
    """How many standard errors an interval reaches, and the p-values."""
    alone = [float(p) for p in 2 * stdtr(df, -t)]
    if adjust == "none":
        return float(stdtrit(df, (1 + CONFIDENCE) / 2)), alone
    if adjust == "holm":
        return float(stdtrit(df, 1 - (1 - CONFIDENCE) / (2 * len(t)))), holm(alone)
    scale = np.maximum(se, _NO_SPREAD)
    values, vectors = np.linalg.eigh(cov / np.outer(scale, scale))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    rng = np.random.default_rng(seed)
    draws = rng.standard_normal((_DRAWS, len(t)))
    largest = np.abs(draws @ root.T).max(axis=1) / np.sqrt(rng.chisquare(df, _DRAWS) / df)
    # one more draw than were made: no p-value is zero
    above = (largest[None, :] >= t[:, None]).sum(axis=1)
    return float(np.quantile(largest, CONFIDENCE)), [float(p) for p in (above + 1) / (_DRAWS + 1)]


def _score_and_slope(theta: Floats, a: Floats, b: Floats, c: Floats) -> tuple[Floats, Floats]:
    p = probability_3pl(theta, a, b, c)
    above = (p - c) / (1 - c)
    return p.mean(axis=1), (a * above * (1 - p)).mean(axis=1)
