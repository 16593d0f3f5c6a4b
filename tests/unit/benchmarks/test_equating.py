"""A small version of benchmarks/equating.py: intervals hold, and questions that drifted are found."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from equating import Setting, held, simulated

from viva.metrics.irt.linking.link import link


@pytest.mark.slow
def test_abilities_hold_on_the_old_scale_and_most_of_what_drifted_is_found() -> None:
    covered, found, false = list[bool](), list[bool](), list[bool]()
    for seed in range(20):
        made = simulated(Setting(), seed)
        linked = link(made.old, made.new, made.shared)
        covered += held(made, linked)
        found += linked.drifted[made.drifted].tolist()
        false += linked.drifted[~made.drifted].tolist()
    assert 0.93 < np.mean(covered) < 0.98
    assert np.mean(found) >= 0.9
    assert np.mean(false) < 0.04
