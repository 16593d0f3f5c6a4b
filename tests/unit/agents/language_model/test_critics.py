"""Critics pass what is right, fail what is wrong under its own code, and ask no model what a rule can tell."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asked import Says
from by_hand import draft, source

from viva.agents.language_model.cast import language_model_cast
from viva.agents.language_model.critics import (
    Claim,
    ModelAnswerabilityCritic,
    ModelFaithfulnessCritic,
    rating_critics,
)
from viva.agents.language_model.wording import WordingCritic
from viva.agents.roles import DraftCritic
from viva.core.errors import RoleFailed
from viva.core.records import Draft, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
STEM = "How long before low water does the lock gate at Quillon Ness close?"


def about(stem: str = STEM, key: str = "35 minutes") -> Draft:
    return draft(HERE, FACT, stem, key)


def judged(critic: DraftCritic, asked: Draft | None = None, expert: str | None = "35 minutes") -> Verdict:
    return asyncio.run(critic.judge(asked or about(), expert, HERE))


# --- wording, by rule ----------------------------------------------------------------------------------------


def test_a_plain_question_is_well_worded() -> None:
    assert judged(WordingCritic()).passed


@pytest.mark.parametrize(
    ("stem", "code"),
    [
        ("", "no_stem"),
        ("The lock gate closes before low water.", "not_a_question"),
        ("How long? " * 60 + "Or not?", "too_long"),
        ("According to the passage, when does the gate close?", "speaks_of_document"),
        ("According to the text, when does the gate close?", "speaks_of_document"),
        ("When does the gate close in the given context?", "speaks_of_document"),
        ("What time for the gate is mentioned?", "speaks_of_document"),
        ("How many litres does the document give for the pump?", "speaks_of_document"),
        ("How many litres does the table above give?", "speaks_of_document"),
        ("In this section, what closes before low water?", "speaks_of_document"),
        ("How long does the gate stay shut, as described in the manual?", "speaks_of_document"),
        ("Who must sign above £5,000, and what does a skipper see then?", ""),
        ("What happens in the page cache when the document root moves?", ""),
        ("How long does the passage of the canal take?", ""),
        ("Which of the following closes before low water?", "leans_on_options"),
        ("Which gate does NOT close before low water?", "asks_negatively"),
        ("Which gates close at night, except on Sundays?", ""),
        ("All gates close early except which one?", "asks_negatively"),
        ("Why do 35 minutes pass before low water?", "key_in_stem"),
        ("What does a NOT NULL constraint enforce?", ""),
        ("Which of the options of tar keeps the file modes?", ""),
        ("Which statement is false?", "asks_negatively"),
        ("What does the context manager of a file close?", ""),
        ("Combien de temps avant la marée basse ?", ""),
        ("低潮の何分前に閉まるか？", ""),
    ],
)
def test_a_stem_that_breaks_a_rule_fails_without_a_call(stem: str, code: str) -> None:
    verdict = judged(WordingCritic(), about(stem))
    assert (verdict.passed, verdict.code) == (not code, code)


@pytest.mark.parametrize(
    ("key", "code"), [("", "no_key"), ("All of the above", "catch_all_key"), ("x" * 161, "key_too_long"), ("*", "")]
)
def test_a_key_that_breaks_a_rule_fails(key: str, code: str) -> None:
    assert judged(WordingCritic(), about(key=key)).code == code


# --- answerability -------------------------------------------------------------------------------------------


def test_no_answer_of_the_expert_fails_without_a_call() -> None:
    verdict = judged(ModelAnswerabilityCritic(Says()), expert=None)
    assert (verdict.passed, verdict.code, verdict.score) == (False, "not_answerable", 0.0)


@pytest.mark.parametrize("expert", ["35 minutes", "35 Minutes.", "the 35 minutes"])
def test_the_keys_own_words_pass_without_a_call(expert: str) -> None:
    verdict = judged(ModelAnswerabilityCritic(Says()), expert=expert)
    assert (verdict.passed, verdict.score) == (True, 1.0)


@pytest.mark.parametrize(("equivalent", "code"), [(True, ""), (False, "expert_disagrees")])
def test_other_words_are_compared_by_the_judge(equivalent: bool, code: str) -> None:
    model = Says(answerability={"rationale": "Half an hour is less.", "equivalent": equivalent})
    verdict = judged(ModelAnswerabilityCritic(model), expert="half an hour")
    assert (verdict.passed, verdict.code) == (equivalent, code)
    assert "half an hour" in verdict.reason
    assert "Half an hour is less." in verdict.reason
    assert "35 minutes" in model.heard("intended_answer")


@pytest.mark.parametrize(
    ("key", "expert"), [(">", "<"), ("1.5 hours", "15 hours"), ("C", "C++"), ("5 °C", "-5 °C"), ("A", "the")]
)
def test_answers_that_differ_in_a_sign_are_not_taken_for_equal(key: str, expert: str) -> None:
    model = Says(answerability={"rationale": "", "equivalent": False})
    assert not judged(ModelAnswerabilityCritic(model), about(key=key), expert=expert).passed


# --- ratings -------------------------------------------------------------------------------------------------

CODES = {
    "stand-alone": "not_stand_alone",
    "specificity": "unspecific",
    "relevance": "irrelevant_answer",
    "groundedness": "ungrounded",
}


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize(
    ("rating", "passes", "score"), [(1, False, 0), (3, False, 0.5), (4, True, 0.75), (5, True, 1)]
)
def test_a_rating_passes_from_four_on(place: int, rating: int, passes: bool, score: float) -> None:
    name, code = list(CODES.items())[place]
    model = Says(**{name.replace("-", "_"): {"rationale": "It must name the place.", "score": rating}})
    critic = rating_critics(model)[place]
    verdict = judged(critic)
    assert (critic.name, model.roles) == (name, [f"judge.{name}"])
    assert (verdict.passed, verdict.code, verdict.score) == (passes, "" if passes else code, score)
    assert "It must name the place." in verdict.reason


@pytest.mark.parametrize("rating", [0, 6, -1, 100])
def test_a_rating_off_the_scale_is_no_rating(rating: int) -> None:
    model = Says(stand_alone={"rationale": "", "score": rating})
    with pytest.raises(RoleFailed) as failed:
        judged(rating_critics(model)[0])
    assert failed.value.code == "rating_off_scale"


def test_who_judges_whether_a_stem_stands_alone_sees_nothing_but_the_stem() -> None:
    model = Says(stand_alone={"rationale": "", "score": 5})
    judged(rating_critics(model)[0])
    assert set(model.asked[0][1]) == {"question"}


# --- faithfulness --------------------------------------------------------------------------------------------


def claims(*supported: bool) -> dict[str, Any]:
    return {
        "claims": [Claim(claim=f"claim {n}", evidence=f"because {n}", supported=s) for n, s in enumerate(supported)]
    }


@pytest.mark.parametrize(
    ("supported", "passes", "share"),
    [((True,), True, 1.0), ((True, False), False, 0.5), ((False,), False, 0.0), ((True,) * 9 + (False,), True, 0.9)],
)
def test_nine_claims_in_ten_must_be_supported(supported: tuple[bool, ...], passes: bool, share: float) -> None:
    verdict = judged(ModelFaithfulnessCritic(Says(faithfulness=claims(*supported))))
    assert (verdict.passed, verdict.score) == (passes, pytest.approx(share))
    assert verdict.code == ("" if passes else "unfaithful")


def test_the_reason_names_the_claims_that_are_not_supported() -> None:
    verdict = judged(ModelFaithfulnessCritic(Says(faithfulness=claims(True, False))))
    assert "claim 1: because 1" in verdict.reason
    assert "claim 0" not in verdict.reason


def test_an_answer_without_claims_is_a_failure_and_not_a_zero() -> None:
    with pytest.raises(RoleFailed) as failed:
        judged(ModelFaithfulnessCritic(Says(faithfulness={"claims": []})))
    assert failed.value.code == "no_claims"


# --- together ------------------------------------------------------------------------------------------------


def test_critics_that_cost_nothing_come_first_and_those_that_read_the_passage_last() -> None:
    cast = language_model_cast(Says(), Settings())
    named = [[critic.name for critic in panel] for panel in (*cast.screen, *cast.draft_critics)]
    assert named == [
        ["wording"],
        ["stand-alone", "specificity", "relevance"],
        ["answerability", "groundedness", "faithfulness"],
    ]


def test_a_reason_is_one_line_of_bounded_length() -> None:
    model = Says(stand_alone={"rationale": "why\n\u202enot " * 9999, "score": 1})
    reason = judged(rating_critics(model)[0]).reason
    assert len(reason) < 700
    assert "\n" not in reason
    assert "\u202e" not in reason
