"""Item response theory: abilities of examinees and parameters of items, with their uncertainty."""

from viva.metrics.irt.curves import (
    information_3pl,
    probability_3pl,
    standard_error_curve,
    test_information,
)
from viva.metrics.irt.fit import fit_irt
from viva.metrics.irt.result import IRTFit, NotScored

__all__ = [
    "IRTFit",
    "NotScored",
    "fit_irt",
    "information_3pl",
    "probability_3pl",
    "standard_error_curve",
    "test_information",
]
