"""Linking: a later calibration on the scale of an earlier one, through the items they have in common.

Every calibration has a scale of its own (its examinees, or its items' prior, set origin and unit). Items that both
hold are the anchors: theta_old = A theta_new + B, b_old = A b_new + B, a_old = a_new / A, and c stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.metrics.irt.linking.constants import AnchorItems, linking_constants
from viva.metrics.irt.model.curves import probability_3pl

Floats = NDArray[np.float64]

# two numbers are estimated, and drift is judged against the spread of the anchors: fewer can do neither
MIN_ANCHORS = 5


@dataclass(frozen=True, eq=False)
class Link:
    """theta_old = slope theta_new + shift, with the covariance (2, 2) of (slope, shift) from resampled anchors."""

    slope: float
    shift: float
    cov: Floats

    def abilities(self, theta: ArrayLike, se: ArrayLike) -> tuple[Floats, Floats]:
        """Abilities and standard errors on the old scale.

        The error of the link is part of them and common to all: a difference of two abilities of the same later
        calibration does not suffer from that of the shift.
        """
        values, errors = np.asarray(theta, dtype=np.float64), np.asarray(se, dtype=np.float64)
        return self.slope * values + self.shift, self._error(values, errors)

    def _error(self, values: Floats, errors: Floats) -> Floats:
        of_link = self.cov[0, 0] * values**2 + 2 * self.cov[0, 1] * values + self.cov[1, 1]
        return np.asarray(np.sqrt((self.slope * errors) ** 2 + np.maximum(of_link, 0.0)), dtype=np.float64)


def common_items(old: Sequence[str], new: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of the items that both calibrations hold, in the old and in the new, in the old one's order."""
    where = {item: place for place, item in enumerate(new)}
    pairs = [(place, where[item]) for place, item in enumerate(old) if item in where]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def link(old: AnchorItems, new: AnchorItems, *, theta: ArrayLike, purify: bool = True, resamples: int = 200) -> Link:
    """The link of the new scale to the old through anchors (k,), given in the same order on both sides.

    `theta` are abilities on the old scale where the two must agree (the examinees'). With `purify` anchors that
    drifted (see linking.drift) are left out. Standard errors are from a bootstrap over the anchors kept: it carries
    their errors of estimation and what drift is left. Raises UsageError where fewer than 5 anchors are usable.
    """
    if len(old.a) != len(new.a):
        raise UsageError(f"{len(old.a)} and {len(new.a)} anchors.", allowed="The same items on both sides.")
    if resamples < 2:
        raise UsageError(f"{resamples} resamples give no standard error.", allowed="At least 2.")
    abilities = np.asarray(theta, dtype=np.float64).ravel()
    if not len(abilities) or not np.isfinite(abilities).all():
        raise UsageError("An ability on the old scale is not finite.", allowed="At least one, all finite.")
    usable = np.flatnonzero((old.a > 0) & (new.a > 0)).astype(np.int64)
    _require(len(usable), "have a discrimination above 0 in both calibrations")
    old, new = old.take(usable), new.take(usable)

    def constants(chosen: Bools) -> tuple[float, float]:
        places = np.flatnonzero(chosen).astype(np.int64)
        return linking_constants(old.take(places), new.take(places), abilities)

    kept = steady_anchors(old, new, abilities, constants) if purify else np.ones(len(usable), dtype=np.bool_)
    _require(int(kept.sum()), "kept their place between the calibrations")
    slope, shift = constants(kept)
    if not np.isfinite([slope, shift]).all():
        raise UsageError("The anchors determine no link.", next_step="Link through other items.")
    places = np.flatnonzero(kept).astype(np.int64)
    return Link(slope, shift, _bootstrap(old.take(places), new.take(places), abilities, resamples))


def _require(count: int, what: str) -> None:
    if count < MIN_ANCHORS:
        raise UsageError(
            f"{counted(count, 'common item')} {what}: too few to put one scale on another.",
            allowed=f"At least {MIN_ANCHORS}.",
            next_step="Keep more items of the earlier exam, or report the later one on its own scale.",
        )


