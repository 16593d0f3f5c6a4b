"""A definition is read where a sentence plainly makes one, and is worded as the question that its term answers."""

from __future__ import annotations

import pytest

from viva.agents.offline.genus import DOING, HAPPENING, QUOTED
from viva.agents.offline.glossary import Definition, definition_in, glossed
from viva.agents.offline.grammar import tag
from viva.agents.offline.meanings import tells
from viva.agents.offline.prose import Sentence, sentences
from viva.agents.offline.statements import statement


def only_sentence(text: str) -> Sentence:
    found = sentences(text)
    assert len(found) == 1, f"{len(found)} sentences"
    return found[0]


def defined(text: str) -> Definition | None:
    plain = statement(only_sentence(text), "Handbook")
    return definition_in(plain.text, tag(plain))


def listed(text: str) -> Definition | None:
    sentence = only_sentence(text)
    return glossed(sentence.text, tag(sentence))


READ = {
    "is a": (
        "A drogue is a device that slows a lifeboat in heavy seas.",
        "drogue",
        "What is the term for a device that slows a lifeboat in heavy seas?",
        "device",
    ),
    "is the": (
        "Demurrage is the charge that a shipper pays when cargo stays on the quay past its day.",
        "demurrage",
        "What is the term for the charge that a shipper pays when cargo stays on the quay past its day?",
        "charge",
    ),
    "are": (
        "Drogues are cones of canvas that slow a lifeboat in heavy seas.",
        "drogues",
        "What is the term for cones of canvas that slow a lifeboat in heavy seas?",
        "cone",
    ),
    "refers to a deed": (
        "Ballasting refers to filling the hull tanks with sea water before a winter crossing.",
        "ballasting",
        "What is the term for filling the hull tanks with sea water before a winter crossing?",
        DOING,
    ),
    "happens when": (
        "Hull squat happens when a fast ferry sinks deeper because water flows under the keel.",
        "hull squat",
        "What is it called when a fast ferry sinks deeper because water flows under the keel?",
        HAPPENING,
    ),
    "is when": (
        "Leeway is when a ferry drifts sideways because strong wind pushes the tall hull.",
        "leeway",
        "What is it called when a ferry drifts sideways because strong wind pushes the tall hull?",
        HAPPENING,
    ),
    "is called": (
        "The tendency of a ferry to drift sideways in strong wind is called leeway.",
        "leeway",
        "What is the term for the tendency of a ferry to drift sideways in strong wind?",
        "tendency",
    ),
    "is also known as a": (
        "A long wave that crosses a harbour after an earthquake is also known as a seiche.",
        "seiche",
        "What is the term for a long wave that crosses a harbour after an earthquake?",
        "wave",
    ),
    "is commonly referred to as": (
        "The tendency of a ferry to drift sideways in strong wind is commonly referred to as leeway.",
        "leeway",
        "What is the term for the tendency of a ferry to drift sideways in strong wind?",
        "tendency",
    ),
    "a term for the thing itself": (
        "Stevedore is a term used to describe a worker who loads cargo into the hold of a ship.",
        "stevedore",
        "What is the term for a worker who loads cargo into the hold of a ship?",
        "worker",
    ),
    "a form of the genus": (
        "A sea anchor is a form of brake that holds the bow of a boat into the waves.",
        "sea anchor",
        "What is the term for a form of brake that holds the bow of a boat into the waves?",
        "brake",
    ),
    "an identifier has a name": (
        "`GateError` is an exception that marks a gate on the quay as closed.",
        "GateError",
        "What is the name of the exception that marks a gate on the quay as closed?",
        "exception",
    ),
    "a named thing has a name": (
        "The Sundray Ledger is a register that records every lifejacket of the island fleet.",
        "Sundray Ledger",
        "What is the name of the register that records every lifejacket of the island fleet?",
        "register",
    ),
    "of the readers as people": (
        "Depth knots are cords of hemp that help us count the fathoms of an anchorage.",
        "depth knots",
        "What is the term for cords of hemp that help us count the fathoms of an anchorage?",
        "cord",
    ),
}


@pytest.mark.parametrize(("text", "term", "stem", "genus"), READ.values(), ids=READ.keys())
def test_a_definition_is_asked_for_its_term(text: str, term: str, stem: str, genus: str) -> None:
    found = defined(text)
    assert found is not None
    assert (found.term, found.stem, found.genus, found.telling) == (term, stem, genus, True)


