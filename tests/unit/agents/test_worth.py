"""A value is worth asking for where it is a fact of the subject and no other value answers as well."""

from __future__ import annotations

import pytest
from by_hand import questions

from viva.agents.offline.gaps import Proposal
from viva.agents.offline.worth import full_names_in, is_worth_asking, named_in_full, surnames_in
from viva.core.records import BloomLevel, QuestionType

SURNAMES = frozenset({"Ellery", "Brannoch"})
KNOWN = "island ferry deck crew harbour"


def asked(stem: str, key: str = "1987", form: str = "date:year") -> bool:
    question = Proposal(stem, key, form, QuestionType.QUANTITY, BloomLevel.REMEMBER, "ask-quantity", 0.9)
    return is_worth_asking(question, SURNAMES)


WORTH = {
    "a quantity": "The Sundray Heron carries 48 vehicles.",
    "a delay": "Season tickets expire after 90 days.",
    "a year": "The Morven Tern was launched in 1987.",
    "a price": "Passengers pay £15 for a lost ticket.",
    "an interval beside one number": "Radio checks are made on channel 16 every six hours.",
    "an actor who is no person": "In 1994, island families bought the Corran slipway.",
}


@pytest.mark.parametrize("sentence", WORTH.values(), ids=WORTH.keys())
def test_a_fact_of_the_subject_is_worth_asking(sentence: str) -> None:
    found = questions(sentence, KNOWN)
    assert found
    assert all(is_worth_asking(question, SURNAMES) for question in found)


NOT_WORTH = {
    "what a study found": "The survey of 1987 found 48 vehicles on the Sundray Heron.",
    "a birth": "The first pilot of Corran was born in 1987.",
    "a career": "Tomas Corran was hired in 1987.",
    "a count of people": "The Sundray Heron carries 120 people.",
    "a person by surname alone": "Ellery built the Corran slipway in 1987.",
    "a person after an opening": "In 1994, Ellery bought the Corran slipway.",
    "by a year": "The hull of the Sundray Heron was built by 1987.",
    "an age": "The bridge lamp of the Sundray Heron is 12 years old.",
    "three numbers": "Radio checks are made on channels 16 and 17 every six hours.",
}


@pytest.mark.parametrize("sentence", NOT_WORTH.values(), ids=NOT_WORTH.keys())
def test_a_figure_of_one_study_one_life_or_of_many_answers_is_not(sentence: str) -> None:
    found = questions(sentence, KNOWN)
    assert found
    assert not any(is_worth_asking(question, SURNAMES) for question in found)


NEAR = {
    "a message": ("Which date completes this: “Ada Brannoch raised the issue in ____.”?", "1987", False),
    "a degree of no field": ("Which date completes this: “She got the first PhD in ____ at Corran.”?", "1987", False),
    "a degree of a field": ("Which date completes this: “She got the first PhD in law in ____.”?", "1987", True),
    "a number that is part of a name": ("How many litres does pump K-12 of deck 4 hold?", "60 litres", True),
    "two plain numbers": ("How many litres does pump 12 of deck 4 hold?", "60 litres", False),
    "at most": ("“The tank holds at most ____ of oil.”", "60 litres", True),
    "up to": ("“The tank holds up to ____ of oil.”", "60 litres", False),
    "in which year": ("In which year was the quay closed?", "1987", True),
    "by which year": ("By which year was the quay closed?", "1987", False),
    "the first of several": ("“A first lock holds ____ of water.”", "60 litres", True),
    "another of several": ("“A second lock holds ____ of water.”", "60 litres", False),
    "all of them": ("How many litres do the pumps hold?", "60 litres", True),
    "one of them": ("How many litres does one of the pumps hold?", "60 litres", False),
    "a place that acts": ("In which year did Corran build the slipway?", "1987", True),
    "a surname that acts": ("In which year did Ellery build the slipway?", "1987", False),
    "a full name that acts": ("In which year did Ada Brannoch build the slipway?", "1987", True),
    "a surname that is told of": ("In which year was the tower of Ellery built?", "1987", True),
    "ferries counted": ("How many ferries does the yard hold?", "48 ferries", True),
    "patients counted": ("How many patients does the ward hold?", "48 patients", False),
}


