"""Questions of one document: when intervals and pair tests allow for it, and that they lose nothing elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import exam, sat
from numpy.typing import NDArray

from viva.core.records import Examinee, Grade
from viva.core.scores import Scores
from viva.core.scores_pairs import PairVerdict, pair_sentence
from viva.metrics.clusters import clusters_of, design_effect, differences_of
from viva.metrics.exam import accuracy
from viva.metrics.intervals import INDEPENDENT, ClusterDesign, compare_paired, wilson
from viva.metrics.score import score_exam
from viva.reports.sections.sampling import documents_sentence

DOCUMENTS = [str(n // 5) for n in range(100)]
OF = exam(60, documents=20)
SYSTEMS = [Examinee(id=f"s{n}", name=f"s{n}", spec="") for n in range(4)]


def answers(spread: float, seed: int = 1, systems: int = 4) -> NDArray[np.float64]:
    """Of systems to 100 questions, five of each document, that are easy or hard together for each system."""
    draw = np.random.default_rng(seed)
    logits = 0.8 + np.repeat(draw.normal(size=(systems, 20)), 5, axis=1) * spread
    return (draw.random((systems, 100)) < 1 / (1 + np.exp(-logits))).astype(float)


def test_the_design_effect_is_that_of_an_analysis_of_variance() -> None:
    given = answers(1.5)
    found = design_effect(given, DOCUMENTS)
    means = given.reshape(4, 20, 5).mean(axis=2)
    between = 5 * ((means - given.mean(axis=1, keepdims=True)) ** 2).sum() / (4 * 19)
    within = ((given.reshape(4, 20, 5) - means[..., None]) ** 2).sum() / (4 * 80)
    correlation = (between - within) / (between + 4 * within)
    assert found.correlation == pytest.approx(correlation)
    assert found.effect == pytest.approx(1 + 4 * correlation)
    assert found.used == found.effect
    assert found.p_value == 0.01


def test_what_may_be_noise_leaves_intervals_and_tests_as_they_are() -> None:
    used = [design_effect(answers(0.0, seed), DOCUMENTS).used for seed in range(40)]
    assert sum(each > 1 for each in used) <= 10
    seed = used.index(1)
    found = clusters_of(exam(100, documents=20).items, answers(0.0, seed))
    assert found.design(list(found.documents)) == INDEPENDENT


@pytest.mark.parametrize(
    ("documents", "reason"),
    [([str(n // 12) for n in range(100)], "fewer than 10 documents"), ([str(n) for n in range(100)], "too few")],
)
def test_of_few_documents_nothing_is_estimated_and_that_is_told(documents: list[str], reason: str) -> None:
    found = design_effect(answers(1.5), documents)
    assert (found.effect, found.used) == (None, 1.0)
    assert reason in found.reason


def test_an_accuracy_has_the_interval_of_fewer_independent_questions() -> None:
    items = exam(100, documents=20).items
    # that exam's documents take turns
    given = answers(1.5)[:, [5 * (n % 20) + n // 20 for n in range(100)]]
    clusters = clusters_of(items, given)
    assert clusters.found
    grades = [
        Grade(response_id="", examinee_id="", item_id=shown.item.id, score=score)
        for shown, score in zip(items, given[0], strict=True)
    ]
    found, effect = accuracy(grades, clusters), clusters.found.used
    fewer = wilson(given[0].sum() / effect, 100 / effect, freedom=19)
    assert found.share
    assert fewer
    assert (found.share.low, found.share.high) == pytest.approx((fewer.low, fewer.high))
    assert effect > 1.3


def test_documents_that_are_hard_for_all_alike_widen_accuracies_and_no_difference() -> None:
    draw, items = np.random.default_rng(2), exam(100, documents=20).items
    order = np.unique([shown.item.evidence[0].document_id for shown in items], return_inverse=True)[1]
    logits = 0.8 + draw.normal(size=20)[order] * 1.5
    given = (draw.random((6, 100)) < 1 / (1 + np.exp(-logits))).astype(float)
    alike, apart = clusters_of(items, given).found, differences_of(items, given)
    assert alike
    assert apart
    assert apart.found
    assert alike.used > 1.5
    assert apart.found.used == 1
    assert differences_of(items, given[:1]) is None


def test_a_corrected_test_is_less_sure_by_as_much_as_its_interval_is_wider() -> None:
    first, second = [1.0] * 40 + [0.0] * 20, [1.0] * 25 + [0.0] * 15 + [1.0] * 3 + [0.0] * 17
    plain, corrected = (compare_paired(first, second, design=d) for d in (INDEPENDENT, ClusterDesign(1.5, 19)))
    assert plain
    assert corrected
    assert corrected.p_value > plain.p_value
    assert corrected.difference.value == plain.difference.value
    assert corrected.difference.low < plain.difference.low
    assert sum(corrected.worth) == pytest.approx(sum(plain.worth) / 1.5)


def clustered(spread: float, more: tuple[Examinee, ...] = ()) -> Scores:
    draw = np.random.default_rng(7)
    place = np.unique([shown.item.evidence[0].document_id for shown in OF.items], return_inverse=True)[1]
    given = []
    for n, each in enumerate((*SYSTEMS, *more)):
        logits = 0.3 + 0.5 * n + draw.normal(size=20)[place] * spread
        given += sat(each.id, OF, (draw.random(60) < 1 / (1 + np.exp(-logits))).tolist())
    return score_exam(OF, [*SYSTEMS, *more], given, seed=0)


def test_scores_tell_the_effect_and_no_interval_contradicts_its_test() -> None:
    scores = clustered(2.0)
    assert scores.documents
    assert scores.documents.accuracy.used > 1.2
    assert "of one document go together (design effect" in documents_sentence(scores)
    assert {pair.design_effect > 1 for pair in scores.comparisons} == {True}
    for pair in scores.comparisons:
        apart = pair.verdict is not PairVerdict.NOT_TOLD_APART
        assert pair.low >= 0 if apart else pair.low <= 0 <= pair.high
        assert apart == (pair.p_adjusted < 0.05)
        assert pair.low <= pair.difference <= pair.high
        assert "documents (design effect" in pair_sentence(pair, "a", "b")
    assert Scores.model_validate_json(scores.model_dump_json()) == scores


def test_the_verdict_on_systems_of_ones_own_does_not_depend_on_references() -> None:
    references = tuple(Examinee(id=f"r{n}", name=f"r{n}", spec="", reference=True) for n in range(3))
    alone, among = clustered(2.0), clustered(2.0, references)

    def own(scores: Scores) -> dict[frozenset[str], tuple[float, ...]]:
        return {
            frozenset((c.first_id, c.second_id)): (abs(c.difference), c.p_adjusted, c.design_effect)
            for c in scores.comparisons
            if {c.first_id, c.second_id} <= {each.id for each in SYSTEMS}
        }

    assert own(alone) == own(among)


@pytest.mark.slow
def test_intervals_hold_and_equal_systems_are_not_told_apart_at_a_design_effect_of_about_1_3() -> None:
    """12 systems, 100 questions of 20 documents; benchmarks/irt/clusters.py has more of it."""
    draw, covered, alarms, exams = np.random.default_rng(0), 0, 0, 400
    nodes = np.linspace(-6, 6, 401)
    truth = float(np.average(1 / (1 + np.exp(-(0.8 + 0.63 * nodes))), weights=np.exp(-(nodes**2) / 2)))
    for seed in range(exams):
        own, alike = answers(0.63, int(draw.integers(2**32)), 12), answers(0.0, seed, 12)
        found, apart = design_effect(own, DOCUMENTS), design_effect(own - own.mean(axis=0), DOCUMENTS, 0.05)
        share = wilson(own[0].sum() / found.used, 100 / found.used, freedom=19 if found.used > 1 else None)
        pair = compare_paired(own[0], own[1], design=ClusterDesign(apart.used, 19 if apart.used > 1 else None))
        assert share
        assert pair
        covered += share.low <= truth <= share.high
        alarms += pair.p_value < 0.05
        assert design_effect(alike, DOCUMENTS).used < 1.5
    assert covered / exams >= 0.93
    assert alarms / exams <= 0.055
