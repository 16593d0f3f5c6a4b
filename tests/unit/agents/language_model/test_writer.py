"""The question writer wishes for a type, takes what suits, revises by the critic's reason, and may decline."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from asked import Says
from by_hand import source, unit

from viva.agents.language_model.evidence import Evidence
from viva.agents.language_model.writer import TYPES, ModelQuestionWriter
from viva.core.errors import RoleFailed
from viva.core.records import Draft, KnowledgeUnit, QuestionType, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
UNIT = unit(HERE, FACT)
REPLY = {
    "rationale": "A skipper plans to leave.",
    "question_type": "multi-sentence",
    "bloom": "apply",
    "stem": "How long before low water does the lock gate close?",
    "key": "35 minutes",
    "reference_answer": "It closes 35 minutes before low water.",
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
    assert (draft.attempt, draft.stem, draft.key) == (0, REPLY["stem"], "35 minutes")
    assert (draft.question_type, draft.bloom.value) == (QuestionType.MULTI_SENTENCE, "apply")
    assert (draft.answer_form, draft.reference_answer) == ("a number of minutes", REPLY["reference_answer"])


def test_every_type_that_may_be_wished_for_is_one_that_items_may_have() -> None:
    assert [QuestionType(kind).value for kind in TYPES] == list(TYPES)


def test_the_wish_hangs_on_the_unit_and_spreads_over_all_types() -> None:
    text = " ".join(f"Pump {n} moves {n} litres." for n in range(200))
    writer = ModelQuestionWriter(Says(), Settings())
    wishes = [writer.wish(unit(source(text), f"Pump {n} moves {n} litres.")) for n in range(200)]
    again = [writer.wish(unit(source(text), f"Pump {n} moves {n} litres.")) for n in range(200)]
    assert wishes == again
    assert {kind for kind, _ in wishes} == set(TYPES)
    assert min(Counter(level for _, level in wishes).values()) > 20


def test_a_first_wording_is_asked_for_without_a_word_of_revision() -> None:
    _, model = write(REPLY)
    assert set(model.asked[0][1]) == {"title", "passage", "fact", "evidence", "wanted_type", "wanted_bloom"}


def test_a_revision_shows_the_model_what_was_refused_and_why() -> None:
    first = written(REPLY)
    second, model = write({**REPLY, "stem": "In Quillon Ness, how long?"}, previous=first, feedback=FAILED)
    assert second is not None
    assert (second.attempt, second.stem) == (1, "In Quillon Ness, how long?")
    assert first.stem in model.heard("previous_question")
    assert first.key in model.heard("previous_answer")
    assert FAILED.reason in model.heard("feedback")
    assert model.heard("feedback").startswith("<<<feedback ")


@pytest.mark.parametrize("stem", ["NONE", "none.", "", " \n", "“NONE”"])
def test_a_model_that_has_no_good_question_may_say_so(stem: str) -> None:
    assert write({**REPLY, "stem": stem})[0] is None


def test_a_model_that_repeats_itself_has_no_other_question() -> None:
    assert write(REPLY, previous=written(REPLY), feedback=FAILED)[0] is None


def test_a_unit_without_evidence_is_refused_and_no_call_is_made() -> None:
    bare = KnowledgeUnit.of(HERE.chunk, "The gate is red.", Evidence(HERE).nothing())
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
    ("said", "kept"), [("35 minutes.", "35 minutes"), ("the U.S.", "the U.S."), ("3.5", "3.5"), (" a\tb ", "a b")]
)
def test_a_key_ends_without_a_full_stop(said: str, kept: str) -> None:
    assert written({**REPLY, "key": said}).key == kept


def test_no_field_grows_without_bound() -> None:
    draft = written({**REPLY, **dict.fromkeys(("stem", "key", "reference_answer", "answer_form"), "x" * 100_000)})
    assert max(map(len, (draft.stem, draft.key, draft.reference_answer, draft.answer_form))) <= 800


def test_a_marker_that_was_broken_up_in_the_prompt_is_whole_in_the_draft() -> None:
    draft = written({**REPLY, "key": "<·|im_start|>"})
    assert draft.key == "<|im_start|>"
