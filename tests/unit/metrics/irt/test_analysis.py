"""One record of a fit and its checks: what is found, what cannot be made and why, and that order changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.notes import Note, NoteCode
from viva.metrics.irt import Continuous, analyse
from viva.metrics.irt.checks.flags import KINDS
from viva.metrics.irt.model.responses import NotJudged, connected_groups

Floats = NDArray[np.float64]
READERS = [reader for reader in ("small", "large", "huge") for _ in range(14)]
RETRIEVERS = ["bm25", "dense"] * 21
COMPONENTS = {"reader": READERS, "retriever": RETRIEVERS}


def drawn(items: int = 60, seed: int = 3) -> Floats:
    """Responses of 42 examinees, the reader's size counting much and the retriever little."""
    draw = np.random.default_rng(seed)
    theta = np.array([{"small": -1.0, "large": 0.2, "huge": 1.2}[reader] for reader in READERS])
    theta += np.where(np.array(RETRIEVERS) == "dense", 0.2, -0.2)
    a, b = np.exp(draw.normal(0, 0.4, items)), draw.normal(0, 1, items)
    p = 0.25 + 0.75 / (1 + np.exp(-a * (theta[:, None] - b)))
    return (draw.random(p.shape) < p).astype(np.float64)


def test_a_spoiled_key_comes_first_and_a_copy_is_found_with_its_original() -> None:
    responses = drawn()
    responses[:, 7] = [float(reader == "small") for reader in READERS]
    responses[:, 20] = responses[:, 10]
    found = analyse(responses, items=[f"q{n}" for n in range(60)], components=COMPONENTS)
    assert (found.flags[0].item_id, found.flags[0].kind) == ("q7", "wrong key")
    copies = {flag.item_id: flag.reason for flag in found.flags if flag.kind == "dependent"}
    assert "'q10'" in copies["q20"]
    assert "'q20'" in copies["q10"]
    ranks = [KINDS.index(flag.kind) for flag in found.flags]
    assert ranks == sorted(ranks)


def test_contrasts_are_those_of_the_fit_and_told_apart_where_the_truth_is_far_apart() -> None:
    found = analyse(drawn(), components=COMPONENTS)
    assert not isinstance(found.contrasts, NotJudged)
    assert "max-t" in found.contrasts.adjustment
    assert len(found.contrasts.pairs) == 3 + 1
    small = next(each for each in found.contrasts.pairs if {each.level, each.reference} == {"huge", "small"})
    assert small.p_value < 0.01
    assert (small.difference > 0) == (small.score.value > 0)


def test_what_cannot_be_made_says_why() -> None:
    found = analyse([[1, 0, np.nan], [1, 1, 0], [0, np.nan, 1]])
    checks = found.checks
    for check in (
        checks.mean_squares,
        checks.score_fit,
        checks.dependence,
        checks.faults,
        checks.leaks,
        checks.level_differences,
        checks.additivity,
        found.contrasts,
    ):
        assert isinstance(check, NotJudged)
        assert len(check.reason) > 15
    assert found.flags == ()
    assert found.held_out is None


def test_a_number_as_component_has_an_effect_and_no_contrasts() -> None:
    size = Continuous([{"small": 1.0, "large": 2.0, "huge": 3.0}[reader] for reader in READERS])
    found = analyse(drawn(), components={"size": size})
    assert found.fit.effects["size"]["linear"].estimate > 0.5
    assert isinstance(found.contrasts, NotJudged)
    assert isinstance(found.checks.leaks, NotJudged)
    assert not isinstance(found.checks.additivity, NotJudged)


def test_with_interactions_the_main_effects_are_compared_component_by_component() -> None:
    found = analyse(drawn(), components=COMPONENTS, interactions=[("reader", "retriever")])
    assert not isinstance(found.contrasts, NotJudged)
    assert {each.component for each in found.contrasts.pairs} == {"reader", "retriever"}
    assert "within each component" in found.contrasts.adjustment


def test_held_out_cells_are_predicted_better_than_by_the_item_mean() -> None:
    found = analyse(drawn(), components=COMPONENTS, hold_out=True)
    assert found.held_out is not None
    assert not isinstance(found.held_out, NotJudged)
    assert found.held_out.item_mean.log_loss_gain.value > 0


def test_the_same_responses_give_the_same_analysis() -> None:
    first, second = (analyse(drawn(), components=COMPONENTS, seed=5) for _ in range(2))
    assert first.flags == second.flags
    assert first.contrasts == second.contrasts
    assert (first.fit.theta == second.fit.theta).all()


def test_names_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UsageError, match="1 of 60 items"):
        analyse(drawn(), items=["only one"])
    with pytest.raises(UsageError, match="given twice"):
        analyse(drawn(2), items=["q", "q"])


