"""A later calibration on the scale of an earlier one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt.linking.constants import AnchorItems, linking_constants
from viva.metrics.irt.linking.link import common_items, link, steady_anchors

SLOPE, SHIFT = 1.3, -0.6
THETA = np.linspace(-2.5, 2.5, 11)


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


def drifted(old: AnchorItems, new: AnchorItems) -> list[int]:
    """Places of the anchors that are not held to be steady."""

    def constants(kept: NDArray[np.bool_]) -> tuple[float, float]:
        return linking_constants(old.take(np.flatnonzero(kept)), new.take(np.flatnonzero(kept)), THETA)

    return np.flatnonzero(~steady_anchors(old, new, THETA, constants)).tolist()


def test_a_change_of_scale_is_found_and_undone() -> None:
    old, new = calibrations()
    found = link(old, new, theta=THETA, resamples=5)
    assert (found.slope, found.shift) == pytest.approx((SLOPE, SHIFT), abs=1e-6)
    np.testing.assert_allclose(found.cov, 0, atol=1e-12)
    np.testing.assert_allclose(found.abilities(new.b, np.zeros(20))[0], old.b, atol=1e-5)


def test_anchors_that_drifted_do_not_move_the_scale() -> None:
    old, new = calibrations(easier=(2, 7, 11))
    assert drifted(old, new) == [2, 7, 11]
    found = link(old, new, theta=THETA, resamples=5)
    assert (found.slope, found.shift) == pytest.approx((SLOPE, SHIFT), abs=1e-6)
    pulled = link(old, new, theta=THETA, resamples=5, purify=False)
    assert abs(pulled.shift - SHIFT) > 0.05


def test_an_anchor_that_stopped_discriminating_has_drifted() -> None:
    old, new = calibrations()
    slower = new.a.copy()
    slower[4] *= 0.2
    assert drifted(old, replace(new, a=slower)) == [4]


def test_noise_alone_costs_few_anchors() -> None:
    dropped = [len(drifted(*calibrations(40, noise=0.15, seed=s))) for s in range(20)]
    assert sum(dropped) / (20 * 40) < 0.04


def test_a_vague_anchor_may_lie_further_away_than_a_sure_one() -> None:
    old, new = calibrations(noise=0.05)
    moved, error = new.b.copy(), np.full(20, 0.05)
    moved[3] += 1.0
    assert drifted(old, replace(new, b=moved)) == [3]
    vague = np.where(np.arange(20) == 3, 2.0, error)
    told = AnchorItems(old.a, old.b, old.c, error, error), AnchorItems(new.a, moved, new.c, error, vague)
    assert drifted(*told) == []


@pytest.mark.slow
def test_the_bootstrap_error_is_about_that_of_repeated_calibrations() -> None:
    found = [link(*calibrations(30, noise=0.15, seed=s), theta=THETA, resamples=20) for s in range(60)]
    errors = np.sqrt([np.diag(x.cov) for x in found]).mean(axis=0)
    assert errors[0] == pytest.approx(np.std([x.slope for x in found]), rel=0.3)
    assert errors[1] == pytest.approx(np.std([x.shift for x in found]), rel=0.3)


def test_the_error_of_the_link_is_part_of_an_ability_on_the_old_scale() -> None:
    found = link(*calibrations(noise=0.2), theta=THETA, resamples=50)
    _, se = found.abilities([0.0, 3.0], [0.2, 0.2])
    assert se[0] == pytest.approx(np.hypot(found.slope * 0.2, np.sqrt(found.cov[1, 1])))
    assert (se > found.slope * 0.2).all()


def test_the_same_anchors_give_the_same_link() -> None:
    first, second = (link(*calibrations(8, noise=0.1), theta=THETA, resamples=20, purify=False) for _ in range(2))
    np.testing.assert_array_equal(first.cov, second.cov)


def refused(old: AnchorItems, new: AnchorItems) -> str:
    with pytest.raises(UsageError) as refusal:
        link(old, new, theta=THETA)
    return str(refusal.value)


def test_too_few_anchors_are_refused_before_and_after_purification() -> None:
    assert "4 common items" in refused(*calibrations(4))
    assert "kept their place" in refused(*calibrations(6, easier=(0, 1)))
    old, new = calibrations(5)
    assert "discrimination above 0" in refused(old, replace(new, a=new.a * [1, 1, 1, 1, -1]))


def test_an_anchor_without_discrimination_is_left_out() -> None:
    old, new = calibrations()
    found = link(old, replace(new, a=new.a * np.where(np.arange(20) == 5, -1, 1)), theta=THETA, resamples=5)
    assert (found.slope, found.shift) == pytest.approx((SLOPE, SHIFT), abs=1e-6)


def test_what_cannot_be_linked_is_refused_in_words() -> None:
    old, new = calibrations()
    with pytest.raises(UsageError, match="same items"):
        link(old, calibrations(19)[1], theta=THETA)
    with pytest.raises(UsageError, match="not finite"):
        link(old, new, theta=[np.nan])
    with pytest.raises(UsageError, match="not finite"):
        AnchorItems(old.a, np.where(np.arange(20) == 0, np.nan, old.b), old.c)


def test_common_items_are_paired_by_name_whatever_their_order() -> None:
    first, second = common_items(["x", "y", "z"], ["z", "w", "x"])
    assert (first.tolist(), second.tolist()) == ([0, 2], [2, 0])
