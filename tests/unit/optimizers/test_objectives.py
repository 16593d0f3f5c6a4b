"""What decides between judges: ranks for grades, classes for classes, a rule where a judge says only one thing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from viva.core.records.judging import Case, Judgement, LabelledCase, Quality, Unjudged
from viva.optimizers.adoption import decide
from viva.optimizers.objectives import Said, leaves_more, objective_for
from viva.optimizers.splits import split

FAILED = Unjudged(code="model_refused", reason="no")


def labelled(labels: Sequence[float]) -> list[LabelledCase]:
    return [LabelledCase(case=Case(answer=str(n)), label=label, group=str(n)) for n, label in enumerate(labels)]


def said(scores: Sequence[float | None]) -> Said:
    return [FAILED if score is None else Judgement(reason="", score=score) for score in scores]


GRADES = labelled(np.linspace(0, 1, 40))
YES_NO = labelled([1] * 30 + [0] * 10)


def test_a_constant_judge_of_grades_gets_half_of_the_case_scores_on_average_and_a_right_one_all() -> None:
    objective = objective_for(Quality.CORRECTNESS, GRADES)
    always = [objective.of_case(each.label, Judgement(reason="", score=0.5)) for each in GRADES]
    right = [objective.of_case(each.label, Judgement(reason="", score=each.label)) for each in GRADES]
    assert np.mean(always) == pytest.approx(0.5, abs=0.01)
    assert set(right) == {1.0}
    assert objective.of_case(0.5, FAILED) == 0.0


def test_the_case_scores_of_classes_add_up_to_balanced_accuracy() -> None:
    objective = objective_for(Quality.ANSWERABILITY, YES_NO)
    always_yes = sum(objective.of_case(each.label, Judgement(reason="", score=1)) for each in YES_NO)
    right = sum(objective.of_case(each.label, Judgement(reason="", score=each.label)) for each in YES_NO)
    assert always_yes / right == pytest.approx(0.5)


def test_a_place_that_won_more_often_earns_no_more_for_it() -> None:
    cases = labelled([1] * 9 + [0])
    objective = objective_for(Quality.PREFERENCE, cases)
    both = [label for each in cases for label in (each.label, 1 - each.label)]
    for place in (0.0, 1.0):
        got = [objective.of_case(label, Judgement(reason="", score=place)) for label in both]
        assert np.mean(got) == pytest.approx(0.5)


def test_the_figure_is_spearman_for_grades_and_mcc_for_classes() -> None:
    assert objective_for(Quality.RUBRIC, GRADES).name == "spearman"
    assert objective_for(Quality.ANSWERABILITY, YES_NO).name == "mcc"
    assert objective_for(Quality.PREFERENCE, YES_NO).name == "mcc"


def test_a_judge_that_agrees_in_rank_stands_above_a_constant_one_and_that_above_a_contrary_one() -> None:
    objective = objective_for(Quality.CORRECTNESS, GRADES)
    ranked = objective.standing(GRADES, said([each.label / 2 for each in GRADES]))
    constant = objective.standing(GRADES, said([0.5] * 40))
    contrary = objective.standing(GRADES, said([1 - each.label for each in GRADES]))
    assert ranked > constant > contrary


def test_of_equals_in_rank_the_one_that_is_less_off_stands_higher() -> None:
    objective = objective_for(Quality.CORRECTNESS, GRADES)
    exact = objective.standing(GRADES, said([each.label for each in GRADES]))
    halved = objective.standing(GRADES, said([each.label / 2 for each in GRADES]))
    assert exact.merit == halved.merit
    assert exact > halved


# --- adopting ---------------------------------------------------------------------------------------------

NOISE = np.random.default_rng(3).normal(size=40)
POOR = [float(np.clip(each.label + 0.6 * noise, 0, 1)) for each, noise in zip(GRADES, NOISE, strict=True)]
GOOD = [each.label for each in GRADES]


def verdict(
    base: Sequence[float | None], rival: Sequence[float | None], cases: list[LabelledCase] = GRADES
) -> object:
    quality = Quality.ANSWERABILITY if cases is YES_NO else Quality.CORRECTNESS
    return decide(objective_for(quality, cases), cases, said(base), said(rival), seed=0, resamples=300)


def test_a_judge_is_adopted_only_if_the_whole_interval_of_the_difference_is_above_0() -> None:
    assert verdict(POOR, GOOD).adopted
    worse = verdict(GOOD, POOR)
    assert not worse.adopted
    assert worse.why.startswith("Worse than the base")
    shaken = np.random.default_rng(4).normal(scale=0.05, size=40)
    same = verdict(POOR, np.clip(np.array(POOR) + shaken, 0, 1).tolist())
    assert not same.adopted
    assert same.why.startswith("Not shown to be better")


def test_a_constant_rival_is_refused() -> None:
    assert not verdict(POOR, [0.5] * 40).adopted
    assert not verdict([0.5] * 40, [0.4] * 40).adopted


def test_against_a_constant_base_the_second_figure_decides() -> None:
    graded = verdict([1.0] * 40, GOOD)
    assert graded.adopted
    assert graded.comparison.statistic == "mean absolute error (negated)"
    assert "Every score of the judge is 1" in graded.fell_back
    always_yes, right = [1.0] * 40, [each.label for each in YES_NO]
    classes = verdict(always_yes, right, YES_NO)
    assert classes.adopted
    assert classes.comparison.statistic == "balanced accuracy"
    assert not verdict(always_yes, [1 - each.label for each in YES_NO], YES_NO).adopted


def test_a_judge_that_leaves_more_unjudged_is_refused_however_well_it_agrees_otherwise() -> None:
    silent: list[float | None] = [None] * 5 + GOOD[5:]
    found = verdict(POOR, silent)
    assert not found.adopted
    assert found.why == "It leaves 5 of 40 cases unjudged, the base 0."
    assert leaves_more(said(silent), said(GOOD))
    assert not leaves_more(said(silent), said(silent))


@pytest.mark.parametrize(("sources", "adopted"), [(9, False), (10, True)])
def test_cases_of_few_sources_adopt_no_judge(sources: int, adopted: bool) -> None:
    cases = [each.model_copy(update={"group": str(n % sources)}) for n, each in enumerate(GRADES)]
    found = verdict(POOR, GOOD, cases)
    assert found.adopted is adopted
    assert ("are of 9 sources, and fewer than 10 can show no difference" in found.why) is not adopted


def test_groups_that_share_text_are_one_source_when_a_judge_is_adopted() -> None:
    texts = [" ".join(f"w{n % 30}x{m}" for m in range(20)) + "!" * n for n in range(240)]
    labels = [(n % 30 + n % 7) / 36 for n in range(240)]
    cases = [LabelledCase(case=Case(answer=a), label=x, group=a) for a, x in zip(texts, labels, strict=True)]
    test = split(cases).test
    rival = said([each.label for each in test])
    base = said([0.5 + (n % 2) / 4 for n in range(len(test))])
    found = decide(objective_for(Quality.CORRECTNESS, cases), test, base, rival, seed=0, resamples=100)
    assert (len(test), found.comparison.groups) == (96, 12)
