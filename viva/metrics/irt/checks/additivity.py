"""Are abilities the sum of component effects, or do components work better together than apart?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, solve_triangular
from scipy.special import chdtrc, fdtrc

from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.metrics.intervals import holm
from viva.metrics.irt.model.responses import Floats, NotJudged, finite_vector

# columns of levels are of zeros and ones: what is dependent among them has singular values of rounding alone
_RANK_TOLERANCE = 1e-8
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

    `q` on `df` degrees of freedom is the generalised sum of squares about the additive surface, chi-square when
    abilities are additive but for their standard errors. `residual_sd` is the spread of abilities about it, less
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


def additivity(theta: ArrayLike, theta_cov: ArrayLike, columns: Mapping[str, ArrayLike]) -> Additivity | NotJudged:
    """Test of additivity from abilities theta (n,) with covariance (n, n) and design columns per component.

    Abilities must be drawn towards no prior (unshrunk.unshrunk_abilities, with the items of any fit): those of a fit
    with components are drawn towards what is to be tested, those of one without hide a part of the residual.
    `columns` maps a component to its columns, (n,) or (n, k): indicators of levels (all of them, or all but one) or a
    continuous value. Q is the generalised least-squares residual (Cochran 1954); residual_sd equates Q with its
    expectation (Paule & Mandel 1982). An interaction (products of the columns of two components) is tested with F
    against what it leaves, at least 1: the errors alone. NotJudged where the effects use up all examinees.
    Raises UsageError where arrays do not fit or the covariance is not positive definite.
    """
    ability = np.atleast_1d(np.asarray(theta, dtype=np.float64))
    finite_vector(ability, len(ability), "theta")
    if len(ability) < _FEW_EXAMINEES:
        return NotJudged(f"{counted(len(ability), 'examinee')}: there is no spread of abilities to explain")
    covariance = _covariance(theta_cov, len(ability))
    blocks = {name: _columns(name, columns[name], len(ability)) for name in sorted(columns)}
    if not blocks:
        return NotJudged("no component is given whose effects could add up")
    design = np.hstack([np.ones((len(ability), 1)), *blocks.values()])
    q, df = _residual(ability, covariance, design)
    if df < 1:
        return NotJudged(f"the effects use up all {len(ability)} examinees: nothing is left to test additivity with")
    residual_sd = _residual_sd(ability, covariance, design)
    p_value = float(chdtrc(df, q))
    interactions = _interactions(ability, covariance, design, blocks)
    explained = _explained(ability, covariance, residual_sd)
    message = _message(p_value, residual_sd, explained, interactions)
    return Additivity(q, df, p_value, residual_sd, explained, interactions, message)


def level_columns(levels: ArrayLike) -> Floats:
    """Indicator columns (n, k) of the k levels of a component, levels in sorted order."""
    given = np.asarray(levels)
    return np.asarray(given[:, None] == np.unique(given)[None, :], dtype=np.float64)


def _covariance(theta_cov: ArrayLike, examinees: int) -> Floats:
    covariance = np.asarray(theta_cov, dtype=np.float64)
    if covariance.shape != (examinees, examinees) or not np.isfinite(covariance).all():
        raise UsageError(
            f"The covariance of abilities has the shape {covariance.shape} or holds no numbers.",
            allowed=f"Finite numbers, ({examinees}, {examinees}).",
        )
    if np.linalg.eigvalsh(covariance)[0] <= 0:
        raise UsageError("The covariance of abilities is not positive definite.", allowed="That of a converged fit.")
    return covariance


def _columns(name: str, given: ArrayLike, examinees: int) -> Floats:
    block = np.asarray(given, dtype=np.float64)
    block = block[:, None] if block.ndim == 1 else block
    if block.ndim != 2 or len(block) != examinees or not np.isfinite(block).all():
        raise UsageError(f"The columns of {name} are no numbers for each of {examinees} examinees.")
    return block


def _residual(ability: Floats, covariance: Floats, design: Floats) -> tuple[float, int]:
    """Generalised residual sum of squares about the design, and its degrees of freedom."""
    factor = cho_factor(covariance, lower=True)[0]
    whitened = solve_triangular(factor, np.column_stack([ability, design]), lower=True)
    basis = _basis(whitened[:, 1:])
    residual = whitened[:, 0] - basis @ (basis.T @ whitened[:, 0])
    return float(residual @ residual), len(ability) - basis.shape[1]


def _basis(design: Floats) -> Floats:
    left, singular, _ = np.linalg.svd(design, full_matrices=False)
    return np.asarray(left[:, singular > _RANK_TOLERANCE * singular[0]], dtype=np.float64)


def _residual_sd(ability: Floats, covariance: Floats, design: Floats) -> float:
    """The spread that brings Q down to its degrees of freedom, 0 where it is not above them."""

    def excess(variance: float) -> float:
        q, df = _residual(ability, covariance + variance * np.eye(len(ability)), design)
        return q - df

    if excess(0.0) <= 0:
        return 0.0
    low, high = 0.0, float(np.var(ability)) + float(np.trace(covariance))
    # Q falls as the variance grows; where few degrees of freedom are left the root lies beyond the abilities' own
    while excess(high) > 0:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return float(np.sqrt(high))


def _explained(ability: Floats, covariance: Floats, residual_sd: float) -> float:
    examinees = len(ability)
    error = float(np.trace(covariance) - covariance.sum() / examinees) / max(examinees - 1, 1)
    true_variance = float(np.var(ability, ddof=1)) - error
    if true_variance <= 0:
        return 0.0
    return float(np.clip(1 - residual_sd**2 / true_variance, 0.0, 1.0))


def _interactions(
    ability: Floats, covariance: Floats, design: Floats, blocks: Mapping[str, Floats]
) -> tuple[Interaction, ...]:
    q, df = _residual(ability, covariance, design)
    found = list[tuple[str, str, float, tuple[int, int], float]]()
    for first, second in combinations(blocks, 2):
        products = (blocks[first][:, :, None] * blocks[second][:, None, :]).reshape(len(ability), -1)
        left, left_df = _residual(ability, covariance, np.hstack([design, products]))
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
