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


def stems(*texts: str) -> list[str]:
    documents = [Document.of(text, path=f"{n}.md", title=f"Part {n}", format="md") for n, text in enumerate(texts)]
    bank = read_facts(documents, [Chunk.of(d, 0, len(d.text), 60) for d in documents])
    return [question.stem for facts in bank.facts.values() for fact in facts for question in fact.questions]


CODE = "# Ferries\n\n```\nfn load_deck(cars: u8) {}\n```\n\nThe `load_deck` function moves 48 cars on deck.\n"


def test_what_a_page_calls_things_in_its_own_code_is_not_asked_about_unless_others_use_it() -> None:
    elsewhere = "# Tides\n\nPilots read the tide tables of Corran, and `load_deck` waits for high water.\n"
    assert not any("load_deck" in stem for stem in stems(CODE))
    assert any("load_deck" in stem for stem in stems(CODE, elsewhere))
    assert any("load_deck" in stem for stem in stems(CODE.replace("fn load_deck(cars: u8) {}", "make all")))


@pytest.mark.parametrize(("name", "asked"), [("Council", False), ("Corran Council", True), ("council", False)])
def test_a_common_word_with_a_capital_is_the_short_form_of_a_name_that_was_told_before(
    name: str, *, asked: bool
) -> None:
    text = (
        f"# Harbour\n\nA council of pilots is old, as each council is.\n\nThe {name} inspects 48 ferries in Corran.\n"
    )
    assert any("Corran" in stem and "inspects" in stem for stem in stems(text)) == asked


def test_what_we_do_is_the_course_of_a_text_and_also_is_left_out() -> None:
    assert stems("# Ferries\n\nIn Corran we inspect 48 ferries with our own crane.\n") == []
    found = stems("# Ferries\n\nThe Sundray Heron also carries 48 vehicles on Monday.\n")
    assert found
    assert not any("also" in stem for stem in found)
