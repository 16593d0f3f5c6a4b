"""Linking: a later calibration on the scale of an earlier one, through the items they have in common.

Every calibration has a scale of its own (its examinees, or its items' prior, set origin and unit). Items that both
hold are the anchors: theta_old = A theta_new + B, b_old = A b_new + B, a_old = a_new / A, and c stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.core.errors import UsageError
from viva.core.wording import counted
from viva.metrics.irt.linking.constants import AnchorItems, linking_constants
from viva.metrics.irt.linking.drift import FEWEST_SYSTEMS, drift_p_values
from viva.metrics.irt.model.responses import Bools, Floats, Ints
from viva.metrics.irt.model.result import Fit

# two numbers are estimated, and drift is judged against the other anchors: fewer can do neither
MIN_ANCHORS = 5
# of the anchors that are called drifted, the share that is expected to have kept its place
FALSE_SHARE = 0.1
# the old form's abilities at which the curves of both are to agree, as shares of its systems
_ABILITIES = (np.arange(41) + 0.5) / 41
_ROUNDS = 20
_NO_LINK = "The shared questions determine no link."


@dataclass(frozen=True, eq=False)
class Link:
    """theta_old = slope theta_new + shift, with the covariance (2, 2) of (slope, shift).

    Of the shared items (k,): those that tell systems apart in both calibrations are `usable`, of these those that
    drifted are `drifted`; `p_values` of no drift, adjusted; 1 where not judged.
    """

    slope: float
    shift: float
    cov: Floats
    usable: Bools
    drifted: Bools
    p_values: Floats

    @property
    def kept(self) -> Bools:
        """The shared items (k,) that the link is of."""
        return self.usable & ~self.drifted

    def abilities(self, theta: ArrayLike, se: ArrayLike) -> tuple[Floats, Floats]:
        """Abilities and standard errors on the old scale.

        The error of the link is part of them and common to all: a difference of two abilities of the same later
        calibration does not suffer from that of the shift.
        """
        values, errors = np.asarray(theta, dtype=np.float64), np.asarray(se, dtype=np.float64)
        of_link = self.cov[0, 0] * values**2 + 2 * self.cov[0, 1] * values + self.cov[1, 1]
        total = np.sqrt((self.slope * errors) ** 2 + np.maximum(of_link, 0.0))
        return self.slope * values + self.shift, np.asarray(total, dtype=np.float64)

    def after(self, earlier: Link) -> Link:
        """Chain two links: this one leads to the scale that `earlier` starts from. Errors are independent."""
        of_earlier = np.array([[self.slope, 0.0], [self.shift, 1.0]])
        return Link(
            earlier.slope * self.slope,
            earlier.slope * self.shift + earlier.shift,
            of_earlier @ earlier.cov @ of_earlier.T + earlier.slope**2 * self.cov,
            self.usable,
            self.drifted,
            self.p_values,
        )


def common_items(old: Sequence[str], new: Sequence[str]) -> tuple[Ints, Ints]:
    """Places of the items that both calibrations hold, in the old and in the new, in the old one's order."""
    where = {item: place for place, item in enumerate(new)}
    pairs = [(place, where[item]) for place, item in enumerate(old) if item in where]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def link(old: Fit, new: Fit, shared: tuple[Ints, Ints]) -> Link:
    """Estimate the link of the new scale to the old from the places of shared items (k,) in both fits (common_items).

    Anchors that drifted (module drift) are left out; an anchor may come back when others have gone. The errors are
    from a jackknife over the anchors kept (Monseur & Berezner 2007): it carries their errors of estimation and what
    drift is left. UsageError where fewer than 5 anchors are left, or a fit is of fewer than 3 systems.
    """
    if fewest := [each for each in (old, new) if len(each.responses) < FEWEST_SYSTEMS]:
        raise UsageError(
            f"A form that {counted(len(fewest[0].responses), 'system')} took cannot be put on another scale.",
            allowed=f"At least {FEWEST_SYSTEMS} systems in each form.",
        )
    usable = _separating(old.responses[:, shared[0]]) & _separating(new.responses[:, shared[1]])
    usable &= (old.a[shared[0]] > 0) & (new.a[shared[1]] > 0)
    _require(len(usable), "")
    _require(int(usable.sum()), "that some systems have right and others wrong in both")
    places = shared[0][usable], shared[1][usable]
    anchors = _anchors(old, places[0]), _anchors(new, places[1])
    theta = np.quantile(old.theta, _ABILITIES)
    p_values, kept = _steady(old, new, places, anchors, theta)
    _require(int(kept.sum()), f"kept their place ({len(kept) - int(kept.sum())} of {len(kept)} drifted)")
    chosen = np.flatnonzero(kept).astype(np.int64)
    slope, shift = linking_constants(anchors[0].take(chosen), anchors[1].take(chosen), theta)
    if not np.isfinite([slope, shift]).all():
        raise UsageError(_NO_LINK, next_step="Link through other questions.")
    drifted, of_all = np.zeros(len(usable), dtype=np.bool_), np.ones(len(usable))
    drifted[usable], of_all[usable] = ~kept, p_values
    cov = _jackknifed(anchors[0].take(chosen), anchors[1].take(chosen), theta)
    return Link(slope, shift, cov, usable, drifted, of_all)