@pytest.mark.parametrize(("stem", "key", "worth"), NEAR.values(), ids=NEAR.keys())
def test_the_wording_of_a_stem_decides_whether_one_value_answers_it(stem: str, key: str, worth: bool) -> None:
    assert asked(stem, key, "quantity:litre") is worth


@pytest.mark.parametrize(
    ("form", "worth"),
    [("quantity:day", False), ("date:year", False), ("id:Form", False), ("field:Created", True),
     ("clause:because", True), ("definition:a", True), ("defined", True)],
)  # fmt: skip
def test_only_values_outside_a_header_are_held_to_it(form: str, worth: bool) -> None:
    assert asked("In which study was this found?", form=form) is worth


FULL = {
    "after a small word": ("The slipway was built by Ada Brannoch in 1987.", {"Ada", "Brannoch"}),
    "with an initial": ("The slipway was built by Ada Q. Brannoch in 1987.", {"Ada", "Brannoch"}),
    "two of them": ("The pilots were Ada Brannoch and Tomas Ellery.", {"Ada", "Brannoch", "Tomas", "Ellery"}),
    "in brackets": ("A pilot (see Ada Brannoch) drew the chart.", {"Ada", "Brannoch"}),
    "of whom something is": ("We keep Ada Brannoch’s chart.", {"Ada", "Brannoch"}),
}


@pytest.mark.parametrize(("text", "names"), FULL.values(), ids=FULL.keys())
def test_both_parts_of_a_full_name_are_names(text: str, names: set[str]) -> None:
    assert surnames_in(text, frozenset()) == names


NO_NAME = {
    "one word": "The slipway was built by Brannoch in 1987.",
    "a word that is also written small": "The slipway lies in Corran Harbour on the island.",
    "the start of a sentence": "Ada Brannoch built the slipway.",
    "words of two letters": "The slipway was built by Bo Ek in 1987.",
    "small": "The slipway was built by ada brannoch in 1987.",
    "initials only": "The slipway was built by A. B. in 1987.",
}


@pytest.mark.parametrize("text", NO_NAME.values(), ids=NO_NAME.keys())
def test_other_capitals_are_no_surnames(text: str) -> None:
    assert surnames_in(text, frozenset({"harbour"})) == set()


LIVES = "Mara Ellery ran the yard. Ellery built a slipway in 1987. Tomas Brannoch and Ines Brannoch sailed."


@pytest.mark.parametrize(
    ("stem", "named"),
    [
        ("In which year did Ellery build a slipway?", "In which year did Mara Ellery build a slipway?"),
        ("In which year did Brannoch sail?", "In which year did Brannoch sail?"),  # two of that name
        ("In which year did Mara Ellery build a slipway?", "In which year did Mara Ellery build a slipway?"),
    ],
)
def test_who_is_named_by_surname_alone_gets_the_first_name_that_the_document_gives(stem: str, named: str) -> None:
    question = Proposal(stem, "1987", "date:year", QuestionType.DATE, BloomLevel.REMEMBER, "ask-date", 0.9)
    names = full_names_in(LIVES, SURNAMES, frozenset())
    assert named_in_full(question, names).stem == named


@pytest.mark.parametrize(
    ("stem", "worth"),
    [
        ("In which year was Mara Ellery the first woman awarded the doctoral degree of the yard?", True),
        ("In which year was Mara Ellery awarded the doctoral degree of the yard?", False),
        ("In which year was the Corran rig first reported by Mara Ellery?", True),
        ("To which PEP is the function added?", False),
        ("How often is technical board elected?", False),
        ("In which year did researchers develop a rig that floats?", False),
    ],
)
def test_a_first_of_its_kind_is_worth_asking_and_what_names_nothing_is_not(stem: str, worth: bool) -> None:
    assert asked(stem) is worth
