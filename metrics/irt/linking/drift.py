"""Anchors that changed between two calibrations: what moves them must not move the scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viva.metrics.irt.linking.constants import AbilityNodes, AnchorItems
from viva.metrics.irt.model.curves import probability_3pl

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# a steady anchor lies beyond this, in each of the two, once in 140
ROBUST_Z = 2.7
# a change of the chance of a right answer that is too small to matter, however sure one is of it
NEGLIGIBLE_CURVE = 0.05
_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class Drift:
    """How far each anchor (k,) lies from where the link puts it.

    `b` is the difference of difficulties and `log_a` that of log discriminations (old less linked new); `z_b`, `z_a`
    are those as robust z; `curve` is the root mean square difference of the two probabilities of a right answer.
    """

    b: Floats
    log_a: Floats
    z_b: Floats
    z_a: Floats
    curve: Floats

    @property
    def flagged(self) -> Bools:
        """Anchors that drifted, by more than noise and by more than matters."""
        beyond = np.maximum(np.abs(self.z_b), np.abs(self.z_a)) > ROBUST_Z
        return np.asarray(beyond & (self.curve > NEGLIGIBLE_CURVE), dtype=np.bool_)


def drift(
    old: AnchorItems, new: AnchorItems, nodes: AbilityNodes, slope: float, shift: float, steady: Bools
) -> Drift:
    """The drift of each anchor (k,) under theta_old = slope theta_new + shift.

    The robust z (Huynh & Meyer 2010) measures a difference from the median by the median absolute deviation, both of
    the anchors held to be `steady` (k,). Where standard errors are known on both
    sides, differences are divided by theirs first: a vague anchor may lie further away than a sure one.
    """
    b = old.b - (slope * new.b + shift)
    log_a = np.log(old.a) - np.log(new.a / slope)
    b_noise = _noise(old.b_se, new.b_se, slope)
    a_noise = _noise(_relative(old.a, old.a_se), _relative(new.a, new.a_se), 1.0)
    before = probability_3pl(nodes.theta, old.a, old.b, old.c)
    after = probability_3pl(nodes.theta, new.a / slope, slope * new.b + shift, new.c)
    return Drift(
        b=b,
        log_a=log_a,
        z_b=_robust_z(b / b_noise, steady),
        z_a=_robust_z(log_a / a_noise, steady),
        curve=np.sqrt(nodes.weights @ (before - after) ** 2),
    )


def purified(
    old: AnchorItems, new: AnchorItems, nodes: AbilityNodes, constants: Callable[[Bools], tuple[float, float]]
) -> tuple[Bools, Drift]:
    """Which anchors are kept (k,), and the drift of all under the link of those kept.

    Drift is judged under a link that drifting anchors cannot pull (medians), then under the link of those kept, until
    the same anchors are kept; an anchor may come back. `constants` links the anchors it is given.
    """
    slope = float(np.exp(np.median(np.log(new.a / old.a))))
    shift = float(np.median(old.b - slope * new.b))
    seen: list[bytes] = []
    kept = np.ones(len(old.a), dtype=np.bool_)
    found = drift(old, new, nodes, slope, shift, kept)
    for _ in range(_ROUNDS):
        kept = ~found.flagged
        if kept.tobytes() in seen or kept.sum() < 2:
            break
        seen.append(kept.tobytes())
        slope, shift = constants(kept)
        if not np.isfinite([slope, shift]).all():
            break
        found = drift(old, new, nodes, slope, shift, kept)
    return kept, found


def _noise(old: Floats | None, new: Floats | None, slope: float) -> Floats | float:
    if old is None or new is None or not (old > 0).all() or not (new > 0).all():
        return 1.0
    return np.asarray(np.hypot(old, slope * new), dtype=np.float64)


def _relative(value: Floats, error: Floats | None) -> Floats | None:
    return None if error is None else np.asarray(error / value, dtype=np.float64)


def _robust_z(difference: Floats, steady: Bools) -> Floats:
    off = difference - np.median(difference[steady])
    spread = 1.4826 * float(np.median(np.abs(off[steady])))
    # anchors that agree to the last digit: what differs at all is beyond any noise, and `curve` says if it matters
    return np.asarray(off / max(spread, 1e-9), dtype=np.float64)