def _separating(responses: Floats) -> Bools:
    """Find items (k,) that some systems have right and others wrong: the others have no estimate of difficulty."""
    return np.asarray((responses == 1).any(axis=0) & (responses == 0).any(axis=0), dtype=np.bool_)


def _anchors(fit: Fit, places: Ints) -> AnchorItems:
    return AnchorItems(fit.a[places], fit.b[places], fit.c[places], fit.a_se[places], fit.b_se[places])


def _steady(
    old: Fit, new: Fit, places: tuple[Ints, Ints], anchors: tuple[AnchorItems, AnchorItems], theta: Floats
) -> tuple[Floats, Bools]:
    """Give adjusted p-values (k,) of no drift, and which anchors are kept.

    Judged first under a link that drifting anchors cannot pull (medians), then under that of those kept, until the
    same anchors are kept.
    """
    slope = float(np.exp(np.median(np.log(anchors[1].a / anchors[0].a))))
    shift = float(np.median(anchors[0].b - slope * anchors[1].b))
    seen: list[bytes] = []
    while True:
        p_values = drift_p_values(old, new, places, slope, shift)
        kept = np.asarray(p_values > FALSE_SHARE, dtype=np.bool_)
        if kept.tobytes() in seen or kept.sum() < MIN_ANCHORS or len(seen) == _ROUNDS:
            return p_values, kept
        seen.append(kept.tobytes())
        chosen = np.flatnonzero(kept).astype(np.int64)
        slope, shift = linking_constants(anchors[0].take(chosen), anchors[1].take(chosen), theta)
        if not np.isfinite([slope, shift]).all():
            return p_values, kept


def _require(count: int, what: str) -> None:
    if count < MIN_ANCHORS:
        raise UsageError(
            f"{counted(count, 'shared question')}{f' {what}' if what else ''}: too few to put one scale on another.",
            allowed=f"At least {MIN_ANCHORS}.",
            next_step="Keep more questions of the earlier exam, or report the later one on its own scale.",
        )


def _jackknifed(old: AnchorItems, new: AnchorItems, theta: Floats) -> Floats:
    """Estimate the covariance (2, 2) of (slope, shift) over links that leave out one anchor each."""
    count = len(old.a)
    rest = [np.delete(np.arange(count), each) for each in range(count)]
    found = np.array([linking_constants(old.take(kept), new.take(kept), theta) for kept in rest])
    if not np.isfinite(found).all():
        raise UsageError(_NO_LINK, next_step="Link through more questions.")
    off = found - found.mean(axis=0)
    return np.asarray((count - 1) / count * (off.T @ off), dtype=np.float64)
