"""Without a model, rules tell a failure mode only where they are sure."""

from __future__ import annotations

import pytest

from viva.agents.rules.failure_modes import numbers, told_by_rule
from viva.core.scores_diagnosis import Evidence, FailureMode

THERE, AWAY = Evidence(held=True, share=1.0, rank=1), Evidence(held=False, share=0.1)
PASSAGES = ("The tank holds 1,500 litres since 06:30.", "It is red.")


@pytest.mark.parametrize(
    ("choice", "evidence", "mode"),
    [
        (None, THERE, FailureMode.WRONG_FORMAT),
        (None, None, FailureMode.WRONG_FORMAT),
        ("1500 litres", AWAY, FailureMode.MISSED_TOP_RANKED),
        ("900 litres", THERE, FailureMode.FABRICATION),
        ("07:30", THERE, FailureMode.FABRICATION),
        ("1500 litres", THERE, None),
        ("06:30", THERE, None),
        ("blue", THERE, None),
        ("900 litres", None, None),
    ],
)
def test_a_mode_is_told_where_a_rule_is_sure(
    choice: str | None, evidence: Evidence | None, mode: FailureMode | None
) -> None:
    told = told_by_rule(choice, evidence, PASSAGES)
    assert told.mode is mode
    assert bool(told.by) == bool(told.why) == (mode is not None)


def test_numbers_are_compared_whole_and_without_their_commas() -> None:
    assert numbers("From 1,500 to 2.5 at 06:30, 1500 in all") == ["1500", "2.5", "06:30"]
