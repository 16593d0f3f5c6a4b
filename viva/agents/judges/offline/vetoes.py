"""What rules may overrule: a score stays low where one text denies the other or has another number in its place."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from viva.agents.judges.offline.comparison import TextComparison

VETOED = 0.49
"""The most that a pair can score whose texts contradict each other by a rule: less than one half."""
_SLOPE = 0.09
"""What the vetoed still differ by, so that their own order is kept."""
_ALIKE = 0.6
"""Share of the one text's content words that the other has, from which on both speak of the same thing."""
_LONG = math.log1p(40)
"""Length of a reference that makes so many points that few right answers tell most of its words."""
_TOLD, _TOLD_OF_LONG = 0.6, 0.2
"""Share of a reference's words, or of a long one's, that is told by who asks or supposes and yet answers."""


def vetoes(comparison: TextComparison) -> bool:
    """Whether two texts that speak of the same thing contradict each other by a rule."""
    alike = comparison.held >= _ALIKE or comparison.told >= _ALIKE
    return alike and bool(comparison.opposite or comparison.other_figure)


def tells_nothing(comparison: TextComparison) -> bool:
    """Whether an answer admits, asks or supposes, and gives no more than that."""
    told = min(comparison.told, comparison.figures_told)
    enough = _TOLD_OF_LONG if comparison.source_length > _LONG else _TOLD
    return bool(comparison.claims_nothing) and told < enough


def vetoed(scores: NDArray[np.float64], comparisons: Sequence[TextComparison]) -> NDArray[np.float64]:
    """The scores (n,); where a rule contradicts, none above VETOED. The vetoed keep their own order."""
    forbidden = np.array([vetoes(each) for each in comparisons], dtype=bool)
    return np.where(forbidden, below_one_half(scores), scores)


def below_one_half(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores (n,) of what a rule contradicts: none above VETOED, in their own order."""
    return np.minimum(scores, VETOED - _SLOPE * (1 - scores))


def why(comparison: TextComparison, score: float) -> str:
    """The reason of a score in words: what contradicts, and what is shared."""
    against = [
        told
        for told, found in (
            ("one denies what the other says", comparison.opposite),
            ("a number or date stands in the place of another", comparison.other_figure),
            ("it only asks, supposes or owns up to not knowing", comparison.claims_nothing),
        )
        if found
    ]
    shared = f"{comparison.held:.0%} of its words are there and {comparison.told:.0%} the other way round"
    return f"{score:.2f}: {'; '.join((*against, shared))}."
