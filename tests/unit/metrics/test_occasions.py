"""Systems that are asked several times: means, intervals, pair tests and how far they answer alike."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from by_hand import exam
from by_hand import sat as answered
from numpy.typing import NDArray

from viva.core.records import Examinee, Failure, FailureKind, Grade, Response
from viva.core.scores import ExamineeScore
from viva.core.scores_pairs import PairVerdict, pair_sentence
from viva.metrics.exam import accuracy
from viva.metrics.intervals import compare_paired, wilson
from viva.metrics.score import score_exam
from viva.reports.sections.sampling import stability_sentences

OF = exam(60)
MINE, OTHER = (Examinee(id=name, name=name, spec="") for name in ("s0", "s1"))
RAISED = Failure(kind=FailureKind.RAISED, detail="ValueError")
# of 60 questions 30 are right each time, 20 on one of two occasions
FIRST, SECOND = np.arange(60) < 50, (np.arange(60) < 30) | (np.arange(60) >= 55)


def sat(examinee: Examinee, right: NDArray[np.bool_], occasion: int = 0) -> list[Response]:
    return answered(examinee.id, OF, right.tolist(), occasion)


def row_of(name: str, rows: tuple[ExamineeScore, ...]) -> ExamineeScore:
    return next(row for row in rows if row.examinee.id == name)


def test_an_accuracy_is_the_mean_over_occasions_and_how_far_they_differ_is_told() -> None:
    scores = score_exam(OF, [MINE, OTHER], [*sat(MINE, FIRST), *sat(MINE, SECOND, 1), *sat(OTHER, FIRST)], seed=0)
    row, once = row_of("s0", scores.examinees), row_of("s1", scores.examinees)
    assert (row.asked, row.graded, row.correct) == (120, 120, 85)
    assert row.accuracy
    assert row.accuracy.value == pytest.approx(85 / 120)
    assert row.stability
    assert (row.stability.occasions, row.stability.questions) == (2, 60)
    assert row.stability.changed.value == pytest.approx(25 / 60)
    assert row.stability.accuracy_sd == pytest.approx(15 / 60 / 2**0.5)
    assert once.stability is None
    assert stability_sentences(scores)[0].startswith("s0 was asked 60 questions 2 times: 42% changed (95%: ")
    assert str(row) == "s0: 85 of 120 right, accuracy 71% (95% interval 62% to 78%), 0 failures"
    # questions and the response model have the first answer
    assert [item.graded for item in scores.items] == [2] * 60
    assert [item.proportion_correct for item in scores.items] == [1.0] * 50 + [0.0] * 10


def test_a_system_that_never_answered_is_not_called_stable() -> None:
    failed = [
        each.model_copy(update={"choice": None, "failure": RAISED})
        for each in (*sat(MINE, FIRST), *sat(MINE, SECOND, 1))
    ]
    scores = score_exam(OF, [MINE], failed, seed=0)
    (row,) = scores.examinees
    assert (row.stability, stability_sentences(scores)) == (None, ())
    assert str(row).endswith("120 failures (raised 120)")


def test_failures_on_an_occasion_are_wrong_and_an_occasion_that_was_broken_off_counts_as_far_as_it_went() -> None:
    again = [each.model_copy(update={"choice": None, "failure": RAISED}) for each in sat(MINE, FIRST, 1)[:10]]
    (row,) = score_exam(OF, [MINE], [*sat(MINE, FIRST), *again], seed=0).examinees
    assert (row.asked, row.graded, row.failures) == (70, 70, {"raised": 10})
    assert row.accuracy
    assert row.accuracy.value == pytest.approx(45 / 60)
    assert row.stability
    assert row.stability.accuracy_sd is None


def test_answers_alike_each_time_are_worth_no_more_than_one() -> None:
    once = score_exam(OF, [MINE, OTHER], [*sat(MINE, FIRST), *sat(OTHER, SECOND)], seed=0)
    twice = [*sat(MINE, FIRST), *sat(MINE, FIRST, 1), *sat(OTHER, SECOND), *sat(OTHER, SECOND, 1)]
    again = score_exam(OF, [MINE, OTHER], twice, seed=0)
    for row, alone in zip(again.examinees, once.examinees, strict=True):
        assert row.accuracy
        assert alone.accuracy
        assert (row.accuracy.low, row.accuracy.high) == pytest.approx((alone.accuracy.low, alone.accuracy.high))
    (pair,), (before,) = again.comparisons, once.comparisons
    changed = {"repeated": True, "probability_better": pair.probability_better}
    assert pair == before.model_copy(update=changed)
    assert pair.probability_better == pytest.approx(before.probability_better)
    assert "of 60 questions a is right more often on" in pair_sentence(pair, "a", "b")
    assert stability_sentences(again)[0] == (
        "s0 was asked 60 questions 2 times. None changed an answer from right to wrong or back."
    )
    assert pair.verdict is PairVerdict.BETTER


def grades(scores: list[float]) -> list[Grade]:
    return [Grade(response_id="", examinee_id="", item_id=str(n), score=each) for n, each in enumerate(scores)]


def test_means_that_vary_less_than_single_answers_have_a_narrower_interval() -> None:
    found = accuracy(grades([0.5] * 20 + [1.0] * 20 + [0.75] * 20), occasions=4)
    assert found.share
    # their variance is 1/24, and 3/16 that of single answers; four times as much is the most
    assert found.worth == pytest.approx(240)
    assert accuracy(grades([0.75] * 60), occasions=4).share == wilson(180, 240)


def test_the_test_of_signs_is_that_of_all_ways_to_sign_the_differences() -> None:
    differences = [1.0, 1.0, 2 / 3, 2 / 3, 1 / 3, -1 / 3, 1 / 3, -2 / 3]
    found = compare_paired([max(each, 0) for each in differences], [max(-each, 0) for each in differences], steps=3)
    assert found
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in product((1, -1), repeat=8)]
    share = sum(each >= abs(sum(differences)) - 1e-9 for each in sums) / len(sums)
    assert found.p_value == pytest.approx(share)
    assert (found.only_first, found.only_second) == (6, 2)


@pytest.mark.parametrize("occasions", [1, 3])
def test_intervals_hold_and_equal_systems_are_not_told_apart_where_answers_flip(occasions: int) -> None:
    """On two occasions 28% of the answers differ; benchmarks/irt/clusters.py has more of it."""
    draw, covered, alarms = np.random.default_rng(occasions), 0, 0
    for _ in range(600):
        chances = draw.beta(1.4, 0.6, size=60)
        first, second = (draw.random((2, occasions, 60)) < chances).mean(axis=1)
        found = accuracy(grades(first.tolist()), occasions=occasions).share
        pair = compare_paired(first, second, steps=occasions)
        assert found
        assert pair
        covered += found.low <= 0.7 <= found.high
        alarms += pair.p_value < 0.05
    assert covered / 600 >= 0.93
    assert alarms / 600 <= 0.06
