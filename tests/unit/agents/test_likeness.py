"""What makes options alike in form, and what sets one apart."""

from __future__ import annotations

import pytest

from viva.agents.offline.distractors.likeness import head_word, is_plural, reshaped, shape, size, traits


def test_options_are_alike_in_opening_and_size() -> None:
    assert shape("When the pump stops") != shape("The pump stops the water")
    assert shape("When the pump stops") == shape("Until the water is gone")
    assert shape("To move the water") == shape("To stop all the water")
    assert shape("12 litres") != shape("litres of water")
    assert shape("flush()") != shape("flush")
    assert shape("In the lamp room") != shape("The lamp room")


def test_a_list_stands_among_lists() -> None:
    assert shape("Rust, salt and spray") == shape("The bow, the stern or the keel")
    assert shape("Rust, salt and spray") != shape("Rust on the bow of ships")


def test_an_option_takes_the_keys_wording_of_the_unit_its_capital_and_its_full_stop() -> None:
    assert reshaped("30 l", "12 litres of oil", "quantity:litre") == "30 litres of oil"
    assert reshaped("a small ring", "A post", "definition:a") == "A small ring"
    assert reshaped("captain’s orders", "Night watches", "object:keep") == "Captain’s orders"
    assert reshaped("flush_all()", "A post", "object:call") == "flush_all()"
    assert reshaped("A small ring.", "A post", "definition:a") == "A small ring"
    assert reshaped("A small ring", "A post.", "definition:a") == "A small ring."


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("The loss of bladder control", "loss"),
        ("A kind of pump that moves water", "pump"),
        ("A disorder caused by a mutation", "disorder"),
        ("Headache, facial pain, and impaired vision", "headache"),
        ("An organisation representing the crews", "organisation"),
        ("The steering gear", "gear"),
    ],
)
def test_the_head_says_what_kind_of_thing_a_phrase_names(phrase: str, head: str) -> None:
    assert head_word(phrase) == head


@pytest.mark.parametrize(
    ("phrase", "plural"),
    [
        ("Winch drums", True),
        ("People on deck", True),
        ("The loss of cells", False),
        ("A virus", False),
        ("Optics", False),
    ],
)
def test_number_is_that_of_the_head(phrase: str, plural: bool) -> None:
    assert is_plural(phrase) is plural


def test_size_is_the_value_of_a_number_the_date_of_a_date_the_length_of_a_text() -> None:
    assert size("1,200 litres", "quantity:litre") == 1200
    assert size("seven days", "quantity:day") == 7
    assert size("March 1987", "date:month") > size("May 1986", "date:month")
    assert size("A post", "definition:a") == 6


def test_a_word_of_the_stem_is_a_trait() -> None:
    asked = frozenset({"pump"})
    assert traits("The pump house", asked) - traits("The pump house") == {"repeats pump"}
