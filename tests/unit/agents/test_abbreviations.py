"""What abbreviations stand for: where documents spell them out, and what else the letters could mean."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.by_hand import WordEmbedder, all_near
from viva.agents.offline.abbreviations import Abbreviation, alternatives, asked_for, explained, with_one_meaning
from viva.agents.offline.bank import Bank
from viva.agents.offline.cast import offline_cast
from viva.agents.roles import Source
from viva.agents.rules.options import options_defect
from viva.core.records import Chunk, Document
from viva.core.settings import Settings


def _found(*texts: str) -> list[Abbreviation]:
    return [
        Abbreviation(short, meaning, f"d{n}", f"c{n}", start, end)
        for n, text in enumerate(texts)
        for short, meaning, start, end in explained(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use role-based access control (RBAC) here.", ("RBAC", "role-based access control")),
        ("A **Software Bill of Materials (SBOM)** lists parts.", ("SBOM", "Software Bill of Materials")),
        ("The web application firewalls (WAFs) block it.", ("WAF", "web application firewalls")),
        ("Chronic kidney disease\n(CKD) is common.", ("CKD", "Chronic kidney disease")),
    ],
)
def test_an_abbreviation_is_read_where_its_letters_open_the_words_before_it(
    text: str, expected: tuple[str, str]
) -> None:
    assert [(short, meaning) for short, meaning, _, _ in explained(text)] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "The agency (NASA) said so.",
        "He was born in Paris. Control lists (RBAC) came later.",
        "An identity provider (IP) signs.",  # two letters stand for too much
    ],
)
def test_brackets_that_spell_nothing_out_are_no_abbreviation(text: str) -> None:
    assert list(explained(text)) == []


def test_the_place_that_is_given_is_what_the_document_says() -> None:
    text = "Here, the transport layer security (TLS) of the site."
    ((_, _, start, end),) = explained(text)
    assert text[start:end] == "transport layer security (TLS)"


def test_an_abbreviation_that_the_corpus_spells_out_in_two_ways_is_left_out() -> None:
    found = _found("A content security policy (CSP).", "A cloud service provider (CSP).", "A data loss plan (DLP).")
    assert [one.short for one in with_one_meaning(found)] == ["DLP"]


def test_a_plural_and_a_hyphen_make_no_second_meaning() -> None:
    found = _found("Many access-control lists (ACLs).", "An access control list (ACL).")
    (kept,) = with_one_meaning(found)
    assert kept.meaning == "access control list"


def _others(number: int) -> list[Abbreviation]:
    return [Abbreviation(f"ZQ{n}", "zone quota plan", f"e{n}", "c", 0, 9) for n in range(number)]


def test_of_few_abbreviations_none_has_other_meanings() -> None:
    known = with_one_meaning(_found("transport layer security (TLS)", "token link server (TKS)"))
    assert alternatives(known, all_near) == {}


def test_other_meanings_keep_the_letters_and_no_option_is_nearer_to_the_others_than_the_rest() -> None:
    known = with_one_meaning(
        _found(
            "transport layer security (TLS)",
            "token ledger service (XTLS) and tunnel login scheme (TLQ)",
            "common log scheme (CLS)",
            "trusted link server (TKS)",
            "time line standard (TIS)",
        )
    ) + _others(150)
    made = alternatives(known, all_near)
    options = ("transport layer security", *made["TLS"])
    assert len(set(options)) == 4
    for option in options:
        assert "".join(word[0] for word in option.split()) == "tls"
    pairs = [set(one.split()) for one in options]
    shared = sorted(sum(len(one & other) for other in pairs if other is not one) for one in pairs)
    assert shared[0] == shared[-1]
    assert options_defect("What does the abbreviation TLS stand for?", options[0], list(made["TLS"]), "en") is None


def test_the_question_names_its_abbreviation_and_the_expert_reads_it_in_the_chunk() -> None:
    text = "# Access\n\nThe service uses role-based access control (RBAC) for all of its users.\n"
    document = Document.of(text, path="a.md", title="Access", format="md")
    source = Source(Chunk.of(document, 0, len(text), 20), document)
    (found,) = _found(text)
    assert asked_for(found.stem) == "RBAC"
    cast = offline_cast(Bank(), WordEmbedder(), Settings())
    answer = asyncio.run(cast.expert.answer(found.stem, "abbreviation", source))
    assert answer is not None
    assert answer.text == "role-based access control"
    assert (
        asyncio.run(cast.expert.answer("What does the abbreviation ABAC stand for?", "abbreviation", source)) is None
    )
