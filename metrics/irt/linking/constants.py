"""The two numbers that carry one ability scale into another, from items calibrated on both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import expit

from viva.core.errors import UsageError
from viva.metrics.irt.model.curves import probability_3pl

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LinkMethod = Literal["stocking-lord", "mean/mean", "mean/sigma"]

# nodes of ability at which test characteristic curves are compared, if the examinees' abilities are not given
_NODES = np.linspace(-4.0, 4.0, 41)
# gradient of the Stocking-Lord criterion, per anchor, at which it counts as minimised
_FLAT = 1e-6


@dataclass(frozen=True, eq=False)
class AnchorItems:
    """Parameters a, b, c (k,) of the anchors in one calibration, with standard errors of a and b where known."""

    a: Floats
    b: Floats
    c: Floats
    a_se: Floats | None = None
    b_se: Floats | None = None

    def __post_init__(self) -> None:
        for name in ("a", "b", "c", "a_se", "b_se"):
            given = getattr(self, name)
            if given is None:
                continue
            values = np.atleast_1d(np.asarray(given, dtype=np.float64))
            object.__setattr__(self, name, values)
            if values.shape != (np.size(self.a),) or not np.isfinite(values).all():
                raise UsageError(
                    f"The anchors' {name} has the shape {values.shape}, or values that are not finite.",
                    allowed="One finite number per anchor.",
                )

    def take(self, places: Ints) -> AnchorItems:
        """The anchors at these places."""
        chosen = (None if x is None else x[places] for x in (self.a_se, self.b_se))
        return AnchorItems(self.a[places], self.b[places], self.c[places], *chosen)


@dataclass(frozen=True, eq=False)
class AbilityNodes:
    """Abilities (q,) on the old scale, with weights (q,) that sum to one: where the two scales must agree."""

    theta: Floats
    weights: Floats


def ability_nodes(old: AnchorItems, theta: Floats | None) -> AbilityNodes:
    """The examinees' abilities, evenly weighted; else a normal density as wide as the anchors' difficulties."""
    if theta is not None:
        values = np.asarray(theta, dtype=np.float64).ravel()
        if not len(values) or not np.isfinite(values).all():
            raise UsageError("An ability on the old scale is not finite.", allowed="At least one, all finite.")
        return AbilityNodes(values, np.full(len(values), 1 / len(values)))
    weights = np.exp(-0.5 * _NODES**2)
    spread = max(1.0, float(old.b.std()))
    return AbilityNodes(float(np.median(old.b)) + spread * _NODES, np.asarray(weights / weights.sum()))


def linking_constants(
    method: LinkMethod, old: AnchorItems, new: AnchorItems, nodes: AbilityNodes
) -> tuple[float, float]:
    """A and B of theta_old = A theta_new + B; (nan, nan) where these anchors determine none.

    mean/sigma: Marco (1977); mean/mean: Loyd & Hoover (1980); stocking-lord: Stocking & Lord (1983), the least
    squared difference of the anchors' test characteristic curves on the old scale.
    """
    ways: dict[LinkMethod, Callable[[], tuple[float, float]]] = {
        "mean/sigma": lambda: _mean_sigma(old, new),
        "mean/mean": lambda: _mean_mean(old, new),
        "stocking-lord": lambda: _stocking_lord(old, new, nodes),
    }
    if method not in ways:
        raise UsageError(f"There is no linking method {method!r}.", allowed=", ".join(ways) + ".")
    return ways[method]()


def _mean_sigma(old: AnchorItems, new: AnchorItems) -> tuple[float, float]:
    spread = float(new.b.std())
    if spread == 0 or old.b.std() == 0:
        return float("nan"), float("nan")
    slope = float(old.b.std()) / spread
    return slope, float(old.b.mean()) - slope * float(new.b.mean())


def _mean_mean(old: AnchorItems, new: AnchorItems) -> tuple[float, float]:
    slope = float(new.a.mean()) / float(old.a.mean())
    return slope, float(old.b.mean()) - slope * float(new.b.mean())


def _stocking_lord(old: AnchorItems, new: AnchorItems, nodes: AbilityNodes) -> tuple[float, float]:
    wanted = probability_3pl(nodes.theta, old.a, old.b, old.c).sum(axis=1)
    root = np.sqrt(nodes.weights)

    def above(at: Floats) -> Floats:
        slope, shift = np.exp(at[0]), at[1]
        return np.asarray(expit(new.a * ((nodes.theta[:, None] - shift) / slope - new.b)), dtype=np.float64)

    def residual(at: Floats) -> Floats:
        return np.asarray(root * ((new.c + (1 - new.c) * above(at)).sum(axis=1) - wanted), dtype=np.float64)

    def jacobian(at: Floats) -> Floats:
        p = above(at)
        by_z = ((1 - new.c) * p * (1 - p) * new.a).sum(axis=1) * np.exp(-at[0])
        return np.column_stack([-root * by_z * (nodes.theta - at[1]), -root * by_z])

    slope, shift = _mean_mean(old, new)
    found = least_squares(
        residual, [np.log(slope), shift], jac=jacobian, xtol=1e-12, ftol=1e-14, gtol=1e-12, max_nfev=200
    )
    if float(found.optimality) > _FLAT * len(old.a):
        return float("nan"), float("nan")
    return float(np.exp(found.x[0])), float(found.x[1])
