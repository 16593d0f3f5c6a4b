"""Options say different things, and nothing but knowledge tells the key from the others."""

from __future__ import annotations

import pytest

from viva.metrics.item_writing.defects import defects
from viva.metrics.item_writing.options import (
    is_catch_all,
    options_defect,
    options_defects,
    same_answer,
    same_option,
    stands_out,
)
from viva.metrics.item_writing.quantities import numeric_value

STEM = "How long before low water does the lock gate close?"


def code(key: str, *others: str, stem: str = STEM, language: str = "en") -> str:
    defect = options_defect(stem, key, others, language)
    return defect.code if defect else ""


@pytest.mark.parametrize(
    ("key", "others", "expected"),
    [
        ("35 minutes", ("15 minutes", "45 minutes", "55 minutes"), ""),
        ("35 minutes", (), ""),
        ("35 minutes", ("15 minutes", "", "45 minutes"), "empty_option"),
        ("35 minutes", ("15 minutes", "45 minutes", "None of the above"), "catch_all_option"),
        ("35 minutes", ("15 minutes", "45 minutes", "45 Minutes."), "options_overlap"),
        ("2 hours", ("120 minutes", "3 hours", "4 hours"), "options_overlap"),
        (
            "by law",
            ("for safety", "to save oil because the tide runs out by then", "to ground no ship on the sill"),
            "key_stands_out",
        ),
        (
            "because the tide runs out of the inner basin by then",
            ("for safety", "to save oil", "by law"),
            "key_stands_out",
        ),
        ("7", ("12", "105", "8,000"), ""),
        ("oil", ("Grease", "Water", "Sand"), "key_differs_in_form"),
        ("iOS", ("Android", "Windows", "Linux"), ""),
        ("to save oil", ("safety at night", "a rule of law", "the harbour tax"), ""),
        ("safety at night", ("to save oil", "to obey the law", "to pay less tax"), "key_differs_in_form"),
        ("the pilot", ("a cook", "a clerk", "a diver"), "key_differs_in_form"),
        ("35 minutes", ("at noon", "at dusk", "at dawn"), "key_differs_in_form"),
        ("35 minutes", ("20 litres", "30 litres", "50 litres"), "key_differs_in_form"),
        ("at high tide.", ("at noon", "at dusk", "at dawn"), "key_differs_in_form"),
        ("working memory", ("sensory memory", "episodic memory", "implicit memory"), ""),
        ("it opens at noon", ("it always stays shut", "it opens at dusk", "it opens at dawn"), "absolute_giveaway"),
        ("it opens on all days", ("it always stays shut", "it opens at dusk", "it opens at dawn"), ""),
        ("daily", ("always", "never", "weekly"), ""),
        ("it opens at noon", ("it opens for all", "it opens at dusk", "it opens at dawn"), ""),
        ("it opens at noon", ("it opens for all", "it must stay shut", "only boats use it"), "absolute_giveaway"),
        ("the lock house", ("the mill", "the inn", "the church"), "cue_in_stem"),
        ("red round lamps", ("red flat lamps", "blue round lamps", "green square lamps"), "key_is_crossing"),
        ("red round lamps", ("red flat lamps", "blue round lamps", "blue flat lamps"), ""),
        ("red round lamps", ("red flat lamps", "red square lamps", "blue oval lamps"), ""),
        ("the lock house", ("the lock inn", "the mill", "the church"), ""),
    ],
)
def test_the_first_rule_that_options_break(key: str, others: tuple[str, ...], expected: str) -> None:
    assert code(key, *others) == expected


def test_long_options_that_share_nearly_all_their_words_fail() -> None:
    said = (
        "the gate is presented to the ship again and again without ever being paired with the new {} of the harbour"
    )
    assert code(*(said.format(word) for word in ("bell", "horn", "lamp", "flag"))) == "options_too_alike"


@pytest.mark.parametrize(
    ("stem", "key", "others", "expected"),
    [
        ("A boat is lifted by an ____?", ("elevator"), ("crane", "pump", "sail"), "article_cue"),
        ("A boat is lifted by a(n) ____?", ("elevator"), ("crane", "pump", "sail"), ""),
        ("A boat is lifted by a ____?", ("winch"), ("crane", "pump", "sail"), ""),
    ],
)
def test_an_article_before_the_blank_must_fit_every_option(
    stem: str, key: str, others: tuple[str, ...], expected: str
) -> None:
    assert code(key, *others, stem=stem) == expected


