"""What is said of a jury and of judges asked again: a fault is not praise, and what is not known is said to be so."""

from __future__ import annotations

from viva.core.estimates import Estimate
from viva.core.records import JudgeCard, Make, Quality
from viva.core.scores_open import JudgeUsed, Juror, JuryFinding, RepeatsFinding, Steadiness, VarianceShare
from viva.reports.judging_words import jury_sentences, repeats_sentences


def card(name: str) -> JudgeCard:
    return JudgeCard(name=name, judges=Quality.CORRECTNESS, make=Make.OFFLINE)


def used(**how: object) -> JudgeUsed:
    return JudgeUsed(card=card("jury"), graded=40, ungraded=2, **how)  # type: ignore[arg-type]


def jury(**how: object) -> JuryFinding:
    one = Juror(card=card("one"), graded=40, ungraded=2, with_others=0.81)
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


def repeats(*judges: Steadiness, **how: object) -> tuple[str, ...]:
    told: dict[str, object] = {"times": 3, "answers": 50, "judges": judges, "shares": (), "left_out": {}}
    return repeats_sentences(used(repeats=RepeatsFinding.model_validate({**told, **how})))


def steady(moved: int, *, model: bool, compared: int = 50, unjudged: int = 0) -> Steadiness:
    return Steadiness(judge="j", asks_a_model=model, moved=moved, compared=compared, unjudged=unjudged)


def test_without_a_jury_or_repeats_nothing_is_said() -> None:
    assert jury_sentences(None) == repeats_sentences(None) == ()
    assert jury_sentences(used()) == repeats_sentences(used()) == ()


def test_a_jury_tells_agreement_with_its_interval_and_what_stayed_ungraded() -> None:
    alpha, others, lost, hung = jury_sentences(used(jury=jury()))
    assert "at 0.50 (Krippendorff's alpha, 95% \u22120.10 to 0.70; 42 answers;" in alpha
    assert others.endswith("(Spearman): one 0.81; other not known (every score is 1).")
    assert lost == "Answers that a judge did not grade, of 42: one 2."
    assert "2 answers without a verdict, as fewer than 2 judges graded them" in hung


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
    _, told, untold = repeats(steady(9, model=True), shares=shares, left_out={"judge": "There is one judge only."})
    assert "systems 75% (standard deviation 0.30, 95% 0.10 or more)" in told
    assert "the runs of one judge on one answer 25% (standard deviation 0.17, 95% 0.15 to 0.20)" in told
    assert untold == "Not told apart: judges (there is one judge only)."


def test_where_nothing_could_be_split_the_reason_stands_there() -> None:
    assert repeats(steady(0, model=True), reason="Every score is 1.")[-1] == "Every score is 1."
