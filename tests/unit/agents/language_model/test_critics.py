"""Critics pass what is right, fail what is wrong under its own code, and ask no model what a rule can tell."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asked import Says
from by_hand import draft, source

from viva.agents.language_model.critics.faithfulness import Claim, FaithfulnessCritic, copied
from viva.agents.language_model.critics.grounds import AnswerabilityCritic, GroundednessCritic, says_the_same
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import Draft, ExpertAnswer, ItemKind, KnowledgeUnit, Verdict
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


def test_an_unanswerable_question_claims_nothing() -> None:
    assert one(FaithfulnessCritic(Says(), SETTINGS), None, ABSENT).passed


# --- groundedness, by the expert's rating --------------------------------------------------------------------


@pytest.mark.parametrize(("rating", "passes"), [(1, False), (3, False), (4, True), (5, True)])
def test_the_experts_rating_must_reach_the_least(rating: int, passes: bool) -> None:
    verdict = one(GroundednessCritic(SETTINGS), answer(groundedness=rating))
    assert (verdict.passed, verdict.code, verdict.score) == (passes, "" if passes else "ungrounded", (rating - 1) / 4)
    assert one(GroundednessCritic(Settings(min_rating=rating)), answer(groundedness=rating)).passed


def test_an_expert_who_rates_nothing_is_not_held_against_the_question() -> None:
    assert one(GroundednessCritic(SETTINGS), answer(groundedness=None)).passed


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


def close(text: str, question: str, reference: str, key: str, language: str = "en") -> bool:
    here = source(text)
    of = draft(here, text, question, key).model_copy(update={"language": language})
    return copied(key, reference, here, of)


@pytest.mark.parametrize(
    ("text", "question", "reference", "key"),
    [
        (
            FACT,
            "When does the lock gate at Quillon Ness close?",
            "The lock gate at Quillon Ness closes 35 minutes before low water.",
            "35 minutes before low water",
        ),
        (
            "It is greased each month.",
            "How often is the gate of the lock greased?",
            "The gate of the lock is greased each month.",
            "each month",
        ),
        (
            "Open the red valve before each trip.",
            "Which valve of the ferry do you open before each trip?",
            "You open the red valve of the ferry before each trip.",
            "the red valve",
        ),
        (
            "Inspect the hull each spring, looking for rust.",
            "When do you inspect the hull of a ferry?",
            "You inspect the hull of a ferry each spring, looking for rust.",
            "each spring",
        ),
        # the key in another form of its words
        (
            "Inspectors wear the orange helmet.",
            "What is worn?",
            "Inspectors wear the orange helmet.",
            "orange helmets",
        ),
        ("The mate signs the roll daily.", "What is signed?", "The mate signs the roll daily.", "signing the roll"),
        # what the question says may be left out
        (
            "On the ferry Corvina a car costs 18 pounds.",
            "What does a car cost on the ferry Corvina?",
            "A car costs 18 pounds.",
            "18 pounds",
        ),
        (
            "The purser, at the ramp, greets each passenger.",
            "Whom does the purser greet at the ramp?",
            "The purser greets each passenger.",
            "each passenger",
        ),
    ],
)
def test_a_sentence_of_the_passage_with_words_of_the_question_put_in_is_faithful(
    text: str, question: str, reference: str, key: str
) -> None:
    assert close(text, question, reference, key)
    # of other languages it is not known which words change a claim
    assert text == reference or not close(text, question, reference, key, "de")


@pytest.mark.parametrize(
    ("text", "question", "reference", "key"),
    [
        ("If the pump is hot, the valve opens.", "Which part opens?", "The valve opens.", "the valve"),
        ("The gate opens in winter only.", "When does the gate open?", "The gate opens in winter.", "in winter"),
        ("The gate never opens on Sunday.", "When does the gate open?", "The gate opens on Sunday.", "on Sunday"),
        (
            "The gate opens on Sunday.",
            "When does the gate not open?",
            "The gate does not open on Sunday.",
            "on Sunday",
        ),
        ("The trip takes about 40 minutes.", "How long is it?", "The trip takes 40 minutes.", "40 minutes"),
        ("The trip takes 40 minutes.", "How long is it?", "The trip takes about 40 minutes.", "about 40 minutes"),
        (
            "The north tank feeds the south tank.",
            "Which tank feeds the north tank?",
            "The south tank feeds the north tank.",
            "the south tank",
        ),
        ("The trip takes 40 minutes.", "How long does the trip take?", "The trip takes 45 minutes.", "45 minutes"),
        ("The gate opens at noon.", "When does it open?", "The gate opens at noon, and is red.", "noon"),
        # conditions and denials without a word of their own
        ("In winter the gate opens at noon.", "When does the gate open?", "The gate opens at noon.", "noon"),
        ("Boats with a permit pay 4 pounds.", "What do boats pay?", "Boats pay 4 pounds.", "4 pounds"),
        ("The clerk refuses to sign form B7.", "Who signs form B7?", "The clerk signs form B7.", "the clerk"),
        (
            "The master signs here, the mate the roll.",
            "Who signs the roll?",
            "The master signs the roll.",
            "the master",
        ),
        # names and figures that the question says, in another order
        ("Corvina tows Alder.", "Which tows the other, Alder or Corvina?", "Alder tows Corvina.", "Alder"),
        ("It takes 40 minutes.", "Does it take 40 or 45 minutes?", "It takes 45 minutes.", "45 minutes"),
        ("The fee for 3 days is 18 pounds.", "What is it for 7?", "The fee for 7 days is 18 pounds.", "18 pounds"),
        # what the key leaves out of its sentence
        ("It takes 35 to 40 minutes.", "How long is it?", "It takes 35 to 40 minutes.", "40 minutes"),
        ("Boats and buoys are painted.", "What is painted?", "Boats and buoys are painted.", "Boats"),
    ],
)
def test_a_sentence_that_says_more_less_or_otherwise_than_the_passage_is_asked_about(
    text: str, question: str, reference: str, key: str
) -> None:
    assert not close(text, question, reference, key)


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
