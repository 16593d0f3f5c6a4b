"""Item response theory: abilities of examinees and parameters of items, with their uncertainty and its checks."""

from viva.metrics.irt.checks.wrong_keys import slope_scores
from viva.metrics.irt.fit.analysis import analyse
from viva.metrics.irt.linking.link import common_items, link
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.design import Continuous
from viva.metrics.irt.model.responses import NothingToCompare, binarised
from viva.metrics.irt.model.result import Fit

__all__ = [
    "Continuous",
    "Fit",
    "NothingToCompare",
    "analyse",
    "binarised",
    "common_items",
    "link",
    "probability_3pl",
    "slope_scores",
]
