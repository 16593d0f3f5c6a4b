"""What the offline cast knows of a corpus, also of one that says nothing."""

from __future__ import annotations

import pytest

from viva.agents.offline.corpus_facts import CorpusFacts
from viva.agents.offline.corpus_reading import read_facts
from viva.core.records import Chunk, Document

HEADERS_ONLY = "Bulletin on part {n}\n====================\n\n:Effective: {n} January 2025\n:Owner: Dept {n}\n"


def test_a_corpus_without_sentences_makes_no_word_telling() -> None:
    assert CorpusFacts().weight("pump") == 1.0


def test_documents_that_are_all_header_give_header_questions_only() -> None:
    documents = [
        Document.of(HEADERS_ONLY.format(n=n), path=f"{n}.rst", title=f"Bulletin on part {n}", format="rst")
        for n in range(1, 7)
    ]
    bank = read_facts(documents, [Chunk.of(d, 0, len(d.text), 20) for d in documents])
    facts = [fact for found in bank.facts.values() for fact in found]
    assert {fact.questions[0].pattern for fact in facts} <= {"header-field"}


@pytest.mark.parametrize("times", [1, 5])
def test_a_rarer_word_tells_more(times: int) -> None:
    bank = CorpusFacts()
    bank.sentence("The bilge pump moves water.", "d")
    for _ in range(times):
        bank.sentence("The crew moves water.", "d")
    assert bank.weight("bilge") > bank.weight("water")
