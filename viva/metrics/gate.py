"""Whether a changed system has become worse: a verdict on paired differences that holds whenever it is read.

Test by betting: Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by betting", JRSS-B 86(1).
An e-process is a mean over fixed bets of products with an expectation of at most 1 under its hypothesis at every
length, so that by Ville's inequality it reaches 1/alpha with a probability of at most alpha, at any time.
docs/decisions/0064-gate.md says why, and what the order of the questions may depend on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

BETS = np.array([0.2, 0.6, 0.99])
"""Against "no drop": parts of the most that may be bet. The best bet is the drop by the share of answers that
changed: near 1 where answers only became wrong, small where many change by themselves."""
BET_WEIGHTS = np.array([0.06, 0.43, 0.51])
"""So that five answers that became wrong, and none that became right, say at alpha = .05 that the system is worse;
in simulated drops of 5 to 30 points hardly more questions are asked than with the best bet for each."""
MARGIN_BETS = np.array([0.25, 0.5, 0.98])
"""Against "a drop of the margin": parts of 1 / (1 - margin), which is best where no answer changed."""
MARGIN_WEIGHTS = np.array([0.2, 0.15, 0.65])
_DROPS = np.arange(-1999, 2000) / 2000
"""With 0 and the usual margins among them, so that the bounds agree with the verdict."""
_CHUNK = 500


class GateVerdict(StrEnum):
    """What the gate says."""

    PASS = "pass"  # noqa: S105
    REGRESS = "regress"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class GateRule:
    """When a gate says what. `margin` is a share: the drop that must not be let through."""

    margin: float = 0.03
    alpha: float = 0.05
    """at most so often a system that is no worse is called worse"""
    power: float = 0.8
    """at least so often a drop of the margin is not passed"""

    @property
    def bars(self) -> tuple[float, float]:
        """The logarithms that the e-processes against "no drop" and against "a drop of the margin" must reach."""
        return -math.log(self.alpha), -math.log1p(-self.power)

    @property
    def tests(self) -> tuple[tuple[Floats, float], tuple[Floats, float]]:
        """The weights of the bets of both e-processes, each with its bar."""
        return (BET_WEIGHTS, self.bars[0]), (MARGIN_WEIGHTS, self.bars[1])


@dataclass(frozen=True)
class Paths:
    """Logarithms of the e-processes after each question (n,): against no drop, and against a drop of the margin."""

    worse: Floats
    fine: Floats


@dataclass(frozen=True)
class GateFindings:
    """The verdict after `used` differences, and the drop (a share, above 0 if worse).

    `low` and `high` are bounds of it, by `bounds_of_drop`.
    """

    verdict: GateVerdict
    used: int
    drop: float
    low: float
    high: float
    e_worse: float
    e_fine: float
    more_needed: int | None
    """questions like those asked until it could be decided; None where it is, or nothing speaks for either yet"""


def paths(differences: ArrayLike, rule: GateRule) -> Paths:
    """Give both e-processes of differences (n,) in [-1, 1], candidate less baseline, in an order fixed before."""
    x = np.asarray(differences, dtype=np.float64)
    worse, fine = _factors(x, rule)
    return Paths(
        _log_mean(np.cumsum(worse, axis=-1), BET_WEIGHTS),
        _log_mean(np.cumsum(fine, axis=-1), MARGIN_WEIGHTS),
    )


def first_verdict(found: Paths, rule: GateRule) -> tuple[GateVerdict, int]:
    """Give the first verdict that could be said, and after how many differences; undecided after all of them."""
    for_worse, for_fine = rule.bars
    is_worse, is_fine = found.worse >= for_worse, found.fine >= for_fine
    said = is_worse | is_fine
    if not said.any():
        return GateVerdict.UNDECIDED, len(said)
    first = int(said.argmax())
    return (GateVerdict.REGRESS if is_worse[first] else GateVerdict.PASS), first + 1


def judge_differences(differences: Sequence[float], rule: GateRule) -> GateFindings:
    """Read the differences in their order until something can be said."""
    if not differences:
        return GateFindings(GateVerdict.UNDECIDED, 0, 0.0, -1.0, 1.0, 1.0, 1.0, None)
    x = np.asarray(differences, dtype=np.float64)
    found = paths(x, rule)
    verdict, used = first_verdict(found, rule)
    low, high = bounds_of_drop(x[:used], rule)
    return GateFindings(
        verdict=verdict,
        used=used,
        drop=float(-x[:used].mean()) + 0.0,
        low=low,
        high=high,
        e_worse=float(np.exp(found.worse[used - 1])),
        e_fine=float(np.exp(found.fine[used - 1])),
        more_needed=_more_needed(x, rule) if verdict is GateVerdict.UNDECIDED else None,
    )


def bounds_of_drop(differences: ArrayLike, rule: GateRule) -> tuple[float, float]:
    """Give the lowest drop that the bets do not reject at level alpha, and the highest at level 1 - power.

    Each holds at every length, and agrees with the verdict: the lowest is above 0 for a regress, the highest below
    the margin for a pass.
    """
    drop_of = -np.asarray(differences, dtype=np.float64)
    above, below = list[NDArray[np.bool_]](), list[NDArray[np.bool_]]()
    for first in range(0, len(_DROPS), _CHUNK):
        drop = _DROPS[first : first + _CHUNK, None]
        for kept, part, bets, (weights, bar) in (
            (above, (drop_of - drop) / (1 + drop), BETS, rule.tests[0]),
            (below, (drop - drop_of) / (1 - drop), MARGIN_BETS, rule.tests[1]),
        ):
            grown = np.array([np.log1p(bet * part).sum(axis=1) for bet in bets])
            kept.append(_log_mean(grown, weights) < bar)
    low, high = int(np.concatenate(above).argmax()), int(np.concatenate(below)[::-1].argmax())
    # at an end of the grid nothing is excluded
    return (float(_DROPS[low]) if low else -1.0), (float(_DROPS[-1 - high]) if high else 1.0)


def fewest_asked(rule: GateRule, change: float | None = None) -> int:
    """Give after how many questions a verdict is possible at the soonest, or if all differences are `change`."""
    lengths = [
        steps
        for each in ((-1.0, 1.0) if change is None else (change,))
        for logs, (weights, bar) in zip(_factors(np.array([each]), rule), rule.tests, strict=True)
        if (steps := _steps(np.zeros(len(logs)), logs[:, 0], weights, bar))
    ]
    return min(lengths)


def _steps(start: Floats, growth: Floats, weights: Floats, bar: float) -> int | None:
    """Give after how many steps of such growth the mean of the bets reaches the bar; None where it never does."""
    if growth.max() <= 0:
        return None
    best = int(growth.argmax())
    # alone, the best bet is there after so many
    most: int = math.ceil(max(1.0, (bar - math.log(weights[best]) - start[best]) / growth[best]))
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        reached = bool(_log_mean((start + middle * growth)[:, None], weights)[0] >= bar)
        low, high = (low, middle) if reached else (middle, high)
    return high


def _log_mean(logs: Floats, weights: Floats) -> Floats:
    """Give the logarithms of weighted means over the bets (..., bets, n)."""
    # scipy's logsumexp takes longer to import than a gate takes to decide
    most = logs.max(axis=-2)
    means: Floats = most + np.log(np.einsum("b,...bn->...n", weights, np.exp(logs - most[..., None, :])))
    return means


def _factors(x: Floats, rule: GateRule) -> tuple[Floats, Floats]:
    """Logarithms of the factors of each bet (bets, n): the sums over n are those of the products."""
    bets, margin_bets = BETS[:, None], (MARGIN_BETS / (1 - rule.margin))[:, None]
    x = x[..., None, :]
    return np.log1p(-bets * x), np.log1p(margin_bets * (x + rule.margin))


def _more_needed(x: Floats, rule: GateRule) -> int | None:
    """By the growth of each bet so far: the fewest further questions after which one of the two is decided."""
    steps = [
        _steps(logs.sum(axis=1), logs.mean(axis=1), weights, bar)
        for logs, (weights, bar) in zip(_factors(x, rule), rule.tests, strict=True)
    ]
    return min((each for each in steps if each), default=None)
