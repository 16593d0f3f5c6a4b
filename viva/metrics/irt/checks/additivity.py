"""Are abilities the sum of component effects, or do components work better together than apart?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import fdtrc

from viva.core.wording import counted
from viva.metrics.intervals import holm
from viva.metrics.irt.effects import MeasuredAbilities, Residual, regression, residual
from viva.metrics.irt.model.responses import Floats, NotJudged

SIGNIFICANT = 0.05
# of one nothing can differ
_FEW_EXAMINEES = 2


@dataclass(frozen=True)
class Interaction:
    """F test of what two components do together beyond their effects; `adjusted` by Holm over the pairs."""

    first: str
    second: str
    f: float
    df: tuple[int, int]
    p_value: float
    adjusted: float


@dataclass(frozen=True, eq=False)
class Additivity:
    """What additive effects leave of abilities.

    `q` on `df` degrees of freedom is the weighted sum of squares about the additive surface: near `df` when abilities
    are additive but for their errors. `residual_sd` is the spread of abilities about it, less
    what those errors explain; `explained` the share of the true spread that effects account for. `interactions` in
    the order of the components' names; `message` says it in words.
    """

    q: float
    df: int
    p_value: float
    residual_sd: float
    explained: float
    interactions: tuple[Interaction, ...]
    message: str


def additivity(measured: MeasuredAbilities, x: Floats, columns: Mapping[str, Floats]) -> Additivity | NotJudged:
    """Test of additivity from unshrunk abilities, with their errors, and the design x (n, p) of their effects.

    `columns` maps each component to its columns (n, k) of x. Q is the weighted residual sum of squares (Cochran
    1954), its distribution that of the errors (Satterthwaite); residual_sd is the spread of module effects. An
    interaction (products of the columns of two components) is tested with F against what it leaves, at least 1: the
    errors alone. NotJudged where the effects use up all examinees.
    """
    examinees = len(measured.theta)
    if examinees < _FEW_EXAMINEES:
        return NotJudged(f"{counted(examinees, 'examinee')}: there is no spread of abilities to explain")
    if not columns:
        return NotJudged("no component is given whose effects could add up")
    left = residual(measured, x)
    if left.df < 1:
        return NotJudged(f"the effects use up all {examinees} examinees: nothing is left to test additivity with")
    if not left.mean:
        return NotJudged("abilities leave no error to test additivity with, as where everybody is always right")
    spread = regression(measured, x).spread
    p_value = left.p_value
    interactions = _interactions(measured, x, columns, left)
    explained = _explained(measured, spread)
    message = _message(p_value, spread, explained, interactions)
    return Additivity(left.q, left.df, p_value, spread, explained, interactions, message)


def _explained(measured: MeasuredAbilities, residual_sd: float) -> float:
    examinees = len(measured.theta)
    shared = float((measured.loadings.sum(axis=0) ** 2).sum()) / examinees
    error = float(measured.variance.sum() - shared) / max(examinees - 1, 1)
    true_variance = float(np.var(measured.theta, ddof=1)) - error
    if true_variance <= 0:
        return 0.0
    return float(np.clip(1 - residual_sd**2 / true_variance, 0.0, 1.0))


def _interactions(
    measured: MeasuredAbilities, x: Floats, columns: Mapping[str, Floats], without: Residual
) -> tuple[Interaction, ...]:
    q, df = without.q, without.df
    found = list[tuple[str, str, float, tuple[int, int], float]]()
    for first, second in combinations(sorted(columns), 2):
        products = (columns[first][:, :, None] * columns[second][:, None, :]).reshape(len(x), -1)
        crossed = residual(measured, np.hstack([x, products]))
        left, left_df = crossed.q, crossed.df
        if left_df < 1 or left_df == df:
            continue
        # nested residuals: rounding alone takes their difference below 0, where the distribution has no tail
        ratio = max(0.0, (q - left) / (df - left_df) / max(1.0, left / left_df))
        p_value = float(fdtrc(df - left_df, left_df, ratio))
        found.append((first, second, ratio, (df - left_df, left_df), p_value))
    adjusted = holm([each[-1] for each in found])
    return tuple(Interaction(*each, adjusted=p) for each, p in zip(found, adjusted, strict=True))


def _message(p_value: float, residual_sd: float, explained: float, interactions: tuple[Interaction, ...]) -> str:
    together = [f"{each.first} and {each.second}" for each in interactions if each.adjusted < SIGNIFICANT]
    share = f"effects explain {explained:.0%} of the spread."
    if together:
        share += f" Beyond what their effects add up to, these work together: {'; '.join(together)}."
    if p_value >= SIGNIFICANT and not together:
        return f"No departure from additivity is seen (p = {p_value:.2g}): {share}"
    sd = f"a standard deviation of {residual_sd:.2f}"
    return f"Abilities depart from additivity (p = {p_value:.2g}) by {sd}; {share}"
