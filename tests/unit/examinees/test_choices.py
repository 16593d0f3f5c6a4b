"""Which option an answer means: by its last final statement, in many languages and forms; never a guess."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from choice_answers import answers

from viva.metrics.text.choices.reader import read_choice
from viva.metrics.text.choices.result import NoChoice, ReadFrom

LITRES = ("40 litres", "12 litres", "120 litres", "400 litres")
HOURS = ("1,500 hours", "15,000 hours", "150 hours", "1.5 hours")
DATES = ("May 1, 2024", "May 3, 2024", "June 1, 2024", "May 1, 2023")
SHARED = Path(__file__).parents[4] / "shared" / "cases" / "20_letters"
PHRASINGS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "choices" / "phrasings.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


def option(text: str, options: tuple[str, ...] = LITRES) -> int | None:
    return read_choice(text, options).option


def test_answers_constructed_by_rule_are_read_as_meant_and_none_as_another_option() -> None:
    constructed = list(answers())
    assert len(constructed) > 7000
    read = [(meant, option(text, options), language, text) for language, text, options, meant in constructed]
    assert not [each for each in read if each[1] not in {None, each[0]}]
    missed = [each for each in read if each[1] != each[0]]
    assert len(missed) <= 0.01 * len(read), missed[:20]


def test_answers_as_models_word_them_are_read_as_meant() -> None:
    read = [(each["means"], option(each["answer"], tuple(each["options"])), each["answer"]) for each in PHRASINGS]
    assert len(read) > 350
    assert [each for each in read if each[0] != each[1]] == []


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not here")
@pytest.mark.parametrize("form", ["plain", "final", "boxed", "ground", "json", "think", "german", "reject", "xml"])
def test_every_form_of_the_shared_cases_means_its_option(form: str) -> None:
    key = [json.loads(line)["answer"] for line in (SHARED / "plain.jsonl").read_text().splitlines()]
    said = [json.loads(line)["answer"] for line in (SHARED / f"{form}.jsonl").read_text().splitlines()]
    # their options are not recorded: only letters can be meant
    options = tuple(f"option number {n}" for n in range(4))
    assert len(said) == 30
    assert [option(text, options) for text in said] == [option(text, options) for text in key]


@pytest.mark.parametrize(
    ("text", "options", "meant"),
    [
        ("12 l", LITRES, 1),
        ("12L", LITRES, 1),
        ("12000 ml", LITRES, 1),
        ("twelve liters", LITRES, 1),
        ("12", LITRES, 1),
        ("13", LITRES, None),
        ("１２ litres", LITRES, 1),
        ("1500h", HOURS, 0),
        ("1 500 hours", HOURS, 0),
        ("90 minutes", HOURS, 3),
        ("1.500 hours", HOURS, None),
        ("2024-05-01", DATES, 0),
        ("1 May 2024", DATES, 0),
        ("1. Mai 2024", DATES, 0),
        ("le 1er mai 2024", DATES, 0),
        ("1 de mayo de 2024", DATES, 0),
        ("2024年5月1日", DATES, 0),
        ("2:30 pm", ("14:30", "2:30"), 0),
        ("12 litres", ("12 litres", "12 l"), 0),
        ("Nein", ("Yes", "No"), 1),
        ("None of these.", (*LITRES, "None of the above"), 4),
        ("None of these.", LITRES, None),
        ("30 يوماً", ("30 يوما", "12 يوما"), 0),
        ("٣٠ يوما", ("30 يوما", "12 يوما"), 0),
        ("ISTANBUL", ("İstanbul", "Ankara"), 0),
        ("İzmir’de", ("İstanbul", "İzmir"), 1),
    ],
)
def test_equal_values_are_equal_where_one_option_alone_is(
    text: str, options: tuple[str, ...], meant: int | None
) -> None:
    assert option(text, options) == meant


@pytest.mark.parametrize(
    ("text", "options", "meant"),
    [
        ("Ответ: А", LITRES, 0),
        ("Ответ: В", LITRES, 1),
        ("Ответ: Б", LITRES, 1),
        ("В) 120 litres", LITRES, 2),
        ("الإجابة: ب", LITRES, 1),
        ("(ج)", LITRES, 2),
        ("उत्तर: ख", LITRES, 1),
        ("答え：イ", LITRES, 1),
        ("정답: 나", LITRES, 1),
        ("答案：乙", LITRES, 1),
        ("Ⓑ", LITRES, 1),
        ("🅱", LITRES, 1),
    ],
)
def test_letters_of_other_scripts_and_letters_that_look_like_others_are_read(
    text: str, options: tuple[str, ...], meant: int
) -> None:
    assert option(text, options) == meant


@pytest.mark.parametrize(
    "text",
    ["A pump is open", "a pump", "I do not know it", "See appendix B.", "Vitamin B", "U.S.A.", "e.g. this", "C++"],
)
def test_articles_pronouns_and_initials_are_no_letters(text: str) -> None:
    assert option(text) is None


@pytest.mark.parametrize("place", range(10))
def test_options_in_any_order_and_up_to_ten_are_told_apart(place: int) -> None:
    options = tuple(f"pier {name}" for name in "one two three four five six seven eight nine ten".split())
    shuffled = (*options[place:], *options[:place])
    ordinals = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
    for text in (
        f"{'ABCDEFGHIJ'[place]}",
        f"The answer is {'ABCDEFGHIJ'[place]}.",
        f"({'abcdefghij'[place]})",
        f"The {ordinals[place]} option",
        f"The answer is {shuffled[place]}.",
    ):
        assert option(text, shuffled) == place, text


def test_the_longest_option_that_is_in_the_answer_is_meant() -> None:
    piers = ("the north pier", "the north pier at night", "pier")
    assert [option(text, piers) for text in ("north pier", "The north pier at night.", "A pier")] == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", NoChoice.EMPTY),
        ("<think>The answer is B.", NoChoice.ONLY_THOUGHTS),
        ("<think>The answer is B.</think>", NoChoice.ONLY_THOUGHTS),
        ("B</think>", NoChoice.ONLY_THOUGHTS),
        ("It is warm.", NoChoice.NO_OPTION),
        ("Answer: E", NoChoice.NOT_AN_OPTION),
        ("40 litres is an old figure. Final answer: 77 litres", NoChoice.NOT_AN_OPTION),
        ("I cannot answer this question.", NoChoice.REFUSED),
        ("It could be B.", NoChoice.UNDECIDED),
        ("B is wrong.", NoChoice.ONLY_REJECTED),
        ("B or C", NoChoice.SEVERAL),
        ('["A", "B"]', NoChoice.SEVERAL_ANSWERS),
        ("B) 40 litres", NoChoice.CONTRADICTION),
        ('{"answer": "40 litres", "choice": "B"}', NoChoice.CONTRADICTION),
        (f"The tank holds 40 litres. {'So it goes. ' * 9000}", NoChoice.TOO_LONG),
    ],
)
def test_an_answer_that_means_no_option_says_why(text: str, why: NoChoice) -> None:
    found = read_choice(text, LITRES)
    assert (found.option, found.why_none) == (None, why)


def test_what_an_option_was_read_from_is_told() -> None:
    assert read_choice("The answer is B.", LITRES).read_from is ReadFrom.LETTER
    assert read_choice("It holds 12 l.", LITRES).read_from is ReadFrom.TEXT


def test_options_without_letters_are_not_read_by_their_letters() -> None:
    assert read_choice("B", LITRES, lettered=False).option is None
    assert read_choice("The answer is 12 litres.", LITRES, lettered=False).option == 1


MEGABYTES = {
    "a word and blanks": "answer" + " " * 2_000_000 + "!",
    "the same word": "the answer is " * 150_000,
    "brackets": "[" * 2_000_000,
    "nested JSON": '{"a":' * 400_000,
    "closed brackets": "[" * 500_000 + "]" * 500_000,
    "boxes": "\\boxed{" * 300_000,
    "letters": "A or " * 400_000,
    "letters in a row": "A " * 1_000_000,
    "tags": "<answer>" * 250_000,
    "thoughts": "<think>" * 300_000,
    "numbers": "12 " * 700_000,
    "bold": "**C** " * 350_000,
    "a list": "[" + '"B",' * 400_000 + '"A"]',
    "marks": "a\u0301" * 1_000_000,
    "quotation marks": '"' * 2_000_000,
}


@pytest.mark.parametrize("name", MEGABYTES)
def test_an_answer_of_megabytes_is_read_in_bounded_time(name: str) -> None:
    started = time.process_time()
    read_choice(MEGABYTES[name], LITRES)
    assert time.process_time() - started < 20


def test_the_final_statement_of_an_answer_of_megabytes_is_read() -> None:
    long = "The reserve tank holds 40 litres. " * 60_000
    assert option(f"{long}The answer is B.") == 1
    assert option(f"<think>{long}</think>B") == 1
    assert option(f"B\n\n{long}") == 1
    assert option(json.dumps({"reasoning": long, "answer": "B"})) == 1
