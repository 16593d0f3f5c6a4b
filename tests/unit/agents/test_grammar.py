"""Words are tagged."""

from __future__ import annotations

import pytest

from viva.agents.offline.text.grammar import capitalised, tag, text_of, uncapitalised
from viva.core.text.prose import Sentence, sentences


def test_code_is_one_word_and_a_name_however_it_is_written() -> None:
    (sentence,) = sentences("The `while True:` loop and snake_case and ISO-8601 end.")
    codes = [token.text for token in tag(sentence) if token.code]
    assert codes == ["while True:", "snake_case", "ISO-8601"]


def test_numbers_money_and_clock_times_are_one_word_each() -> None:
    (sentence,) = sentences("The 06:45 ferry costs £1,200.50 for 40% of twelve cars.")
    assert [t.text for t in tag(sentence) if t.tag == "CRD"] == ["06:45", "£1,200.50", "40%", "twelve"]


@pytest.mark.parametrize(
    ("phrase", "lowered"),
    [
        ("The pump", "the pump"),
        ("Deck hands", "deck hands"),
        ("Corran harbour", "Corran harbour"),
        ("ISO codes", "ISO codes"),
    ],
)
def test_only_the_capital_that_the_start_gave_is_taken_back(phrase: str, lowered: str) -> None:
    assert uncapitalised(phrase, tag(Sentence(phrase, 0, len(phrase), ()))) == lowered


@pytest.mark.parametrize(
    ("text", "raised"),
    [
        ("a post", "A post"),
        ("os.fsync()", "os.fsync()"),
        ("snake_case", "snake_case"),
        ("12 litres", "12 litres"),
        ("", ""),
    ],
)
def test_a_capital_is_given_to_words_and_not_to_identifiers(text: str, raised: str) -> None:
    assert capitalised(text) == raised


def test_text_of_nothing_is_nothing() -> None:
    assert text_of("anything", ()) == ""
