"""The page of a tuning: all that was said of it, and nothing of what cases say is obeyed by a browser."""

from __future__ import annotations

from viva.core.records.judging import Quality
from viva.core.records.tuning import (
    AdoptionDecision,
    Agreement,
    Bin,
    CandidatePrompt,
    Data,
    Disagreement,
    Figure,
    PromptComparison,
    TuningReport,
)
from viva.reports.tuning import render_tuning

EVIL = "<script>alert(1)</script>"
BASE = Agreement(
    cases=40,
    groups=40,
    unjudged=1,
    figures=(
        Figure(
            name="spearman", estimate=0.612, low=0.5, high=0.7, interval="bootstrap by group", standard_error=0.05
        ),
        Figure(name="kendall", undefined="Every score of the judge is 1."),
    ),
    labels=(0.0, 1.0),
    counts=((7, 3), (2, 28)),
    curve=(Bin(low=0.9, high=1.0, cases=11, judge=0.97, people=0.44),),
)
DATA = Data(
    name="mine/answers",
    fingerprint="f",
    columns={"answer": EVIL},
    rows=90,
    groups=90,
    test_name="mine/answers, test part",
    test_fingerprint="t",
    train=30,
    validation=20,
    test=40,
    test_groups=40,
)
REPORT = TuningReport(
    judge="correctness-x",
    quality=Quality.CORRECTNESS,
    model="fake:x",
    optimizer="COPRO",
    effort="light",
    seed=0,
    statistic="spearman",
    data=DATA,
    candidates=(
        CandidatePrompt(how="the prompt as it ships", value=0.5),
        CandidatePrompt(how=EVIL, value=0.6, chosen=True),
    ),
    base=BASE,
    tuned=BASE.model_copy(update={"unjudged": 0}),
    decision=AdoptionDecision(
        adopted=True,
        why="Better than the base.",
        comparison=PromptComparison(
            statistic="spearman",
            base=0.5,
            tuned=0.6,
            difference=0.1,
            low=0.01,
            high=0.2,
            p_value=0.01,
            cases=39,
            missing=1,
            groups=39,
        ),
    ),
    worst=(
        Disagreement(
            question=EVIL, reference=EVIL, answer=EVIL, passages="", people=1.0, judge=0.0, reason=f"{EVIL}\u202e"
        ),
    ),
    instructions=EVIL,
    earlier=2,
)


def test_the_page_says_what_was_found_and_escapes_what_cases_and_models_say() -> None:
    page = render_tuning(REPORT)
    assert page == render_tuning(REPORT)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "\u202e" not in page
    for told in (">Adopted<", "0.612 (0.500 to 0.700)", "Bonett-Wright standard error 0.050", ">28<", ">0.44<"):
        assert told in page
    assert "Every score of the judge is 1." in page
    assert "decided on the same test cases: 2" in page


def test_the_page_has_the_agreement_of_annotators_beside_the_judges() -> None:
    people = BASE.model_copy(update={"figures": (Figure(name="spearman", estimate=0.871, low=0.8, high=0.9),)})
    data = DATA.model_copy(update={"annotators": {"ada": 90, EVIL: 80}, "people": people, "contradicted": 3})
    page = render_tuning(REPORT.model_copy(update={"people": people, "data": data}))
    assert "<script" not in page
    for told in (
        "people, each with the others",
        "ada (90)",
        "0.871 (0.800 to 0.900)",
        "3 repeated with different labels",
    ):
        assert told in page


def test_a_judge_that_was_not_tuned_has_a_page_too() -> None:
    untuned = REPORT.model_copy(
        update={"tuned": None, "decision": AdoptionDecision(adopted=False, why="None did better."), "worst": ()}
    )
    page = render_tuning(untuned)
    assert "Not adopted: the base judge stays" in page
    assert "furthest from people" not in page
