"""Without a model, rules tell a failure mode only where they are sure."""

from __future__ import annotations

import pytest

from viva.agents.rules.failure_modes import numbers, states_something, told_by_rule
from viva.core.scores_diagnosis import EvidenceCounts, FailureMode

THERE, AWAY = EvidenceCounts(held=True, share=1.0, rank=1), EvidenceCounts(held=False, share=0.1)
PASSAGES = ("The tank holds 1,500 litres since 06:30.", "It is red.")


@pytest.mark.parametrize(
    ("choice", "evidence", "mode"),
    [
        (None, THERE, FailureMode.WRONG_FORMAT),
        (None, None, FailureMode.WRONG_FORMAT),
        ("1500 litres", AWAY, FailureMode.MISSED_TOP_RANKED),
        ("900 litres", THERE, None),
        ("1500 litres", THERE, None),
        ("06:30", THERE, None),
        ("blue", THERE, None),
        ("900 litres", None, None),
    ],
)
def test_a_mode_is_told_where_a_rule_is_sure(
    choice: str | None, evidence: EvidenceCounts | None, mode: FailureMode | None
) -> None:
    told = told_by_rule(choice, evidence, PASSAGES)
    assert told.mode is mode
    assert bool(told.by) == bool(told.why) == (mode is not None)


OFFERED = ("How much does the tank hold?", "1500 litres", "900 litres", "07:30")


@pytest.mark.parametrize(
    "said",
    ["B", "B) 900 litres", "900 litres", "The answer is 900 litres [3].", "1. 900 litres", "See page 12: 900 litres"],
)
def test_an_option_that_was_offered_is_never_a_fabrication(said: str) -> None:
    assert told_by_rule("900 litres", THERE, PASSAGES, said, OFFERED).mode is None


def test_a_number_that_nobody_offered_and_no_passage_holds_is_a_fabrication() -> None:
    told = told_by_rule("900 litres", THERE, PASSAGES, "900 litres, since it was halved in 1987.", OFFERED)
    assert (told.mode, told.by) == (FailureMode.FABRICATION, "rule")
    assert "1987" in told.why
    assert "900" not in told.why


@pytest.mark.parametrize(
    ("said", "more"),
    [
        ("B", False),
        ("The correct answer is B) 900 litres.", False),
        ("900 litres", False),
        ("900 litres, by the harbour master's rule", True),
        ("900 litres of 7", True),
        ("", False),
    ],
)
def test_what_names_an_option_and_no_more_states_nothing(said: str, more: bool) -> None:
    assert states_something(said, OFFERED) is more


def test_numbers_are_compared_whole_and_without_their_commas() -> None:
    assert numbers("From 1,500 to 2.5 at 06:30, 1500 in all") == ["1500", "2.5", "06:30"]
