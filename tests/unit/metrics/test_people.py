"""People's labels put a judge's scores right: systems, their differences, how far judge and people agree."""

from __future__ import annotations

import numpy as np
import pytest

from viva.core.labels import Label
from viva.core.records import Grade, GradeResult, Response
from viva.core.scores_open import PeopleFindings
from viva.metrics.pairs import Undefined
from viva.metrics.people import Answer, has_figure, paired_difference, people_findings

QUESTIONS = 60


def answered(system: str) -> list[Response]:
    return [Response(id=f"{system}-{n}", examinee_id=system, item_id=f"q{n}", text="said") for n in range(QUESTIONS)]


ANSWERS = [*answered("a"), *answered("b")]


def judge(response: Response) -> Grade:
    """Kind to everybody: .3 above people."""
    return Grade(
        response_id=response.id,
        examinee_id=response.examinee_id,
        item_id=response.item_id,
        score=min(1.0, truth(response) * 0.6 + 0.3 + (hash_of(response) % 7) / 70),
        judge="kind",
    )


def hash_of(response: Response) -> int:
    return int(response.item_id[1:]) * 7919 + ord(response.examinee_id)


def truth(response: Response) -> float:
    return float(
        hash_of(response) % (10 if response.examinee_id == "a" else 4) < (7 if response.examinee_id == "a" else 1)
    )


def said(response: Response, by: str = "ada", score: float | None = -1.0, seed: int | None = 0) -> Label:
    given = truth(response) if score == -1.0 else score
    return Label(response_id=response.id, by=by, at="2026-01-01T00:00:00Z", score=given, seed=seed)


def found(labels: list[Label], judged: dict[str, GradeResult] | None = None) -> PeopleFindings | None:
    graded = {r.id: judge(r) for r in ANSWERS} if judged is None else judged
    return people_findings(["a", "b"], ANSWERS, graded, labels, seed=0)


def drawn(count: int, seed: int = 0) -> list[Response]:
    places = np.random.default_rng(seed).permutation(len(ANSWERS))[:count]
    return [ANSWERS[n] for n in places]


def test_without_a_label_of_these_answers_there_is_nothing_to_say() -> None:
    assert found([]) is None
    assert found([said(ANSWERS[0]).model_copy(update={"response_id": "of another exam"})]) is None
    assert found([said(ANSWERS[0], score=None)]) is None


def test_a_kind_judge_is_put_right_for_each_system() -> None:
    result = found([said(r) for r in drawn(60)])
    assert result is not None
    assert result.labels == 60
    for system in result.systems:
        true = np.mean([truth(r) for r in ANSWERS if r.examinee_id == system.examinee_id])
        assert system.people_mean is not None
        assert system.judge_mean is not None
        assert system.people_mean.low <= true <= system.people_mean.high
        assert abs(system.people_mean.value - true) < abs(system.judge_mean.value - true)
        assert system.effective_labels is not None
        assert system.effective_labels > system.labels
    (pair,) = result.differences
    assert (pair.first_id, pair.second_id, pair.questions) == ("a", "b", QUESTIONS)
    assert pair.difference.low > 0


def test_the_judges_agreement_with_these_labels_is_measured() -> None:
    result = found([said(r) for r in drawn(60)])
    assert result is not None
    figures = {each.statistic: each for each in result.judge_agreement}
    assert figures["spearman"].labels == 60
    assert 0.5 < figures["spearman"].low <= figures["spearman"].estimate <= 1
    assert figures["mean absolute error"].estimate > 0.1


def test_labels_of_answers_that_were_picked_are_in_no_figure_and_counted() -> None:
    labels = [said(r) for r in drawn(40)]
    picked = [said(r, seed=None, score=1.0) for r in ANSWERS if r not in drawn(40)][:10]
    result, alone = found([*labels, *picked]), found(labels)
    assert result is not None
    assert alone is not None
    assert (result.labels, result.not_drawn) == (40, 10)
    assert result.systems == alone.systems


def test_the_last_word_of_a_person_holds_and_people_are_averaged() -> None:
    first = drawn(1)[0]
    labels = [said(first, score=1.0), said(first, score=0.0), said(first, by="bob", score=1.0)]
    result = found([*labels, *(said(r, by=by) for r in drawn(30)[1:] for by in ("ada", "bob"))])
    assert result is not None
    assert result.by == {"ada": 30, "bob": 30}
    assert result.agreement is not None
    assert 0.8 < result.agreement < 1