def test_many_examinees_are_judged_by_a_sample_that_is_told() -> None:
    draw = np.random.default_rng(0)
    responses = (draw.random((600, 12)) < 0.6).astype(np.float64)
    found = analyse(responses, model="2pl")
    assert Note(code=NoteCode.FAULTS_DRAWN, count=500, of=600) in found.checks.notes
    assert not isinstance(found.checks.score_fit, NotJudged)


def test_groups_that_share_no_item_are_not_compared() -> None:
    draw = np.random.default_rng(1)
    responses = np.full((8, 24), np.nan)
    responses[:4, :12], responses[4:, 12:] = draw.random((4, 12)) < 0.8, draw.random((4, 12)) < 0.4
    lab, reader = [*"aaaabbbb"], [*"xyxyxyxy"]
    found = analyse(responses, components={"lab": lab, "reader": reader})
    np.testing.assert_array_equal(found.fit.groups[0], np.repeat([0, 1], 4))
    # a reader that was seen in both groups is compared within them, a lab is not told from its items
    assert set(found.fit.effects) == {"reader"}
    assert {pair.component for pair in getattr(found.contrasts, "pairs", ())} == {"reader"}
    assert {note.code for note in found.fit.notes} >= {NoteCode.DISCONNECTED, NoteCode.LEVELS_APART}
    # each score is of the items of its own group
    shares = np.nanmean(responses, axis=1)
    np.testing.assert_allclose([each.value for each in found.expected_scores], shares)


def test_one_examinee_in_common_connects_two_groups() -> None:
    responses = np.full((5, 20), np.nan)
    responses[:3, :10], responses[2:, 10:] = 1.0, 0.0
    groups, items = connected_groups(responses)
    assert (groups == 0).all()
    assert (items == 0).all()
    responses[2, 10:] = np.nan
    responses[4] = np.nan
    assert connected_groups(responses)[0].tolist() == [0, 0, 0, 1, -1]


def test_no_key_is_called_wrong_where_nobody_or_everybody_is_right_nor_to_be_read_first() -> None:
    responses = drawn(50)
    nobody = list(range(4, 46, 6))
    responses[:, nobody], responses[:, 9] = 0.0, 1.0
    found = analyse(responses)
    assert found.checks.nobody_right == tuple(nobody)
    assert not {*nobody, 9} & set(found.checks.read_first)
    assert "wrong key" not in {flag.kind for flag in found.flags if int(flag.item_id) - 1 in (*nobody, 9)}
    # where everybody is right on everything there is no key to name
    assert analyse(np.ones((6, 20))).checks.read_first == ()


def test_grades_of_open_questions_that_are_the_wrong_way_round_are_among_the_first_to_be_read() -> None:
    responses = drawn(50, seed=8)
    turned = [3, 17, 29, 41]
    responses[:, turned] = 1 - responses[:, turned]
    assert set(turned) <= set(analyse(responses, options=0).checks.read_first)


def blocks() -> Floats:
    """Three groups of 4 examinees, each with 10 items of its own, which differ in their answers."""
    apart, draw = np.full((12, 30), np.nan), np.random.default_rng(5)
    for group in range(3):
        apart[4 * group : 4 * group + 4, 10 * group : 10 * group + 10] = draw.integers(0, 2, (4, 10))
    return apart


def test_a_bridge_of_items_that_all_have_right_or_of_one_answer_connects_no_groups() -> None:
    expected = np.repeat([0, 1, 2], 4).tolist()
    all_right, nobody_right, one_item, one_answer = blocks(), blocks(), blocks(), blocks()
    all_right[:, :5] = 1.0
    nobody_right[:, 10:15] = 0.0
    one_item[:, 3] = np.arange(12) % 2
    one_answer[6, 2] = 0.0
    for bridged in (blocks(), all_right, nobody_right, one_item, one_answer):
        groups, items = connected_groups(bridged)
        assert groups.tolist() == expected
        assert set(items.tolist()) == {0, 1, 2}


def test_a_few_items_or_one_examinee_with_answers_to_both_connect_groups() -> None:
    common, person = blocks(), blocks()
    common[:8, 2:5] = np.arange(8)[:, None] % 2
    person[0, 10:20] = np.arange(10) % 2
    for bridged in (common, person):
        assert connected_groups(bridged)[0].tolist() == [0] * 8 + [1] * 4


def test_examinees_with_few_answers_join_whom_they_share_most_with() -> None:
    found = np.vstack([blocks(), np.full((1, 30), np.nan)])
    found[12, [11, 12]] = 1.0
    assert connected_groups(found)[0][12] == 1
