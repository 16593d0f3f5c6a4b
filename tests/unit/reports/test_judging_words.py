"""What is said of a jury and of judges asked again: a fault is not praise, and what is not known is said to be so."""

from __future__ import annotations

from viva.core.estimates import Estimate
from viva.core.records import JudgeCard, Make, Quality
from viva.core.scores_open import JudgeUsed, Juror, JuryFinding, RepeatsFinding, Steadiness, VarianceShare
from viva.reports.sections.judging_words import (
    ShareRow,
    jury_sentences,
    repeats_sentences,
    share_rows,
    with_others_told,
)


def card(name: str) -> JudgeCard:
    return JudgeCard(name=name, judges=Quality.CORRECTNESS, make=Make.OFFLINE)


def used(**how: object) -> JudgeUsed:
    return JudgeUsed(card=card("jury"), graded=40, ungraded=2, **how)  # type: ignore[arg-type]


def jury(**how: object) -> JuryFinding:
    one = Juror(card=card("one"), graded=40, ungraded=2, with_others=0.81, with_others_low=0.7, with_others_high=0.9)
    other = Juror(card=card("other"), graded=42, ungraded=0, with_others=None, reason="Every score is 1.")
    told: dict[str, object] = {
        "judges": (one, other),
        "rule": "mean",
        "quorum": 2,
        "answers": 42,
        "hung": 2,
        "alpha": Estimate(value=0.5, low=-0.1, high=0.7),
    }
    return JuryFinding.model_validate({**told, **how})


def finding(*judges: Steadiness, **how: object) -> RepeatsFinding:
    told: dict[str, object] = {"times": 3, "answers": 50, "judges": judges, "shares": (), "left_out": {}}
    return RepeatsFinding.model_validate({**told, **how})


def repeats(*judges: Steadiness, **how: object) -> tuple[str, ...]:
    return repeats_sentences(used(repeats=finding(*judges, **how)))


def steady(moved: int, *, model: bool, compared: int = 50, unjudged: int = 0) -> Steadiness:
    return Steadiness(judge="j", asks_a_model=model, moved=moved, compared=compared, unjudged=unjudged)


def test_without_a_jury_or_repeats_nothing_is_said() -> None:
    assert jury_sentences(None) == repeats_sentences(None) == share_rows(None) == ()
    assert jury_sentences(used()) == repeats_sentences(used()) == ()


def test_a_jury_tells_agreement_with_its_interval_and_what_stayed_ungraded() -> None:
    alpha, both, hung = jury_sentences(used(jury=jury()))
    assert "at 0.50 (Krippendorff's alpha, 95% \u22120.10 to 0.70; 42 answers;" in alpha
    assert both == "The two judges' scores correlate at 0.81 (Spearman, 95% 0.70 to 0.90)."
    assert "2 answers without a verdict, as fewer than 2 judges graded them" in hung


def test_the_one_correlation_of_two_judges_is_told_once_and_of_three_each_has_its_own_in_its_row() -> None:
    two = jury()
    assert sum("0.81" in each for each in jury_sentences(used(jury=two))) == 1
    three = jury(judges=(*two.judges, two.judges[0]), odd_one_out="other")
    assert not any("0.81" in each for each in jury_sentences(used(jury=three)))
    assert [with_others_told(each) for each in three.judges[:2]] == [
        "0.81 (95% 0.70 to 0.90)",
        "not known (every score is 1)",
    ]


def test_a_correlation_without_an_interval_says_why() -> None:
    same = Juror(card=card("one"), graded=9, ungraded=0, with_others=1.0, reason="Every resample gives the same.")
    (told,) = [each for each in jury_sentences(used(jury=jury(judges=(same, same)))) if "correlate" in each]
    assert told.endswith("at 1.00 (Spearman, no interval: every resample gives the same).")


def test_agreement_that_is_not_known_says_why() -> None:
    told = jury_sentences(used(jury=jury(alpha=None, alpha_reason="All ratings are the same.", hung=0)))
    assert told[0] == "Agreement among the judges is not known: All ratings are the same."


def test_a_judge_with_a_model_tells_how_often_it_moved_and_one_without_that_it_cannot() -> None:
    assert repeats(steady(4, model=True)) == (
        "Judge j, asked three times about 50 answers, changed its score on 4 of 50.",
    )
    (told,) = repeats(steady(0, model=False), left_out={"run": "It is 0: within each response all are the same."})
    assert "asks no model, and can only repeat itself" in told
    assert "says nothing of how far it is right" in told
    assert "a fault" in repeats(steady(1, model=False))[0]


def test_judgements_that_could_not_be_had_are_counted() -> None:
    assert "7 judgements could not be had." in repeats(steady(0, model=True, unjudged=7))[0]
    assert "no" in repeats(steady(0, model=True, compared=0, unjudged=150))[0]


def test_shares_stand_with_intervals_and_where_these_have_no_end_that_is_said() -> None:
    shares = (
        VarianceShare(source="system", levels=2, share=0.75, variance=Estimate(value=0.09, low=0.01, high=1e6)),
        VarianceShare(source="run", levels=150, share=0.25, variance=Estimate(value=0.03, low=0.0225, high=0.04)),
    )
    how = {"shares": shares, "left_out": {"judge": "There is one judge only."}}
    _, untold = repeats(steady(9, model=True), **how)
    assert share_rows(used(repeats=finding(steady(9, model=True), **how))) == (
        ShareRow("systems", "75%", "0.30", "0.10 or more"),
        ShareRow("the runs of one judge on one answer", "25%", "0.17", "0.15 to 0.20"),
    )
    assert untold == "Not told apart: judges (there is one judge only)."


def test_where_nothing_could_be_split_the_reason_stands_there() -> None:
    assert repeats(steady(0, model=True), reason="Every score is 1.")[-1] == "Every score is 1."