def test_too_few_labels_are_told_per_system_and_no_number_is_made_up() -> None:
    result = found([said(ANSWERS[0]), said(ANSWERS[1])])
    assert result is not None
    a, b = result.systems
    assert (a.labels, a.people_mean) == (2, None)
    assert a.reason == "2 labels; at least 3 are needed."
    assert (b.labels, b.people_mean, result.differences) == (0, None, ())
    assert any("taken as they stand" in note for note in result.notes)
    assert result.agreement is None
    assert result.judge_agreement == ()


def test_no_agreement_is_given_of_fewer_than_three_answers() -> None:
    twice = [said(r, by=by) for r in drawn(2) for by in ("ada", "bob")]
    few = found(twice)
    assert few is not None
    assert (few.agreement, few.agreement_reason, few.judge_agreement) == (
        None,
        "2 of the answers labelled by two people; at least 3 are needed.",
        (),
    )


@pytest.mark.parametrize(
    ("scores", "enough"), [([1.0, 0.0], False), ([1.0, 1.0, 1.0, 1.0], False), ([1.0, 0.0, 1.0], True)]
)
def test_what_is_enough_for_a_figure_is_what_gives_one(scores: list[float], enough: bool) -> None:
    result = found([said(ANSWERS[n], score=score) for n, score in enumerate(scores)])
    assert result is not None
    assert has_figure(scores) is enough
    assert (result.systems[0].people_mean is not None) is enough


def test_answers_that_the_judge_did_not_grade_still_count() -> None:
    graded: dict[str, GradeResult] = {r.id: judge(r) for r in ANSWERS if r.item_id != "q0"}
    result = found([said(r) for r in drawn(60)], graded)
    assert result is not None
    assert all(system.answers == QUESTIONS for system in result.systems)


def simulated(draw: np.random.Generator, questions: int, labelled: int) -> tuple[list[Answer], list[Answer]]:
    """Two systems on the same questions; the judge is blind to half of what the second gets wrong."""
    hard = draw.normal(0, 1, questions)
    systems = []
    for name, able in (("a", 0.8), ("b", 0.0)):
        right = (able - hard + draw.normal(0, 1, questions) > 0).astype(float)
        bias = draw.random(questions) < (0.05 if name == "a" else 0.5)
        judged = np.where(bias, 1.0, right) * 0.8 + 0.2 * draw.random(questions)
        known = set(draw.permutation(questions)[:labelled].tolist())
        systems.append(
            [
                Answer(f"{name}{n}", name, f"q{n}", judged[n], right[n] if n in known else None, judged[n])
                for n in range(questions)
            ]
        )
    return systems[0], systems[1]


def test_the_interval_of_a_difference_covers_where_the_judges_own_does_not() -> None:
    draw, covered, naive, runs = np.random.default_rng(5), 0, 0, 400
    # P(able - hard + noise > 0), hard and noise standard normal
    true = 0.7142 - 0.5
    for _ in range(runs):
        first, second = simulated(draw, 120, 40)
        result = paired_difference(first, second)
        assert not isinstance(result, Undefined)
        covered += result.mean.low <= true <= result.mean.high
        gap = np.array([a.predicted or 0 for a in first]) - np.array([b.predicted or 0 for b in second])
        half = 1.96 * gap.std(ddof=1) / np.sqrt(len(gap))
        naive += abs(gap.mean() - true) <= half
    assert 0.93 <= covered / runs <= 0.975
    assert naive / runs < 0.6


def test_a_difference_of_systems_without_a_common_question_is_not_defined() -> None:
    first, second = simulated(np.random.default_rng(1), 10, 5)
    moved = [Answer(a.response_id, a.examinee_id, f"x{a.item_id}", a.judge, a.people, a.predicted) for a in second]
    assert isinstance(paired_difference(first, moved), Undefined)


def test_the_order_of_labels_and_answers_moves_nothing() -> None:
    labels = [said(r) for r in drawn(50)]
    one, other = found(labels), found(labels[::-1])
    assert one is not None
    assert other is not None
    for a, b in zip(one.systems, other.systems, strict=True):
        assert a.people_mean is not None
        assert b.people_mean is not None
        assert a.people_mean.value == pytest.approx(b.people_mean.value, abs=1e-12)
