"""Figures of an oral examination: counts that add up, an interval, rounds, the curve, and one scale with the exam."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import exam, response
from oral_hall import Failing, Hall, cast, knows

from viva.core.records import Examinee, FailureKind, Grade, UnitStatus
from viva.graphs.oral_exam.state import Limits, OralProgress
from viva.metrics.exam import grade
from viva.metrics.irt import NothingToCompare, probability_3pl
from viva.metrics.oral.irt import joined, oral_abilities


def test_counts_add_up_and_a_finished_examination_has_no_bounds_apart() -> None:
    score = Hall(knows(*range(10))).scored()
    assert (score.units, score.correct, score.incorrect, score.given_up, score.open) == (16, 10, 0, 6, 0)
    assert score.complete
    assert score.known is not None
    assert score.known.low < score.known.value == 10 / 16 < score.known.high
    assert score.known_low == score.known_high == 10 / 16
    for rows in (score.by_cluster, score.by_type):
        assert sum(row.units for row in rows) == 16
        assert all(row.units == row.correct + row.incorrect + row.given_up + row.open for row in rows)
    assert sum(row.covered for row in score.rounds) == 10
    assert sum(row.given_up for row in score.rounds) == 6
    assert sum(score.forms.values()) == score.questions == sum(row.questions for row in score.rounds)


def test_what_was_asked_for_in_vain_is_counted_apart_from_what_was_never_asked_for() -> None:
    score = Hall(knows(), units=40, clusters=2, limits=Limits(questions=2)).scored()
    assert (score.open, score.asked_in_vain) == (40, 16)


def test_an_examination_that_ended_early_says_between_which_bounds_the_rest_may_lie() -> None:
    score = Hall(knows(*range(8)), limits=Limits(questions=2)).scored()
    assert (score.correct, score.open, score.complete) == (8, 8, False)
    assert score.known is not None
    assert score.known.value == 1
    assert score.known.low < 1
    assert (score.known_low, score.known_high) == (0.5, 1.0)


@pytest.mark.parametrize(("failed", "complete"), [(1, False), (None, True)])
def test_an_examination_is_complete_when_no_unit_can_be_asked_for_any_more(
    failed: int | None, complete: bool
) -> None:
    limits = Limits(questions=1 if failed else None)
    score = Hall(knows(*range(8)), units=8, clusters=1, limits=limits, cast=cast(judge=Failing(failed))).scored()
    assert (score.open, score.complete) == (8, complete)


def test_nothing_is_said_of_what_is_known_where_nothing_was_examined() -> None:
    def raises(question: str) -> str:
        raise ValueError("no index")

    score = Hall(raises).scored()
    assert score.known is None
    assert score.failures == {FailureKind.RAISED.value: 5}
    assert score.rounds == ()
    assert (score.known_low, score.known_high) == (0.0, 1.0)


def test_the_curve_rises_with_every_verdict_and_ends_at_the_counts() -> None:
    score = Hall(knows(*range(0, 16, 2))).scored()
    assert [point.questions for point in score.curve] == list(range(1, score.questions + 1))
    assert all(a.verdicts <= b.verdicts for a, b in zip(score.curve, score.curve[1:], strict=False))
    assert (score.curve[-1].covered, score.curve[-1].correct, score.curve[-1].verdicts) == (8, 8, 16)


# --- one scale with the exam ------------------------------------------------------------------------------

EXAM = exam(24)


def panel(theta: np.ndarray) -> tuple[list[Examinee], list[Grade]]:
    rng = np.random.default_rng(1)
    b = np.linspace(-2, 2, 24)
    right = rng.random((len(theta), 24)) < probability_3pl(theta, np.full(24, 1.5), b, np.full(24, 0.25))
    people = [Examinee(id=f"e{n}", name=f"e{n}", spec="s") for n in range(len(theta))]
    given = [
        grade(shown, response(each.id, shown, shown.key_position if right[i, j] else (shown.key_position + 1) % 4))
        for i, each in enumerate(people)
        for j, shown in enumerate(EXAM.items)
    ]
    return people, [each for each in given if isinstance(each, Grade)]


def standing_of(known: int, units: int = 60) -> tuple[Hall, OralProgress]:
    hall = Hall(knows(*range(known)), units=units, clusters=4, limits=Limits(flat=0), cast=cast())
    return hall, hall.examine()[0]


def test_units_stand_behind_the_questions_as_open_items_and_what_is_open_is_missing() -> None:
    people, grades = panel(np.array([0.0, 1.0]))
    hall, standing = standing_of(10, 20)
    found = {i: unit.status for i, unit in standing.units.items()}
    found[hall.plan.units[0].id] = UnitStatus.OPEN
    data = joined(EXAM, hall.plan, people, grades, {"e0": found, "e1": {}})
    assert data.units == 19
    assert data.scores.shape == (2, 24 + 19)
    assert all(shown.item.is_open for shown in data.exam.items[24:])
    assert np.nansum(data.scores[0, 24:]) == 9
    assert np.isnan(data.scores[1, 24:]).all()
    assert not np.isnan(data.scores[:, :24]).any()


def test_who_knows_more_units_than_another_of_the_same_exam_score_has_the_higher_joined_ability() -> None:
    theta = np.linspace(-1.5, 1.5, 10)
    people, grades = panel(theta)
    same = [g.model_copy(update={"examinee_id": "e5"}) for g in grades if g.examinee_id == "e4"]
    grades = [g for g in grades if g.examinee_id != "e5"] + same
    strong, weak = standing_of(50), standing_of(10)
    statuses = {
        name: {i: unit.status for i, unit in standing.units.items()}
        for name, (_, standing) in {"e4": strong, "e5": weak}.items()
    }
    found = oral_abilities(EXAM, strong[0].plan, people, grades, statuses)
    assert not isinstance(found, NothingToCompare)
    assert set(found) == {"e4", "e5"}
    first, second = found["e4"], found["e5"]
    assert first.alone is not None
    assert second.alone is not None
    assert first.alone.value == pytest.approx(second.alone.value)
    assert first.joined.value > second.joined.value
    assert first.linked
    assert (first.units, first.items) == (60, 24)
    # more was seen of each than the exam alone shows
    assert first.joined.high - first.joined.low < first.alone.high - first.alone.low


def test_one_examinee_alone_has_no_ability() -> None:
    hall, standing = standing_of(5, 10)
    statuses = {"e": {i: unit.status for i, unit in standing.units.items()}}
    assert isinstance(oral_abilities(None, hall.plan, [hall.examinee], [], statuses), NothingToCompare)


def test_without_an_exam_two_oral_examinations_are_one_scale_of_their_own() -> None:
    strong, weak = standing_of(50), standing_of(20)
    people = [Examinee(id=name, name=name, spec="s") for name in ("a", "b")]
    statuses = {
        name: {i: unit.status for i, unit in standing.units.items()}
        for name, (_, standing) in zip("ab", (strong, weak), strict=True)
    }
    found = oral_abilities(None, strong[0].plan, people, [], statuses)
    assert not isinstance(found, NothingToCompare)
    assert found["a"].joined.value > found["b"].joined.value
    assert (found["a"].alone, found["a"].linked) == (None, False)
