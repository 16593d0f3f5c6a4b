"""A value is left out of a plain statement and asked for, where it is the only one that can be right."""

from __future__ import annotations

import pytest
from by_hand import questions

from viva.agents.offline.gaps.values import VALUE
from viva.core.records import QuestionType

ASKED = {
    "a quantity": (
        "The Sundray Heron can carry 48 vehicles on a single deck.",
        ("Which quantity completes this statement: “The Sundray Heron can carry ____ on a single deck”?"),
        ("48 vehicles", "quantity:vehicle", QuestionType.QUANTITY),
    ),
    "a delay in words": (
        "The Sundray Heron was moored for two years in Corran.",
        "Which quantity completes this statement: “The Sundray Heron was moored for ____ in Corran”?",
        ("two years", "quantity:year", QuestionType.QUANTITY),
    ),
    "an interval": (
        "Radio checks on the Corran ferry are made every six hours by pilots.",
        "Which quantity completes this statement: “Radio checks on the Corran ferry are made every ____ by pilots”?",
        ("six hours", "quantity:hour", QuestionType.QUANTITY),
    ),
    "an amount": (
        "Passengers pay £15 for a lost ticket.",
        "Which amount completes this statement: “Passengers pay ____ for a lost ticket”?",
        ("£15", "money:£", QuestionType.QUANTITY),
    ),
    "a year": (
        "The Morven Tern was launched in 1987 at Corran.",
        "Which date completes this statement: “The Morven Tern was launched in ____ at Corran”?",
        ("1987", "date:year", QuestionType.DATE),
    ),
    "a day": (
        "Corran Council built a radio mast on 14 March 1992.",
        "Which date completes this statement: “Corran Council built a radio mast on ____”?",
        ("14 March 1992", "date:day", QuestionType.DATE),
    ),
    "a time": (
        "Evening sailings are announced at 17:45 in winter.",
        "Which time completes this statement: “Evening sailings are announced at ____ in winter”?",
        ("17:45", "time:clock", QuestionType.QUANTITY),
    ),
    "a numbered name": (
        "Claims for damaged vehicles are made on Form SF-212.",
        "Which name completes this statement: “Claims for damaged vehicles are made on ____”?",
        ("Form SF-212", "id:Form SF-", QuestionType.IDENTIFIER),
    ),
}


@pytest.mark.parametrize(("sentence", "stem", "value"), ASKED.values(), ids=ASKED.keys())
def test_a_value_is_left_out_and_asked_for_first(
    sentence: str, stem: str, value: tuple[str, str, QuestionType]
) -> None:
    best = questions(sentence)[0]
    assert (best.pattern, best.stem) == (VALUE, stem)
    assert (best.key, best.form, best.question_type) == value


NO_VALUE = {
    "half of a range": "Season tickets expire after 30 to 90 days in the sun.",
    "from a number to one": "Approval of a season ticket may take 6 months to a year.",
    "two of a form": "The Sundray Heron carries 48 cars on Monday and 30 cars on Friday.",
    "a bound": "Winches on the Corran quay can lift over 400 kilograms of salted fish.",
    "at least": "Winches on the Corran quay can lift at least 400 kilograms of salted fish.",
    "about": "Winches on the Corran quay can lift about 400 kilograms of salted fish.",
    "or more": "Winches on the Corran quay can lift 400 kilograms or more.",
    "of what was told before": "Radio checks on the Corran ferry failed in the past 30 days.",
    "a count that one can guess": "The pump house of Corran has two sister islands.",
    "a measure of a noun behind it": "Corran pilots keep a 30 minute watch in fog.",
    "a number that names": "Fault type 2 pumps stop the ferry.",
    "a range with a dash": "Corran pages load slowly for about 30–60 seconds.",
    "too little left": "It costs £15.",
    "a day that cannot be": "Corran Council built a radio mast on 51 June 2015.",
}


@pytest.mark.parametrize("sentence", NO_VALUE.values(), ids=NO_VALUE.keys())
def test_a_value_that_is_not_the_only_right_one_is_not_left_out(sentence: str) -> None:
    assert [q.key for q in questions(sentence) if q.pattern == VALUE] == []


NEVER_ASKED = {
    "vague": "The Sundray Heron carries several vehicles for 48 farmers.",
    "possibly": "The Sundray Heron probably carries 48 vehicles.",
    "a question": "Does the Sundray Heron carry 48 vehicles?",
    "a list announced": "The Sundray Heron carries 48 vehicles: cars, vans and lorries.",
    "too short": "Ferries carry 9 cars.",
    "an address": "The timetable of 1987 is found on https://ferry.example today.",
    "a quotation": "The captain said “the ferry carries 48 vehicles” in 1987.",
    "no sentence": "In 1987 in Corran in the harbour with 48 vehicles.",
    "a torn table": "Heron 48 = vehicles [2] and {3} of Corran.",
    "brackets left": "The Sundray Heron ( carries 48 vehicles on two decks.",
    "a range that lost its dash": "Paint cracks after 5 50 years in the sun.",
    "digits of a footnote": "The Sundray Heron carries 48 vehicles.2 Tickets cost more.",
    "a command": "Keep 48 vehicles on the deck of the Sundray Heron.",
    "what is not so": "The Sundray Heron does not carry 48 vehicles on Monday.",
    "a course of a text": "The Sundray Heron again carries 48 vehicles on Monday.",
}


@pytest.mark.parametrize("sentence", NEVER_ASKED.values(), ids=NEVER_ASKED.keys())
def test_a_sentence_that_states_no_fact_by_itself_gives_no_question(sentence: str) -> None:
    assert questions(sentence) == []


def test_no_stem_gives_its_key_away_and_the_best_comes_first() -> None:
    for sentence, _, _ in ASKED.values():
        found = questions(sentence)
        assert all(q.key.lower() not in q.stem.lower() and q.stem.endswith("?") for q in found)
        assert [q.quality for q in found] == sorted((q.quality for q in found), reverse=True)
