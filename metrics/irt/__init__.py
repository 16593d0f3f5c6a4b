"""Item response theory: abilities of examinees and parameters of items, with their uncertainty and its checks."""

from viva.metrics.irt.additivity import additivity, level_columns
from viva.metrics.irt.analysis import Analysis, analyse
from viva.metrics.irt.curves import (
    information_3pl,
    probability_3pl,
    standard_error_curve,
    test_information,
)
from viva.metrics.irt.dependence import local_dependence
from viva.metrics.irt.design import Continuous
from viva.metrics.irt.distractors import option_use
from viva.metrics.irt.estimation import fit
from viva.metrics.irt.evidence import fault_evidence, leak_evidence
from viva.metrics.irt.flags import Flag
from viva.metrics.irt.held_out import held_out, split_cells
from viva.metrics.irt.information import detectable_difference, group_information, measured_ranges
from viva.metrics.irt.inputs import NotJudged
from viva.metrics.irt.item_fit import mean_squares
from viva.metrics.irt.leakage import component_fit, leaks
from viva.metrics.irt.linking import common_items, link
from viva.metrics.irt.readings import Contrast
from viva.metrics.irt.responses import NothingToCompare, binarised
from viva.metrics.irt.result import Effect, Fit
from viva.metrics.irt.rivals import rival_evidence
from viva.metrics.irt.s_x2 import score_fit
from viva.metrics.irt.unshrunk import unshrunk_abilities
from viva.metrics.irt.wrong_keys import expected_information, slope_scores

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
    "option_use",
    "probability_3pl",
    "rival_evidence",
    "score_fit",
    "slope_scores",
    "split_cells",
    "standard_error_curve",
    "test_information",
    "unshrunk_abilities",
]
