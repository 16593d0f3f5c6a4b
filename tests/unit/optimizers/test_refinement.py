"""Refining an exam: what goes, what is asked for, when it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt.model.curves import information_3pl, standard_error_curve
from viva.optimizers.refinement import ItemCalibration, Rules, refine, to_drop
from viva.optimizers.shortfall import Shortfall, shortfalls

Floats = NDArray[np.float64]
THETA = np.linspace(-1.5, 1.5, 31)


class World:
    """Items whose parameters are known: a calibration reads them off. A fake of refit, judge and writer."""

    def __init__(self, items: dict[str, tuple[float, float, float, float]]) -> None:
        self.items = dict(items)
        self.asked: list[tuple[Shortfall, ...]] = []

    def calibrate(self, names: Sequence[str]) -> ItemCalibration:
        a, b, c, z = np.array([self.items[name] for name in names], dtype=np.float64).reshape(-1, 4).T
        return ItemCalibration(THETA, a, b, c, z)

    def write(self, lacking: tuple[Shortfall, ...]) -> list[str]:
        """Two sound items for what is lacking most."""
        self.asked.append(lacking)
        names = [f"new {len(self.asked)}.{n}" for n in range(2)]
        self.items |= dict.fromkeys(names, (1.5, lacking[0].difficulty, 0.2, 4.0))
        return names


def sound(count: int) -> dict[str, tuple[float, float, float, float]]:
    return {f"sound {n}": (1.2, float(b), 0.2, 4.0) for n, b in enumerate(np.linspace(-1, 1, count))}


HARD = {f"hard {n}": (0.8, 5.0, 0.2, 0.1) for n in range(3)}
MISKEYED = {f"wrong key {n}": (1.0, 1.0, 0.2, -2.5 - n) for n in range(2)}


def test_items_that_tell_nothing_and_those_the_able_miss_go_and_the_others_stay() -> None:
    world = World(sound(30) | HARD | MISKEYED)
    found = refine(list(world.items), refit=world.calibrate, judge=world.calibrate, rules=Rules(most_at_once=0.2))
    assert set(found.items) == set(sound(30))
    assert found.end == "nothing to drop"
    dropped = found.steps[-1].dropped
    # the worst first, and each with its reason
    assert [each.item for each in dropped[:2]] == ["wrong key 1", "wrong key 0"]
    assert all("abler examinees do worse" in each.reason for each in dropped[:2])
    assert all("tells little" in each.reason for each in dropped[2:])


def test_low_discrimination_alone_does_not_condemn_an_item_that_informs() -> None:
    world = World(sound(20) | {"broad": (0.9, -0.5, 0.0, 2.0)})
    names = tuple(world.items)
    assert to_drop(names, world.calibrate(names), Rules()) == ()


def test_no_more_than_the_allowed_share_goes_at_once() -> None:
    world = World(sound(40) | HARD | MISKEYED)
    found = refine(list(world.items), refit=world.calibrate, judge=world.calibrate, rules=Rules(most_at_once=0.03))
    assert [len(step.dropped) for step in found.steps[1:]] == [1] * 5
    assert set(found.items) == set(sound(40))


def test_a_round_that_does_not_help_unused_examinees_is_taken_back() -> None:
    world = World(sound(30) | HARD)

    def other_examinees(names: Sequence[str]) -> ItemCalibration:
        # for them the hard items are just right
        return replace(world.calibrate(names), theta=THETA + 6)

    found = refine(list(world.items), refit=world.calibrate, judge=other_examinees)
    assert found.end == "no growth"
    assert set(found.items) == set(world.items)
    assert [step.accepted for step in found.steps] == [True, False]
    assert found.steps[1].per_item < found.steps[0].per_item


def test_what_is_lacking_is_written_until_the_exam_tells_enough() -> None:
    world = World(sound(10) | HARD)
    rules = Rules(se_wanted=0.45, rounds=30)
    found = refine(
        list(world.items), refit=world.calibrate, judge=world.calibrate, replenish=world.write, rules=rules
    )
    assert found.end == "nothing to drop"
    assert any(name.startswith("new") for name in found.items)
    kept = world.calibrate(found.items)
    assert shortfalls(THETA, kept.a, kept.b, kept.c, se_wanted=0.45) == ()
    totals = [step.total for step in found.steps]
    assert totals == sorted(totals)
    assert found.steps[1].lacking == world.asked[0]


def test_a_writer_with_nothing_to_offer_ends_it() -> None:
    world = World(sound(12))
    found = refine(list(world.items), refit=world.calibrate, judge=world.calibrate, replenish=lambda _: ())
    assert (found.end, set(found.items)) == ("nothing to drop", set(world.items))


def test_rounds_and_the_least_size_bound_the_work() -> None:
    world = World(sound(40) | HARD | MISKEYED)
    once = Rules(rounds=1, most_at_once=0.03)
    found = refine(list(world.items), refit=world.calibrate, judge=world.calibrate, rules=once)
    assert (found.end, len(found.items)) == ("rounds", 44)
    small = Rules(least_items=45)
    found = refine(list(world.items), refit=world.calibrate, judge=world.calibrate, rules=small)
    assert (found.end, len(found.items)) == ("too few items", 45)


def test_a_shortfall_tells_where_how_much_and_what_item_would_help() -> None:
    a, b, c = np.full(40, 1.5), np.full(40, -1.0), np.full(40, 0.2)
    found = shortfalls(THETA, a, b, c, se_wanted=0.4)
    worst = found[0]
    assert worst.high == pytest.approx(1.5)
    assert all(lack.low >= -0.5 for lack in found)
    inside = THETA[worst.low <= THETA]
    assert worst.information == pytest.approx((standard_error_curve(inside, a, b, c) ** -2).mean())
    assert worst.wanted == pytest.approx(6.25)
    assert worst.missing == worst.wanted - worst.information
    # no other difficulty tells more about the middle of the region
    others = information_3pl(np.median(inside), 1.5, worst.difficulty + np.array([-0.2, 0, 0.2]), 0.2)[0]
    assert others.argmax() == 1
    assert worst.items == np.ceil(worst.missing / others[1])
    assert [lack.missing for lack in found] == sorted((lack.missing for lack in found), reverse=True)


def test_a_topic_that_the_exam_leaves_out_is_asked_for_everywhere() -> None:
    a, b, c = np.full(60, 2.0), np.tile(np.linspace(-2, 2, 30), 2), np.zeros(60)
    topics = ["north"] * 60
    assert shortfalls(THETA, a, b, c, se_wanted=0.3, topics=topics) == ()
    found = shortfalls(THETA, a, b, c, se_wanted=0.3, topics=topics, shares={"north": 1, "south": 1}, regions=5)
    assert {lack.topic for lack in found} == {"south"}
    assert len(found) == 5
    assert {round(lack.wanted, 6) for lack in found} == {round(0.5 / 0.09, 6)}


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=1, max_size=12), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_regions_are_where_examinees_are_however_they_tie(theta: list[float], regions: int) -> None:
    found = shortfalls(theta, [], [], [], se_wanted=0.5, regions=regions)
    assert 1 <= len(found) <= regions
    assert all(lack.low <= lack.high and lack.information == 0 for lack in found)
    assert all(any(lack.low <= t <= lack.high for t in theta) for lack in found)
    assert all(any(lack.low <= t <= lack.high for lack in found) for t in theta)


def test_what_cannot_be_refined_is_refused_in_words() -> None:
    world = World(sound(12))
    names = list(world.items)
    with pytest.raises(UsageError, match="named twice"):
        refine([*names, names[0]], refit=world.calibrate, judge=world.calibrate)
    with pytest.raises(UsageError, match="named twice"):
        refine(names, refit=world.calibrate, judge=world.calibrate, replenish=lambda _: names[:1])
    with pytest.raises(UsageError, match="came back with"):
        refine(names, refit=lambda items: world.calibrate(items[1:]), judge=world.calibrate)
    broken = replace(world.calibrate(names), a=np.full(12, np.nan))
    with pytest.raises(UsageError, match="not finite"):
        refine(names, refit=lambda _: broken, judge=world.calibrate)
    with pytest.raises(UsageError, match="no exam"):
        refine(names[:1], refit=world.calibrate, judge=world.calibrate)
    with pytest.raises(UsageError, match="no item's topic"):
        shortfalls(THETA, [1.0], [0.0], [0.0], se_wanted=0.3, shares={"north": 1})
    with pytest.raises(UsageError, match="finite abilities"):
        shortfalls([], [1.0], [0.0], [0.0], se_wanted=0.3)
    with pytest.raises(UsageError):
        shortfalls(THETA, [1.0], [0.0], [0.0], se_wanted=0.0)
    with pytest.raises(UsageError):
        Rules(most_at_once=0)
