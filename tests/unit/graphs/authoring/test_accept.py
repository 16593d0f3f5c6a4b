"""What becomes of a draft that everybody passed."""

from __future__ import annotations

import pytest
from by_hand import distractors, draft, source, unit

from viva.agents.roles import MODEL_CAST
from viva.core.records import BloomLevel, Draft, Item, ItemKind, QuestionWord, Trial, Verdict
from viva.graphs.authoring.accept import accepted

HERE = source("Pumps move water. Valves stop it.")
DRAFT = draft(HERE, "Pumps move water.", "What moves water?", "pumps").model_copy(update={"attempt": 2})


def made(of: Draft = DRAFT, *verdicts: Verdict) -> Item:
    return accepted(of, distractors("cars", "cats", "cows"), verdicts, topic="pumps", cast="offline")


def test_an_item_keeps_where_it_comes_from() -> None:
    item = made()
    assert (item.provenance.attempts, item.provenance.chunk_id) == (3, HERE.chunk.id)
    (span,) = item.evidence
    assert span.quote == HERE.document.text[span.start : span.end]


def test_an_item_is_classified_by_its_wording() -> None:
    assert made().question_word is QuestionWord.WHAT
    assert BloomLevel.REMEMBER in made().bloom


def test_a_critics_word_on_bloom_levels_goes_before_the_rules() -> None:
    judged = Verdict(critic="question", passed=True, reason="yes", bloom=(BloomLevel.CREATE, BloomLevel.ANALYZE))
    assert made(DRAFT, judged).bloom == (BloomLevel.ANALYZE, BloomLevel.CREATE)


@pytest.mark.parametrize(("cast", "doubts"), [(MODEL_CAST, 3), ("offline", 0)])
def test_an_item_keeps_what_ratings_of_models_lack_of_the_best(cast: str, doubts: int) -> None:
    rated = [Verdict(critic=f"{n}", passed=True, reason="", score=score) for n, score in enumerate((1.0, 0.75, 0.5))]
    silent = Verdict(critic="wording", passed=True, reason="")
    wrong = distractors("cars", "cats", "cows")
    assert accepted(DRAFT, wrong, [*rated, silent], topic="pumps", cast=cast).doubts == doubts


def test_an_item_keeps_how_its_readers_fared() -> None:
    blind = Trial(reader="lexical", with_evidence=False, picked=1, tried=3)
    seeing = Trial(reader="lexical", with_evidence=True, picked=1, tried=1)
    first = Verdict(critic="solvable", passed=True, reason="yes", trials=(blind, seeing))
    again = Verdict(critic="solvable", passed=True, reason="yes", trials=(blind,))
    assert made(DRAFT, first, again).trials == (blind.model_copy(update={"picked": 2, "tried": 6}), seeing)


def test_a_multi_hop_item_rests_on_both_its_facts_and_an_unanswerable_one_on_none() -> None:
    both = DRAFT.unit.model_copy(update={"second": unit(HERE, "Valves stop it.").evidence})
    two = DRAFT.model_copy(update={"unit": both, "kind": ItemKind.MULTI_HOP})
    assert [span.quote for span in made(two).evidence] == ["Pumps move water.", "Valves stop it."]
    assert made(DRAFT.model_copy(update={"kind": ItemKind.UNANSWERABLE})).evidence == ()


def test_what_a_critic_found_known_without_documents_is_marked_and_is_the_same_item() -> None:
    knew = Verdict(critic="blind solving", passed=True, reason="yes", known=True)
    others = Verdict(critic="options", passed=True, reason="yes")
    marked, plain = made(DRAFT, others, knew), made(DRAFT, others)
    assert (marked.known, plain.known) == (True, False)
    assert marked.id == plain.id
    old = plain.model_dump(mode="json", exclude={"known"})
    assert Item.model_validate(old) == plain


def test_what_is_known_or_guessed_is_one_thing_answerable_without_documents() -> None:
    said = Verdict(critic="question", passed=True, reason="")
    marks = ({}, {"known": True}, {"guessable": True}, {"disputable": True})
    assert [made(DRAFT, said.model_copy(update=mark)).without_documents for mark in marks] == [
        False,
        True,
        True,
        False,
    ]
