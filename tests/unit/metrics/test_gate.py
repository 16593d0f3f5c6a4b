"""The verdict of a gate: it holds at every length, and its bounds agree with it."""

from __future__ import annotations

import numpy as np
import pytest

from viva.metrics.gate import GateRule, GateVerdict, fewest_asked, first_verdict, judge_differences, paths

RULE = GateRule()


def drawn(worse: float, better: float, gates: int = 300, questions: int = 100) -> np.ndarray:
    """Differences of simulated gates: -1 so often, 1 so often, else 0."""
    draw = np.random.default_rng(7).random((gates, questions))
    return np.where(draw < worse, -1.0, np.where(draw > 1 - better, 1.0, 0.0))


def verdicts(x: np.ndarray, rule: GateRule = RULE) -> list[tuple[GateVerdict, int]]:
    return [first_verdict(paths(row, rule), rule) for row in x]


def test_five_answers_that_became_wrong_and_none_that_became_right_are_a_regression() -> None:
    found = judge_differences([-1, 0, -1, -1, -1, -1, -1, -1], RULE)
    assert (found.verdict, found.used) == (GateVerdict.REGRESS, 6)
    assert found.low > 0
    assert found.e_worse >= 20
    assert found.more_needed is None


def test_a_system_that_answers_as_before_passes_after_as_many_questions_as_are_foretold() -> None:
    least = fewest_asked(RULE, change=0)
    assert judge_differences([0] * 100, RULE).used == least == 64
    short = judge_differences([0] * 60, RULE)
    assert (short.verdict, short.more_needed) == (GateVerdict.UNDECIDED, 4)
    assert judge_differences([0] * 64, RULE).high < 0.03 <= short.high


def test_at_no_change_few_are_called_worse_and_at_the_margin_few_pass() -> None:
    flaky = [verdict for verdict, _ in verdicts(drawn(0.05, 0.05))]
    assert flaky.count(GateVerdict.REGRESS) / len(flaky) <= 0.05
    at_margin = [verdict for verdict, _ in verdicts(drawn(0.15, 0.05), GateRule(margin=0.1))]
    assert at_margin.count(GateVerdict.PASS) / len(at_margin) <= 0.2


def test_a_large_drop_is_found_early_in_the_exam() -> None:
    found = verdicts(drawn(0.3, 0.0))
    assert {verdict for verdict, _ in found} == {GateVerdict.REGRESS}
    assert np.median([asked for _, asked in found]) <= 20


@pytest.mark.parametrize("rule", [RULE, GateRule(margin=0.1, alpha=0.01, power=0.9)])
def test_the_bounds_of_the_drop_agree_with_the_verdict(rule: GateRule) -> None:
    for row in drawn(0.12, 0.05, gates=10):
        found = judge_differences(row.tolist(), rule)
        assert found.low <= found.drop <= found.high
        assert (found.low > 0) == (found.verdict is GateVerdict.REGRESS)
        assert (found.high < rule.margin) == (found.verdict is GateVerdict.PASS)


def test_where_nothing_speaks_for_either_nobody_says_how_many_more_it_takes() -> None:
    assert judge_differences([-0.02] * 20, RULE).more_needed is not None
    assert judge_differences([], RULE).verdict is GateVerdict.UNDECIDED
    assert judge_differences([-1, 1] * 10, GateRule(margin=0.001)).more_needed is None
