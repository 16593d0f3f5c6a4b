"""Units are the facts of a chunk: each stands alone, can be checked, and names what it is about without telling
it."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from by_hand import bank, source

from viva.agents.offline.oral.examiner import told
from viva.agents.offline.oral.units import OfflineOralUnits, known_nouns
from viva.agents.offline.oral.wording import subject_of
from viva.agents.offline.text.grammar import tag, text_of
from viva.agents.roles import Source
from viva.core.records import OralUnit, QuestionType
from viva.core.records.oral import LONGEST_DESCRIPTION
from viva.core.text.prose import plain_sentence


def extracted(here: Source) -> list[OralUnit]:
    return asyncio.run(OfflineOralUnits(bank(here)).extract(here))


def only(text: str, title: str = "MV Morven Tern") -> OralUnit:
    (unit,) = extracted(source(text, title=title))
    return unit


TEXT = """# Pumps

The Corran bilge pump moves 40 litres of water per minute. It was mended last year. Why is it so loud?

- **Deck hatches** are closed before departure, because spray
  floods the forward store.
- See the table below.

The Ellery fire pump was built by Strandmoor Yard in 2011 for £3.8 million to replace the old Varn pump, which had
worked since the route opened and which nobody wanted to repair again after the second fire.
"""


def test_units_are_the_sentences_that_stand_alone_and_state_something() -> None:
    keywords = [unit.keyword for unit in extracted(source(TEXT))]
    assert keywords == ["Corran bilge pump", "deck hatches", "Ellery fire pump"]


def test_evidence_is_the_source_to_the_character() -> None:
    here = source(TEXT)
    for unit in extracted(here):
        span = unit.evidence
        assert here.document.text[span.start : span.end] == span.quote
        assert (unit.chunk_id, unit.topic, span.document_id) == (here.chunk.id, "pumps", here.document.id)


def test_evidence_lies_within_the_chunk() -> None:
    whole = source(TEXT)
    cut = Source(whole.chunk.of(whole.document, 0, 120, 20), whole.document)
    assert [unit.keyword for unit in extracted(cut)] == ["Corran bilge pump"]


def test_a_chunk_that_repeats_another_has_no_units() -> None:
    here = source(TEXT)
    again = Source(here.chunk.model_copy(update={"duplicate_of": "other"}), here.document)
    assert asyncio.run(OfflineOralUnits(bank(here)).extract(again)) == []


def test_a_long_sentence_is_shortened_and_keeps_its_value() -> None:
    description = extracted(source(TEXT))[2].description
    assert description == (
        "The Ellery fire pump was built by Strandmoor Yard in 2011 for £3.8 million to replace the old Varn pump."
    )


@pytest.mark.parametrize("words", range(1, 60, 3))
def test_no_description_is_longer_than_allowed_or_ends_within_a_number(words: int) -> None:
    text = f"The pump {'very ' * words}slowly moves 1,234.5 litres of water per minute into the Ellery ferry."
    for unit in extracted(source(text)):
        assert len(unit.description.split()) <= LONGEST_DESCRIPTION
        assert "1,234.5" in unit.description or "1,234" not in unit.description


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The Corran bilge pump moves 40 litres of water per minute.", QuestionType.QUANTITY),
        ("The cadet scheme of Port Ellery began on 4 May 2010.", QuestionType.DATE),
        ("Deck hatches are closed because spray floods the forward store.", QuestionType.CAUSE),
        ("Amber defects are repaired when a surveyor comes aboard.", QuestionType.CONDITION),
        ("Wave limits are set by route rather than by ship.", QuestionType.FACTOID),
    ],
)
def test_the_type_is_what_kind_of_fact_it_is(text: str, kind: QuestionType) -> None:
    assert only(text).type is kind


def test_a_fact_told_twice_is_one_unit_and_other_numbers_make_another() -> None:
    fact = "The Corran bilge pump moves 40 litres of water per minute."
    same = "The Corran bilge pump moves 40 litres of water per minute today."
    other = "The Corran bilge pump moves 75 litres of water per minute."
    assert [unit.description for unit in extracted(source(f"{fact} {same} {other}"))] == [fact, other]


def test_a_keyword_gives_its_own_fact_not_away() -> None:
    units = extracted(source(TEXT + "In 2011 the crew of 37 bought the Limpet for £20,000 from Strandmoor Yard."))
    assert len(units) > 2
    assert not [unit.keyword for unit in units if told(unit.keyword, [unit])]


def test_a_common_noun_is_told_apart_by_its_documents_title() -> None:
    assert only("Crews rest for at least 11 hours between duties.").keyword == "crews (MV Morven Tern)"


def test_units_come_in_the_order_of_the_text_and_are_the_same_every_time() -> None:
    first, second = extracted(source(TEXT)), extracted(source(TEXT))
    assert first == second
    assert all(a.evidence.start < b.evidence.start for a, b in pairwise(first))


def test_sentences_of_other_languages_are_units_too() -> None:
    text = "Die Fähre Morven Tern befördert 148 Fahrgäste und 22 Autos zwischen Port Ellery und der Insel Varnholm."
    unit = only(text + " Ob das stimmt, weiß man nicht?", "Die Fähre")
    assert (unit.type, unit.evidence.quote) == (QuestionType.QUANTITY, text)


@pytest.mark.parametrize(
    "text", ["", "   ", "Why?", "1 2 3 4 5 6 7", "# Heading only", "It was mended. They left. " * 3]
)
def test_text_without_facts_has_no_units(text: str) -> None:
    assert extracted(source(text)) == []


def test_a_document_makes_known_what_it_keeps_naming() -> None:
    text = "The winch turns. A winch stops. One winch rusts. This winch is old. A valve leaks."
    assert known_nouns(source(text, title="Deck gear").document) >= {"winch", "deck", "gear"}
    assert "valve" not in known_nouns(source(text).document)


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("The ferry carries vehicles.", "The ferry"),
        ("Pumps", ""),
        ("Although it rains the ferry carries vehicles.", ""),
        ("In the harbour the ferry carries vehicles.", ""),
        ("They carry vehicles.", ""),
        ("Carry the vehicles to the ferry.", ""),
    ],
)
def test_the_subject_is_a_plain_noun_phrase_before_the_verb(sentence: str, subject: str) -> None:
    assert text_of(sentence, subject_of(tag(plain_sentence(sentence)))) == subject
