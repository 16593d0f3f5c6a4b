"""Units that state one fact are told, and near-twins are kept apart, whatever an embedding thinks of them."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest
from by_hand import document

from viva.core.records import Chunk, Document, KnowledgeUnit, Span
from viva.graphs.authoring.same_units import same_facts
from viva.llm.embeddings import SentenceTransformerEmbedder, Vectors


def all_the_same(texts: Sequence[str]) -> Vectors:
    return np.ones((len(texts), 1), dtype=np.float32)


def none_the_same(texts: Sequence[str]) -> Vectors:
    return np.eye(len(texts), dtype=np.float32)


def never(texts: Sequence[str]) -> Vectors:
    raise AssertionError(texts)


def stated(statement: str, evidence: str = "", path: str = "") -> KnowledgeUnit:
    """A unit of a document of its own, or of the one under `path`, which is its evidence."""
    text = evidence or statement
    of = document(text, path or f"{statement}.md")
    span = Span(document_id=of.id, start=0, end=len(text), quote=text)
    return KnowledgeUnit.of(Chunk.of(of, 0, len(text), 9), statement, span)


def repeats(*units: KnowledgeUnit) -> list[int]:
    return sorted(same_facts((), units, {}, all_the_same))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The x field is 4 bytes long.", "The y field is 4 bytes long."),
        ("The X field is 4 bytes long.", "The Y field is 4 bytes long."),
        ("A is 4 bytes long.", "B is 4 bytes long."),
        ("The valve opens at 5 bar.", "The valve closes at 5 bar."),
        ("The valve opens at 5 bar.", "The valve opens at 6 bar."),
        ("The valve opens at -5 degrees.", "The valve opens at 5 degrees."),
        ("The valve opens by itself.", "The valve does not open by itself."),
        ("Trailers may use the slipway.", "Trailers may not use the slipway."),
        ("Odalys Ferrant founded the station.", "Maren Holloway founded the station."),
        ("The pool calls the worker.", "The worker calls the pool."),
        ("The pool is called by the worker.", "The pool is called the worker."),
        ("The pool closes at night.", "The pool is closed at night."),
        ("Bytes are moved from A to B.", "Bytes are moved from B to A."),
        ("Each user group has 8 seats.", "Each group user has 8 seats."),
        ("Type 1 has code 2.", "Type 2 has code 1."),
        ("The check is x < 5.", "The check is x > 5."),
        ("The check is x != 5.", "The check is x = 5."),
        ("The log holds 4 Mb.", "The log holds 4 MB."),
        ("The call takes the argument arg.", "The call takes the argument args."),
        ("A pilot must be aboard.", "A pilot may be aboard."),
        ("The lamp is lit before sunset.", "The lamp is lit after sunset."),
        ("The backup server listens on port 8080.", "The server listens on port 8080."),
    ],
)
def test_near_twins_are_both_kept(first: str, second: str) -> None:
    assert repeats(stated(first), stated(second)) == []
    both = f"{first} {second}"
    # nor where both stand in one stretch of text
    assert repeats(stated(first, both, "d.md"), stated(second, both, "d.md")) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The inlet valve opens at 5 bar.", "The outlet valve opens at 5 bar."),
        ("V1 opens at 5 bar.", "V2 opens at 5 bar."),
        ("Alice opens at 5 bar.", "Bob opens at 5 bar."),
    ],
)
def test_what_a_pronoun_of_the_evidence_stands_for_tells_two_units_apart(first: str, second: str) -> None:
    assert repeats(stated(first, "It opens at 5 bar.", "d.md"), stated(second, "It opens at 5 bar.", "d.md")) == []


def test_the_same_words_are_one_fact_in_any_document_and_no_embedding_is_asked() -> None:
    units = [stated("The lock closes 35 minutes before low water.", path=f"{n}.md") for n in range(3)]
    units.append(stated("the lock closes 35 minutes before low water", "The lock closes 35 minutes before low water"))
    assert same_facts((), units, {}, never) == dict.fromkeys((1, 2, 3), units[0])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("By default the port is open.", "The port is open by default."),
        ("The payload of a PING frame is 8 octets.", "The PING frame payload is 8 octets."),
        ("The PING frame's payload is 8 octets.", "The payload of the PING frame is 8 octets."),
        ("In November the east slipway is closed.", "The east slipway is closed in November."),
    ],
)
def test_other_small_words_or_another_order_is_one_fact_where_the_embedding_agrees(first: str, second: str) -> None:
    units = stated(first), stated(second)
    assert same_facts((), units, {}, none_the_same) == {}
    minilm = SentenceTransformerEmbedder("minilm", threads=1)
    assert same_facts((), units, {}, minilm.embed) == {1: units[0]}


def test_units_of_overlapping_evidence_are_one_fact_where_one_leaves_out_words_of_the_title_only() -> None:
    evidence = "It is 8 octets long, and its payload is opaque."
    first = stated("The frame is 8 octets long.", evidence, "d.md")
    units = [
        stated(statement, evidence, "d.md")
        for statement in (
            "A PING frame is 8 octets long.",
            "The frame, 8 octets long",
            "A PING frame is opaque.",
            "The frame is anything but 8 octets long.",
        )
    ]
    document = Document.of("", path="d.md", title="The PING frame", format="md")
    assert same_facts((first,), units, {first.evidence.document_id: document}, never) == {0: first, 1: first}
    assert same_facts((first,), units, {}, never) == {1: first}


def test_what_repeats_a_repetition_repeats_the_unit_that_is_kept() -> None:
    known = stated("By default the port is open.")
    moved, again = (
        stated("The port is open by default.", path="1.md"),
        stated("The port is open by default.", path="2"),
    )
    assert same_facts((known,), (moved, again), {}, all_the_same) == {0: known, 1: known}


def test_units_without_evidence_are_compared_with_none() -> None:
    lost = stated("The port is open.").model_copy(
        update={"evidence": Span(document_id="d", start=0, end=0, quote="")}
    )
    assert same_facts((lost,), (lost, stated("The port is open.")), {}, all_the_same) == {}


def test_five_thousand_units_take_seconds() -> None:
    text = " ".join(f"Pump {n} moves {n} litres of water through pipe {n % 7}." for n in range(5000))
    of = document(text)
    chunk = Chunk.of(of, 0, 99, 9)
    units = []
    for sentence in text.split(". "):
        start = text.index(sentence)
        span = Span(document_id=of.id, start=start, end=start + len(sentence), quote=sentence)
        units.append(KnowledgeUnit.of(chunk, sentence, span))
    started = time.process_time()
    assert len(same_facts(units, units, {}, never)) == 5000
    assert time.process_time() - started < 10
