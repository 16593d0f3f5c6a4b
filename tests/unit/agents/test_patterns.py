"""Each question pattern reads its own construction, asks for the right words, and refuses the rest."""

from __future__ import annotations

import pytest
from by_hand import questions

from viva.core.records import CLOSING_PHRASE, QuestionType

# nouns that the scope of these sentences makes definite
KNOWN = "island bridge ferry deck disk pilot crew harbour parser timeout"

ASKED = {
    "ask-quantity": [
        (
            "The Sundray Heron carries 48 vehicles.",
            "How many vehicles does the Sundray Heron carry?",
            "48 vehicles",
        ),
        (
            "Passwords must contain at least 12 characters.",
            "What is the minimum number of characters that passwords must contain?",
            "12 characters",
        ),
        (
            "The booking server accepts at most 400 requests per second.",
            "What is the maximum number of requests that the booking server accepts per second?",
            "400 requests",
        ),
        ("Season tickets expire after 90 days.", "After how many days do season tickets expire?", "90 days"),
        (
            "The crew must test each alarm within 24 hours.",
            "Within how many hours must the crew test each alarm?",
            "24 hours",
        ),
        (
            "The wind limit for the Sundray Heron is 45 knots.",
            "What is the wind limit for the Sundray Heron?",
            "45 knots",
        ),
    ],
    "ask-interval": [
        ("Lifejackets are inspected every two years.", "How often are lifejackets inspected?", "Every two years"),
        (
            "Radio checks are made on channel 16 every six hours.",
            "How often are radio checks made on channel 16?",
            "Every six hours",
        ),
        (
            "The island council meets every three weeks.",
            "How often does the island council meet?",
            "Every three weeks",
        ),
    ],
    "ask-money": [
        (
            "Passengers pay £15 for a lost ticket.",
            "How much do passengers pay for a lost ticket?",
            "£15",
        ),
        ("The late fee is £15.", "What is the late fee?", "£15"),
        ("The shore cable costs £250 per metre.", "How much does the shore cable cost per metre?", "£250"),
    ],
    "ask-date": [
        ("The Morven Tern was launched in 1987.", "In which year was the Morven Tern launched?", "1987"),
        (
            "The radio mast was built on 14 March 1992.",
            "On what date was the radio mast built?",
            "14 March 1992",
        ),
        (
            "The Corran drydock was built in March 1992.",
            "In what month was the Corran drydock built?",
            "March 1992",
        ),
        (
            "In 1994, island families bought the Ellery slipway.",
            "In which year did island families buy the Ellery slipway?",
            "1994",
        ),
    ],
    "ask-time": [
        (
            "The evening sailing is announced at 17:45 in winter.",
            "At what time is the evening sailing announced in winter?",
            "17:45",
        ),
    ],
    "ask-id": [
        (
            "Claims for damaged vehicles are made on Form SF-212.",
            "On which form are claims for damaged vehicles made?",
            "Form SF-212",
        ),
        ("Lost property is recorded on Form LP-31.", "On which form is lost property recorded?", "Form LP-31"),
    ],
    "ask-number": [
        (
            "There are two fuel pumps in the engine room.",
            "How many fuel pumps in the engine room are there?",
            "two",
        ),
        (
            "There were nine founding members of Brannoch Council.",
            "How many founding members of Brannoch Council were there?",
            "nine",
        ),
    ],
    "completion": [
        (
            "The Sundray Heron can carry 48 vehicles on a single deck.",
            "Which quantity completes this statement: “The Sundray Heron can carry ____ on a single deck.”?",
            "48 vehicles",
        ),
    ],
}
ROWS = [(pattern, *row) for pattern, rows in ASKED.items() for row in rows]


@pytest.mark.parametrize(("pattern", "sentence", "stem", "key"), ROWS)
def test_a_pattern_asks_for_the_right_words(pattern: str, sentence: str, stem: str, key: str) -> None:
    assert (pattern, stem, key) in {(q.pattern, q.stem, q.key) for q in questions(sentence, KNOWN)}


def test_of_two_coordinated_predicates_only_the_first_is_asked_about() -> None:
    found = questions("The ferry Brannoch carries 120 passengers and has two engines.", KNOWN)
    assert {(q.stem, q.key) for q in found} == {
        ("How many passengers does the ferry Brannoch carry?", "120 passengers")
    }


NEVER_ASKED = {
    "vague": "The Sundray Heron carries several vehicles on many decks.",
    "possibly": "The Sundray Heron probably carries 48 vehicles.",
    "a question": "Does the Sundray Heron carry 48 vehicles?",
    "a list announced": "The Sundray Heron carries these vehicles: cars, vans and lorries.",
    "too short": "Ferries carry cars.",
    "an address": "The timetable of 1987 is found on https://ferry.example today.",
    "an evaluation": "The Sundray Heron is a nice ferry.",
    "nothing specific": "The system has 3 problems.",
    "a range's half": "Season tickets expire after 30 to 90 days.",
    "two of a kind": "The Sundray Heron carries 48 cars on 2 decks, 30 cars on 1 deck.",
    "a quotation": "The captain said “the ferry carries 48 vehicles” in 1987.",
    "no sentence": "In 1987 in Corran in the harbour with 48 vehicles.",
    "an opinion": "We think that the Sundray Heron carries 48 vehicles.",
    "about the document": "The section on ferries names 48 vehicles.",
    "a torn table": "Heron 48 = vehicles [2] and {3} of Corran.",
    "brackets left": "The Sundray Heron ( carries 48 vehicles on two decks.",
}


