"""The figures of a judge: intervals where there are any, words where there are none, the worst cases first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from viva.core.records.judging import Case, Judgement, LabelledCase, Quality, Unjudged
from viva.core.records.tuning import Agreement
from viva.metrics.judges.agreement import kendall, pearson, spearman
from viva.optimizers.adoption import decide
from viva.optimizers.judge_agreement import agreement_of, worst_of
from viva.optimizers.objectives import objective_for

PEOPLE = np.linspace(0, 1, 30).round(2).tolist()
JUDGE = [round(float(x), 2) for x in np.clip(PEOPLE + np.random.default_rng(1).normal(scale=0.2, size=30), 0, 1)]


def labelled(labels: Sequence[float]) -> list[LabelledCase]:
    return [LabelledCase(case=Case(answer=f"a{n}"), label=x, group=str(n // 2)) for n, x in enumerate(labels)]


def said(scores: Sequence[float | None]) -> list[Judgement | Unjudged]:
    none = Unjudged(code="model_refused", reason="no")
    return [none if each is None else Judgement(reason="so", score=each) for each in scores]


def found(people: Sequence[float], judge: Sequence[float | None], *, in_classes: bool = False) -> Agreement:
    return agreement_of(labelled(people), said(judge), in_classes=in_classes, seed=0, resamples=200)


def test_graded_figures_are_those_of_the_metrics_with_the_standard_error_of_bonett_and_wright() -> None:
    made = found(PEOPLE, JUDGE)
    for name, figure in (("spearman", spearman), ("kendall", kendall), ("pearson", pearson)):
        assert made.figure(name).estimate == pytest.approx(figure(JUDGE, PEOPLE).estimate)
    plain = spearman(JUDGE, PEOPLE)
    assert made.figure("spearman").standard_error == pytest.approx(plain.se)
    formula = made.figure("spearman (Bonett-Wright)")
    assert (formula.low, formula.high) == pytest.approx((plain.interval.low, plain.interval.high))
    error = np.abs(np.array(JUDGE) - PEOPLE).mean()
    assert made.figure("mean absolute error").estimate == pytest.approx(error)
    assert made.figure("mcc") is None
    assert sum(each.cases for each in made.curve) == 30
    assert made.groups == 15


def test_where_people_say_yes_or_no_grades_are_read_as_classes_too() -> None:
    yes_no = [float(x > 0.5) for x in PEOPLE]
    made = found(yes_no, JUDGE)
    assert made.figure("spearman") is not None
    assert made.labels == (0.0, 1.0)
    assert sum(map(sum, made.counts)) == 30
    right = np.mean([(j >= 0.5) == bool(p) for j, p in zip(JUDGE, yes_no, strict=True)])
    assert made.figure("accuracy").estimate == pytest.approx(right)


def test_a_judge_of_classes_has_a_confusion_matrix_and_no_ranks() -> None:
    made = found([1, 1, 1, 0, 0, 0] * 4, [1, 1, 0, 0, 0, 1] * 4, in_classes=True)
    assert made.figure("spearman") is None
    assert made.counts == ((8, 4), (4, 8))
    assert made.figure("balanced accuracy").estimate == pytest.approx(2 / 3)
    assert made.curve == ()


def test_what_was_not_judged_is_counted_and_left_out() -> None:
    gaps = [None, *JUDGE[1:]]
    made = found(PEOPLE, gaps)
    assert (made.cases, made.unjudged) == (30, 1)
    assert made.figure("spearman").estimate == pytest.approx(spearman(JUDGE[1:], PEOPLE[1:]).estimate)
    assert all(each.unjudged == 1 for each in made.measured("d", "f"))


def test_of_a_constant_judge_the_reason_is_told_and_no_figure_is_made_up() -> None:
    made = found(PEOPLE, [1.0] * 30)
    figure = made.figure("spearman")
    assert figure.estimate is None
    assert "nothing varies" in figure.undefined
    assert "spearman" not in {each.statistic for each in made.measured("d", "f")}
    assert made.figure("mean absolute error").estimate == pytest.approx(0.5, abs=0.01)


def test_a_figure_whose_resamples_all_agree_claims_no_interval() -> None:
    figure = found(PEOPLE, PEOPLE).figure("mean absolute error")
    assert figure.estimate == 0
    assert figure.low is None
    assert "nothing is known of its interval" in figure.undefined


def test_the_worst_cases_come_first_and_those_that_agree_or_were_not_judged_do_not_come() -> None:
    cases = labelled([1.0, 0.5, 0.0, 0.0])
    worst = worst_of(cases, said([0.0, 0.4, 0.0, None]))
    assert [(each.answer, each.people, each.judge) for each in worst] == [("a0", 1.0, 0.0), ("a1", 0.5, 0.4)]


def test_resamples_that_differ_by_rounding_alone_claim_no_interval() -> None:
    yes_no = [float(n % 3 == 0) for n in range(24)]
    noise = np.random.default_rng(3).normal(scale=1e-5, size=24)
    made = found(yes_no, [float(np.clip(x + e, 0, 1)) for x, e in zip(yes_no, noise, strict=True)])
    for name in ("mcc", "balanced accuracy", "pearson"):
        figure = made.figure(name)
        assert figure.estimate == pytest.approx(1), name
        assert (figure.low, figure.high) == (None, None), name
        assert "nothing is known of its interval" in figure.undefined, name
    assert not {"mcc", "pearson"} & {each.statistic for each in made.measured("d", "f")}


def test_of_two_judges_that_say_the_same_no_interval_and_no_negative_zero_is_told() -> None:
    cases, same = labelled(PEOPLE), said(JUDGE)
    rounded = said([min(1.0, x + 1e-12) for x in JUDGE])
    objective = objective_for(Quality.CORRECTNESS, cases)
    decision = decide(objective, cases, same, rounded, seed=0, resamples=100)
    assert not decision.adopted
    assert "spearman 0.000 (in every resample alike, so that no interval is known)" in decision.why
    assert "-0.000" not in decision.why


def test_cases_of_few_sources_have_figures_and_no_interval() -> None:
    few = [each.model_copy(update={"group": str(n % 9)}) for n, each in enumerate(labelled(PEOPLE))]
    made = agreement_of(few, said(JUDGE), in_classes=False, seed=0, resamples=200)
    assert made.figure("spearman").estimate == pytest.approx(spearman(JUDGE, PEOPLE).estimate)
    assert made.measured("d", "f") == ()
    assert {each.undefined for each in made.figures} == {
        "The cases are of fewer than 10 sources, with which no interval of 95% holds."
    }
