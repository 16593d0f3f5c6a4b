"""The two numbers that carry one ability scale into another, from items calibrated on both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import expit

from viva.core.errors import UsageError
from viva.metrics.irt.model.curves import probability_3pl

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

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


def linking_constants(old: AnchorItems, new: AnchorItems, theta: Floats) -> tuple[float, float]:
    """A and B of theta_old = A theta_new + B; (nan, nan) where these anchors determine none.

    Stocking & Lord (1983): the least squared difference of the anchors' test characteristic curves at the abilities
    theta on the old scale, from where means put them (Loyd & Hoover 1980). Where no discrimination is estimated
    (1pl), the unit is that of the fixed ones and the origin alone is looked for.
    """
    wanted = probability_3pl(theta, old.a, old.b, old.c).sum(axis=1)
    root = np.sqrt(1 / len(theta))

    def above(at: Floats) -> Floats:
        slope, shift = np.exp(at[0]), at[1]
        return np.asarray(expit(new.a * ((theta[:, None] - shift) / slope - new.b)), dtype=np.float64)

    def residual(at: Floats) -> Floats:
        return np.asarray(root * ((new.c + (1 - new.c) * above(at)).sum(axis=1) - wanted), dtype=np.float64)

    def jacobian(at: Floats) -> Floats:
        p = above(at)
        by_z = ((1 - new.c) * p * (1 - p) * new.a).sum(axis=1) * np.exp(-at[0])
        return np.column_stack([-root * by_z * (theta - at[1]), -root * by_z])

    slope = float(new.a.mean()) / float(old.a.mean())
    shift = float(old.b.mean()) - slope * float(new.b.mean())
    free = slice(0 if _estimated(old.a_se) or _estimated(new.a_se) else 1, 2)
    at = _minimised(residual, jacobian, np.array([np.log(slope), shift]), free, _FLAT * len(old.a))
    return float(np.exp(at[0])), float(at[1])


def _minimised(
    residual: Callable[[Floats], Floats],
    jacobian: Callable[[Floats], Floats],
    start: Floats,
    free: slice,
    steepest: float,
) -> Floats:
    """Find the least squares from `start` on, in the `free` places alone, the last ones; nan where none is found."""

    def whole(at: Floats) -> Floats:
        return np.concatenate([start[: free.start], at])

    found = least_squares(
        lambda at: residual(whole(at)),
        start[free],
        jac=lambda at: jacobian(whole(at))[:, free],
        method="lm",
        xtol=1e-12,
        ftol=1e-14,
        gtol=1e-12,
        max_nfev=200,
    )
    return whole(found.x) if float(found.optimality) <= steepest else np.full(len(start), np.nan)


def _estimated(errors: Floats | None) -> bool:
    return errors is None or bool(errors.any())
