"""Phrases for wrong options are whole, and can be understood without their sentence."""

from __future__ import annotations

import pytest

from viva.agents.offline.text.grammar import tag
from viva.agents.offline.text.phrases import NOUN_PHRASE, phrases
from viva.core.text.prose import sentences


def found(text: str, form: str) -> list[str]:
    (sentence,) = sentences(text)
    return [phrase.text for phrase in phrases(sentence.text, tag(sentence)) if phrase.form == form]


def test_noun_phrases_come_bare_and_with_what_belongs_to_them() -> None:
    phrases_found = found("A pump of cast iron moves cold water.", NOUN_PHRASE)
    assert {"A pump of cast iron", "Cold water"} <= set(phrases_found)


def test_a_list_is_one_phrase() -> None:
    assert "Headache, fever and pain" in found("Symptoms include headache, fever and pain.", NOUN_PHRASE)


@pytest.mark.parametrize(
    ("text", "form", "said"),
    [
        (
            "The door stays shut because salt water damages rubber seals.",
            "clause:because",
            "Because salt water damages rubber seals",
        ),
        ("Crews rinse winches when salt water dries on steel.", "clause:when", "When salt water dries on steel"),
        ("A valve is used to control water pressure.", "use:to", "To control water pressure"),
    ],
)
def test_clauses_and_purposes_have_the_form_of_keys(text: str, form: str, said: str) -> None:
    assert said in found(text, form)


@pytest.mark.parametrize(
    "text",
    [
        "It stops because they say so.",
        "Crews stop when you shout at them.",
        "The mate said that this is a sign of something.",
    ],
)
def test_what_leans_on_its_sentence_is_left(text: str) -> None:
    (sentence,) = sentences(text)
    assert all(phrase.form == NOUN_PHRASE for phrase in phrases(sentence.text, tag(sentence)))


def test_a_purpose_ends_with_what_it_is_about() -> None:
    assert not found("A valve is used to relieve water pressure and induce.", "use:to")
