"""Terms of one noun, where a corpus names terms, and what is misspelt in it."""

from __future__ import annotations

import pytest
from by_hand import bank, source

from viva.agents.offline.compounds import Compounds
from viva.agents.offline.mentions import Mentions
from viva.agents.offline.spelling import Spelling

BUOYS = (
    "The bell buoy is red. Pilots pass the bell buoy at night. The spar buoy leans with the tide. "
    "Crews paint the spar buoy in spring. A new buoy costs more. The harbour bought a new buoy. "
    "A single cable holds the mooring buoy. The chain drags on rock."
)


def beside(term: str, *texts: str) -> list[str]:
    known = Mentions(bank(*(source(text, f"{n}.md", f"Part {n}") for n, text in enumerate(texts))))
    return [found.term for found in Compounds(known).beside(term)]


def test_a_term_of_the_noun_is_what_a_document_uses_more_than_once() -> None:
    assert beside("bell buoy", BUOYS) == ["Bell buoy", "Spar buoy"]


def test_what_each_document_says_once_is_no_term() -> None:
    once = "The crew saw the spar buoy at dawn."
    assert beside("bell buoy", once, once.replace("crew", "pilot"), once.replace("crew", "master")) == []


def test_a_term_of_one_word_has_none_beside_it() -> None:
    assert beside("buoy", BUOYS) == []


def test_a_word_that_goes_with_every_noun_makes_no_term_beside_one_that_goes_with_few() -> None:
    nouns = "pump valve winch hose lamp gauge drum rope".split()
    wide = " ".join(f"The harbour {noun} is old. Crews grease the harbour {noun}." for noun in nouns)
    assert beside("bell buoy", f"{BUOYS} The harbour buoy is red. Pilots know the harbour buoy. {wide}") == [
        "Bell buoy",
        "Spar buoy",
    ]


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("The spar buoy, also called the pole buoy, leans with the tide.", True),
        ("The spar buoy (pole buoy) leans with the tide.", True),
        ("A spar buoy is a pole buoy of steel.", True),
        ("The spar buoy leans and the pole buoy stands.", False),
    ],
)
def test_two_names_of_one_thing_are_told_from_two_things(text: str, one: bool) -> None:
    assert Mentions(bank(source(text))).are_one("spar buoy", "pole buoy") is one


def test_a_term_that_every_tenth_document_names_is_known_to_everybody() -> None:
    others = [source(f"Deck {n} holds cars.", f"{n}.md", f"Deck {n}") for n in range(40)]
    named = [source(f"Fog hides deck {n}.", f"fog{n}.md", f"Fog {n}") for n in range(8)]
    assert Mentions(bank(*others, *named)).is_common("fog")
    assert not Mentions(bank(*others, *named[:5])).is_common("fog")


def test_what_a_few_sentences_running_say_of_another_term_is_told_of_it() -> None:
    told = "Spar buoy. It leans with the tide. It marks a wreck by its colour."
    known = Mentions(bank(source(told, "spar.md", "Spar buoy")))
    assert known.tell_at_length("spar buoy", "a float that leans and marks a wreck", "float")
    assert not known.tell_at_length("spar buoy", "a float that rings and warns in a fog", "float")


PEROXISOMES = "Peroxisomes break down acids. Cells hold peroxisomes. Livers need peroxisomes. "


@pytest.mark.parametrize(
    ("word", "doubtful"),
    [("perixisomes", True), ("peroxisomes", False), ("potassium", False), ("Schnlein", True), ("strength", False)],
)
def test_a_rare_neighbour_of_a_known_word_is_taken_for_a_slip(word: str, doubtful: bool) -> None:
    known = bank(source(f"{PEROXISOMES} Some call them {word}."))
    assert Spelling(known).is_doubtful(f"a disorder of {word}") is doubtful


def test_two_letters_that_changed_places_are_a_slip() -> None:
    text = "The reservoir is deep. A reservoir leaks. Each reservoir is drained. The reservior is old."
    assert Spelling(bank(source(text))).is_doubtful("an old reservior")
