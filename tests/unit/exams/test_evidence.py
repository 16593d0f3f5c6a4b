"""Evidence in newer documents: what is found again, what is altered, and what is gone. Edits are made by hand."""

from __future__ import annotations

import pytest
from by_hand import document, item

from viva.core.records import Document, Exam, ExamItem, Span
from viva.exams.evidence import EvidenceState, RecheckedItem, recheck
from viva.exams.file import with_id
from viva.metrics.text.rewording import difference

TEXTS = {
    "lock.md": "# The lock\n\nThe lock gate closes 35 minutes before low water. Boats longer than 38 metres must "
    "take a pilot.\n\nThe lock keeper is Odalys Ferrant.",
    "berths.md": "# Berths\n\nBerth A is 85 metres long. It has a depth of 7 metres.\n\nBerth B is 140 metres long. "
    "It has a depth of 9 metres.",
    "market.rst": "Fish market\n===========\n\nThe fish market opens at 04:45. The auction clock was installed "
    "in\n1996 by the Varrick works.\n\nSalt may be sold on Sundays.",
    "lights.txt": "The Ness lighthouse flashes white every 12 seconds. The fog horn sounds once every 90 seconds.\n\n"
    "Tobiah Renwick was the last keeper.",
    "hospital.md": "The hospital has 34 beds. Visitors can stay for 45 minutes.\n\nA diver may not fly for 24 hours "
    "after a treatment.",
    "store.md": "The winter store holds 72 dinghies. It is heated to -5 °C.",
    "bridge.md": "The swing bridge weighs 210 tonnes. If the wind is above force 8, the bridge stays shut.",
    "fees.md": "A visitor pays £22 for one night. Children under six do not pay.",
    "rules.md": "## Fires\n\nFires are allowed on the east beach.\n\n## Dogs\n\nDogs are allowed on the east beach.",
    "ferry.md": "The ferry Corvina leaves at noon. The captain pays the harbour master.",
    "crane.md": "Crane number 3 lifts at most 15 tonnes. All cranes are tested before winter.",
    "radio.md": "Pilots keep watch on radio channel 71. Each pilot uses two radios.",
}
BEFORE = {path: document(text, path) for path, text in TEXTS.items()}
VALID, CHANGED, ORPHAN = EvidenceState


def asked(path: str, quote: str, stem: str = "What is told?", key: str = "x") -> ExamItem:
    start = TEXTS[path].index(quote)
    span = Span(document_id=BEFORE[path].id, start=start, end=start + len(quote), quote=quote)
    made = item(1).model_copy(update={"stem": stem, "key": key, "evidence": (span,)})
    options = (key, *(wrong.text for wrong in made.distractors))
    return with_id(ExamItem(item=made, options=options, key_position=0))


def checked(shown: ExamItem, **changed: str | None) -> RecheckedItem:
    """The question against these documents with some files of another text; None: the file is gone."""
    texts = {**TEXTS, **{name.replace("_", "."): text for name, text in changed.items()}}
    now = [document(text, path) for path, text in texts.items() if text is not None]
    return recheck(Exam.of([shown]), {each.id: each for each in BEFORE.values()}, now)[0]


def edited(path: str, old: str, new: str, shown: ExamItem) -> RecheckedItem:
    assert old in TEXTS[path]
    return checked(shown, **{path.replace(".", "_"): TEXTS[path].replace(old, new)})


