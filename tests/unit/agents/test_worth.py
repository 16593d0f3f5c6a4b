"""A value is worth asking for where it is a fact of the subject and no other value answers as well."""

from __future__ import annotations

import pytest
from by_hand import questions

from viva.agents.offline.corpus_reading import is_worth_asking, surnames_in
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.gaps.values import VALUE
from viva.core.records import CLOSING_PHRASE, BloomLevel, QuestionType

SURNAMES = frozenset({"Ellery", "Brannoch"})


def asked(stem: str, key: str = "1987", form: str = "date:year") -> bool:
    question = Proposal(stem, key, form, QuestionType.QUANTITY, BloomLevel.REMEMBER, VALUE, 0.9)
    return is_worth_asking(question, "", SURNAMES)


WORTH = {
    "a quantity": "The Sundray Heron carries 48 vehicles on Monday.",
    "a year": "The Morven Tern was launched in 1987 at Corran.",
    "a price": "Passengers pay £15 for a lost ticket.",
    "an actor who is no person": "Island families bought the Corran slipway in 1994.",
}


@pytest.mark.parametrize("sentence", WORTH.values(), ids=WORTH.keys())
def test_a_fact_of_the_subject_is_worth_asking(sentence: str) -> None:
    found = questions(sentence)
    assert found
    assert all(is_worth_asking(question, sentence, SURNAMES) for question in found)


NOT_WORTH = {
    "what a study found": "A survey of Corran found 48 vehicles on the Sundray Heron.",
    "a birth": "The pilot of Corran Harbour was born in 1987.",
    "a career": "Tomas Corran was hired in 1987 by Sundray Ferries.",
    "a count of people": "The winter ferry Sundray Heron carries 120 people.",
    "a person by surname alone": "Ellery built the Corran slipway in 1987.",
    "a person after an opening": "In 1994, Ellery bought the Corran slipway.",
    "three numbers": "Radio checks are made on channels 16 and 17 for 5 hours.",
}


@pytest.mark.parametrize("sentence", NOT_WORTH.values(), ids=NOT_WORTH.keys())
def test_a_figure_of_one_study_one_life_or_of_many_answers_is_not(sentence: str) -> None:
    found = [question for question in questions(sentence) if question.pattern == VALUE]
    assert found
    assert not any(is_worth_asking(question, sentence, SURNAMES) for question in found)


NEAR = {
    "a number that is part of a name": ("“Pump K-12 of deck 4 holds ____ of oil”", "60 litres", True),
    "two plain numbers": ("“Pump 12 of deck 4 holds ____ of oil”", "60 litres", False),
    "a place that acts": ("“Corran built a slipway in ____”", "1987", True),
    "a surname that acts": ("“Ellery built a slipway in ____”", "1987", False),
    "a full name that acts": ("“Ada Brannoch built a slipway in ____”", "1987", True),
    "a surname that is told of": ("“The tower of Ellery was built in ____”", "1987", True),
    "ferries counted": ("“The yard holds ____ in winter”", "48 ferries", True),
    "patients counted": ("“The ward holds ____ in winter”", "48 patients", False),
    "a share beside a ratio": ("“Half of the boats, ____, are lost”", "50%", False),
    "a share alone": ("“Of the boats ____ are lost”", "50%", True),
}


@pytest.mark.parametrize(("stem", "key", "worth"), NEAR.values(), ids=NEAR.keys())
def test_the_wording_of_a_stem_decides_whether_one_value_answers_it(stem: str, key: str, worth: bool) -> None:
    assert asked(stem, key, "quantity:litre") is worth


@pytest.mark.parametrize(("pattern", "worth"), [(VALUE, False), (CLOSING_PHRASE, False), ("header-field", True)])
def test_only_statements_with_a_gap_are_held_to_it(pattern: str, worth: bool) -> None:
    question = Proposal(
        "“A study of ____”", "1987", "date:year", QuestionType.DATE, BloomLevel.REMEMBER, pattern, 0.9
    )
    assert is_worth_asking(question, "", SURNAMES) is worth


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


@pytest.mark.parametrize(
    ("stem", "worth"),
    [
        ("“Mara Ellery was the first woman awarded the doctoral degree of the yard in ____”", True),
        ("“Mara Ellery was awarded the doctoral degree of the yard in ____”", False),
        ("“A Corran rig was first reported in ____”", True),
    ],
)
def test_a_first_of_its_kind_is_worth_asking(stem: str, worth: bool) -> None:
    assert asked(stem) is worth
