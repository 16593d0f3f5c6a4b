"""What a corpus tells of its words."""

from __future__ import annotations

from by_hand import bank, document, source

from viva.agents.offline.text.vocabulary import Vocabulary


def of(*texts: str) -> Vocabulary:
    return Vocabulary.of([document(text, path=f"{n}.md") for n, text in enumerate(texts)])


def test_two_frequent_words_without_their_space_are_spoilt() -> None:
    prose = "The tract moves food. It is called long. " * 10
    assert of(prose + "The last part of the tractcalled gut moves food.").spoilt == {"tractcalled"}


def test_a_plural_that_english_does_not_form_is_a_genitive_without_apostrophe() -> None:
    assert of("The bodys immune system and the childs arm, the boys and the toys.").spoilt == {"bodys", "childs"}


def test_a_name_met_on_one_page_only_is_a_storys_actor() -> None:
    far = "The winch turns slowly in the cold. " * 100
    story = "Later Carla sells a ticket. Then Carla rests then, much later. Here Brannoch stands."
    found = of(f"{story} {far} And Brannoch sleeps.")
    assert found.passing == {"Carla"}


def test_names_with_a_surname_or_a_year_are_no_actors() -> None:
    assert of("Here Jean Piaget wrote. So Piaget said. As Skinner (1953) wrote, Skinner rested.").passing == set()


def test_no_question_is_asked_of_a_story() -> None:
    told = source("Imagine a ferry at sea. The Sundray Heron can carry 48 vehicles on a single deck.")
    plain = source("A ferry is at sea. The Sundray Heron can carry 48 vehicles on a single deck.")
    assert [len(bank(s).facts[s.chunk.id]) for s in (told, plain)] == [0, 1]


def test_a_heading_run_into_its_sentence_gives_no_question() -> None:
    torn = source("Deck Gear Deck gear is the equipment that moves ropes on a ferry.")
    assert bank(torn).facts[torn.chunk.id] == []


def test_a_word_met_once_with_two_letters_changed_over_is_spoilt() -> None:
    assert of("The affected hull rusts. " * 12 + "The affecetd hull rusts.").spoilt == {"affecetd"}


def test_a_noun_that_never_goes_without_its_article_asks_for_it() -> None:
    told = "A tide model is kept. Each ferry has a tide model. Rust comes of water and with water. A water is calm. "
    assert "model" in of(told).countable
    assert "water" not in of(told).countable
    bare = source(told + "Positive tide model protects 48 ferries from surprise.")
    full = source(told + "The positive tide model protects 48 ferries from surprise.")
    assert [
        any("positive tide" in q.stem for f in bank(s).facts[s.chunk.id] for q in f.questions) for s in (bare, full)
    ] == [
        False,
        True,
    ]
