"""Item response theory: abilities of examinees and parameters of items, with their uncertainty and its checks."""

from viva.metrics.irt.checks.additivity import additivity, level_columns
from viva.metrics.irt.checks.competing_keys import rival_evidence
from viva.metrics.irt.checks.fault_evidence import fault_evidence, leak_evidence
from viva.metrics.irt.checks.flags import Flag
from viva.metrics.irt.checks.held_out import held_out, split_cells
from viva.metrics.irt.checks.item_bias import component_fit, leaks
from viva.metrics.irt.checks.item_fit import mean_squares
from viva.metrics.irt.checks.local_dependence import local_dependence
from viva.metrics.irt.checks.s_x2 import score_fit
from viva.metrics.irt.checks.unshrunk import unshrunk_abilities
from viva.metrics.irt.checks.wrong_keys import expected_information, slope_scores
from viva.metrics.irt.fit.analysis import Analysis, analyse
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.information import detectable_difference, group_information, measured_ranges
from viva.metrics.irt.linking.link import common_items, link
from viva.metrics.irt.model.curves import (
    information_3pl,
    probability_3pl,
    standard_error_curve,
    test_information,
)
from viva.metrics.irt.model.design import Continuous
from viva.metrics.irt.model.inputs import NotJudged
from viva.metrics.irt.model.responses import NothingToCompare, binarised
from viva.metrics.irt.model.result import Effect, Fit
from viva.metrics.irt.readings import Contrast

__all__ = [
    "Analysis",
    "Continuous",
    "Contrast",
    "Effect",
    "Fit",
    "Flag",
    "NotJudged",
    "NothingToCompare",
    "additivity",
    "analyse",
    "binarised",
    "common_items",
    "component_fit",
    "detectable_difference",
    "expected_information",
    "fault_evidence",
    "fit",
    "group_information",
    "held_out",
    "information_3pl",
    "leak_evidence",
    "leaks",
    "level_columns",
    "link",
    "local_dependence",
    "mean_squares",
    "measured_ranges",
    "probability_3pl",
    "rival_evidence",
    "score_fit",
    "slope_scores",
    "split_cells",
    "standard_error_curve",
    "test_information",
    "unshrunk_abilities",
]
