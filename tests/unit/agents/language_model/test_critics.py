"""Critics pass what is right, fail what is wrong under its own code, and ask no model what a rule can tell."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asked import Says
from by_hand import draft, source

from viva.agents.language_model.critics.faithfulness import Claim, FaithfulnessCritic, copied
from viva.agents.language_model.critics.grounds import AnswerabilityCritic, GroundednessCritic, says_the_same
from viva.agents.language_model.critics.question_judge import Fault, QuestionJudge
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import BloomLevel, Draft, ExpertAnswer, ItemKind, KnowledgeUnit, Recall, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
AGAIN = "Before low water the lock gate closes 35 minutes."
OTHER = "It then stays shut for an hour."
HERE = source(f"{FACT} {OTHER} {AGAIN}")
STEM = "How long before low water does the lock gate at Quillon Ness close?"
SETTINGS = Settings()


def about(key: str = "35 minutes", reference: str = FACT) -> Draft:
    return draft(HERE, FACT, STEM, key).model_copy(update={"reference_answer": reference, "key_from": "expert"})


def answer(quote: str = FACT, groundedness: int | None = 5) -> ExpertAnswer:
    span = EvidenceFinder(HERE).find(quote)
    assert span is not None
    return ExpertAnswer(text="35 minutes", reference=FACT, evidence=(span,), groundedness=groundedness)


def one(critic: Any, said: ExpertAnswer | None = None, of: Draft | None = None) -> Verdict:
    verdict = asyncio.run(critic.judge(of or about(), said, HERE))
    assert isinstance(verdict, Verdict)
    return verdict


# --- answerability, by rule ----------------------------------------------------------------------------------


def test_no_answer_of_the_expert_is_told_to_the_writer_with_the_fact_to_ask_for() -> None:
    verdict = one(AnswerabilityCritic())
    assert (verdict.passed, verdict.code, verdict.score) == (False, "not_answerable", 0.0)
    assert FACT in verdict.reason


@pytest.mark.parametrize("quote", [FACT, "closes 35 minutes before low", AGAIN])
def test_an_answer_from_the_evidence_or_from_a_sentence_that_says_the_same_is_an_answer(quote: str) -> None:
    assert one(AnswerabilityCritic(), answer(quote)).passed


def test_an_answer_from_other_words_shows_the_writer_where_the_question_leads() -> None:
    verdict = one(AnswerabilityCritic(), answer(OTHER))
    assert (verdict.passed, verdict.code) == (False, "expert_disagrees")
    assert OTHER in verdict.reason
    assert FACT in verdict.reason


@pytest.mark.parametrize(
    "other",
    [
        FACT.replace("35", "45"),
        FACT.replace("35", "35.5"),
        FACT.replace("closes", "never closes"),
        "Das Tor schließt 35 Minuten vor Ebbe nicht.",
    ],
)
def test_sentences_that_differ_in_a_number_or_a_negation_do_not_say_the_same(other: str) -> None:
    same = "Das Tor schließt 35 Minuten vor Ebbe." if other.startswith("Das") else FACT
    assert says_the_same(same, same)
    assert not says_the_same(same, other)


ABSENT = about("The documents do not say.", "The documents do not say.").model_copy(
    update={"kind": ItemKind.UNANSWERABLE, "key_from": "writer"}
)
BRIDGE = source("The bridge opens at noon.", "bridge.md")


def joined(*quotes: str) -> Verdict:
    """Of a draft that rests on the gate and the bridge, and an expert who quotes these."""
    both = Source(HERE.chunk, HERE.document, ItemKind.MULTI_HOP, BRIDGE)
    gate, bridge = EvidenceFinder(HERE).find(FACT), EvidenceFinder(BRIDGE).find(BRIDGE.chunk.text)
    assert gate is not None
    found = (EvidenceFinder(both).find(quote) for quote in quotes)
    said = answer().model_copy(update={"evidence": tuple(span for span in found if span is not None)})
    unit = KnowledgeUnit.of(HERE.chunk, "Both.", gate, bridge, at=both.id)
    return one(AnswerabilityCritic(), said, about().model_copy(update={"unit": unit, "kind": ItemKind.MULTI_HOP}))


def test_a_multi_hop_answer_must_rest_on_both_facts() -> None:
    assert joined(FACT, BRIDGE.chunk.text).passed
    assert joined(BRIDGE.chunk.text, AGAIN).passed
    for quotes in ((FACT,), (BRIDGE.chunk.text,), (OTHER, BRIDGE.chunk.text)):
        verdict = joined(*quotes)
        assert verdict.code == "expert_disagrees"
        assert f"“{FACT}” and “{BRIDGE.chunk.text}”" in verdict.reason


def test_of_an_unanswerable_question_no_answer_is_what_passes() -> None:
    assert one(AnswerabilityCritic(), None, ABSENT).passed
    verdict = one(AnswerabilityCritic(), answer(), ABSENT)
    assert (verdict.passed, verdict.code, verdict.blames) == (False, "answerable_after_all", "question")
    assert FACT in verdict.reason
    bare = answer().model_copy(update={"evidence": ()})
    assert one(AnswerabilityCritic(), bare, ABSENT).code == "answerable_after_all"


def test_an_unanswerable_question_is_rated_without_an_answer_and_claims_nothing() -> None:
    reply = {name: value for name, value in GOOD.items() if name not in {"needs_documents", "answer_fit"}}
    model = Says(question=reply)
    verdicts = asyncio.run(QuestionJudge(model, SETTINGS).judge(ABSENT, None, HERE))
    assert [verdict.critic for verdict in verdicts] == ["stand alone", "specificity", "usefulness"]
    assert verdicts[-1].bloom == (BloomLevel.REMEMBER, BloomLevel.APPLY)
    assert set(model.asked[0][1]) == {"question", "audience"}
    assert one(FaithfulnessCritic(Says(), SETTINGS), None, ABSENT).passed


# --- groundedness, by the expert's rating --------------------------------------------------------------------


@pytest.mark.parametrize(("rating", "passes"), [(1, False), (3, False), (4, True), (5, True)])
def test_the_experts_rating_must_reach_the_least(rating: int, passes: bool) -> None:
    verdict = one(GroundednessCritic(SETTINGS), answer(groundedness=rating))
    assert (verdict.passed, verdict.code, verdict.score) == (passes, "" if passes else "ungrounded", (rating - 1) / 4)
    assert one(GroundednessCritic(Settings(min_rating=rating)), answer(groundedness=rating)).passed


def test_an_expert_who_rates_nothing_is_not_held_against_the_question() -> None:
    assert one(GroundednessCritic(SETTINGS), answer(groundedness=None)).passed


# --- the question judge --------------------------------------------------------------------------------------

GOOD = {
    "rationale": "It asks for a time.",
    "stand_alone": 5,
    "specificity": 5,
    "usefulness": 4,
    "needs_documents": 5,
    "answer_fit": 5,
    "faults": [],
    "bloom": ["apply", "remember"],
}


def rated(**more: Any) -> dict[str, Verdict]:
    model = Says(question={**GOOD, **more})
    verdicts = asyncio.run(QuestionJudge(model, SETTINGS).judge(about(), answer(), HERE))
    assert set(model.asked[0][1]) == {"question", "answer", "reference", "audience"}
    return {verdict.critic: verdict for verdict in verdicts}


def test_one_call_gives_five_verdicts_each_under_its_own_name() -> None:
    verdicts = rated()
    assert list(verdicts) == ["stand alone", "specificity", "usefulness", "needs documents", "answer fit"]
    assert all(verdict.passed and not verdict.code for verdict in verdicts.values())
    assert [verdict.score for verdict in verdicts.values()] == [1.0, 1.0, 0.75, 1.0, 1.0]
    assert verdicts["answer fit"].bloom == (BloomLevel.REMEMBER, BloomLevel.APPLY)


@pytest.mark.parametrize("known", [False, True])
def test_the_judge_always_reads_the_guesses_and_says_whether_what_was_recalled_is_the_answer(*, known: bool) -> None:
    model = Says(question={**GOOD, **({"same_answer": True} if known else {})})
    recall = Recall(known=known, answer="some 35 min" if known else "", guesses=("an hour", "half an hour"))
    of = about().model_copy(update={"recall": recall})
    verdicts = asyncio.run(QuestionJudge(model, SETTINGS).judge(of, answer(), HERE))
    assert "- an hour\n- half an hour" in model.heard("guesses")
    assert ("recalled" in model.asked[0][1]) is known
    assert any(verdict.known for verdict in verdicts) is known


@pytest.mark.parametrize("rating", ["usefulness", "needs_documents", "answer_fit"])
def test_what_the_judge_would_drop_for_any_rating_is_given_up(rating: str) -> None:
    faults = [Fault(rating="specificity", change="Say at which tide."), Fault(rating=rating, change="Drop it.")]
    verdicts = rated(**{"specificity": 3, rating: 2, "faults": faults})
    assert [name for name, verdict in verdicts.items() if verdict.final] == [rating.replace("_", " ")]
    alone = rated(**{rating: 2, "faults": faults[1:]})
    assert not alone[rating.replace("_", " ")].passed
    assert not any(verdict.final for verdict in rated(specificity=3, faults=faults[:1]).values())


@pytest.mark.parametrize(
    ("low", "name", "code"),
    [
        ({"stand_alone": 3}, "stand alone", "not_stand_alone"),
        ({"specificity": 2}, "specificity", "unspecific"),
        ({"usefulness": 3}, "usefulness", "not_useful"),
        ({"needs_documents": 1}, "needs documents", "guessable_by_sense"),
        ({"answer_fit": 3}, "answer fit", "unfit_answer"),
    ],
)
def test_what_is_below_its_threshold_fails_under_its_own_code_and_nothing_else_does(
    low: dict[str, Any], name: str, code: str
) -> None:
    verdicts = rated(**low)
    assert {n: v.code for n, v in verdicts.items() if not v.passed} == {name: code}
    assert "It asks for a time." in verdicts[name].reason


@pytest.mark.parametrize(("rating", "guessable"), [(5, False), (4, False), (3, True), (2, True)])
def test_what_an_outsider_would_guess_is_marked_and_not_refused(*, rating: int, guessable: bool) -> None:
    verdict = rated(needs_documents=rating)["needs documents"]
    assert (verdict.passed, verdict.guessable, verdict.code) == (True, guessable, "")
    assert verdict.score == (rating - 1) / 4


def test_a_question_that_is_written_anew_anyhow_is_to_be_one_that_nobody_guesses() -> None:
    faults = [Fault(rating="needs_documents", change="Ask for the tide.")]
    verdicts = rated(specificity=2, needs_documents=3, faults=faults)
    assert {name for name, verdict in verdicts.items() if not verdict.passed} == {"specificity", "needs documents"}
    assert verdicts["needs documents"].reason.endswith("Ask for the tide.")


def test_each_criterion_that_failed_is_named_with_what_would_raise_it_and_no_other() -> None:
    faults = [
        Fault(rating="stand_alone", change="Name the lock."),
        Fault(rating="specificity", change="Say at which tide."),
        Fault(rating="usefulness", change="Ask for what a pilot needs."),
    ]
    verdicts = rated(stand_alone=3, specificity=2, faults=faults)
    assert verdicts["stand alone"].reason == "rated 3 of 5, 4 is wanted. Name the lock."
    assert verdicts["specificity"].reason == "rated 2 of 5, 4 is wanted. Say at which tide."
    assert verdicts["usefulness"].passed


def test_a_judge_that_names_no_change_is_quoted_once_beside_what_usually_helps() -> None:
    verdicts = rated(stand_alone=3, usefulness=2)
    assert verdicts["stand alone"].reason.endswith("Name in full what it is about. It asks for a time.")
    assert verdicts["usefulness"].reason.endswith("or drop it.")


def test_a_low_rating_blames_the_question_and_an_answer_that_does_not_fit_the_key() -> None:
    blamed = {name: verdict.blames for name, verdict in rated(usefulness=1, answer_fit=1).items()}
    assert blamed == dict.fromkeys(blamed, "question") | {"answer fit": "key"}


def test_the_judge_is_told_of_a_question_that_joins_two_facts() -> None:
    model = Says(question=GOOD)
    draft = about().model_copy(update={"kind": ItemKind.MULTI_HOP})
    asyncio.run(QuestionJudge(model, SETTINGS).judge(draft, answer(), HERE))
    assert str(model.asked[0][1]["joined"]).startswith("yes")


def test_whose_work_the_questions_are_for_is_told_by_titles_of_the_corpus() -> None:
    model = Says(question=GOOD)
    judge = QuestionJudge(model, Settings(audience="apprentice pilots"), ["Harbour rules", "Tides"])
    asyncio.run(judge.judge(about(), answer(), HERE))
    assert "apprentice pilots: Harbour rules; Tides" in model.heard("audience")


@pytest.mark.parametrize("off", [{"stand_alone": 0}, {"usefulness": 6}, {"answer_fit": 9}, {"answer_fit": -1}])
def test_a_rating_off_the_scale_is_no_rating(off: dict[str, Any]) -> None:
    with pytest.raises(RoleFailed) as failed:
        rated(**off)
    assert failed.value.code == "rating_off_scale"


def test_thresholds_and_audience_are_settings() -> None:
    mild = Settings(min_rating=2, audience="apprentice pilots")
    model = Says(question={**GOOD, "stand_alone": 2, "answer_fit": 2})
    assert all(v.passed for v in asyncio.run(QuestionJudge(model, mild).judge(about(), answer(), HERE)))
    assert "apprentice pilots" in model.heard("audience")


def test_a_reason_is_one_line_of_bounded_length() -> None:
    reason = rated(rationale="why\n\u202enot " * 9999, stand_alone=1)["stand alone"].reason
    assert len(reason) < 700
    assert "\n" not in reason
    assert "\u202e" not in reason


# --- faithfulness --------------------------------------------------------------------------------------------


def claims(*supported: bool) -> dict[str, Any]:
    return {
        "claims": [Claim(claim=f"claim {n}", evidence=f"because {n}", supported=s) for n, s in enumerate(supported)]
    }


OWN_WORDS = about(reference="Half an hour and a little more.")


@pytest.mark.parametrize(
    "reference",
    [FACT, f"{FACT} {OTHER}", "the lock gate closes  35 minutes before low water", f"“{FACT}”", f"**{FACT}**"],
)
def test_whole_sentences_of_the_passage_are_faithful_without_a_call(reference: str) -> None:
    verdict = one(FaithfulnessCritic(Says(), SETTINGS), of=about(reference=reference))
    assert (verdict.passed, verdict.score) == (True, 1.0)


def test_a_sentence_with_names_in_the_place_of_pointing_words_is_copied() -> None:
    gate = source("The lock gate closes 35 minutes before low water. It then stays shut for an hour.")
    assert copied("an hour", "The lock gate then stays shut for an hour.", gate)
    for other in ("The bridge then stays shut for an hour.", "The lock gate then stays shut for about an hour."):
        assert not copied("an hour", other, gate)


@pytest.mark.parametrize(
    ("text", "reference", "key"),
    [
        # half a sentence may mean another thing than the whole
        ("It is false that the gate closes at noon.", "The gate closes at noon.", "noon"),
        ("The gate closes at noon unless it rains.", "The gate closes at noon.", "noon"),
        # numbers and signs
        ("The gate closes 3.5 minutes late.", "The gate closes 35 minutes late.", "35 minutes"),
        ("It is kept at -5 degrees.", "It is kept at -5 degrees.", "5 degrees"),
        ("It is kept at -5 degrees.", "It is kept at 5 degrees.", "5 degrees"),
        ("It takes 1.5 hours.", "It takes 1.5 hours.", "5 hours"),
        # the key says more or less than its sentence
        ("It holds about 40 boats.", "It holds about 40 boats.", "40 boats"),
        ("It takes 35 to 40 minutes.", "It takes 35 to 40 minutes.", "40 minutes"),
        ("Es fasst höchstens 40 Boote.", "Es fasst höchstens 40 Boote.", "40 Boote"),
        ("It does not close at noon.", "It does not close at noon.", "noon"),
        ("It doesn't close at noon.", "It doesn't close at noon.", "noon"),
        ("Il ne ferme pas à midi.", "Il ne ferme pas à midi.", "midi"),
        ("Boats and buoys are painted.", "Boats and buoys are painted.", "Boats"),
        # nothing, or something else, is no answer
        (FACT, "", "35 minutes"),
        (FACT, FACT, "an hour"),
        (FACT, FACT, ""),
        (FACT, f"{FACT} It is red.", "35 minutes"),
    ],
)
def test_what_a_rule_cannot_tell_is_asked(text: str, reference: str, key: str) -> None:
    assert not copied(key, reference, source(text))


@pytest.mark.parametrize(
    ("supported", "passes", "share"),
    [((True,), True, 1.0), ((True, False), False, 0.5), ((False,), False, 0.0), ((True,) * 9 + (False,), True, 0.9)],
)
def test_nine_claims_in_ten_must_be_supported(supported: tuple[bool, ...], passes: bool, share: float) -> None:
    verdict = one(FaithfulnessCritic(Says(faithfulness=claims(*supported)), SETTINGS), of=OWN_WORDS)
    assert (verdict.passed, verdict.score) == (passes, pytest.approx(share))
    assert verdict.code == ("" if passes else "unfaithful")


def test_the_share_that_must_be_supported_is_a_setting() -> None:
    judge = FaithfulnessCritic(Says(faithfulness=claims(True, False)), Settings(min_faithfulness=0.5))
    assert one(judge, of=OWN_WORDS).passed


def test_the_reason_names_the_claims_that_are_not_supported() -> None:
    verdict = one(FaithfulnessCritic(Says(faithfulness=claims(True, False)), SETTINGS), of=OWN_WORDS)
    assert "claim 1: because 1" in verdict.reason
    assert "claim 0" not in verdict.reason


def test_an_answer_without_claims_is_a_failure_and_not_a_zero() -> None:
    with pytest.raises(RoleFailed) as failed:
        one(FaithfulnessCritic(Says(faithfulness={"claims": []}), SETTINGS), of=OWN_WORDS)
    assert failed.value.code == "no_claims"
