"""How probable it is that one examinee is ahead of another: from the questions that part the two."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.intervals import compare_paired
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.pair_probability import exact_p_values, probability_better, shared_parts

Floats = NDArray[np.float64]
# none of them significant
LEADS = ((2, 0), (5, 1), (8, 3))


def parted(only_first: int, only_second: int, alike: int = 20) -> Floats:
    """Two rows: right alone on so many items each, and alike on the rest."""
    first = [1.0] * only_first + [0.0] * only_second + [1.0] * alike
    second = [0.0] * only_first + [1.0] * only_second + [1.0] * alike
    return np.array([first, second])


def drawn(examinees: int, items: int, seed: int, spread: float = 0.8) -> tuple[Floats, Floats]:
    """Responses of retriever x reader systems that share what their retrievers found, and their true shares."""
    draw = np.random.default_rng(seed)
    retrievers, readers = 4, examinees // 4
    strength, skill = draw.normal(0, spread, retrievers), draw.normal(0, spread, readers)
    found = draw.random((retrievers, items)) < 1 / (1 + np.exp(draw.normal(0, 1, items) - strength[:, None]))
    able = 1 / (1 + np.exp(draw.normal(0, 1, items) - 1 - skill[:, None]))
    p = np.where(found[None, :, :], able[:, None, :], 0.25).reshape(-1, items)
    grid = draw.normal(0, 1, (2, 4000))
    hits = 1 / (1 + np.exp(grid[0] - strength[:, None]))
    reads = 1 / (1 + np.exp(grid[1] - 1 - skill[:, None]))
    truth = (hits[None, :, :] * reads[:, None, :] + (1 - hits[None, :, :]) * 0.25).mean(axis=2).ravel()
    return (draw.random(p.shape) < p).astype(np.float64), truth


def test_who_is_right_on_fewer_of_the_questions_that_part_two_is_not_said_to_be_better() -> None:
    assert 0.45 < probability_better(parted(12, 13))[0, 1] < 0.5
    assert probability_better(parted(13, 13))[0, 1] == 0.5
    assert probability_better(parted(13, 12))[0, 1] == pytest.approx(0.5, abs=0.05)


def test_a_small_lead_is_a_probability_above_one_half_though_the_exact_test_says_nothing() -> None:
    panel = drawn(16, 60, seed=4)[0]
    found = [probability_better(np.vstack([panel, parted(*lead, 60 - sum(lead))]))[-2, -1] for lead in LEADS]
    assert all(0.6 < each < 0.95 for each in found)


def test_a_lead_that_the_exact_test_sees_is_nearly_sure_in_a_panel_of_systems_that_differ() -> None:
    rows = parted(24, 4)
    panel = np.vstack([rows, np.zeros_like(rows), np.ones_like(rows), parted(4, 24)[::-1]])
    assert probability_better(panel)[0, 1] > 0.99


def test_its_p_values_are_those_of_the_exact_test_of_mcnemar() -> None:
    for only_first, only_second in ((0, 0), (5, 0), (12, 13), (3, 9), (40, 22)):
        rows = parted(only_first, only_second)
        exact = compare_paired(rows[0].tolist(), rows[1].tolist())
        assert exact is not None
        found = exact_p_values(np.array([float(only_first)]), np.array([float(only_second)]))
        assert found[0] == pytest.approx(exact.p_value)


def test_the_probability_of_one_order_is_one_less_that_of_the_other() -> None:
    better = probability_better(drawn(12, 60, seed=1)[0])
    np.testing.assert_allclose(better + better.T, 1.0)
    assert (np.diag(better) == 0.5).all()


def test_where_parts_are_shared_it_is_wrong_no_more_often_than_it_says() -> None:
    sure = wrong = 0
    claimed = 0.0
    for seed in range(12):
        responses, truth = drawn(24, 100, seed)
        kinds = shared_parts([[k // 4 for k in range(24)], [k % 4 for k in range(24)]], 24)
        better = probability_better(responses, shared=kinds)
        first, second = np.nonzero(better >= 0.95)
        sure, claimed = sure + len(first), claimed + float((1 - better[first, second]).sum())
        wrong += int((truth[first] < truth[second]).sum())
    assert sure > 500
    assert wrong <= 2 * claimed


def test_copies_of_one_system_make_no_other_pair_surer() -> None:
    responses, _ = drawn(20, 100, seed=3)
    alone = fit(responses).probability_better()
    beside = fit(np.vstack([responses, np.repeat(responses[:1], 8, axis=0)])).probability_better()[:20, :20]
    assert abs(float((beside >= 0.95).mean() - (alone >= 0.95).mean())) <= 0.02
    np.testing.assert_allclose(beside, alone, atol=0.05)


def test_pairs_that_share_parts_are_judged_by_what_such_pairs_differ_by() -> None:
    # readers differ by far, retrievers hardly: a lead among systems with the same reader is doubted
    draw = np.random.default_rng(0)
    p = np.repeat([0.2, 0.4, 0.6, 0.8], 4)[:, None] + 0.0 * draw.random((16, 80))
    responses = (draw.random(p.shape) < p).astype(np.float64)
    kinds = shared_parts([[k // 4 for k in range(16)]], 16)
    same = np.equal.outer(np.arange(16) // 4, np.arange(16) // 4) & ~np.eye(16, dtype=bool)
    apart = np.abs(probability_better(responses, shared=kinds) - 0.5)[same]
    assert apart.mean() < np.abs(probability_better(responses) - 0.5)[same].mean()


def test_levels_that_nobody_names_are_shared_by_nobody() -> None:
    kinds = shared_parts([["a", None, None, "a"], ["x", "x", "y", "y"]], 4)
    assert kinds[0, 3] == 1
    assert kinds[0, 1] == kinds[2, 3] == 2
    assert kinds[1, 2] == 0


def test_a_question_that_one_of_the_two_was_not_graded_on_tells_nothing() -> None:
    rows = parted(12, 3)
    rows[0, :12] = np.nan
    better = probability_better(rows)
    assert better[0, 1] < 0.5


def test_more_examinees_than_pairs_can_be_read_are_refused_in_words() -> None:
    with pytest.raises(UsageError, match="1001 examinees have 500,500 pairs"):
        probability_better(np.zeros((1001, 2)))
