"""Answers are right or wrong by the values they state, however these are written."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from viva.metrics.text.equality.decision import decide
from viva.metrics.text.equality.outcomes import Equality

EVOUNA = Path(__file__).parents[5] / "shared/calibration/evouna/tq.jsonl"

CASES: list[tuple[str, str, list[str], list[str]]] = [
    ("In which month does the yard close?", "It closes in January.", ["January", "in January"], ["February", "May"]),
    ("On which day is the market?", "The market is on Tuesdays.", ["Tuesday", "on Tuesdays"], ["Thursday"]),
    (
        "How far is the station from the harbour?",
        "The station is 2.4 kilometres from the harbour.",
        [
            "2.4 km",
            "2,400 m",
            "2400 metres",
            "about 2.4 km",
            "It lies 2.4 kilometres away.",
            "two point four kilometres",
        ],
        ["2.4 miles", "24 km", "2.4 m", "4.2 km"],
    ),
    (
        "When was the bridge opened?",
        "The bridge was opened on 14 June 1998.",
        [
            "14 June 1998",
            "June 14, 1998",
            "1998-06-14",
            "14.06.1998",
            "14/6/1998",
            "on the 14th of June 1998",
            "It opened on June 14th, 1998.",
        ],
        ["14 June 1989", "14 July 1998", "June 1999", "4 June 1998"],
    ),
    (
        "How long may books be borrowed?",
        "Books may be borrowed for 28 days.",
        ["four weeks", "28 days", "4 weeks", "Up to 28 days", "for twenty-eight days"],
        ["28 weeks", "14 days", "a month and a half", "eight days"],
    ),
    (
        "How often is the filter changed?",
        "The filter is changed every 90 days.",
        ["every 90 days", "once every 90 days", "every ninety days", "every three months", "quarterly"],
        ["every 9 days", "every 90 hours", "daily", "twice a year"],
    ),
    (
        "How often are backups made?",
        "Backups are made twice a day.",
        ["every 12 hours", "twice daily", "two times a day", "2x per day"],
        ["once a day", "every two days", "twice a week"],
    ),
    (
        "What is the maximum speed?",
        "The maximum speed is 80 km/h.",
        ["80 km/h", "80 kilometres per hour", "80 kph", "50 mph"],
        ["80 mph", "8 km/h", "80 km", "60 km/h"],
    ),
    (
        "What percentage of members voted?",
        "62.5 % of the members voted.",
        ["62.5%", "62.5 per cent", "62,5 %", "five eighths", "0.625"],
        ["65.2%", "6.25%"],
    ),
    (
        "How much memory does it need?",
        "It needs 512 MB of memory.",
        ["512 megabytes", "0.512 GB", "512MB"],
        ["512 GB", "512 KB", "256 MB"],
    ),
    (
        "Which version introduced the flag?",
        "The flag was introduced in version 2.10.3.",
        ["2.10.3", "v2.10.3", "Version 2.10.3", "It came with release 2.10.3."],
        ["2.1.3", "2.10.4", "2.103", "3.10.2"],
    ),
    (
        "Which flag turns off colours?",
        "Use --no-color to turn colours off.",
        ["--no-color", "The --no-color flag."],
        ["--color", "--no-colors-at-all", "-c"],
    ),
    (
        "What is the address of the gateway?",
        "The gateway has the address 192.168.10.254.",
        ["192.168.10.254", "It is 192.168.10.254."],
        ["192.168.10.245", "192.168.1.254"],
    ),
    (
        "Who may sign invoices above 5,000 euros?",
        "Only the treasurer may sign invoices above 5,000 euros.",
        ["the treasurer", "Only the treasurer."],
        ["anybody", "Anyone on the board may sign.", "all members"],
    ),
    (
        "Is smoking allowed on the deck?",
        "Smoking is not allowed on the deck.",
        ["No", "No, it isn't.", "Not allowed.", "Smoking is not allowed there.", "It is forbidden."],
        ["Yes", "Yes, smoking is allowed on the deck.", "It is allowed."],
    ),
    (
        "Does the warranty cover batteries?",
        "The warranty covers batteries for six months.",
        ["Yes", "Yes, for six months.", "Yes, it does."],
        ["No", "No, it does not.", "It does not cover batteries."],
    ),
    (
        "Which is heavier, the Alba or the Brisa?",
        "The Alba is heavier than the Brisa.",
        [],
        ["The Brisa is heavier than the Alba."],
    ),
    (
        "What are the three colours of the flag?",
        "The colours of the flag are green, white and red.",
        ["green, white, red", "Red, white and green", "- red\n- green\n- white"],
        ["green and white", "green, white and blue", "blue, yellow and black"],
    ),
    (
        "In what order are the valves opened?",
        "The valves are opened in this order: inlet, bypass, outlet.",
        ["inlet, bypass, outlet", "First the inlet, then the bypass, then the outlet."],
        ["outlet, bypass, inlet"],
    ),
    (
        "How much do the two tickets cost?",
        "An adult ticket costs 12 euros and a child ticket costs 7 euros.",
        ["Adults 12 euros, children 7 euros.", "An adult ticket is €12 and a child ticket €7."],
        ["An adult ticket costs 7 euros and a child ticket costs 12 euros."],
    ),
    (
        "At what time does the ferry leave?",
        "The ferry leaves at 7:45 in the morning.",
        ["7:45 am", "07:45", "at 7.45 a.m.", "a quarter to eight in the morning"],
        ["7:45 pm", "19:45", "7:54", "8:45"],
    ),
    (
        "What temperature must the cold store keep?",
        "The cold store must keep -20 °C.",
        ["minus 20 degrees", "-20°C", "-4 °F", "20 degrees below zero"],
        ["20 °C", "-2 °C", "-20 °F"],
    ),
    (
        "Who wrote the safety manual?",
        "Dr. Ines Okafor wrote the safety manual.",
        ["Ines Okafor", "Dr Okafor", "Okafor"],
        ["Ines Okonkwo", "Paul Okafor"],
    ),
    (
        "Which agency certifies the boats?",
        "The European Maritime Safety Agency certifies the boats.",
        ["EMSA", "European Maritime Safety Agency", "the EMSA"],
        ["EASA", "the European Aviation Safety Agency"],
    ),
    (
        "How many crew members are needed?",
        "At least three crew members are needed.",
        ["three", "at least 3", "three or more", "a minimum of three"],
        ["at most three", "two", "thirty", "fewer than three"],
    ),
    (
        "What share of the cost does the city pay?",
        "The city pays two thirds of the cost.",
        ["2/3", "two-thirds", "66.7%", "67%"],
        ["one third", "3/2", "a half"],
    ),
    (
        "Why was the lift closed?",
        "The lift was closed because its brake failed.",
        ["because of a failed brake"],
        ["I do not know.", "The documents do not say."],
    ),
    (
        "How high is the fee?",
        "The documents do not say.",
        ["The documents do not say.", "Not stated in the context.", "I could not find that in the documents."],
        [],
    ),
    (
        "Wie lange dauert die Fahrt?",
        "Die Fahrt dauert 1,5 Stunden.",
        ["1,5 Stunden", "90 Minuten", "eineinhalb Stunden", "1.5 h"],
        ["15 Stunden", "1,5 Tage", "150 Minuten"],
    ),
    (
        "Quand le musée ouvre-t-il ?",
        "Le musée ouvre à 9 h 30.",
        ["9h30", "à 9:30", "9 heures 30"],
        ["9h", "10h30", "21h30"],
    ),
    (
        "¿Cuánto cuesta la entrada?",
        "La entrada cuesta 8 euros.",
        ["8 €", "ocho euros", "8,00 €"],
        ["80 euros", "8 dólares", "6 euros"],
    ),
    (
        "What is the storage capacity?",
        "The store holds 1.2 million items.",
        ["1.2 million", "1,200,000 items", "1.2M"],
        ["12 million", "1.2 thousand", "120,000"],
    ),
    (
        "Which floor is the archive on?",
        "The archive is on the second floor.",
        ["2nd floor", "second", "floor 2", "the 2nd"],
        ["third floor", "floor 12", "first"],
    ),
    (
        "How long is a shift?",
        "A shift lasts eight and a half hours.",
        ["8.5 hours", "8 h 30 min", "8½ hours", "510 minutes"],
        ["8 hours", "9.5 hours", "85 hours"],
    ),
    (
        "What does error E42 mean?",
        "Error E42 means that the pump is dry.",
        ["The pump is dry.", "a dry pump"],
        [],
    ),
    (
        "When was the order issued?",
        "The order was issued in May 2021.",
        ["2021-05", "05/2021", "May 2021¹", "2021/05 [2]"],
        ["2021-06", "2012-05", "5 May 2020"],
    ),
    (
        "In which years was it built?",
        "It was built from 1985 to 1993.",
        ["1985-93", "1985–1993", "between 1985 and 1993"],
        ["1985-94", "1983-95"],
    ),
    (
        "When is the desk open?",
        "The desk is open from 6 a.m. to midnight.",
        ["6 a.m. to midnight.", "It is 6 a.m. to midnight, according to the handbook."],
        ["6 a.m. to 11 p.m.", "7 a.m. to midnight"],
    ),
    (
        "Which is the correct order of steps?",
        "attention, retention, reproduction, motivation",
        ["attention, then retention, reproduction and motivation"],
        ["motivation, attention, retention, reproduction"],
    ),
    ("Where is it sent?", "to the e-mail list", ["to the email list", "To the E-Mail list."], []),
    (
        "When is the hatch locked?",
        "The hatch is always locked at sea.",
        [],
        ["The hatch is never locked at sea."],
    ),
    (
        "Wann wurde die Brücke eröffnet?",
        "Die Brücke wurde am 14. März 1998 eröffnet.",
        ["14. März 1998", "Laut dem Dokument am 14. März 1998.", "1998-03-14", "14.3.1998"],
        ["13. März 1998", "Es ist der 14. Mai 1998.", "Laut Handbuch: 4. März 1998"],
    ),
    (
        "Is the device waterproof?",
        "The device is waterproof down to 30 metres.",
        ["Yes", "Yes, to 30 m", "yes, down to 30 metres"],
        ["No", "No, only splash-proof"],
    ),
    ("What does the permit cost?", "£7.25", ["GBP 7.25", "7 pounds 25"], ["$7.25"]),
    ("Was kostet der Parkausweis?", "18,40 €", ["18.40 EUR"], ["18,40 Franken"]),
    ("How long does the cure take?", "an hour and a half", ["90 minutes"], ["half an hour"]),
    ("¿Cuánto pesa la caja?", "3,5 kilos", ["tres kilos y medio"], ["tres kilos"]),
    ("How long is the cover valid?", "18 months", ["Eighteen (18) months"], ["18 weeks"]),
    ("How many eggs are in a box?", "a dozen", ["There are 12 in it."], ["a score"]),
    (
        "What is the parking rate?",
        "40 cents per hour",
        ["forty cents an hour", "40 cents hourly"],
        ["40 cents per day"],
    ),
    ("How often is the filter changed?", "every six months", ["semi-annually"], ["quarterly"]),
    ("Which of the three gates is locked?", "gate 3", ["the third gate"], ["gate 2"]),
    ("Darf auf dem Steg geraucht werden?", "Nein", ["Rauchen ist dort untersagt."], ["Rauchen ist dort gestattet."]),
    ("What does a child pay?", "£4.20", ["£4.20"], ["£4.20 for adults, £2.10 for a child"]),
    ("When does the lease end?", "4 May 2027", ["2027-05-04"], ["It begins on 4 May 2027 and ends on 3 June 2028."]),
    ("Who keeps the log?", "the duty officer", ["The duty officer does."], ["Not the duty officer but the clerk"]),
    ("Who keeps the log?", "Ida Brandt", ["Brandt"], ["Ida Brandt's assistant", "Ida Brandt or Tom Weir"]),
    ("What is the floor made of?", "oak", ["of oak"], ["pine and oak"]),
    ("Which forms are needed?", "a map and a licence", ["a licence and a map"], ["a map or a licence"]),
    (
        "Which room holds tea and which coffee?",
        "Room C holds tea, room D coffee",
        ["Room C: tea, room D: coffee"],
        ["Room C holds coffee, room D tea"],
    ),
    (
        "What must not be put in the drain?",
        "cooking oil",
        ["It is cooking oil."],
        ["Cooking oil may be put there."],
    ),
    ("Is a hard hat required on deck?", "yes", ["A hard hat is required."], ["A hard hat is optional."]),
    ("Les vélos sont-ils admis ?", "non", ["Non."], ["Les vélos sont admis."]),
    ("What is the alarm code?", "The documents do not say.", ["It is not stated."], ["The code is 'anchor'."]),
    ("What is the budget?", "£1.34 million", ["1.34 million pounds", "1.34 million GBP"], ["1.34 billion pounds"]),
    ("How far is the buoy?", "1.45 km", ["1450 m", "1,450 metres"], ["1.45 miles"]),
]
RIGHT = [(q, ref, answer) for q, ref, right, _ in CASES for answer in right]
WRONG = [(q, ref, answer) for q, ref, _, wrong in CASES for answer in wrong]


@pytest.mark.parametrize(("question", "reference", "answer"), RIGHT)
def test_an_equal_answer_is_right(question: str, reference: str, answer: str) -> None:
    assert decide(question, answer, [reference]).outcome is Equality.RIGHT


@pytest.mark.parametrize(("question", "reference", "answer"), WRONG)
def test_an_answer_with_another_value_member_name_or_polarity_is_wrong(
    question: str, reference: str, answer: str
) -> None:
    assert decide(question, answer, [reference]).outcome is Equality.WRONG


@pytest.mark.parametrize(
    ("question", "reference", "answer"),
    [
        (
            "What did the mate do after the storm?",
            "took the boat and fetched the doctor from the village",
            "He fetched a doctor.",
        ),
        (
            "Why was she dismayed?",
            "She had never worked hard, and always had her sisters to help.",
            "She had never worked hard.",
        ),
        ("What will happen to the church?", "It will never be finished.", "There will always be a wall missing."),
        (
            "Where was Tennessee Williams born?",
            "In Mississippi, as Thomas Williams.",
            "Tennessee Williams: Columbus.",
        ),
    ],
)
def test_what_is_no_list_and_no_contrary_is_left_to_likeness(question: str, reference: str, answer: str) -> None:
    assert decide(question, answer, [reference]).outcome is Equality.OPEN


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "{} [1]",
        "{} [1, 2].",
        "{}【4†source】",
        "**{}**",
        "According to section 4.2 (page 17), it is {}.",
        "{} (source: manual.md#2)",
        "<think>Is it 7 or 9? The manual says so.</think>\n\n{}",
        "{} (see page 12)",
        "{}[^3]",
        "{}¹",
        "{}.²",
        "{}<sup>1</sup>",
    ],
)
@pytest.mark.parametrize("key", ["30 litres", "14 March 2025", "17:30", "2.10.3", "€85", "12 %", "25 metres", "1970"])
def test_citations_places_markup_and_thoughts_are_no_part_of_an_answer(form: str, key: str) -> None:
    question = "What does the manual give?"
    assert decide(question, form.format(key), [key, f"The manual gives {key}."]).outcome is Equality.RIGHT


@pytest.mark.parametrize(
    "answer",
    [
        "I do not know.",
        "I'm sorry, but the provided context does not include any information about the tank.",
        "The documents do not state how much the tank holds.",
        "I could not find the capacity of the tank in the passages.",
        "There is no information about the tank in the given text.",
        "Unknown",
        "Not specified.",
        "It is not stated, but tanks of this kind hold 30 to 200 litres.",
        "Ich weiß es nicht.",
        "Aucune information à ce sujet.",
    ],
)
def test_a_refusal_is_wrong_and_right_where_the_documents_do_not_say(answer: str) -> None:
    question = "How much does the tank hold?"
    assert decide(question, answer, ["30 litres", "The tank holds 30 litres."]).outcome is Equality.WRONG
    if "30" not in answer:
        assert decide(question, answer, ["The documents do not say."]).outcome is Equality.RIGHT


@pytest.mark.parametrize(
    "answer",
    [
        "Either 30 litres or 60 litres.",
        "30 litres or 60 litres",
        "It is not 30 litres.",
        "30 gallons",
        "",
        "!?",
        "none",
    ],
)
def test_an_answer_that_leaves_it_open_denies_it_or_is_empty_is_wrong(answer: str) -> None:
    assert decide("How much does the tank hold?", answer, ["30 litres"]).outcome is Equality.WRONG


def test_thoughts_of_any_length_hide_no_statement() -> None:
    thoughts = "<think>" + "Is it 90 litres, or 60? " * 2_000 + "</think>"
    assert decide("How much does the tank hold?", f"{thoughts}30 litres", ["30 litres"]).outcome is Equality.RIGHT


def test_a_statement_too_long_to_be_read_is_left_to_likeness() -> None:
    text = "The pump runs well. " * 2_000 + "The tank holds 30 litres."
    assert decide("How much does the tank hold?", text, ["30 litres"]).outcome is Equality.OPEN


def test_a_value_of_another_subject_is_not_the_value_asked_for() -> None:
    question, references = "How much does the tank hold?", ["30 litres", "The day tank holds 30 litres."]
    both = "The day tank holds {} litres, while the reserve tank holds {} litres."
    assert decide(question, both.format(30, 120), references).outcome is Equality.RIGHT
    assert decide(question, both.format(120, 30), references).outcome is Equality.WRONG


@pytest.mark.parametrize(
    "text", ["1" * 50_000, "1," * 30_000, "answer " * 20_000, "a b " * 20_000, "[" * 60_000, "no " * 30_000]
)
def test_long_answers_are_read_in_a_time_that_does_not_explode(text: str) -> None:
    assert decide("How much does the tank hold?", text, ["30 litres"]).outcome in set(Equality)


@pytest.mark.slow
@pytest.mark.skipif(not EVOUNA.is_file(), reason="the labelled answers of EVOUNA are not at hand")
def test_what_equality_decides_people_decide_alike() -> None:
    rows = [json.loads(line) for line in EVOUNA.read_text("utf-8").split("\n") if line]
    rows = random.Random(7).sample([row for row in rows if not row["improper"]], 400)
    found = Counter[tuple[Equality, bool]]()
    for row in rows:
        outcomes = {decide(row["question"], row["answer"], [gold]).outcome for gold in row["gold"].split("/") if gold}
        outcome = (
            Equality.RIGHT
            if Equality.RIGHT in outcomes
            else Equality.WRONG
            if outcomes == {Equality.WRONG}
            else Equality.OPEN
        )
        found[outcome, row["human_correct"]] += 1
    assert found[Equality.RIGHT, True] >= 150
    assert found[Equality.RIGHT, False] <= 0.02 * found[Equality.RIGHT, True]
    assert found[Equality.WRONG, False] > 2 * found[Equality.WRONG, True]
