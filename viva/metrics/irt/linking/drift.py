"""Drift of anchors: is an item easier or harder for the systems of the later form than their abilities say?

A score test of uniform drift with intercept and slope of the item's logit taken out, as for levels of a component
(checks.item_bias; C(alpha), Neyman 1959), with the form as the component, adjusted by Benjamini & Hochberg (1995).
It looks at the answers at equal abilities, and finds more than the robust z of differences of difficulty (Huynh &
Meyer 2010), which carries the errors of both items' discriminations (benchmarks/equating.py).
"""

from __future__ import annotations

import numpy as np

from viva.core.estimates import Estimate
from viva.metrics.irt.checks.item_bias import FEW_EXAMINEES, component_fit, standardised_difference
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.responses import Bools, Floats, Ints, NotJudged
from viva.metrics.irt.model.result import Fit

FEWEST_SYSTEMS = FEW_EXAMINEES
_LEAST = 1e-6


def drift_p_values(old: Fit, new: Fit, places: tuple[Ints, Ints], slope: float, shift: float) -> Floats:
    """Give adjusted p-values (k,) of no drift of an anchor under this link; 1 where the answers are too few."""
    answers, expected, later = _both(old, new, places, slope, shift)
    found = component_fit(answers, expected, {"form": np.where(later, "new", "old").tolist()})
    return np.ones(len(places[0])) if isinstance(found, NotJudged) else found.adjusted[0]


def drift_in_points(
    old: Fit, new: Fit, places: tuple[Ints, Ints], slope: float, shift: float
) -> tuple[Estimate, ...]:
    """Give, per anchor, the share of right answers in the new form beyond what those of the old one let expect."""
    answers, expected, later = _both(old, new, places, slope, shift)
    return tuple(standardised_difference(each, p, later) for each, p in zip(answers.T, expected.T, strict=True))


def _both(old: Fit, new: Fit, places: tuple[Ints, Ints], slope: float, shift: float) -> tuple[Floats, Floats, Bools]:
    """Give answers (n, k) of the systems of both forms, their probabilities, and which systems took the new form."""
    first, second = places
    a = np.sqrt(np.maximum(old.a[first] * new.a[second] / slope, _LEAST))
    known, newly = (1 / np.maximum(se, _LEAST) ** 2 for se in (old.b_se[first], slope * new.b_se[second]))
    b = (known * old.b[first] + newly * (slope * new.b[second] + shift)) / (known + newly)
    theta = np.concatenate([old.theta, slope * new.theta + shift])
    expected = probability_3pl(theta, a, b, (old.c[first] + new.c[second]) / 2)
    answers = np.vstack([old.responses[:, first], new.responses[:, second]])
    return answers, np.clip(expected, _LEAST, 1 - _LEAST), np.arange(len(theta)) >= len(old.theta)
