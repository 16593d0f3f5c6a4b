"""Who counts as a witness against an item: copies do not, and of too few no dependence is read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from viva.core.notes import Note, NoteCode
from viva.metrics.irt import analyse
from viva.metrics.irt.checks.all_checks import FEW_WITNESSES
from viva.metrics.irt.checks.duplicate_examinees import witnesses
from viva.metrics.irt.model.responses import NotJudged

Floats = NDArray[np.float64]


def drawn(count: int, items: int = 40, seed: int = 0) -> Floats:
    draw = np.random.default_rng(seed)
    theta, b = draw.normal(0, 1, count), draw.normal(0, 1, items)
    return (draw.random((count, items)) < 1 / (1 + np.exp(b - theta[:, None]))).astype(np.float64)


def test_a_copy_is_known_by_more_agreement_than_chance_gives() -> None:
    responses = drawn(12)
    found = witnesses(np.vstack([responses, responses[3]]), np.full((13, 40), 0.5))
    assert found.copies == ((12, 3),)
    assert found.rows.tolist() == list(range(12))


def test_a_system_that_was_hardly_changed_is_no_second_witness() -> None:
    responses = drawn(12)
    near, apart = responses[3].copy(), responses[3].copy()
    near[:2] = 1 - near[:2]
    apart[:16] = 1 - apart[:16]
    found = witnesses(np.vstack([responses, near, apart]), np.full((14, 40), 0.5))
    assert found.copies == ((12, 3),)
    assert found.sizes.tolist() == [1, 1, 1, 2, *[1] * 8, 2, 1]


def test_who_agrees_on_few_items_or_knows_everything_is_no_copy() -> None:
    short = np.tile(drawn(1, items=6), (5, 1))
    assert witnesses(short, np.full((5, 6), 0.5)).copies == ()
    assert witnesses(np.ones((5, 40)), np.full((5, 40), 0.99)).copies == ()


def test_other_options_chosen_tell_apart_who_is_right_on_the_same_items() -> None:
    responses = np.vstack([drawn(1)] * 2)
    chosen = np.where(responses == 1, 0, 1).astype(np.int64)
    chosen[1] = np.where(responses[1] == 1, 0, 2)
    assert witnesses(responses, np.full((2, 40), 0.5), chosen).copies == ()
    assert len(witnesses(responses, np.full((2, 40), 0.5)).copies) == 1


def test_what_was_not_graded_is_no_agreement() -> None:
    nothing = np.full((3, 40), np.nan)
    assert witnesses(nothing, np.full((3, 40), 0.5)).copies == ()


def test_dependence_is_read_from_twenty_who_answer_each_in_their_own_way() -> None:
    few = drawn(FEW_WITNESSES - 1, items=60)
    copied = np.vstack([few, few])
    for responses in (few, copied):
        found = analyse(responses).checks.dependence
        assert isinstance(found, NotJudged)
        assert "fewer than 20" in found.reason
    assert not isinstance(analyse(drawn(FEW_WITNESSES)).checks.dependence, NotJudged)


def test_copies_are_told_and_add_nothing_to_the_evidence() -> None:
    responses = drawn(24)
    twice = analyse(np.vstack([responses, responses[:6]])).checks
    assert Note(code=NoteCode.COPIES, count=6) in twice.notes
    assert twice.witnesses.rows.tolist() == list(range(24))
