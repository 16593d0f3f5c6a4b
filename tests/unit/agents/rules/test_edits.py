"""A critic's edits are made where nothing but the wording changes."""

from __future__ import annotations

import pytest
from by_hand import distractors, draft, source

from viva.agents.rules.edits import edited
from viva.core.records import ItemKind, Rewording

FACT = "At Quillon Ness the lock gate closes 35 minutes before low water."
DRAFT = draft(
    source(FACT), FACT, "How long before low water does the gate at Quillon Ness close?", "35 minutes earlier"
)
WRONG = distractors("15 minutes earlier", "45 minutes earlier", "an hour earlier")


def texts(*edits: tuple[str, str], of: object = DRAFT) -> list[str] | None:
    """Stem, key and wrong options after these edits; None where none is made."""
    made = edited(of, WRONG, [Rewording(old=old, new=new) for old, new in edits])  # type: ignore[arg-type]
    return None if made is None else [made[0].stem, made[0].key, *(wrong.text for wrong in made[1])]


def test_words_are_replaced_in_stem_key_and_wrong_options_wherever_they_stand() -> None:
    stem, *options = texts(("earlier", ""), ("the gate", "the lock gate")) or []
    assert stem == "How long before low water does the lock gate at Quillon Ness close?"
    assert options == ["35 minutes", "15 minutes", "45 minutes", "an hour"]


def test_words_that_are_left_out_leave_no_space_before_what_follows() -> None:
    assert (texts(("at Quillon Ness close", "at Quillon Ness"), ("How long before", "Before")) or [""])[0] == (
        "Before low water does the gate at Quillon Ness?"
    )
    shorter = DRAFT.model_copy(update={"stem": "Which parts close too?"})
    assert (texts(("too", ""), of=shorter) or [""])[0] == "Which parts close?"


@pytest.mark.parametrize(
    "edit",
    [
        ("35 minutes", "40 minutes"),
        ("an hour", "1 hour"),
        ("at Quillon Ness", "at the harbour"),
        ("the gate", "the Mardle gate"),
        ("35 minutes earlier", ""),
    ],
)
def test_a_figure_or_a_name_that_would_go_or_come_keeps_all_as_it_is(edit: tuple[str, str]) -> None:
    assert texts(("How long", "By how much"), edit) is None


@pytest.mark.parametrize("edit", [("the quay", "a quay"), ("ate", "ated"), ("45 minutes", "15 minutes")])
def test_what_changes_nothing_parts_a_word_or_makes_two_options_one_is_not_made(edit: tuple[str, str]) -> None:
    assert texts(edit) is None


def test_a_key_that_would_stand_in_the_stem_is_not_made() -> None:
    named = DRAFT.model_copy(update={"key": "the lock gate"})
    assert texts(("the gate", "the lock gate"), of=named) is None


def test_the_sentence_that_is_the_key_of_an_unanswerable_question_stays() -> None:
    absent = DRAFT.model_copy(update={"key": "The documents do not say", "kind": ItemKind.UNANSWERABLE})
    assert texts(("do not say", "say nothing"), of=absent) is None
    assert (texts(("earlier", ""), of=absent) or [])[1] == absent.key


@pytest.mark.parametrize(
    ("stem", "reworded"),
    [
        ("Without which permit may I not moor?", "Which permit do I need to moor?"),
        ("My boat is late. When does it close?", "When does it close if my boat is late?"),
        ("TTS staff use which form?", "Which form do TTS staff use?"),
    ],
)
def test_capitals_that_begin_a_sentence_and_the_pronoun_are_no_names(stem: str, reworded: str) -> None:
    made = edited(DRAFT.model_copy(update={"stem": stem}), (), [Rewording(old=stem, new=reworded)])
    assert made is not None
    assert made[0].stem == reworded
