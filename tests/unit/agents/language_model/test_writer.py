"""The question writer words questions without answers, revises by the critic's reason, and may decline."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from asked import Says
from by_hand import source, unit
from by_id import by_id

from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.evidence import EvidenceFinder
from viva.agents.language_model.replies import option
from viva.agents.language_model.writer import TYPES, WISHED_BLOOM, WISHED_TYPES, ModelQuestionWriter
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import BloomLevel, Draft, ExpertAnswer, ItemKind, KnowledgeUnit, QuestionType, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
UNIT = unit(HERE, FACT)
REPLY = {
    "rationale": "A skipper plans to leave.",
    "question_type": "multi-sentence",
    "bloom": "apply",
    "stem": "How long before low water does the lock gate close?",
    "answer_form": "a number of minutes",
}
FAILED = Verdict(critic="stand-alone", passed=False, reason="It must name the harbour.", code="not_stand_alone")


def write(
    *replies: dict[str, Any], previous: Draft | None = None, feedback: Verdict | None = None, of: KnowledgeUnit = UNIT
) -> tuple[Draft | None, Says]:
    model = Says(writer=list(replies))
    return asyncio.run(ModelQuestionWriter(model, Settings()).write(of, HERE, previous, feedback)), model


def written(reply: dict[str, Any], **more: Any) -> Draft:
    draft, _ = write(reply, **more)
    assert draft is not None
    return draft


def test_a_draft_holds_what_the_model_gave_each_in_its_own_type() -> None:
    draft = written(REPLY)
    assert (draft.attempt, draft.stem, draft.answer_form) == (0, REPLY["stem"], "a number of minutes")
    assert (draft.question_type, draft.bloom) == (QuestionType.MULTI_SENTENCE, (BloomLevel.APPLY,))


def test_the_writer_gives_no_answer_and_leaves_the_key_to_the_expert() -> None:
    draft = written(REPLY)
    assert (draft.key, draft.reference_answer, draft.key_from) == ("", "", "expert")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The lock gate closes 35 minutes before low water, and then it stays shut for an hour and a half.", "en"),
        (
            "Das Schleusentor schließt 35 Minuten vor Niedrigwasser und bleibt dann eine Stunde lang geschlossen.",
            "de",
        ),
        ("La porte de l'écluse ferme 35 minutes avant la basse mer et reste ensuite fermée pendant une heure.", "fr"),
    ],
)
def test_the_writer_is_told_the_language_of_the_source(text: str, language: str) -> None:
    here = source(text)
    model = Says(writer=REPLY)
    draft = asyncio.run(ModelQuestionWriter(model, Settings()).write(unit(here, text), here, None, None))
    assert draft is not None
    assert draft.language == model.heard("language") == language


def test_a_passage_that_does_not_show_its_language_has_that_of_the_corpus() -> None:
    text = "5 kW, 12 V, 3 A."
    here = source(text)
    model = Says(writer=REPLY)
    writer = ModelQuestionWriter(model, Settings(), CorpusSearch(by_id([HERE.document]), {}))
    draft = asyncio.run(writer.write(unit(here, text), here, None, None))
    assert draft is not None
    assert draft.language == model.heard("language") == "en"


def test_every_type_that_may_be_wished_for_is_one_that_items_may_have() -> None:
    assert [QuestionType(kind).value for kind in TYPES] == list(TYPES)


def test_the_wish_follows_the_fact_and_spreads_over_all_types_where_two_are_joined() -> None:
    text = " ".join(f"Pump {n} moves {n} litres." for n in range(200))
    writer = ModelQuestionWriter(Says(), Settings())
    alone = [unit(source(text), f"Pump {n} moves {n} litres.") for n in range(200)]
    assert {writer.wish(each) for each in alone} == {("factoid", "remember")}
    joined = [each.model_copy(update={"second": each.evidence}) for each in alone]
    wishes = [writer.wish(each) for each in joined]
    assert wishes == [writer.wish(each) for each in joined]
    assert {kind for kind, _ in wishes} == set(WISHED_TYPES)
    assert {level for _, level in wishes} == set(WISHED_BLOOM)
    assert min(Counter(level for _, level in wishes).values()) > 20


@pytest.mark.parametrize(
    ("blueprint", "kinds", "levels"),
    [
        ("type.quantity=0.5,bloom.apply=1", {"quantity", *WISHED_TYPES}, {"apply"}),
        ("type.cause=1,bloom.create=0.5,bloom.apply=0.5", {"cause"}, {"create", "apply"}),
        ("type.cause=0", set(WISHED_TYPES) - {"cause"}, {"remember"}),
        (",".join(f"bloom.{level}=0" for level in WISHED_BLOOM), {"factoid"}, set(WISHED_BLOOM)),
    ],
)
def test_a_blueprint_moves_the_wishes(blueprint: str, kinds: set[str], levels: set[str]) -> None:
    text = " ".join(f"Pump {n} moves {n} litres." for n in range(200))
    writer = ModelQuestionWriter(Says(), Settings(blueprint=blueprint))
    wishes = [writer.wish(unit(source(text), f"Pump {n} moves {n} litres.")) for n in range(200)]
    assert {kind for kind, _ in wishes} == kinds
    assert {level for _, level in wishes} == levels
    if "type.quantity=0.5" in blueprint:
        assert 70 < sum(kind == "quantity" for kind, _ in wishes) < 130


def test_a_first_wording_is_asked_for_without_a_word_of_revision() -> None:
    _, model = write(REPLY)
    told = {"source", "passage", "fact", "evidence", "language", "wanted_type", "wanted_bloom"}
    assert set(model.asked[0][1]) == told


def test_a_revision_shows_the_model_what_was_refused_and_why() -> None:
    first = written(REPLY)
    second, model = write({**REPLY, "stem": "In Quillon Ness, how long?"}, previous=first, feedback=FAILED)
    assert second is not None
    assert (second.attempt, second.stem) == (1, "In Quillon Ness, how long?")
    assert first.stem in model.heard("previous_question")
    assert FAILED.reason in model.heard("feedback")
    assert model.heard("feedback").startswith("<<<feedback ")


# --- other kinds ---------------------------------------------------------------------------------------------

BRIDGE = source("The swing bridge opens at noon.", "bridge.md", "Bridge")


def of_kind(kind: ItemKind) -> tuple[Draft, Says]:
    at = Source(HERE.chunk, HERE.document, kind, BRIDGE if kind is ItemKind.MULTI_HOP else None)
    other = unit(BRIDGE, BRIDGE.chunk.text).evidence if at.second else None
    model = Says(writer=REPLY)
    asked = KnowledgeUnit.of(HERE.chunk, "A fact.", UNIT.evidence, other, at=at.id)
    draft = asyncio.run(ModelQuestionWriter(model, Settings()).write(asked, at, None, None))
    assert draft is not None
    assert draft.kind is kind
    return draft, model


def test_a_multi_hop_writer_reads_both_passages_and_the_words_of_each() -> None:
    draft, model = of_kind(ItemKind.MULTI_HOP)
    assert FACT in model.heard("first_evidence")
    assert BRIDGE.chunk.text in model.heard("second_evidence")
    assert "Part 2 of 2" in model.heard("passage")
    assert draft.pattern.startswith("multi_hop_writer ")
    assert (draft.key, draft.key_from) == ("", "expert")


def test_the_key_of_an_unanswerable_item_is_the_writers_and_says_so_whatever_the_expert_says() -> None:
    draft, _ = of_kind(ItemKind.UNANSWERABLE)
    assert (draft.key, draft.key_from) == ("The documents do not say.", "writer")
    assert draft.reference_answer == draft.key
    assert draft.pattern.startswith("unanswerable_writer ")
    assert draft.answered(ExpertAnswer(text="35 minutes", reference=FACT)) == draft


@pytest.mark.parametrize("stem", ["NONE", "none.", "", " \n", "“NONE”"])
def test_a_model_that_has_no_good_question_may_say_so(stem: str) -> None:
    assert write({**REPLY, "stem": stem})[0] is None


def test_a_model_that_repeats_itself_has_no_other_question() -> None:
    assert write(REPLY, previous=written(REPLY), feedback=FAILED)[0] is None


def test_a_unit_without_evidence_is_refused_and_no_call_is_made() -> None:
    bare = KnowledgeUnit.of(HERE.chunk, "The gate is red.", EvidenceFinder(HERE).nothing())
    model = Says()
    with pytest.raises(RoleFailed) as failed:
        asyncio.run(ModelQuestionWriter(model, Settings()).write(bare, HERE, None, None))
    assert (failed.value.code, model.asked) == ("evidence_not_found", [])


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ('"How long does it take?"', "How long does it take?"),
        ("“What is it?”", "What is it?"),
        ("What is “it”?", "What is “it”?"),
        ('"A" or "B"', '"A" or "B"'),
        ("What\nis\x00 it?\u202e", "What is it?"),
    ],
)
def test_a_stem_is_one_line_without_quotation_marks_around_it(said: str, kept: str) -> None:
    assert written({**REPLY, "stem": said}).stem == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("35 minutes.", "35 minutes"),
        ("the U.S.", "the U.S."),
        ("3.5", "3.5"),
        (" a\tb ", "a b"),
        ("`c`", "c"),
        ("`c` `", "c"),
        ("c`", "c"),
        ("**the** *gate*", "the gate"),
        ("[the gate](gate.md)", "the gate"),
        (r"version 1\.2 of snake\_case", "version 1.2 of snake_case"),
        ("`a\\.b*c*`", "a\\.b*c*"),
        (r"\d+\.\d+", r"\d+\.\d+"),
        ("__init__", "__init__"),
        ("2*3*4", "2*3*4"),
        ("*args and **kwargs", "*args and **kwargs"),
        ("<b>", "<b>"),
    ],
)
def test_an_option_is_plain_and_ends_without_a_full_stop(said: str, kept: str) -> None:
    assert option(said) == kept


def test_no_field_grows_without_bound() -> None:
    draft = written({**REPLY, **dict.fromkeys(("stem", "answer_form"), "x" * 100_000)})
    assert max(map(len, (draft.stem, draft.answer_form))) <= 800


def test_a_marker_that_was_broken_up_in_the_prompt_is_whole_in_the_draft() -> None:
    assert written({**REPLY, "stem": "What does <·|im_start|> open?"}).stem == "What does <|im_start|> open?"


@pytest.mark.parametrize("above_recall", [False, True])
def test_the_writer_is_told_where_more_than_remembering_is_no_mere_wish(*, above_recall: bool) -> None:
    model = Says(writer=[REPLY])
    asked = replace(HERE, above_recall=above_recall)
    asyncio.run(ModelQuestionWriter(model, Settings()).write(UNIT, asked, None, None))
    assert ("demand" in model.asked[0][1]) is above_recall
    assert not above_recall or "above remember" in model.heard("demand")