@pytest.mark.parametrize(
    ("language", "stem", "key", "others", "expected"),
    [
        (
            "de",
            "Wann schließt das Tor?",
            "um Mittag",
            ("bei Ebbe", "bei Flut", "keine der genannten"),
            "catch_all_option",
        ),
        (
            "de",
            "Wie ist das Tor?",
            "es ist offen",
            ("es ist immer zu", "es ist halb offen", "es ist nass"),
            "absolute_giveaway",
        ),
        (
            "fr",
            "Comment est la porte ?",
            "elle est verte",
            ("elle est toujours bleue", "elle est noire", "elle est rouge"),
            "absolute_giveaway",
        ),
        (
            "es",
            "¿Cómo es la puerta?",
            "es verde hoy",
            ("siempre es azul", "es negra hoy", "es roja hoy"),
            "absolute_giveaway",
        ),
        ("es", "¿Qué es X?", "una bomba", ("el dique", "la presa", "el canal"), "key_differs_in_form"),
        ("pt", "O que é X?", "uma bomba", ("a bomba sempre", "o dique", "o canal"), ""),
        ("pt", "O que é X?", "uma bomba", ("o dique", "O dique.", "o canal"), "options_overlap"),
    ],
)
def test_options_in_other_languages(
    language: str, stem: str, key: str, others: tuple[str, ...], expected: str
) -> None:
    assert code(key, *others, stem=stem, language=language) == expected


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("the gate", "Gate.", True),
        ("cat", "cat flap", True),
        ("scatter", "cat", False),
        ("mutable", "not mutable", False),
        ("C", "C++", False),
        ("5 °C", "-5 °C", False),
        (">=", "<=", False),
        ("2 hours", "120 minutes", True),
        ("two hours", "2 h", True),
        ("0.5", "50%", True),
        ("50", "50%", False),
        ("1,000", "1000", True),
        ("1 km", "1000 metres", True),
        ("1 kB", "1 KiB", False),
        ("3.14", "3.142", True),
        ("3.4 hours", "3 hours", False),
        ("1984", "1985", False),
        ("5", "5 minutes", False),
        ("1 year", "12 months", True),
        ("$5", "5 dollars", True),
        ("35 minutes", "35 minutes before low water", True),
    ],
)
def test_options_that_say_the_same(first: str, second: str, same: bool) -> None:
    assert same_option(first, second) is same
    assert same_option(second, first) is same


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("1,000.5", "en", 1000.5),
        ("1.000,5", "de", 1000.5),
        ("1 000", "fr", 1000),
        ("1.000", "en", 1),
        ("1.000", "es", 1000),
        ("3.11.7", "en", None),
        ("Python 3", "en", None),
        ("14:00", "en", None),
        ("3/4", "en", 0.75),
        ("5/0", "en", None),
        ("about 2 million litres", "en", 2e6),
        ("zwei Stunden", "de", 7200),
        ("trois", "fr", 3),
        ("1e-3", "en", 0.001),
        ("9" * 1000, "en", None),
        ("", "en", None),
    ],
)
def test_amounts_are_read_as_their_language_writes_them(text: str, language: str, value: float | None) -> None:
    amount = numeric_value(text, language)
    assert (amount and amount.value) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("option", "language", "expected"),
    [
        ("All of the above", "en", True),
        ("none of these", "en", True),
        ("both A and B", "en", True),
        ("A and B", "en", True),
        ("all of the crew", "en", False),
        ("vitamins A and B", "en", False),
        ("none", "en", False),
        ("sowohl A als auch B", "de", True),
        ("alle Schleusen", "de", False),
        ("aucune de ces réponses", "fr", True),
        ("toutes les portes", "fr", False),
        ("ninguna de las anteriores", "es", True),
        ("todas las bombas", "es", False),
        ("All of the above", "pt", False),
    ],
)
def test_options_about_the_other_options(option: str, language: str, expected: bool) -> None:
    assert is_catch_all(option, language) is expected


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [("35 minutes", "The 35 Minutes.", True), ("1.5", "15", False), ("C", "C++", False), ("A", "the", False)],
)
def test_answers_are_the_same_but_for_case_articles_and_the_end(first: str, second: str, same: bool) -> None:
    assert same_answer(first, second) is same


def test_nothing_stands_out_alone() -> None:
    assert not stands_out("a key of some length", [])


def test_all_defects_of_an_item_are_listed_in_order_and_once() -> None:
    found = defects(
        "According to the text, what does it do?",
        "all of the above",
        ("pump", "the pump", "it never opens at all to anybody", "none of these"),
        "en",
    )
    assert [defect.code for defect in found] == [
        "speaks_of_document",
        "catch_all_key",
        "catch_all_option",
        "options_overlap",
    ]


def test_a_sound_item_has_no_defects() -> None:
    assert defects(STEM, "35 minutes", ("15 minutes", "45 minutes", "55 minutes"), "en") == ()
    assert defects(STEM, "35 minutes", (), "en") == ()


@pytest.mark.parametrize(
    ("stem", "key", "cue"),
    [
        ("To which class belongs a bone that is longer than wide?", "the long ones", True),
        ("What does a port-hand approach ask for?", "a turn to port", True),
        ("What do trapped cells become?", "it becomes an osteocyte", False),
        ("Which portion is paid?", "what the port asks", False),
    ],
)
def test_a_word_of_the_root_of_one_in_the_stem_is_a_cue_and_an_empty_verb_is_none(
    stem: str, key: str, cue: bool
) -> None:
    codes = [defect.code for defect in options_defects(stem, key, ("a flat one", "a small one", "a red one"), "en")]
    assert ("cue_in_stem" in codes) is cue
