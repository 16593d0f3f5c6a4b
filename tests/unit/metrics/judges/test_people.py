"""People's labels put a judge's scores right: systems, their differences, how far judge and people agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from viva.core.notes import NoteCode
from viva.core.records import Grade, GradeResult, Response
from viva.core.records.labels import Label
from viva.core.scores_open import PeopleFindings
from viva.metrics.judges.labelled_systems import (
    EACH_SIDE,
    Labelled,
    system_difference,
    system_mean,
    weighting,
)
from viva.metrics.judges.pairs import Floats, Undefined
from viva.metrics.judges.people import LabelledAnswer, labelled_answers, on_peoples_scale, people_findings

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
    assert [note.code for note in result.notes] == [NoteCode.JUDGE_UNMAPPED]
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


def test_labels_that_are_all_the_same_bound_the_mean_and_are_not_said_to_be_worth_more() -> None:
    result = found([said(r, score=1.0) for r in ANSWERS[:20]])
    assert result is not None
    mean, alone = result.systems[0].people_mean, result.systems[0].labels_alone
    assert mean is not None
    # of 20 labels, all of 1, the judge explains nothing
    assert mean == alone
    assert (mean.value, mean.high) == (1, 1)
    assert 0.75 < mean.low < 0.9
    assert result.systems[0].effective_labels is None


def test_answers_that_the_judge_did_not_grade_still_count() -> None:
    graded: dict[str, GradeResult] = {r.id: judge(r) for r in ANSWERS if r.item_id != "q0"}
    result = found([said(r) for r in drawn(60)], graded)
    assert result is not None
    assert all(system.answers == QUESTIONS for system in result.systems)


def simulated(
    draw: np.random.Generator, *, questions: int, labels: int, right: Sequence[float], errs: float = 0.1
) -> tuple[list[Labelled], Floats]:
    """Systems with their shares of questions right, a judge that is blind to half of what every second gets wrong."""
    able = norm.ppf(right) * np.sqrt(2)
    hard = draw.normal(0, 1, questions)
    people = (able[:, None] - hard + draw.normal(0, 1, (len(able), questions)) > 0).astype(float)
    blind = np.resize([errs, 0.5], len(able))[:, None]
    taken = np.where(draw.random(people.shape) < np.where(people == 0, blind, errs), 1 - people, people)
    judged = taken * 0.8 + 0.2 * draw.random(people.shape)
    known = np.isin(np.arange(people.size), draw.permutation(people.size)[:labels]).reshape(people.shape)
    rows = [
        LabelledAnswer(f"{s}-{q}", str(s), str(q), judged[s, q], people[s, q] if known[s, q] else None)
        for s, q in np.ndindex(people.shape)
    ]
    mapped, _ = on_peoples_scale(rows, 0)
    systems = [labelled_answers(mapped[n : n + questions]) for n in range(0, len(mapped), questions)]
    return systems, np.asarray(right)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("systems", "labels", "exams", "refused"),
    [(12, 50, 60, 0.25), (12, 600, 40, 0.0), (1, 50, 500, 0.0), (1, 10, 500, 0.0)],
)
def test_intervals_of_means_and_differences_hold_with_few_labels_and_with_many(
    systems: int, labels: int, exams: int, refused: float
) -> None:
    """Bars of 93% less two standard errors of what is counted here; benchmarks/judges/labels.py counts more."""
    draw, means, gaps, given = np.random.default_rng(labels + systems), list[bool](), list[bool](), 0
    shares = np.linspace(0.4, 0.95, 12)
    for _ in range(exams):
        right = shares if systems > 1 else draw.choice(shares, 1)
        columns, truth = simulated(draw, questions=120, labels=labels, right=right.tolist())
        judge = weighting(columns)
        for n, own in enumerate(columns):
            mean = system_mean(own, judge)
            if not isinstance(mean, Undefined):
                means.append(mean.mean.low <= truth[n] <= mean.mean.high)
                given += 1
        for a, b in combinations(range(systems), 2):
            gap = system_difference(columns[a], columns[b], judge)
            if not isinstance(gap, Undefined):
                gaps.append(gap.low <= truth[a] - truth[b] <= gap.high)
    assert np.mean(means) >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / len(means))
    assert not gaps or np.mean(gaps) >= 0.92
    assert given >= (1 - refused) * systems * exams


@pytest.mark.slow
def test_the_interval_of_a_difference_covers_where_the_judges_own_does_not() -> None:
    draw, covered, naive, runs = np.random.default_rng(5), 0, 0, 400
    for _ in range(runs):
        (first, second), truth = simulated(draw, questions=120, labels=80, right=[0.7, 0.5])
        result = system_difference(first, second, weighting([first, second]))
        assert not isinstance(result, Undefined)
        true = truth[0] - truth[1]
        covered += result.low <= true <= result.high
        gap = first.predicted - second.predicted
        naive += abs(gap.mean() - true) <= 1.96 * gap.std(ddof=1) / np.sqrt(len(gap))
    assert 0.93 <= covered / runs <= 0.985
    assert naive / runs < 0.7


@pytest.mark.parametrize("labels", [3, 10, 50, 150])
def test_labels_are_never_said_to_be_worth_more_than_there_are_answers(labels: int) -> None:
    draw, told, tellable = np.random.default_rng(labels), list[float](), 0
    for _ in range(100):
        # a judge that errs in no answer of the first system
        columns, _ = simulated(draw, questions=200, labels=labels, right=[0.6], errs=0.0)
        (system,) = columns
        found = system_mean(system, weighting(columns))
        assert not isinstance(found, Undefined)
        given = np.nansum(system.people)
        enough = min(given, system.labels - given) >= EACH_SIDE
        tellable += enough
        assert (found.effective_labels is not None) == enough
        if found.effective_labels is not None:
            told.append(found.effective_labels)
    assert len(told) == tellable
    assert max(told, default=0) <= 200
    # 10 labels cannot say as much, and 150 of 200 leave little to gain
    assert labels != 50 or min(told) > 1.5 * labels


def test_a_difference_of_systems_without_a_common_question_is_not_defined() -> None:
    (first, second), _ = simulated(np.random.default_rng(1), questions=10, labels=12, right=[0.5, 0.5])
    moved = replace(second, questions=tuple(f"x{name}" for name in second.questions))
    found_gap = system_difference(first, moved, weighting([first, moved]))
    assert "0 labels on the common questions" in str(found_gap)


def test_a_difference_does_not_hang_on_the_order_of_questions() -> None:
    (first, second), _ = simulated(np.random.default_rng(1), questions=30, labels=24, right=[0.7, 0.5])
    order = np.random.default_rng(2).permutation(30)
    names = tuple(second.questions[n] for n in order)
    shuffled = Labelled(names, second.predicted[order], second.people[order])
    judge = weighting([first, second])
    one, other = system_difference(first, second, judge), system_difference(first, shuffled, judge)
    assert not isinstance(one, Undefined)
    assert not isinstance(other, Undefined)
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_the_order_of_labels_and_answers_moves_nothing() -> None:
    labels = [said(r) for r in drawn(50)]
    one, other = found(labels), found(labels[::-1])
    assert one is not None
    assert other is not None
    for a, b in zip(one.systems, other.systems, strict=True):
        assert a.people_mean is not None
        assert b.people_mean is not None
        assert a.people_mean.value == pytest.approx(b.people_mean.value, abs=1e-12)