NO_DEFINITION = {
    "nothing sets it apart": "A drogue is a device.",
    "it is ranked": "A drogue is the best device that slows a lifeboat in heavy seas.",
    "it is counted": "A drogue is the first device that slows a lifeboat in heavy seas.",
    "it is one of several": "A drogue is one of the devices that slow a lifeboat in heavy seas.",
    "it is an example": "A drogue is an example of a device that slows a lifeboat in heavy seas.",
    "what it is not": "A drogue is not a device that slows a lifeboat in heavy seas.",
    "what it may be": "A drogue may be a device that slows a lifeboat in heavy seas.",
    "the praise of a reviewer": "A drogue is a common device that slows a lifeboat in heavy seas.",
    "a term told of before": "The website is a page that lists the winter sailings of the island ferries.",
    "a pronoun": "It is a device that slows a lifeboat in heavy seas.",
    "a role, no term": "The purpose is a rule that guides the winter sailings of the island ferries.",
    "a role of something": "The treatment of rust is a process that strips paint from the steel hull.",
    "a label of the page": "Figure 3 is a chart that shows the winter tides of the island harbour.",
    "a heading that lost its line": "HLL Hull load limit is a figure that tells the pilots how deep a ferry may sit.",
    "the other number": "Hawsers are a device that tows a drifting lifeboat in heavy seas.",
    "a progressive verb": "The project is producing components for the winter timetable of the harbour.",
    "where it is found": "Demurrage is present in the contract that a shipper signs before cargo leaves the quay.",
    "called by someone": "A sideways course in wind is called leeway by the pilots who steer the ferries.",
    "a happening too short to tell": "Leeway happens when a ferry drifts.",
    "a happening without a verb": "Leeway happens when ferries with strong wind against their tall hull over water.",
    "no verb of defining": "A drogue slows a lifeboat in heavy seas with a cone of wet canvas.",
}


@pytest.mark.parametrize("text", NO_DEFINITION.values(), ids=NO_DEFINITION.keys())
def test_what_is_not_plainly_a_definition_is_not_read_as_one(text: str) -> None:
    assert defined(text) is None


NOT_TELLING = {
    "too short": "A drogue is a brake for boats.",
    "fits many": "A ferry is a boat that takes its cars to islands.",
    "repeats the term": "A lifeboat drogue is a device that slows a lifeboat in heavy winter seas.",
    "spells an acronym": "An ETB is an electronic tide book that pilots read before winter sailings.",
    "any illness": "Rigging fever is a rare disease that affects children and often begins before birth.",
    "denied": "A drogue is a device that does not slow a lifeboat in heavy seas.",
    "vague": "A drogue is a device that slows various lifeboats in heavy seas.",
    "unsure": "A drogue is a device which probably slows a lifeboat in heavy seas.",
    "points out of itself": "A drogue is a device that slows this lifeboat in heavy seas.",
    "points into the document": "A drogue is a device that slows a boat as shown in the following table of seas.",
    "cut short": "A drogue is a device that slows a lifeboat in heavy seas and.",
    "torn": "Demurrage is a charge of £15 that a shipper pays = when cargo stays on the quay.",
    "a list without end": "A drogue is a device that slows a lifeboat, a raft, a dinghy, a launch, a tender, a skiff,"
    " a punt, a canoe, a kayak, a yawl, a ketch, a sloop, a brig and a cutter in heavy seas.",
    "a person's name": "Ada Brannoch is a scientist who measures the tides of the narrow winter channel.",
}


@pytest.mark.parametrize("text", NOT_TELLING.values(), ids=NOT_TELLING.keys())
def test_a_definition_that_does_not_tell_its_term_is_kept_only_to_stand_beside_others(text: str) -> None:
    found = defined(text)
    assert found is not None
    assert not found.telling


MEANING = "a device that slows a lifeboat in heavy seas"


@pytest.mark.parametrize(
    "more",
    [
        ", and it is towed from the stern",
        ", but it is kept dry ashore",
        " such as those of the winter channel",
        " – it is towed from the stern",
    ],
    ids=["and it", "but it", "examples", "aside"],
)
def test_a_definition_ends_where_a_second_statement_begins(more: str) -> None:
    found = defined(f"A drogue is {MEANING}{more}.")
    assert found is not None
    assert found.meaning == MEANING


