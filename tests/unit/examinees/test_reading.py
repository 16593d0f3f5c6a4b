"""What a system said, read as an answer: which option it means, which passages it showed, what was cut."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
from wires import NO_COUNTS

from viva.core.records import AnswerUsage
from viva.examinees.answering import BadAnswerError, NoAnswerError
from viva.examinees.readers.choosing import posed
from viva.examinees.readers.reading import read_answer
from viva.metrics.text.choices.reader import read_choice
from viva.metrics.text.choices.result import NoChoice

OPTIONS = ("30 litres", "40 litres", "130 litres", "A valve is closed")


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("B", 1),
        ("b", 1),
        (" (b) ", 1),
        ("B)", 1),
        ("B.", 1),
        ("[B]", 1),
        ("B: 40 litres", 1),
        ("The answer is C.", 2),
        ("the correct option is: C", 2),
        ("Answer: C, because of the pump.", 2),
        ("**C**", 2),
        ("**Answer: C**", 2),
        ("A", 0),
        ("A) it says so", 0),
        ("A, because it says so", 0),
        ("The answer is A because it says so", 0),
        ("(a) it says so", 0),
        ("40 litres", 1),
        ("40  LITRES.", 1),
        ("It moves 40 litres per minute.", 1),
        ("It moves 130 litres per minute.", 2),
        ("A valve is closed", 3),
        ("a valve is closed.", 3),
        ("I think that a valve is closed", 3),
        ("D", 3),
        ("E", None),
        ("A pump is open", None),
        ("a pump is open", None),
        ("The answer is a pump", None),
        ("30 litres or 40 litres", None),
        ("1,130 litres", None),
        ("40 litresque", None),
        ("I do not know.", None),
        ("Because", None),
        pytest.param(f"answer{' ' * 1_000_000}!", None, id="an answer after which only blanks come"),
        ("", None),
    ],
)
def test_a_text_means_an_option_by_its_letter_or_by_its_words(text: str, choice: int | None) -> None:
    assert read_choice(text, OPTIONS).option == choice


CABLES = ("a charger", "a USB cable", "a modem", "a fuse")
VITAMINS = ("C vitamins", "iron", "B vitamins", "zinc")
BUTTONS = ("Press the red button.", "Do not press the red button.", "Call the office.")


@pytest.mark.parametrize(
    ("text", "options", "choice"),
    [
        ("A USB cable", CABLES, 1),
        ("A USB cable.", CABLES, 1),
        ("Answer: a USB cable", CABLES, 1),
        ("**Answer:** A USB cable", CABLES, 1),
        ("A 30-day period", ("one week", "a 30-day period"), 1),
        ("B vitamins", VITAMINS, 2),
        (BUTTONS[1], BUTTONS, 1),
        (BUTTONS[1].rstrip("."), BUTTONS, 1),
        (f"Answer: {BUTTONS[1]}", BUTTONS, 1),
        (f"B) {BUTTONS[0]}", BUTTONS, None),
        ("E", ("C", "D", "E"), 2),
        ("B", ("B", "A"), 1),
        ("B.", ("B.", "A."), 1),
    ],
)
def test_an_options_own_words_mean_it_whatever_letter_they_begin_with(
    text: str, options: tuple[str, ...], choice: int | None
) -> None:
    assert read_choice(text, options).option == choice


@pytest.mark.parametrize(
    ("text", "options", "choice"),
    [
        ("A USB cable, as in the manual.", CABLES, 1),
        ("A USB cable, as in the manual.", ("charger", "USB cable"), 1),
        ("B vitamins, such as niacin, but not zinc", VITAMINS, 2),
        ("B vitamins", ("vitamins", "iron"), None),
        ("B is right", ("D", "C", "B"), 1),
        ("B because 30 litres is too little", OPTIONS, 1),
        ("The answer is (B).", OPTIONS, 1),
        ("A\n\nClosed is the state after it, so it is wrong.", ("open", "closed", "half open"), 0),
        ("**Answer: A** \nB vitamins are others.", ("iron", "B vitamins"), 0),
    ],
)
def test_a_letter_counts_unless_it_is_the_first_word_of_an_option(
    text: str, options: tuple[str, ...], choice: int | None
) -> None:
    assert read_choice(text, options).option == choice


def test_the_question_is_posed_with_lettered_options() -> None:
    lines = posed("How much?", ("30", "40")).splitlines()
    assert lines[:3] == ["How much?", "A) 30", "B) 40"]


@pytest.mark.parametrize(
    ("value", "text", "passages"),
    [
        ("B", "B", []),
        ({"text": "B"}, "B", []),
        ({"answer": "B", "passages": ["one", {"text": "two"}]}, "B", ["one", "two"]),
        ({"result": "B", "contexts": ("one",)}, "B", ["one"]),
        ({"text": "B", "sources": "one passage"}, "B", ["one passage"]),
        ({"text": "B", "passages": None}, "B", []),
        (SimpleNamespace(content="B"), "B", []),
        (SimpleNamespace(text="B", sources=[SimpleNamespace(page_content="one")]), "B", ["one"]),
    ],
)
def test_texts_mappings_and_objects_are_answers(value: object, text: str, passages: list[str]) -> None:
    answer = read_answer(value, OPTIONS)
    assert (answer.text, answer.choice, [p.text for p in answer.passages]) == (text, 1, passages)


@pytest.mark.parametrize(
    "value",
    [
        [],
        [None],
        {"answer": []},
        {},
        {"text": None},
        object(),
        b"B",
        (letter for letter in "B"),
        {"text": "B", "passages": 7},
        {"text": "B", "passages": [None]},
        {"text": "B", "passages": [7]},
    ],
)
def test_anything_else_is_a_bad_answer_and_says_what_was_expected(value: object) -> None:
    with pytest.raises(BadAnswerError, match="expected") as caught:
        read_answer(value, OPTIONS)
    assert not isinstance(caught.value, NoAnswerError)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (30, "30"),
        (30.0, "30.0"),
        (0, "0"),
        ({"answer": 30}, "30"),
        ({"output": {"answer": -2.5}}, "-2.5"),
        (Decimal("1.20"), "1.20"),
        (np.float32(1.5), "1.5"),
        (np.int64(4), "4"),
    ],
)
def test_a_finite_number_is_its_text(value: object, text: str) -> None:
    assert read_answer(value, None).text == text


def test_a_number_means_the_option_that_reads_so() -> None:
    assert read_answer({"answer": 30}, ("20", "30")).choice == 1


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "the truth value True"),
        ({"answer": False}, "the truth value False"),
        (np.bool_(True), "the truth value True"),
        (float("nan"), "no finite number"),
        ({"answer": float("inf")}, "no finite number"),
        (Decimal("sNaN"), "beyond all bounds"),
        ({"answer": 10**6000}, "beyond all bounds"),
    ],
)
def test_a_truth_value_and_a_number_without_an_end_are_refused_in_words(value: object, words: str) -> None:
    with pytest.raises(BadAnswerError, match=f"{words}.*expected a text"):
        read_answer(value, OPTIONS)


@pytest.mark.parametrize(
    ("value", "text", "choice"),
    [
        ({"choice": 2}, "130 litres", 2),
        ({"choice": "B"}, "40 litres", 1),
        ({"choice": 0, "text": "surely B"}, "surely B", 0),
        ({"generation": "B"}, "B", 1),
        ({"answer": SimpleNamespace(content="B")}, "B", 1),
        ({"content": [{"type": "text", "text": "B"}, {"type": "image", "url": "x"}, ") it is"]}, "B) it is", 1),
        ({"messages": [{"role": "user", "content": "A"}, {"role": "assistant", "content": "B"}]}, "B", 1),
    ],
)
def test_choices_blocks_and_messages_are_answers_too(value: object, text: str, choice: int) -> None:
    answer = read_answer(value, OPTIONS)
    assert (answer.text, answer.choice) == (text, choice)


@pytest.mark.parametrize("choice", [4, -1, True, 1.5, [1]])
def test_a_choice_that_is_no_option_is_a_bad_answer(choice: object) -> None:
    with pytest.raises(BadAnswerError, match="expected 0 to 3"):
        read_answer({"text": "B", "choice": choice}, OPTIONS)


def test_ids_scores_and_tokens_are_read_where_they_can_be() -> None:
    found = [
        {"text": "one", "id": 7, "score": 0.5},
        SimpleNamespace(page_content="two", metadata={"source": "two.md"}, score="high"),
        {"text": "three", "source_id": "x" * 1000, "score": float("nan")},
    ]
    answer = read_answer({"text": "B", "passages": found, "usage": {"prompt_tokens": 3, "cost": -1}}, OPTIONS)
    assert [(p.source_id, p.score) for p in answer.passages] == [("7", 0.5), ("two.md", None), ("x" * 500, None)]
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cost) == (3, None, None)
    assert read_answer({"text": "B", "usage": {"input_tokens": "many"}}, OPTIONS).usage is None


@pytest.mark.parametrize("name", NO_COUNTS)
def test_a_count_that_is_none_is_not_known_and_the_answer_is_kept(name: str) -> None:
    odd = NO_COUNTS[name]
    told = {"input_tokens": odd, "output_tokens": 3, "cost": 10**400}
    found = [{"text": "one", "score": 10**400}]
    answer = read_answer({"text": "B", "passages": found, "usage": told}, OPTIONS)
    assert answer.choice == 1
    assert answer.usage == AnswerUsage(input_tokens=None, output_tokens=3, cost=None)
    assert answer.passages[0].score is None
    assert read_answer({"text": "B", "usage": odd}, OPTIONS).usage is None


def test_messages_of_which_one_is_not_counted_have_no_sum() -> None:
    messages = [{"usage": {"input_tokens": 5, "output_tokens": n}, "content": "B"} for n in (3, "many")]
    usage = read_answer({"messages": messages}, OPTIONS).usage
    assert usage == AnswerUsage(input_tokens=10, output_tokens=None)


def test_an_item_may_have_more_options_than_letters() -> None:
    many = [f"option number {n} of many" for n in range(30)]
    assert posed("How much?", many).splitlines()[26:28] == [
        "Z) option number 25 of many",
        "27) option number 26 of many",
    ]
    assert read_choice("Z", many).option == 25
    assert read_choice("option number 28 of many", many).option == 28
    assert read_choice("I do not know.", many).option is None
    assert read_choice("I", many).option == 8


def test_none_is_no_answer() -> None:
    with pytest.raises(NoAnswerError):
        read_answer(None, OPTIONS)


def test_a_text_without_end_is_cut_and_that_is_told() -> None:
    answer = read_answer("x" * 1_000_000, OPTIONS)
    assert len(answer.text) == 20_000
    assert answer.meta["capped"] == "text (1,000,000 characters)"
    assert read_answer("x", OPTIONS).meta == {}


def test_the_end_of_an_answer_is_read_where_it_is_not_kept() -> None:
    answer = read_answer(f"{'The tank is described. ' * 50_000}The answer is B.", OPTIONS)
    assert (answer.choice, len(answer.text)) == (1, 20_000)


@pytest.mark.parametrize(
    "value", [["B", "B"], ("B",), {"answer": ["B", "40 litres"]}, [{"answer": "B"}, {"text": "B)"}]]
)
def test_a_list_of_answers_that_mean_one_option_means_it(value: object) -> None:
    assert read_answer(value, OPTIONS).choice == 1


@pytest.mark.parametrize(
    "value", [["A", "B"], ["B", "I do not know."], {"answer": ("B", "C")}, [*map(str, range(99))]]
)
def test_a_list_of_different_answers_means_none_and_the_reason_is_kept(value: object) -> None:
    answer = read_answer(value, OPTIONS)
    assert answer.reading is not None
    assert (answer.choice, answer.reading.why_none) == (None, NoChoice.SEVERAL_ANSWERS)


def test_the_last_of_several_messages_is_the_answer() -> None:
    assert (
        read_answer([{"role": "user", "content": "A?"}, {"role": "assistant", "content": "B"}], OPTIONS).choice == 1
    )


@pytest.mark.parametrize(
    "value",
    [
        {"content": "B", "reasoning_content": "The answer is A."},
        {"content": [{"type": "thinking", "thinking": "The answer is A."}, {"type": "text", "text": "B"}]},
        {"content": [{"type": "reasoning", "text": "The answer is A."}, {"type": "text", "text": "B"}]},
        {"reasoning": "The answer is A.", "answer": "B"},
    ],
)
def test_thoughts_in_fields_and_blocks_of_their_own_are_no_answer(value: object) -> None:
    assert read_answer(value, OPTIONS).choice == 1


def test_a_message_of_thoughts_alone_means_no_option_and_the_reason_is_kept() -> None:
    answer = read_answer({"content": [{"type": "thinking", "thinking": "The answer is A."}]}, OPTIONS)
    assert answer.reading is not None
    assert (answer.choice, answer.reading.why_none) == (None, NoChoice.ONLY_THOUGHTS)


def test_passages_without_end_are_cut_and_that_is_told() -> None:
    def without_end() -> Iterator[str]:
        while True:
            yield "passage"

    answer = read_answer({"text": "B", "passages": without_end()}, OPTIONS)
    assert len(answer.passages) == 50
    assert answer.meta["capped"] == "passages (more than 50)"


def test_thoughts_longer_than_what_is_kept_do_not_push_the_answer_out() -> None:
    thoughts = "Is it 90 litres, or 60? " * 2_000
    answer = read_answer(f"<think>{thoughts}</think>\nThe tank holds 30 litres.", None)
    assert answer.text.strip() == "The tank holds 30 litres."
    assert "text (" in answer.meta["capped"]
