"""Anchors that changed between two calibrations: what moves them must not move the scale."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from viva.metrics.irt.linking.constants import AnchorItems
from viva.metrics.irt.model.curves import probability_3pl

Floats = NDArray[np.float64]
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