def test_an_and_inside_the_definition_does_not_end_it() -> None:
    found = defined(f"A drogue is {MEANING}, and steadies its bow.")
    assert found is not None
    assert found.meaning == f"{MEANING}, and steadies its bow"


def test_brackets_that_lost_their_citation_say_nothing() -> None:
    found = defined(f"A drogue ( ) is {MEANING}.")
    assert found is not None
    assert (found.term, found.meaning) == ("drogue", MEANING)


@pytest.mark.parametrize(
    ("text", "plural", "named"),
    [
        ("A drogue is a device that slows a lifeboat in heavy seas.", False, False),
        ("Drogues are cones of canvas that slow a lifeboat in heavy seas.", True, False),
        ("`GateError` is an exception that marks a gate on the quay as closed.", False, True),
        ("The Sundray Ledger is a register that records every lifejacket of the fleet.", False, True),
    ],
)
def test_a_definition_says_whether_its_term_is_plural_and_whether_a_name(
    text: str, plural: bool, named: bool
) -> None:
    found = defined(text)
    assert found is not None
    assert (found.plural, found.named) == (plural, named)


@pytest.mark.parametrize("mark", [":", " –", " —"])
def test_an_entry_of_a_list_of_terms_is_a_definition(mark: str) -> None:
    found = listed(f"Ballast{mark} A load of water that keeps an empty hull upright in wind.")
    assert found is not None
    assert (found.term, found.stem) == (
        "ballast",
        "What is the term for a load of water that keeps an empty hull upright in wind?",
    )
    assert found.telling


NO_ENTRY = {
    "no article": "Ballast: Water in the tanks that keeps an empty hull upright in wind.",
    "a statement goes on": "Ballast: a load of water that keeps an empty hull upright in wind.",
    "a label": "Note: A load of water that keeps an empty hull upright in wind.",
    "a statement before the mark": "Ballast is water: A load of water that keeps an empty hull upright in wind.",
    "nothing sets it apart": "Ballast: A load.",
    "an amount": "Ballast: An amount of water that keeps an empty hull upright in wind.",
}


@pytest.mark.parametrize("text", NO_ENTRY.values(), ids=NO_ENTRY.keys())
def test_other_words_before_a_colon_are_no_entry(text: str) -> None:
    assert listed(text) is None


@pytest.mark.parametrize(
    ("meaning", "genus", "named", "stem"),
    [
        ("a cone of canvas", "cone", False, "What is the term for a cone of canvas?"),
        ("an exception of gates", "exception", True, "What is the name of the exception of gates?"),
        ("the charge for delay", "charge", False, "What is the term for the charge for delay?"),
        ("towing a hull", DOING, False, "What is the term for towing a hull?"),
        ("a hull drifts", HAPPENING, False, "What is it called when a hull drifts?"),
        ("Drift of a hull", QUOTED, False, "Which term is explained by these words: “Drift of a hull”?"),
    ],
)
def test_a_stem_is_worded_for_what_kind_of_definition_it_is(meaning: str, genus: str, named: bool, stem: str) -> None:
    assert Definition("leeway", meaning, genus, plural=False, named=named, telling=True).stem == stem


@pytest.mark.parametrize(
    ("term", "meaning", "told"),
    [
        ("drogue", "a device that slows a lifeboat in heavy seas", True),
        ("drogue", "a device that slows boats", False),
        ("slowing cone", "a device that slows a lifeboat in heavy seas", False),
        ("lifeboats", "a device that slows a lifeboat in heavy seas", False),
        ("ETB", "an electronic tide book that pilots read in winter", False),
        ("QRT", "an electronic tide book that pilots read in winter", True),
        ("rigging fever", "a rare genetic disease that begins in childhood and affects boys", False),
        ("rigging fever", "a rare disease of sailors that swells knees and yellows nails", True),
    ],
    ids=["enough", "too few words", "a form of its word", "its plural", "initials", "other initials", "any illness",
         "one illness"],
)  # fmt: skip
def test_a_meaning_tells_its_term_only_where_it_says_enough_and_does_not_give_it_away(
    term: str, meaning: str, told: bool
) -> None:
    assert tells(term, meaning) is told