FACTS = [
    ("lock.md", "must take a pilot", "may take a pilot", "Boats longer than 38 metres must take a pilot."),
    ("lock.md", "38 metres", "38 feet", "Boats longer than 38 metres must take a pilot."),
    ("lock.md", "before low", "after low", "The lock gate closes 35 minutes before low water."),
    ("lock.md", "35 minutes", "forty minutes", "The lock gate closes 35 minutes before low water."),
    ("lock.md", "Odalys Ferrant", "Tobiah Renwick", "The lock keeper is Odalys Ferrant."),
    ("market.rst", "1996", "1969", "The auction clock was installed in\n1996 by the Varrick works."),
    ("market.rst", "opens", "closes", "The fish market opens at 04:45."),
    ("market.rst", "may be sold", "may not be sold", "Salt may be sold on Sundays."),
    ("market.rst", "04:45", "16:45", "fish market opens at 04:45"),
    ("lights.txt", "once every", "twice every", "The fog horn sounds once every 90 seconds."),
    ("lights.txt", "The Ness lighthouse", "No longer the Ness lighthouse", "flashes white every 12 seconds"),
    ("hospital.md", "can stay", "cannot stay", "Visitors can stay for 45 minutes."),
    ("hospital.md", "may not fly", "may fly", "A diver may not fly for 24 hours after a treatment."),
    ("hospital.md", "45 minutes.", "45 minutes, unless they are ill.", "Visitors can stay for 45 minutes."),
    ("fees.md", "do not pay.", "do not pay (withdrawn).", "Children under six do not pay."),
    ("store.md", "-5 °C", "5 °C", "It is heated to -5 °C."),
    ("bridge.md", "210 tonnes", "210 kilograms", "The swing bridge weighs 210 tonnes."),
    ("bridge.md", "above force", "below force", "If the wind is above force 8, the bridge stays shut."),
    ("fees.md", "£22", "€22", "A visitor pays £22 for one night."),
    ("fees.md", "under six", "under seven", "Children under six do not pay."),
    ("fees.md", "Children", "Only children", "Children under six do not pay."),
    ("rules.md", "Dogs are allowed", "Dogs are seldom allowed", "Dogs are allowed on the east beach."),
    ("ferry.md", "captain pays the harbour master", "harbour master pays the captain", "pays the harbour master"),
    ("crane.md", "at most", "at least", "Crane number 3 lifts at most 15 tonnes."),
    ("crane.md", "All cranes", "Some cranes", "All cranes are tested before winter."),
    ("radio.md", "uses two radios", "used two radios", "Each pilot uses two radios."),
    ("radio.md", "uses two radios", "has two radios", "Each pilot uses two radios."),
    ("hospital.md", "can stay", "should stay", "Visitors can stay for 45 minutes."),
]


@pytest.mark.parametrize(("path", "old", "new", "quote"), FACTS)
def test_a_changed_fact_is_found_with_both_texts(path: str, old: str, new: str, quote: str) -> None:
    found = edited(path, old, new, asked(path, quote))
    assert (found.state, bool(found.worst and found.worst.reason)) == (CHANGED, True)
    assert found.worst
    assert old.split()[0] in found.worst.before
    assert new.split()[-1] in found.worst.after


KEPT = [
    ("lock.md", "35 minutes", "thirty-five minutes", "The lock gate closes 35 minutes before low water."),
    ("lock.md", "must take", "have to take", "Boats longer than 38 metres must take a pilot."),
    ("market.rst", "was installed in\n1996", "was\ninstalled in 1996", "The auction clock was installed in\n1996"),
    ("market.rst", "Fish market\n===========", "# FISH MARKET", "The fish market opens at 04:45."),
    ("lights.txt", "white every", "**white** every", "The Ness lighthouse flashes white every 12 seconds."),
    ("hospital.md", "45 minutes", "three quarters of an hour", "The hospital has 34 beds."),
    (
        "bridge.md",
        "If the wind is above force 8, the bridge stays shut.",
        "The bridge stays shut if the wind is above force 8.",
        "If the wind is above force 8, the bridge stays shut.",
    ),
    ("fees.md", "do not pay", "don't pay", "Children under six do not pay."),
    ("radio.md", "Each pilot uses two", "Every pilot uses 2", "Each pilot uses two radios."),
    ("ferry.md", "at noon", "at 13:00", "The captain pays the harbour master."),
    ("hospital.md", "can stay", "are able to remain", "Visitors can stay for 45 minutes."),
]


@pytest.mark.parametrize(("path", "old", "new", "quote"), KEPT)
def test_what_is_reformatted_or_reworded_by_rule_stays_with_its_id(path: str, old: str, new: str, quote: str) -> None:
    shown = asked(path, quote)
    found = edited(path, old, new, shown)
    assert found.state is VALID, found.worst
    span, text = found.renewed.item.evidence[0], TEXTS[path].replace(old, new)
    assert text[span.start : span.end] == span.quote
    assert found.renewed.item.id == shown.item.id == with_id(found.renewed).item.id