def _bootstrap(old: AnchorItems, new: AnchorItems, theta: Floats, resamples: int) -> Floats:
    rng = np.random.default_rng(0)
    found = list[tuple[float, float]]()
    # a draw of nearly one anchor alone may determine no link: it is drawn anew, and never without end
    for _ in range(2 * resamples):
        drawn = rng.integers(len(old.a), size=len(old.a))
        constants = linking_constants(old.take(drawn), new.take(drawn), theta)
        if np.isfinite(constants).all():
            found.append(constants)
        if len(found) == resamples:
            return np.asarray(np.cov(np.array(found).T), dtype=np.float64)
    raise UsageError("Resampled anchors determine no link.", next_step="Link through more items.")


# --- drift of anchors ---------------------------------------------------------------------------------------


Bools = NDArray[np.bool_]

# a steady anchor lies beyond this, in each of the two, once in 140
ROBUST_Z = 2.7
# a change of the chance of a right answer that is too small to matter, however sure one is of it
NEGLIGIBLE_CURVE = 0.05
_ROUNDS = 20


def steady_anchors(
    old: AnchorItems, new: AnchorItems, theta: Floats, constants: Callable[[Bools], tuple[float, float]]
) -> Bools:
    """Which anchors (k,) hold still; theta are the abilities that matter, on the old scale.

    Drift is judged under a link that drifting anchors cannot pull (medians), then under the link of those kept, until
    the same anchors are kept; an anchor may come back. `constants` links the anchors it is given.
    """
    slope = float(np.exp(np.median(np.log(new.a / old.a))))
    shift = float(np.median(old.b - slope * new.b))
    seen: list[bytes] = []
    kept = ~_drifted(old, new, theta, slope, shift, np.ones(len(old.a), dtype=np.bool_))
    for _ in range(_ROUNDS):
        if kept.tobytes() in seen or kept.sum() < 2:
            break
        seen.append(kept.tobytes())
        slope, shift = constants(kept)
        if not np.isfinite([slope, shift]).all():
            break
        kept = ~_drifted(old, new, theta, slope, shift, kept)
    return kept


def _drifted(old: AnchorItems, new: AnchorItems, theta: Floats, slope: float, shift: float, steady: Bools) -> Bools:
    """Anchors (k,) that lie off theta_old = slope theta_new + shift by more than noise and by more than matters.

    The robust z (Huynh & Meyer 2010) measures a difference from the median by the median absolute deviation, both of
    the anchors held to be `steady` (k,). Where standard errors are known on both
    sides, differences are divided by theirs first: a vague anchor may lie further away than a sure one.
    """
    b = old.b - (slope * new.b + shift)
    log_a = np.log(old.a) - np.log(new.a / slope)
    b_noise = _noise(old.b_se, new.b_se, slope)
    a_noise = _noise(_relative(old.a, old.a_se), _relative(new.a, new.a_se), 1.0)
    beyond = np.maximum(np.abs(_robust_z(b / b_noise, steady)), np.abs(_robust_z(log_a / a_noise, steady)))
    before = probability_3pl(theta, old.a, old.b, old.c)
    after = probability_3pl(theta, new.a / slope, slope * new.b + shift, new.c)
    curve = np.sqrt(((before - after) ** 2).mean(axis=0))
    return np.asarray((beyond > ROBUST_Z) & (curve > NEGLIGIBLE_CURVE), dtype=np.bool_)


def _noise(old: Floats | None, new: Floats | None, slope: float) -> Floats | float:
    if old is None or new is None or not (old > 0).all() or not (new > 0).all():
        return 1.0
    return np.asarray(np.hypot(old, slope * new), dtype=np.float64)


def _relative(value: Floats, error: Floats | None) -> Floats | None:
    return None if error is None else np.asarray(error / value, dtype=np.float64)


def _robust_z(difference: Floats, steady: Bools) -> Floats:
    off = difference - np.median(difference[steady])
    spread = 1.4826 * float(np.median(np.abs(off[steady])))
    # anchors that agree to the last digit: what differs at all is beyond any noise, and its curve says if it matters
    return np.asarray(off / max(spread, 1e-9), dtype=np.float64)
