"""Critics pass what is right, fail what is wrong under its own code, and ask no model what a rule can tell."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from by_hand import draft, source

from viva.agents.language_model.critics.grounds import AnswerabilityCritic, GroundednessCritic, says_the_same
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.roles import Source
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


# --- groundedness, by the expert's rating --------------------------------------------------------------------


@pytest.mark.parametrize(("rating", "passes"), [(1, False), (3, False), (4, True), (5, True)])
def test_the_experts_rating_must_reach_the_least(rating: int, passes: bool) -> None:
    verdict = one(GroundednessCritic(SETTINGS), answer(groundedness=rating))
    assert (verdict.passed, verdict.code, verdict.score) == (passes, "" if passes else "ungrounded", (rating - 1) / 4)
    assert one(GroundednessCritic(Settings(min_rating=rating)), answer(groundedness=rating)).passed


def test_an_expert_who_rates_nothing_is_not_held_against_the_question() -> None:
    assert one(GroundednessCritic(SETTINGS), answer(groundedness=None)).passed
