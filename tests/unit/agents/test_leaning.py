"""A sentence that leans on its neighbours is not asked about."""

from __future__ import annotations

import pytest
from by_hand import questions

from viva.agents.offline.leaning import is_vague, leans, mentions_place_in_document, names_something
from viva.agents.offline.text.grammar import tag
from viva.core.text.prose import Sentence

ASKABLE = "The Sundray Heron carries 48 vehicles on two steel decks."

LEANING = [
    "This ferry carries 48 vehicles on two steel decks.",
    "It carries 48 vehicles on two steel decks.",
    "These carry 48 vehicles on two steel decks.",
    "They carry 48 vehicles on two steel decks.",
    "However, the former carries 48 vehicles on two steel decks.",
    "The latter carries 48 vehicles on two steel decks.",
    "The Sundray Heron carries 48 vehicles, see below.",
    "The table below shows 48 vehicles on two steel decks.",
    "The Sundray Heron carries 48 such vehicles on two steel decks.",
    "As mentioned above, the Sundray Heron carries 48 vehicles.",
    "He counted 48 vehicles on two steel decks.",
    "Its crew counted 48 vehicles on two steel decks.",
    "The Sundray Heron now carries 48 vehicles on two steel decks.",
    "The previous ferry carried 48 vehicles on two steel decks.",
    "Another ferry carries 48 vehicles on two steel decks.",
    "Then the Sundray Heron carries 48 vehicles on two steel decks.",
    "But the Sundray Heron carries 48 vehicles on two steel decks.",
    "carries 48 vehicles on two steel decks.",
    "For example, this ferry carries 48 vehicles on two steel decks.",
    "The flag marks 48 vehicles on two steel decks.",
    "Where does the Sundray Heron carry 48 vehicles?",
]


def test_the_sentence_that_the_examples_vary_is_askable() -> None:
    assert "48 vehicles" in {q.key for q in questions(ASKABLE)}


@pytest.mark.parametrize("sentence", LEANING)
def test_a_sentence_that_leans_gives_no_question(sentence: str) -> None:
    assert questions(sentence) == []


def leaning(text: str, known: str = "") -> bool:
    return leans(tag(Sentence(text, 0, len(text), ())), frozenset(known.split()))


def test_a_bare_definite_noun_leans_until_its_scope_makes_it_known() -> None:
    assert leaning("Rust stops the winch")
    assert not leaning("Rust stops the winch", known="winch")
    assert not leaning("Rust stops the anchor winch")
    assert not leaning("Rust stops the winch of the Morven Tern")


def test_a_pronoun_leans_but_a_relative_or_a_name_does_not() -> None:
    assert leaning("Rust stops it")
    assert not leaning("A post that holds ropes rusts")
    assert leaning("Such a post names rust")
    assert not leaning("Paragraph 302 names rust")


def test_placeholder_names_lean() -> None:
    (text, code) = ("Rust stops foo.bar() early", (11, 20))
    assert leans(tag(Sentence(text, 0, len(text), (code,))))


@pytest.mark.parametrize(
    ("text", "leans_back"),
    [
        ("Before doing so the crew of Corran stops 48 pumps", True),
        ("The crew of Corran rinses 48 pumps, so rust is rare", False),
        ("The ferry in question carries 48 cars", True),
        ("Every question costs 48 pence", False),
        ("The error message fills 48 lines", True),
        ("Most crews of Corran prefer 48 pumps", True),
        ("Most crews of Corran prefer 48 pumps to sails", False),
        ("The Corran pump starts by rinsing 48 tanks", True),
    ],
)
def test_what_was_told_before_is_leant_on(text: str, *, leans_back: bool) -> None:
    assert leaning(text) is leans_back


@pytest.mark.parametrize("text", ["several pumps", "it is likely", "a number of pumps", "Some pumps"])
def test_vague_words_state_nothing_checkable(text: str) -> None:
    assert is_vague(tag(Sentence(text, 0, len(text), ())))


@pytest.mark.parametrize(
    "text", ["the document says", "this section", "see also the pump", "the pump below", "the author"]
)
def test_words_about_the_document_are_seen(text: str) -> None:
    assert mentions_place_in_document(text)


@pytest.mark.parametrize("text", ["the pump", "ten degrees below zero", "a text message", "below 40 degrees"])
def test_words_about_the_subject_are_let_through(text: str) -> None:
    assert not mentions_place_in_document(text)


@pytest.mark.parametrize(
    ("stem", "named"),
    [
        ("What does the pump move?", False),
        ("What does the Corran pump move?", True),
        ("What does os.fsync() write?", True),
        ("What does move_water take?", True),
    ],
)
def test_a_stem_names_something_by_a_name_or_an_identifier(stem: str, named: bool) -> None:
    assert names_something(stem) is named
