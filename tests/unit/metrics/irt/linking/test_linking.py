"""A later calibration on the scale of an earlier one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from viva.core.errors import UsageError
from viva.core.notes import Note, NoteCode
from viva.metrics.irt.linking.constants import AnchorItems, LinkMethod
from viva.metrics.irt.linking.link import Link, common_items, link
from viva.metrics.irt.model.curves import probability_3pl

SLOPE, SHIFT = 1.3, -0.6
METHODS: tuple[LinkMethod, ...] = ("stocking-lord", "mean/mean", "mean/sigma")


def calibrations(
    count: int = 20, *, noise: float = 0.0, seed: int = 0, easier: tuple[int, ...] = ()
) -> tuple[AnchorItems, AnchorItems]:
    """The same items on two scales; those `easier` have become so by 1.5."""
    rng = np.random.default_rng(seed)
    a, b, c = np.exp(rng.normal(0, 0.4, count)), rng.normal(0, 1, count), np.full(count, 0.2)
    later = b.copy()
    later[list(easier)] -= 1.5
    spread = [noise * rng.normal(0, 1, count) for _ in range(4)]
    return (
        AnchorItems(a * np.exp(spread[0]), b + spread[1], c),
        AnchorItems(a * SLOPE * np.exp(spread[2]), (later + spread[3] - SHIFT) / SLOPE, c),
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_change_of_scale_is_found_and_undone(method: LinkMethod) -> None:
    old, new = calibrations()
    found = link(old, new, method=method, resamples=5)
    assert (found.slope, found.shift) == pytest.approx((SLOPE, SHIFT), abs=1e-6)
    assert (found.slope_se, found.shift_se) == pytest.approx((0, 0), abs=1e-6)
    assert found.dropped == ()
    b, _ = found.difficulties(new.b, np.zeros(20))
    a, _ = found.discriminations(new.a, np.zeros(20))
    np.testing.assert_allclose(b, old.b, atol=1e-5)
    np.testing.assert_allclose(a, old.a, atol=1e-5)


def test_linking_changes_no_probability() -> None:
    old, new = calibrations(noise=0.2)
    found = link(old, new, resamples=5)
    theta = np.linspace(-2, 2, 7)
    linked, _ = found.abilities(theta, np.zeros(7))
    a, b = found.discriminations(new.a, np.zeros(20))[0], found.difficulties(new.b, np.zeros(20))[0]
    np.testing.assert_allclose(
        probability_3pl(linked, a, b, new.c), probability_3pl(theta, new.a, new.b, new.c), atol=1e-12
    )


@pytest.mark.parametrize("method", METHODS)
def test_anchors_that_drifted_are_named_and_do_not_move_the_scale(method: LinkMethod) -> None:
    old, new = calibrations(easier=(2, 7, 11))
    found = link(old, new, method=method, resamples=5)
    assert [drop.place for drop in found.dropped] == [2, 7, 11]
    assert all("easier by 1.50" in drop.reason for drop in found.dropped)
    assert (found.slope, found.shift) == pytest.approx((SLOPE, SHIFT), abs=1e-6)
    assert found.anchors == 17
    pulled = link(old, new, method=method, resamples=5, purify=False)
    assert abs(pulled.shift - SHIFT) > 0.05
    assert pulled.dropped == ()


def test_an_anchor_that_stopped_discriminating_is_named() -> None:
    old, new = calibrations()
    slower = new.a.copy()
    slower[4] *= 0.2
    (dropped,) = link(old, replace(new, a=slower), resamples=5).dropped
    assert dropped.place == 4
    assert "discriminates 0.20 times as much" in dropped.reason


def test_noise_alone_costs_few_anchors() -> None:
    dropped = [len(link(*calibrations(40, noise=0.15, seed=s), method="mean/mean").dropped) for s in range(20)]
    assert sum(dropped) / (20 * 40) < 0.04


def test_a_vague_anchor_may_lie_further_away_than_a_sure_one() -> None:
    old, new = calibrations(noise=0.05)
    moved, error = new.b.copy(), np.full(20, 0.05)
    moved[3] += 1.0
    assert [x.place for x in link(old, replace(new, b=moved), resamples=5).dropped] == [3]
    vague = np.where(np.arange(20) == 3, 2.0, error)
    told = link(
        AnchorItems(old.a, old.b, old.c, error, error), AnchorItems(new.a, moved, new.c, error, vague), resamples=5
    )
    assert told.dropped == ()


def test_the_bootstrap_error_is_about_that_of_repeated_calibrations() -> None:
    found = [link(*calibrations(30, noise=0.15, seed=s), method="mean/mean", resamples=50) for s in range(60)]
    assert np.mean([x.shift_se for x in found]) == pytest.approx(np.std([x.shift for x in found]), rel=0.3)
    assert np.mean([x.slope_se for x in found]) == pytest.approx(np.std([x.slope for x in found]), rel=0.3)


def test_the_error_of_the_link_is_part_of_an_ability_on_the_old_scale() -> None:
    found = link(*calibrations(noise=0.2), resamples=50)
    _, se = found.abilities([0.0, 3.0], [0.2, 0.2])
    assert se[0] == pytest.approx(np.hypot(found.slope * 0.2, found.shift_se))
    assert (se > found.slope * 0.2).all()


def test_the_same_seed_gives_the_same_link_and_few_anchors_are_noted() -> None:
    first, second = (link(*calibrations(8, noise=0.1), seed=3, resamples=20, purify=False) for _ in range(2))
    np.testing.assert_array_equal(first.cov, second.cov)
    assert first.notes == (Note(code=NoteCode.FEW_ANCHORS, count=8, of=20),)


def refused(old: AnchorItems, new: AnchorItems) -> str:
    with pytest.raises(UsageError) as refusal:
        link(old, new)
    return str(refusal.value)


def test_too_few_anchors_are_refused_before_and_after_purification() -> None:
    assert "4 common items" in refused(*calibrations(4))
    assert "kept their place" in refused(*calibrations(6, easier=(0, 1)))
    old, new = calibrations(5)
    assert "discrimination above 0" in refused(old, replace(new, a=new.a * [1, 1, 1, 1, -1]))


def test_an_anchor_without_discrimination_is_dropped_with_its_reason() -> None:
    old, new = calibrations()
    found: Link = link(old, replace(new, a=new.a * np.where(np.arange(20) == 5, -1, 1)), resamples=5)
    assert [(x.place, "not above 0" in x.reason) for x in found.dropped] == [(5, True)]
    assert 5 not in found.usable
    assert len(found.usable) == len(found.drift.b) == 19


def test_what_cannot_be_linked_is_refused_in_words() -> None:
    old, new = calibrations()
    with pytest.raises(UsageError, match="same items"):
        link(old, calibrations(19)[1])
    with pytest.raises(UsageError, match="no linking method"):
        link(old, new, method="haebara")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="not finite"):
        AnchorItems(old.a, np.where(np.arange(20) == 0, np.nan, old.b), old.c)
    same = replace(old, b=np.zeros(20))
    with pytest.raises(UsageError, match="determine no link"):
        link(same, same, method="mean/sigma")


def test_common_items_are_paired_by_name_whatever_their_order() -> None:
    first, second = common_items(["x", "y", "z"], ["z", "w", "x"])
    assert (first.tolist(), second.tolist()) == ([0, 2], [2, 0])
