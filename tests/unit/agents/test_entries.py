"""A list whose labels are explained beside them is a glossary; headings, orders and short lists are not."""

from __future__ import annotations

import pytest

from viva.agents.offline.entries import entries
from viva.agents.offline.genus import DOING, HAPPENING, QUOTED

SIGNALS = (
    ("Leading light", "Marking the deep channel for pilots who enter the harbour at night."),
    ("Tide sphere", "A black balloon rises on a mast while water over the lock sill is deep enough."),
    ("Storm cone", "The canvas shape hoisted by the crew to warn boats of gales."),
    ("Bell buoy", "A floating drum that rings in a swell to keep vessels off the shoal."),
)


def text_of(*signals: tuple[str, str], line: str = "- **{0}**: {1}") -> str:
    return "# Signals\n\n" + "\n".join(line.format(*signal) for signal in signals) + "\n"


def labels(text: str) -> list[str]:
    return [entry.definition.term for entry in entries(text)]


def last(label: str = "Bell buoy", said: str = SIGNALS[-1][1]) -> list[str]:
    """The labels read where the fifth entry is this one."""
    return labels(text_of(*SIGNALS, (label, said)))[4:]


@pytest.mark.parametrize(
    "line",
    ["- **{0}**: {1}", "* **{0}**: {1}", "+ **{0}** – {1}", "• **{0}** - {1}", "3. **{0}**: {1}", "- **{0}:** {1}",
     "- **{0}.** {1}", "  - **{0}**: {1}"],
)  # fmt: skip
def test_labels_of_a_list_are_read_however_they_are_marked(line: str) -> None:
    assert labels(text_of(*SIGNALS, line=line)) == [label for label, _ in SIGNALS]


@pytest.mark.parametrize(
    "line",
    ["{0}: {1}", "- {0}: {1}", "- **{0}** {1}", "- *{0}*: {1}", "- `{0}`: {1}", "| **{0}** | {1} |"],
    ids=["no bullet", "no label", "no colon", "emphasis", "code", "a table"],
)
def test_other_lines_are_no_entries(line: str) -> None:
    assert entries(text_of(*SIGNALS, line=line)) == ()


def test_what_is_said_is_worded_for_the_question_it_can_stand_in() -> None:
    found = {e.definition.term: e.definition for e in entries(text_of(*SIGNALS))}
    assert {term: (d.genus, d.stem) for term, d in found.items() if term != "Bell buoy"} == {
        "Leading light": (
            DOING,
            "What is the term for marking the deep channel for pilots who enter the harbour at night?",
        ),
        "Tide sphere": (
            HAPPENING,
            "What is it called when a black balloon rises on a mast while water over the lock sill is deep enough?",
        ),
        "Storm cone": (
            QUOTED,
            "Which term is explained by these words: “The canvas shape hoisted by the crew to warn boats of gales”?",
        ),
    }


def test_an_entry_keeps_its_place_in_the_document() -> None:
    text = text_of(*SIGNALS)
    for entry, (label, said) in zip(entries(text), SIGNALS, strict=True):
        assert text[entry.start : entry.end] == f"**{label}**: {said.removesuffix('.')}"
        assert entry.statement == f"{label}: {said}"


def test_only_the_first_sentence_explains_a_label() -> None:
    one = entries(text_of(("Leading light", f"{SIGNALS[0][1]} It is dark by day."), *SIGNALS[1:]))[0]
    assert one.statement == f"Leading light: {SIGNALS[0][1]}"


def test_brackets_after_a_label_are_no_part_of_it() -> None:
    assert last("Bell buoy (brass)") == ["Bell buoy"]


def test_a_list_of_fewer_than_four_has_too_few_to_stand_beside_one_another() -> None:
    assert len(entries(text_of(*SIGNALS))) == 4
    assert entries(text_of(*SIGNALS[:3])) == ()


SPLIT = {
    "a heading": "\n## More signals\n\n",
    "an underlined heading": "\nMore signals\n------------\n\n",
    "a paragraph": "\nThe harbour office keeps more of them.\n\n",
}


@pytest.mark.parametrize("between", SPLIT.values(), ids=SPLIT.keys())
def test_a_heading_or_a_paragraph_ends_a_list(between: str) -> None:
    first, second = text_of(*SIGNALS), text_of(*SIGNALS).removeprefix("# Signals\n\n")
    whole = entries(first + second)
    parted = entries(first + between + second)
    assert len(whole) == len(parted) == 8
    assert [len({entry.place for entry in found}) for found in (whole, parted)] == [1, 2]


@pytest.mark.parametrize("within", ["\n", "  It is kept ashore.\n", "- unlabelled\n", "  - of an inner list\n"])
def test_what_belongs_to_an_entry_does_not_end_its_list(within: str) -> None:
    text = text_of(*SIGNALS).replace("- **Storm", f"{within}- **Storm")
    assert {entry.place for entry in entries(text)} == {0}


def test_entries_of_another_indent_are_another_list() -> None:
    outer, inner = text_of(*SIGNALS), text_of(*SIGNALS, line="  - **{0}**: {1}").removeprefix("# Signals\n\n")
    assert [entry.place for entry in entries(outer + inner)] == [0] * 4 + [1] * 4


NO_LABEL = {
    "a question": "How buoys work",
    "an order": "Identify buoys",
    "small": "bell buoy",
    "a heading of its own": "Impact",
    "a numbered step": "Step 4",
    "a statement": "Bells are loud",
    "identifier marks": "bell_buoy = `on`",
    "a list": "Bells, drums",
    "too long": "Brass bell of the outer harbour buoy",
    "a preposition": "Under the buoy",
}


@pytest.mark.parametrize("label", NO_LABEL.values(), ids=NO_LABEL.keys())
def test_a_label_that_names_no_thing_is_left_out(label: str) -> None:
    assert last() == ["Bell buoy"]
    assert last(label) == []


NOT_TELLING = {
    "words of any sort": "Floating drum that rings in a swell to keep vessels off the shoal.",
    "what it requires": "Requires a permit of the harbour office before any vessel leaves.",
    "what it is open to": "Vulnerable to salt water that enters the drum through its seams.",
    "a bare list": "Drums, floats, clappers, chains, anchors, brass rings.",
    "too short": "A floating drum.",
    "its own words": "A floating buoy that rings in a swell to keep vessels off the shoal.",
    "vague": "A floating drum that rings for various vessels off the shoal.",
    "points elsewhere": "A floating drum that rings as shown in the following table of shoals.",
    "a fragment": "Drums in a swell allowing safe passages.",
    "one that happens": "A floating drum that rings for divers wakes gulls near the shoal.",
    "denied": "A floating drum that does not ring in a swell near the shoal.",
}


@pytest.mark.parametrize("said", NOT_TELLING.values(), ids=NOT_TELLING.keys())
def test_words_that_do_not_tell_the_label_leave_it_a_wrong_option_only(said: str) -> None:
    asked = {e.definition.term: e.definition.telling for e in entries(text_of(*SIGNALS))}
    assert all(asked.values())
    changed = {e.definition.term: e.definition.telling for e in entries(text_of(*SIGNALS[:3], ("Bell buoy", said)))}
    assert changed == {**asked, "Bell buoy": False}