@pytest.mark.parametrize("sentence", NEVER_ASKED.values(), ids=NEVER_ASKED.keys())
def test_a_sentence_without_a_checkable_fact_gives_no_question(sentence: str) -> None:
    assert questions(sentence, KNOWN) == []


def test_no_stem_gives_its_key_away_and_the_best_comes_first() -> None:
    for _, sentence, _, _ in ROWS:
        found = questions(sentence, KNOWN)
        assert all(q.key.lower() not in q.stem.lower() and q.stem.endswith("?") for q in found)
        assert [q.quality for q in found] == sorted((q.quality for q in found), reverse=True)


@pytest.mark.parametrize(
    ("sentence", "form", "kind"),
    [
        ("Season tickets expire after 90 days.", "quantity:day", QuestionType.QUANTITY),
        ("The Morven Tern was launched in 1987.", "date:year", QuestionType.DATE),
        ("Lifejackets are inspected every two years.", "interval:year", QuestionType.QUANTITY),
        ("Lost property is recorded on Form LP-31.", "id:Form LP-", QuestionType.IDENTIFIER),
    ],
)
def test_a_key_has_the_form_that_its_distractors_must_share(sentence: str, form: str, kind: QuestionType) -> None:
    best = questions(sentence, KNOWN)[0]
    assert (best.form, best.question_type) == (form, kind)


REFUSED = {
    "an object of many": "The ticket office uses paper forms.",
    "agents of no identity": "Researchers measure the height of ocean waves.",
    "a hedge": "Diesel smoke can damage the paint of the funnel.",
    "one of several": "The mooring winch also lowers the anchor chain.",
    "an episode": "The students were paid $15 per day.",
    "a participle of the noun": "Weeping is a leak caused by rust.",
    "an opinion": "The Sundray Heron is the most elegant answer to winter seas.",
    "a circle": "Mooring lines are lines used for mooring.",
    "an ordinal": "A third lifeboat is the boat stored on the upper deck.",
    "a vague key": "The liver is an organ that does many important things.",
    "a key in the stem": "The hull encryption key is used to encrypt the hull.",
    "a range that lost its dash": "Paint cracks after 5 50 years in the sun.",
    "a number that names": "Fault type 2 pumps stop the ferry.",
    "a date of an inner clause": "The yard has built hulls since Corran lost its slip in 1987.",
    "a relative clause torn off": "Rust is a fault caused when antibodies.",
    "a list after its first": "Paint and primer are kept in the locker and inhibited by light.",
    "the reader": "You carry 48 vehicles on the Sundray Heron.",
    "each of a set": "Each gauge sends a reading every six minutes.",
    "a share": "A significant portion of the hull coating prevents marine growth.",
    "a count that a list tells": "The pump house has two sister islands, Corran and Ellery.",
    "an aim of much else": "Perform hull surveys to identify faults.",
    "an everyday premise": "When the browser sends a request, the server records the user.",
    "an aside of time": "The winter timetable continues in spring, when ferries compete with trains.",
    "a wide class": "Ballast is a substance found in tanks.",
    "examples": "Corran and Ellery are harbours that freeze in winter.",
    "half of a group": "Surgery corrects drift in 80 percent of ships with small rudders.",
    "one more of several": "Additionally, the bow door limits spray on the car deck.",
    "a measure of nothing": "Quill Landing has 1.7 metres.",
    "a study told of before": "There were two kinds of answers by the islanders.",
    "no verb": "Per-voyage ticket limits enforced quay side.",
    "digits of a footnote": "The Sundray Heron carries 48 vehicles.2 Tickets cost more.",
    "a question within": "The scanner is another way of checking to see if a ticket is valid.",
}


@pytest.mark.parametrize("sentence", REFUSED.values(), ids=REFUSED.keys())
def test_what_no_one_answer_fits_is_not_asked(sentence: str) -> None:
    assert [(q.pattern, q.stem, q.key) for q in questions(sentence) if q.pattern != CLOSING_PHRASE] == []


def test_the_second_participle_of_a_passive_is_left_off() -> None:
    found = questions("Each new account is requested on Form SF-507 and approved by the purser.")
    assert [(q.stem, q.key) for q in found] == [("On which form is each new account requested?", "Form SF-507")]


@pytest.mark.parametrize("bound", ["over", "at least", "about", "more than"])
def test_a_bounded_quantity_is_not_left_out_for_other_numbers_are_right_too(bound: str) -> None:
    asked = questions(f"The winch on the quay can lift {bound} 400 kilograms of salted fish in bad weather.", KNOWN)
    assert not [q for q in asked if q.pattern == "completion"]
