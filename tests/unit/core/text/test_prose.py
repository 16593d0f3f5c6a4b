"""Sentences come out of raw documents clean, whole, and at their exact place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.core.text.prose import plain_sentences, sentences


def texts(document: str) -> list[str]:
    return [sentence.text for sentence in sentences(document)]


NOT_PROSE = {
    "a Markdown heading": "# Pumps move water.",
    "an underlined heading": "Pumps move water.\n=================",
    "a fenced block": "```\nPumps move water.\n```",
    "a tilde fence": "~~~text\nPumps move water.\n~~~",
    "a Markdown table": "| Pump | Moves water. |\n|------|-----|\n| A | Pumps move water. |",
    "a grid table's rule": "====  ====",
    "a directive with its body": ".. note::\n   Pumps move water.",
    "a comment": ".. Pumps move water.",
    "a literal block": "Start it so::\n\n    Pumps move water.",
    "a field list": ":Author: Ada Brannoch",
    "a header field": "Created: 14 March 1992",
    "a doctest": ">>> Pumps move water.",
    "a shell line": "$ Pumps move water.",
    "code that is indented": "    pump = Pump(1)",
    "a line without a full stop": "Pumps and valves",
}


@pytest.mark.parametrize("raw", NOT_PROSE.values(), ids=NOT_PROSE.keys())
def test_what_is_not_prose_holds_no_sentence(raw: str) -> None:
    around = f"Before it stands one.\n\n{raw}\n\nAfter it stands one."
    assert texts(around) == ["Before it stands one.", "After it stands one."]


def test_the_term_of_a_definition_list_is_no_part_of_its_definition() -> None:
    assert texts("Bollard\n    A post holds the rope.") == ["A post holds the rope."]


def test_an_item_of_a_list_begins_a_sentence_of_its_own() -> None:
    assert texts("- Pumps move water.\n- Valves stop\n  water.\n1. Tanks hold oil.") == [
        "Pumps move water.",
        "Valves stop water.",
        "Tanks hold oil.",
    ]


def test_a_paragraph_of_several_lines_is_read_as_one() -> None:
    raw = "Pumps move\nwater. Valves\nstop it."
    found = sentences(raw)
    assert [s.text for s in found] == ["Pumps move water.", "Valves stop it."]
    assert [raw[s.start : s.end] for s in found] == ["Pumps move\nwater.", "Valves\nstop it."]


@pytest.mark.parametrize(
    "sentence",
    [
        "Pumps (e.g. Pump A) move water.",
        "Dr. Brannoch built the pump.",
        "The pump of A. Brannoch moves water.",
        "Tank No. 5 of Fig. 3 holds oil.",
        "The U.S. Navy has 3.5 such pumps.",
        "It opens at 7 a.m. Corran time.",
        "The pump, cf. Pump B, moves water.",
        "The ruling in Brannoch v. Board of Pumps changed the valves.",
        "It is stored in config.toml of version 1.2.3 alone.",
    ],
)
def test_an_abbreviation_or_a_point_inside_a_word_ends_no_sentence(sentence: str) -> None:
    assert texts(f"{sentence} Valves stop water.") == [sentence, "Valves stop water."]


@pytest.mark.parametrize(
    ("raw", "clean", "code"),
    [
        ("The `pump` moves *much* water.", "The pump moves much water.", ["pump"]),
        ("The ``os.fsync()`` call **waits** here.", "The os.fsync() call waits here.", ["os.fsync()"]),
        ("See the [pump](https://x.example/a_b) and `Tank <t>`_ there.", "See the pump and Tank there.", []),
        ("It takes :class:`~pumps.Valve` and :pep:`302` along.", "It takes pumps.Valve and PEP 302 along.", None),
        ("Water [1]_ flows [^2] down.", "Water flows down.", []),
        ("The snake_case name _counts_ here.", "The snake_case name counts here.", []),
        ("Files end with the _.rs_ mark here.", "Files end with the .rs mark here.", []),
        ("A \\*star is kept.", "A *star is kept.", []),
    ],
)
def test_markup_is_taken_off_and_code_is_known_by_its_place(raw: str, clean: str, code: list[str] | None) -> None:
    (sentence,) = sentences(raw)
    assert sentence.text == clean
    if code is not None:
        assert [sentence.text[a:b] for a, b in sentence.code] == code


def test_only_sentences_wholly_inside_the_range_are_given() -> None:
    raw = "Pumps move water. Valves stop it. Tanks hold it."
    assert [s.text for s in sentences(raw, 5, len(raw) - 1)] == ["Valves stop it."]


def test_everything_a_passage_says_includes_its_tables_and_headings() -> None:
    assert plain_sentences("# Pumps\n\nPumps move water.\n\n| A | B |") == (
        "# Pumps",
        "Pumps move water.",
        "| A | B |",
    )


PIECES = st.sampled_from(
    ["Pumps move water.", "e.g.", "`code`", "``x.y()``", "\n", "\n\n", "  ", "# ", "- ", "::", "```", "|", "*", "_",
     "a. B", "Word", "!", "?", ".. note::", "====", "[x](y)", "\ue000", "\ue001", "`", "ß"]
)  # fmt: skip
DOCUMENTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=25).map("".join))


@settings(deadline=None, max_examples=150)
@given(DOCUMENTS)
def test_sentences_lie_within_the_text_in_order_and_apart(text: str) -> None:
    reached = 0
    for sentence in sentences(text):
        assert reached <= sentence.start < sentence.end <= len(text)
        assert all(0 <= a < b <= len(sentence.text) for a, b in sentence.code)
        raw = text[sentence.start : sentence.end]
        assert raw == raw.strip()
        reached = sentence.end


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from(["Pumps move water.", "Valve A7 holds 3.5 litres.", "Is it open?"]), max_size=8))
def test_plain_sentences_are_found_to_the_character(written: list[str]) -> None:
    raw = "\n\n".join(written)
    assert [raw[s.start : s.end] for s in sentences(raw)] == written
