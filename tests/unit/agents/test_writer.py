"""The unit extractor, the writer's revisions, and what the corpus' first reading keeps."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import bank, document, source

from viva.agents.offline.corpus_reading import read_facts
from viva.agents.offline.scope import bare_title, scope_of, title_scope
from viva.agents.offline.text.vocabulary import Vocabulary
from viva.agents.offline.writer import OfflineQuestionWriter, OfflineUnitExtractor, scoped_stem
from viva.agents.roles import Source
from viva.core.records import Chunk, Draft, Verdict

NOT_ALONE = Verdict(critic="stand-alone", passed=False, reason="name the scope", code="not_stand_alone")
UNFAITHFUL = Verdict(critic="faithfulness", passed=False, reason="not so", code="unfaithful")
HERON = source("# Ferries\n\nThe Sundray Heron can carry 48 vehicles on a single deck.\n", title="Fleet list")


def drafts(*feedback: Verdict) -> list[Draft | None]:
    """The first wording and one for each verdict."""
    known = bank(HERON)
    (unit,) = asyncio.run(OfflineUnitExtractor(known).extract(HERON))
    writer = OfflineQuestionWriter(known)
    found = [asyncio.run(writer.write(unit, HERON, None, None))]
    for verdict in feedback:
        found.append(asyncio.run(writer.write(unit, HERON, found[-1], verdict)))
    return found


def test_a_units_evidence_is_quoted_to_the_character() -> None:
    (unit,) = asyncio.run(OfflineUnitExtractor(bank(HERON)).extract(HERON))
    assert HERON.document.text[unit.evidence.start : unit.evidence.end] == unit.evidence.quote
    assert unit.evidence.quote == "The Sundray Heron can carry 48 vehicles on a single deck."


def test_the_best_pattern_asks_first_and_names_title_and_heading() -> None:
    (first,) = drafts()
    assert first is not None
    assert (first.attempt, first.stem, first.key) == (
        0,
        (
            "In the context of “Fleet list: Ferries”, which quantity completes this statement: "
            "“The Sundray Heron can carry ____ on a single deck”?"
        ),
        "48 vehicles",
    )


def test_a_failure_turns_to_the_next_question() -> None:
    first, second = drafts(UNFAITHFUL)
    assert first is not None
    assert second is not None
    assert (second.attempt, second.pattern != first.pattern) == (1, True)


def test_in_the_end_there_is_no_other_way_to_ask() -> None:
    found = drafts(*[UNFAITHFUL] * 9)[:9]
    assert None in found
    assert len({draft.stem for draft in found[: found.index(None)] if draft}) == found.index(None)


def test_a_row_without_a_title_is_no_scope() -> None:
    row = source("The Sundray Heron can carry 48 vehicles on a single deck.", path="fleet.csv#3", title="fleet 3")
    known = bank(row)
    (unit,) = asyncio.run(OfflineUnitExtractor(known).extract(row))
    writer = OfflineQuestionWriter(known)
    first = asyncio.run(writer.write(unit, row, None, None))
    second = asyncio.run(writer.write(unit, row, first, NOT_ALONE))
    assert second is None or "fleet 3" not in second.stem


def test_a_sentence_that_two_chunks_share_belongs_to_the_first() -> None:
    text = HERON.document.text + "The Morven Tern was launched in 1987.\n"
    whole = document(text)
    chunks = [Chunk.of(whole, 0, len(HERON.document.text), 20), Chunk.of(whole, 11, len(text), 30)]
    facts = read_facts([whole], chunks).facts
    assert [[fact.statement for fact in facts[chunk.id]] for chunk in chunks] == [
        ["The Sundray Heron can carry 48 vehicles on a single deck."],
        ["The Morven Tern was launched in 1987."],
    ]


def test_a_chunk_that_repeats_another_is_not_asked_about() -> None:
    twin = source(HERON.document.text + "\nValves stop water.", "twin.md")
    repeated = Source(twin.chunk.model_copy(update={"duplicate_of": HERON.chunk.id}), twin.document)
    assert bank(HERON, repeated).facts[repeated.chunk.id] == []


@pytest.mark.parametrize(
    ("stem", "scope", "scoped"),
    [
        ("What is a pump?", "“Pumps”", "In the context of “Pumps”, what is a pump?"),
        ("What is a pump?", "PEP 205 (Weak References)", "In PEP 205 (Weak References), what is a pump?"),
        ("By default, what runs?", "“Pumps”", "In the context of “Pumps”: by default, what runs?"),
    ],
)
def test_a_scope_opens_the_stem(stem: str, scope: str, scoped: str) -> None:
    assert scoped_stem(stem, scope) == scoped


PUMPS = document("# Pumps\n\n## Bilge pumps\n\n### Manual {#by-hand}\n\nText.\n", title="The Yard | Island Ferries")


@pytest.mark.parametrize(
    ("key", "scope"),
    [
        ("every week", "“The Yard: Manual”"),
        ("the manual", "“The Yard: Bilge pumps”"),
        ("the yard", "“Manual”"),
        ("a brass pump of the yard with a manual valve", "“The Yard: Manual”"),
    ],
)
def test_a_scope_is_title_and_lowest_heading_without_what_tells_the_key(key: str, scope: str) -> None:
    assert scope_of(PUMPS, PUMPS.text.index("Text"), key) == scope


def test_no_scope_is_named_where_each_would_tell_the_key() -> None:
    assert scope_of(document("# Bilge pumps\n\nText.\n", title="Pumps"), 16, "the bilge pump") == ""


def test_titles_are_quoted_without_marks_unless_they_begin_with_a_label() -> None:
    assert bare_title("Fleet list · Island Ferries") == "Fleet list"
    assert bare_title("4. Fleet — harbour 2.1 documentation") == "4. Fleet"
    assert bare_title("Fleet — a history — harbour 2.1 documentation") == "Fleet — a history"
    assert bare_title("Notes — a kind of documentation") == "Notes — a kind of documentation"
    assert [bare_title(title) for title in ("# Writing C#", "Masts #", "Masts:")] == ["Writing C#", "Masts", "Masts"]
    assert title_scope("Fleet list · Island Ferries") == "“Fleet list”"
    assert title_scope("SOP 12 - *Bilge* pumps") == "SOP 12 (Bilge pumps)"
    labelled = document("## Rationale\n\nText.\n", title="PEP 205: Weak References")
    assert scope_of(labelled, len(labelled.text) - 2, "lists") == "PEP 205 (Weak References: Rationale)"


def test_names_carry_their_capital_inside_sentences() -> None:
    texts = ("the Morven sails and the Morven rests", "a pump, a Pump")
    assert Vocabulary.of([document(text, path=text) for text in texts]).names == {"Morven"}


def test_no_scope_is_named_that_tells_the_key() -> None:
    told = source("The Sundray Heron carries 48 vehicles.", title="48 vehicles")
    known = bank(told)
    writer = OfflineQuestionWriter(known)
    (unit,) = asyncio.run(OfflineUnitExtractor(known).extract(told))
    draft = asyncio.run(writer.write(unit, told, None, None))
    while draft is not None:
        assert draft.key.lower() not in draft.stem.lower()
        draft = asyncio.run(writer.write(unit, told, draft, NOT_ALONE))
