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


PAGES = [f"# Tides {n}\n\nPilots read the tide table number {n} of Corran on Monday.\n" for n in range(12)]


def on(day: str) -> list[str]:
    """As many pages again."""
    return [page.replace("Monday", day) for page in PAGES]


QUAY = "The {name} quay closes 2 hours before low water."
CLOSES = QUAY.format(name="north")


def test_a_sentence_in_two_documents_is_asked_once_and_one_in_three_not_at_all() -> None:
    one, two, three = (stems(*[f"{CLOSES} Notice {n}." for n in range(pages)]) for pages in (1, 2, 3))
    assert one == two != []
    assert three == []


def test_boilerplate_that_names_its_own_page_is_boilerplate() -> None:
    names = ("north", "south", "west")
    pages = [Document.of(QUAY.format(name=name), path=name, title=name, format="md") for name in names]
    bank = read_facts(pages, [Chunk.of(page, 0, len(page.text), 20) for page in pages])
    assert not any(bank.facts.values())


@pytest.mark.parametrize("lead", ["**Don’t**:", "## Common mistakes", "Do not:"])
def test_nothing_is_asked_of_what_a_heading_or_the_line_above_a_list_denies(lead: str) -> None:
    assert stems(f"# Quays\n\n**Do**:\n\n- {CLOSES}\n")
    assert not stems(f"# Quays\n\n{lead}\n\n- {CLOSES}\n")


CODE = "# Ferries\n\nThe `load_deck` function moves 48 cars on deck.\n"


def test_a_name_in_code_that_few_pages_know_and_no_heading_makes_known_is_an_example() -> None:
    others = [f"# Quays {n}\n\nThe `load_deck` function waits for high water at 9 quays.\n" for n in (1, 2)]
    many = [*PAGES, *on("Friday")]

    def asked(*pages: str) -> bool:
        return any("load_deck" in stem for stem in stems(CODE, *pages))

    assert not asked(*many)
    assert asked(others[0], *many)
    # of more pages one more may share an example
    assert not asked(others[0], *many, *on("Sunday"))
    assert asked("# The `load_deck` function\n\nPilots read it.\n", *many)
    # what stands between two spans of code is none, and a comment in a listing is no heading
    prose = [f"# Piers {n}\n\nThe ``alpha`` of load_deck and ``beta`` rest at 9 quays.\n" for n in range(9)]
    listing = "# Decks\n\n```\n# calls `load_deck` first\n```\n"
    assert not asked(listing, *prose, *many)
    # of few documents that tells nothing
    assert asked(*PAGES[:3])


def test_a_word_that_looks_like_code_is_an_example_where_one_of_many_pages_has_it() -> None:
    page = "# Ferries\n\nThe LoadDeck system moves 48 cars on deck.\n"
    assert any("LoadDeck" in stem for stem in stems(page, *PAGES))
    assert not any("LoadDeck" in stem for stem in stems(page, *PAGES, *on("Friday"), *on("Sunday"), *on("Tuesday")))


@pytest.mark.parametrize(("name", "asked"), [("Council", False), ("Corran Council", True), ("council", False)])
def test_the_last_word_of_a_longer_name_is_its_short_form(name: str, *, asked: bool) -> None:
    longer = "# Harbour\n\nPilots elect the Corran Council, and ask the Digital Council for 48 ferries.\n"
    found = stems(f"{longer}\nThe {name} inspects 30 cranes by night.\n")
    assert any("inspects" in stem for stem in found) == asked


@pytest.mark.parametrize("subject", ["CBA", "The CBA", "PARs"])
def test_of_what_is_named_by_its_initials_alone_nobody_is_asked_what_is_said(subject: str) -> None:
    found = stems(f"# Harbour\n\n{subject} carries the crew of Corran over to the islands by night.\n")
    assert not any(stem.startswith("Which of these") for stem in found)


def test_what_we_do_is_the_course_of_a_text_and_also_is_left_out() -> None:
    assert stems("# Ferries\n\nIn Corran we inspect 48 ferries with our own crane.\n") == []
    found = stems("# Ferries\n\nThe Sundray Heron also carries 48 vehicles on Monday.\n")
    assert found
    assert not any("also" in stem for stem in found)
