"""Who chooses and who judges, and calibrations of both on one scale."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import document, item, shown
from numpy.typing import NDArray

from viva.core.records import Examinee
from viva.metrics.irt.model.curves import probability_3pl
from viva.optimizers.panel import FEWEST, Answers, JudgingPanel, PanelScale, split

ITEMS = [shown(item(n, of=document(f"Pump {n} moves water.", topic=f"topic {n % 2}"))) for n in range(40)]
NAMES = tuple(each.item.id for each in ITEMS)


def answers(count: int, seed: int = 0, alike: tuple[int, int] | None = None) -> Answers:
    rng = np.random.default_rng(seed)
    theta, b = np.linspace(-1.5, 1.5, count), np.linspace(-2, 2, len(ITEMS))
    right = rng.random((count, 40)) < probability_3pl(theta, np.full(40, 1.4), b, np.full(40, 0.2))
    values: NDArray[np.float64] = right.astype(np.float64)
    if alike:
        values[alike[1]] = values[alike[0]]
    examinees = tuple(Examinee(id=f"e{n:02d}", name=f"name {n}", spec=f"s{n}") for n in range(count))
    columns = {name: values[:, n] for n, name in enumerate(NAMES)}
    return Answers(examinees, columns, {each.item.id: each for each in ITEMS})


def test_a_third_is_kept_for_judging_by_its_ids_alone() -> None:
    found = split(answers(18), NAMES)
    assert (len(found.choosing), len(found.judging), found.copies) == (12, 6, ())
    assert not set(found.choosing) & set(found.judging)
    assert split(answers(18, seed=1), NAMES) == found


@pytest.mark.parametrize(("count", "judging"), [(2 * FEWEST - 1, 0), (2 * FEWEST, FEWEST)])
def test_nobody_is_kept_where_either_side_would_be_too_small(count: int, judging: int) -> None:
    found = split(answers(count), NAMES)
    assert (len(found.choosing), len(found.judging)) == (count - judging, judging)


def test_who_answers_as_another_does_has_no_say_on_either_side() -> None:
    found = split(answers(18, alike=(4, 9)), NAMES)
    assert found.copies == (("e09", "e04"),)
    assert "e09" not in {*found.choosing, *found.judging}
    assert len(found.choosing) + len(found.judging) == 17


def test_who_has_chosen_before_never_judges_again_nor_does_a_copy() -> None:
    first = split(answers(18), NAMES)
    judge = first.judging[0]
    assert judge in split(answers(18), NAMES, [judge]).choosing
    assert split(answers(18), NAMES, [f"e{n:02d}" for n in range(18)]).judging == ()
    alike = answers(18, alike=(4, 9))
    assert "e04" not in split(alike, NAMES, ["e09"]).judging


def test_retained_items_keep_the_scale_when_others_go() -> None:
    scale = PanelScale(answers(18))
    whole = scale.refit(NAMES)
    # the hard half: on its own scale its difficulties would have mean 0
    rest = scale.refit(NAMES[20:])
    assert abs(rest.b.mean() - whole.b[20:].mean()) < 0.15
    assert abs(rest.theta.mean() - whole.theta.mean()) < 0.25
    assert rest.topics[:2] == ("topic 0", "topic 1")
    assert rest.slope_z is not None


def test_exams_are_judged_on_one_calibration_of_all_items() -> None:
    judge = JudgingPanel(PanelScale(answers(8)))
    whole = judge(NAMES)
    some = judge(NAMES[5:15])
    assert np.array_equal(some.theta, whole.theta)
    assert np.array_equal(some.b, whole.b[5:15])
    assert some.information().sum() < whole.information().sum()


def test_items_that_come_are_judged_on_the_scale_of_those_that_were_there() -> None:
    judge = JudgingPanel(PanelScale(answers(12)))
    before = judge(NAMES[:30])
    after = judge(NAMES)
    # the last quarter is the hardest: on a scale of its own the others would have moved down
    assert abs(after.b[:30].mean() - before.b.mean()) < 0.1
    assert after.b[30:].mean() > before.b.mean()