def test_a_passage_is_found_in_another_place_document_and_form() -> None:
    shown = asked("berths.md", "It has a depth of 9 metres.", "How deep is berth B?", "9 metres")
    whole = "Berth B is 140 metres long. It\nhas a *depth* of 9 metres."
    rest = TEXTS["berths.md"].split("\n\nBerth B")[0]
    for changed in (
        {"berths_md": f"{whole}\n\n{rest}"},
        {"berths_md": rest, "north_md": f"New.\n\n{whole}"},
        {"berths_md": None, "lock_md": f"{TEXTS['lock.md']}\n\n{whole}"},
    ):
        found = checked(shown, **changed)
        assert found.state is VALID
        assert found.renewed.item.evidence[0].quote.split() == "It has a *depth* of 9 metres.".split()


def test_a_passage_that_lost_what_the_question_names_is_changed() -> None:
    shown = asked("berths.md", "It has a depth of 9 metres.", "How deep is berth B?", "9 metres")
    found = edited("berths.md", "Berth B is", "Berth C is", asked("berths.md", "It has a depth of 9 metres."))
    assert found.state is VALID
    found = edited("berths.md", "Berth B is 140 metres long", "The quay is 140 metres long", shown)
    assert (found.state, found.worst and found.worst.reason) == (CHANGED, "the text around it no longer has “berth”")


def test_what_is_gone_is_an_orphan_although_another_document_has_a_like_or_the_same_sentence() -> None:
    shown = asked("rules.md", "Dogs are allowed on the east beach.")
    assert edited("rules.md", "\n\n## Dogs\n\nDogs are allowed on the east beach.", "", shown).state is ORPHAN
    assert checked(shown, rules_md=None).state is ORPHAN
    boilerplate = asked("fees.md", "Children under six do not pay.")
    copies = {BEFORE["fees.md"].id: BEFORE["fees.md"]}
    other = document(f"The ferry is free. {boilerplate.item.evidence[0].quote}", "copy.md")
    now: list[Document] = [document(f"{other.text} All year.", "copy.md")]
    found = recheck(Exam.of([boilerplate]), {**copies, other.id: other}, now)
    assert found[0].state is ORPHAN


def test_of_two_passages_of_evidence_the_worst_counts() -> None:
    one, two = asked("fees.md", "A visitor pays £22 for one night."), asked("radio.md", "Each pilot uses two radios.")
    both = one.item.model_copy(update={"evidence": (*one.item.evidence, *two.item.evidence)})
    shown = one.model_copy(update={"item": both})
    assert edited("radio.md", "Each pilot uses two radios.", "", shown).state is ORPHAN
    assert edited("fees.md", "one night", "two nights", shown).state is CHANGED
    assert checked(shown, ferry_md="Other.").state is VALID


def test_evidence_that_was_taken_apart_is_changed() -> None:
    shown = asked("berths.md", "Berth A is 85 metres long. It has a depth of 7 metres.")
    found = edited(
        "berths.md", "long. It has a depth of 7", "long. Since 2024 it is shut. It has a depth of 7", shown
    )
    assert found.state is CHANGED
    assert edited("berths.md", "Berth A is 85 metres long. ", "", shown).state is CHANGED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It is 2 hours long.", "It is 120 minutes long."),
        ("50% of it", "50 percent of it"),
        ("It was lit on 4 May 1851.", "It was lit on May 4, 1851."),
        ("the colour of the organisation", "the color of the organization"),
        ("In 2003 Ada moved to Paris.", "Ada moved to Paris in 2003."),
    ],
)
def test_these_wordings_are_one(before: str, after: str) -> None:
    assert difference(before, after) == difference(after, before) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It is 2 hours long.", "It is 115 minutes long."),
        ("It takes about 5 days.", "It takes 5 days."),
        ("5 MW of power", "5 mW of power"),
        ("x < 5 is checked", "x > 5 is checked"),
        ("It is written in C.", "It is written in C++."),
        ("Ada supervises Bea.", "Bea supervises Ada."),
        ("from A to B", "from B to A"),
        ("3 litres per minute", "3 litres per hour"),
        ("It may be used.", "It might be used."),
        ("a third of it", "a quarter of it"),
        ("version 1.2.3", "version 1.2.4"),
        ("``send_file`` is called", "``send_files`` is called"),
        ("It is safe.", "It is unsafe."),
        ("red and white", "red or white"),
    ],
)
def test_these_wordings_differ(before: str, after: str) -> None:
    assert difference(before, after)
    assert difference(after, before)
