"""A later calibration on the scale of an earlier one, through shared items; those that drifted are left out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from viva.core.errors import UsageError
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.linking.constants import AnchorItems, linking_constants
from viva.metrics.irt.linking.link import Link, common_items, link
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.result import Fit

SLOPE, SHIFT = 1.3, -0.6
THETA = np.linspace(-2.5, 2.5, 11)
OWN, SHARED = 15, 20
PLACES = np.arange(OWN, OWN + SHARED), np.arange(SHARED)


def calibrations(count: int = 20) -> tuple[AnchorItems, AnchorItems]:
    """The same items on two scales."""
    rng = np.random.default_rng(0)
    a, b, c = np.exp(rng.normal(0, 0.4, count)), rng.normal(0, 1, count), np.full(count, 0.2)
    return AnchorItems(a, b, c), AnchorItems(a * SLOPE, (b - SHIFT) / SLOPE, c)


@cache
def forms(
    seed: int = 0,
    *,
    systems: int = 300,
    drifted: tuple[int, ...] = (),
    by: tuple[float, ...] = (1.5,),
    model: str = "2pl",
) -> tuple[Fit, Fit]:
    """Fits of two forms with 20 shared items; the new form's systems are abler by 1, those `drifted` harder."""
    rng = np.random.default_rng(seed)
    items = SHARED + 2 * OWN
    a, b = np.exp(rng.normal(0, 0.3 * (model == "2pl"), items)), rng.normal(0, 1, items)
    later = b.copy()
    later[[OWN + each for each in drifted]] += np.resize(by, len(drifted))

    def taken(theta: float, part: slice, difficulty: np.ndarray) -> Fit:
        abilities = rng.normal(theta, 1, systems)
        chances = probability_3pl(abilities, a[part], difficulty[part], np.zeros(OWN + SHARED))
        return fit((rng.random(chances.shape) < chances).astype(float), model=model)

    return taken(0, slice(OWN + SHARED), b), taken(1, slice(OWN, items), later)


def dropped(found: Link) -> list[int]:
    return np.flatnonzero(found.drifted).tolist()


def test_a_change_of_scale_is_found_and_undone() -> None:
    assert linking_constants(*calibrations(), THETA) == pytest.approx((SLOPE, SHIFT), abs=1e-6)


def test_without_estimated_discriminations_only_the_origin_moves() -> None:
    old, new = forms(model="1pl", systems=60)
    assert link(old, new, PLACES).slope == 1.0


def test_abler_systems_of_a_later_form_are_abler_on_the_old_scale() -> None:
    old, new = forms()
    found = link(old, new, PLACES)
    later, errors = found.abilities(new.theta, new.theta_se)
    assert later.mean() - old.theta.mean() == pytest.approx(1, abs=0.25)
    assert (errors >= found.slope * new.theta_se).all()
    assert found.kept.sum() >= 18


def test_items_that_drifted_are_found_and_do_not_move_the_scale() -> None:
    steady, moved = (link(*forms(drifted=each), PLACES) for each in ((), (2, 7, 11)))
    assert {2, 7, 11} <= set(dropped(moved))
    assert len(dropped(moved)) <= 5
    assert moved.shift == pytest.approx(steady.shift, abs=0.15)
    assert (moved.p_values[[2, 7, 11]] < 0.01).all()


def test_the_error_of_the_link_is_part_of_an_ability_on_the_old_scale() -> None:
    found = link(*forms(systems=60), PLACES)
    _, se = found.abilities([0.0, 3.0], [0.2, 0.2])
    assert se[0] == pytest.approx(np.hypot(found.slope * 0.2, np.sqrt(found.cov[1, 1])))
    assert (se > found.slope * 0.2).all()


def test_a_chain_of_links_leads_to_the_first_scale_with_both_errors() -> None:
    found = link(*forms(systems=60), PLACES)
    chained = found.after(found)
    middle, error = found.abilities([0.5], [0.2])
    assert chained.abilities([0.5], [0.2])[0] == pytest.approx(found.abilities(middle, error)[0])
    assert chained.abilities([0.5], [0.2])[1] == pytest.approx(found.abilities(middle, error)[1], rel=1e-6)


def refused(old: Fit, new: Fit, count: int) -> str:
    with pytest.raises(UsageError) as refusal:
        link(old, new, (PLACES[0][:count], PLACES[1][:count]))
    return str(refusal.value)


def test_too_few_anchors_are_refused_in_words() -> None:
    old, new = forms(systems=60)
    assert "0 shared questions: too few" in refused(old, new, 0)
    assert "1 shared question: too few" in refused(old, new, 1)
    assert "at least 5" in refused(old, new, 4).lower()
    right = replace(new, responses=np.ones_like(new.responses))
    assert "0 shared questions that some systems have right and others wrong" in refused(old, right, 20)
    few = replace(new, responses=new.responses[:2])
    assert "A form that 2 systems took" in refused(old, few, 20)


def test_where_all_anchors_drifted_there_is_no_link() -> None:
    old, new = forms(drifted=tuple(range(SHARED)), by=(3.0, -3.0, 1.5, -1.5))
    with pytest.raises(UsageError, match=r"kept their place \(\d+ of 20 drifted\): too few"):
        link(old, new, PLACES)


def test_what_is_not_finite_is_refused_in_words() -> None:
    old, _ = calibrations()
    with pytest.raises(UsageError, match="not finite"):
        AnchorItems(old.a, np.where(np.arange(20) == 0, np.nan, old.b), old.c)


def test_common_items_are_paired_by_name_whatever_their_order() -> None:
    first, second = common_items(["x", "y", "z"], ["z", "w", "x"])
    assert (first.tolist(), second.tolist()) == ([0, 2], [2, 0])
