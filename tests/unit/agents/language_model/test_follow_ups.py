"""A follow-up is written with the conversation it needs, and refused where it can be understood without."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from asked import Says
from by_hand import draft, source
from by_id import by_id

from viva.agents.language_model.cast import language_model_cast
from viva.agents.roles import Source
from viva.core.records import Item, ItemKind, Turn, with_history
from viva.core.settings import Settings
from viva.graphs.authoring.state import Committee
from viva.graphs.chunk import ChunkRecord, walk_chunk

LEAVES = "The ferry Corvina leaves Quill at 07:40."
FACT = "A car on the ferry Corvina costs 18 pounds."
PLAIN = source(f"{LEAVES} {FACT}", "corvina.md", "Ferries")
HERE = Source(PLAIN.chunk, PLAIN.document, ItemKind.FOLLOW_UP)
FIRST, STEM = "When does the ferry Corvina leave Quill?", "And what does it cost for a car?"
HISTORY = (Turn(role="user", text=FIRST), Turn(role="assistant", text=LEAVES))

UNITS = {"facts": [type("Fact", (), {"statement": FACT, "quote": FACT, "sort": "detail"})]}
WRITTEN = {
    "rationale": "A driver plans the crossing.",
    "subject": "the ferry Corvina",
    "first_question": FIRST,
    "first_answer": LEAVES,
    "question_type": "quantity",
    "bloom": "remember",
    "stem": STEM,
    "answer_form": "an amount in pounds",
}
ANSWERED = {"quote": FACT, "answerable": True, "answer": "18 pounds", "reference": FACT, "groundedness": 5}
RATED = {
    "rationale": "Plain.",
    "known": False,
    "answer": "NONE",
    "guesses": ["12 pounds"],
    **dict.fromkeys(["stand_alone", "specificity", "usefulness", "natural"], 5),
    "faults": [],
    "reworded": "NONE",
    "bloom": ["remember"],
}
WRONG = [type("Wrong", (), {"text": f"{n} pounds", "why_wrong": "", "mistake": ""}) for n in (12, 15, 21, 24, 27)]
REVIEWED = {
    "quote": FACT,
    "rationale": "So it says.",
    "stated": True,
    "conversation_stated": True,
    "also_correct": [],
    "defensible": [],
    "odd": [],
    "tempting": [],
    "edits": [],
    "hidden": 4,
    "natural": 5,
    "worth": 5,
    "change": "NONE",
}


class Committees(Says):
    """Answers as scripted; what is asked about options by the letter of the key."""

    async def ask(self, role: str, signature: Any, **inputs: object) -> Any:
        asked = str(inputs.get("options", ""))
        letter = next((line.split(".")[0].strip("<> ") for line in asked.splitlines() if "18 pounds" in line), "")
        reply = self._replies.get(role.rpartition(".")[2], [{}])[0]
        if role == "judge.item":
            reply["best_option"] = letter
        return await super().ask(role, signature, **inputs)


def walk(revisions: int = 0, *, fleet: Sequence[Source] = (), **replies: Any) -> tuple[ChunkRecord, Says]:
    """`fleet`: what the library holds; of an empty one no search finds anything."""
    usual = {
        "units": UNITS,
        "writer": [dict(WRITTEN)],
        "expert": [ANSWERED],
        "question": dict(RATED),
        "distractors": {"rationale": "Amounts.", "distractors": WRONG},
        "item": dict(REVIEWED),
    }
    model = Committees(**{**usual, **replies})
    documents, chunks = by_id(each.document for each in fleet), by_id(each.chunk for each in fleet)
    cast = language_model_cast(model, Settings(), documents, chunks)
    return asyncio.run(walk_chunk(HERE, Committee(cast, 1, revisions, 0))), model


def the_item(found: ChunkRecord) -> Item:
    (item,) = found.items
    return item


def code(found: ChunkRecord) -> str:
    (rejection,) = found.rejections
    return rejection.verdict.code


def test_an_item_is_accepted_with_the_conversation_that_it_follows_on() -> None:
    found, _ = walk()
    item = the_item(found)
    assert (item.kind, item.stem, item.history, item.turn) == (ItemKind.FOLLOW_UP, STEM, HISTORY, 2)
    assert (item.key, [span.quote for span in item.evidence]) == ("18 pounds", [FACT])
    assert item.provenance.pattern.split()[0] == "follow_up_writer"
    wrong = [each.text for each in item.distractors]
    assert item.id == Item.id_of(STEM, item.key, wrong, item.evidence, HISTORY)


def test_all_who_see_the_question_see_its_conversation() -> None:
    found, model = walk()
    asked = [(role, str(inputs["question"])) for role, inputs in model.asked if "question" in inputs]
    assert [role for role, question in asked if FIRST not in question or LEAVES not in question] == []
    assert {role for role, _ in asked} >= {"expert", "judge.question", "distractors", "judge.item"}
    assert LEAVES in next(step.input for step in found.steps if step.role == "expert answerer")


def test_a_question_that_cannot_be_answered_with_its_conversation_is_rejected() -> None:
    found, model = walk(expert=[{**ANSWERED, "answerable": False}])
    assert code(found) == "not_answerable"
    assert model.roles.count("expert") == 1


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"stem": "And what does the Corvina cost for a car?"}, "names_subject"),
        ({"stem": "And what does a ferry cost for a car?"}, "names_subject"),
        ({"first_question": "When does it leave Quill?"}, "first_question"),
        ({"first_question": "When does the boat leave Quill?"}, "subject_not_named"),
        ({"stem": "NONE"}, "no_question"),
        ({"first_answer": "NONE"}, "no_question"),
    ],
)
def test_rules_hold_the_conversation_to_its_form_before_anybody_is_asked(changed: dict[str, str], why: str) -> None:
    found, model = walk(writer=[{**WRITTEN, **changed}])
    assert code(found) == why
    assert model.roles == ["units", "writer"]


def test_a_conversation_that_holds_the_answer_is_rejected() -> None:
    told = {**WRITTEN, "first_answer": "It leaves at 07:40, and takes a car for 18 pounds."}
    found, model = walk(writer=[told])
    assert code(found) == "answer_in_history"
    assert model.roles.count("expert") == 1


def test_a_first_answer_that_the_passage_does_not_state_is_rejected_with_the_item() -> None:
    found, model = walk(item={**REVIEWED, "conversation_stated": False})
    assert code(found) == "unfaithful_history"
    assert model.roles.count("judge.item") == 1


FLEET = [
    PLAIN,
    source("The ferry Alder leaves Quill at 06:10. A car on the ferry Alder costs 15 pounds.", "alder.md", "Ferries"),
    source(
        "The ferry Dunlin leaves Quill at 09:25. A car on the ferry Dunlin costs 21 pounds.", "dunlin.md", "Ferries"
    ),
]


def test_a_question_that_fits_all_ships_is_accepted_with_options_that_a_search_for_it_finds() -> None:
    found, model = walk(fleet=FLEET, item={**REVIEWED, "supported_elsewhere": [], "other_answer": "NONE"})
    assert {wrong.text for wrong in the_item(found).distractors} >= {"15 pounds", "21 pounds"}
    asked = {role: inputs for role, inputs in model.asked if "follow_up" in inputs}
    assert set(asked) == {"units", "distractors"}
    nearby = str(asked["distractors"]["nearby"])
    assert "15 pounds" in nearby
    assert "21 pounds" in nearby


def test_a_question_with_a_word_that_is_peculiar_to_its_passage_is_refused_without_a_call() -> None:
    found, model = walk(fleet=FLEET, writer=[{**WRITTEN, "stem": "What does it cost for a car at 07:40?"}])
    assert code(found) == "stands_alone"
    assert model.roles == ["units", "writer"]
    assert "by “07”, “40”" in found.rejections[0].verdict.reason


def test_options_that_a_search_for_the_bare_question_does_not_find_are_refused_before_the_review() -> None:
    wrong = [type("Wrong", (), {"text": f"{n} pounds", "why_wrong": "", "mistake": ""}) for n in (12, 24, 27)]
    found, model = walk(fleet=FLEET, distractors={"rationale": "Amounts.", "distractors": wrong})
    assert code(found) == "found_bare"
    assert "judge.item" not in model.roles


def test_who_revises_is_shown_the_conversation_that_was_refused() -> None:
    again = {**WRITTEN, "stem": "And the fare for a car?"}
    found, model = walk(revisions=1, writer=[{**WRITTEN, "stem": "And what does the Corvina cost?"}, again])
    assert the_item(found).stem == again["stem"]
    asked = [inputs for role, inputs in model.asked if role == "writer"][1]
    assert FIRST in str(asked["previous_question"])
    assert "names its subject" in str(asked["feedback"])


def test_a_conversation_is_compared_and_searched_with_as_one_text() -> None:
    assert with_history(STEM, HISTORY) == f"{FIRST} {LEAVES} {STEM}"
    assert with_history(STEM, ()) == STEM


def test_a_search_with_the_bare_question_says_nothing_of_single_hop_items() -> None:
    critics = language_model_cast(Says(), Settings()).screen
    (bare,) = [critic for panel in critics for critic in panel if critic.name == "bare question"]
    assert asyncio.run(bare.judge(draft(PLAIN, FACT, STEM, "18 pounds"), None, PLAIN)) == ()
